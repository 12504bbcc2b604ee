package batch

import (
	"context"
	"sync"
	"sync/atomic"
)

// Share distributes pieces of work to workers. Each worker runs in a goroutine and takes the next piece when it
// has finished one. After an error no more pieces are begun, and Share returns the first error. It is for
// implementations of Batch.
func Share[W any](ctx context.Context, workers []W, pieces int, do func(w W, piece int) error) error {
	var next atomic.Int64
	var once sync.Once
	var first error
	run := func(w W) {
		for i := next.Add(1) - 1; i < int64(pieces); i = next.Add(1) - 1 {
			err := ctx.Err()
			if err == nil {
				err = do(w, int(i))
			}
			if err != nil {
				once.Do(func() { first = err })
				next.Store(int64(pieces))
				return
			}
		}
	}
	var wg sync.WaitGroup
	for _, w := range workers[1:max(1, min(len(workers), pieces))] {
		wg.Go(func() { run(w) })
	}
	run(workers[0])
	wg.Wait()
	return first
}
