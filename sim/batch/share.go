package batch

import (
	"context"
	"sync"
	"sync/atomic"
)

// Share has workers do pieces of work, each worker in a goroutine and the next piece whenever it has done one, and returns the first error,
// after which no more are begun. It is for those who implement Batch.
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
