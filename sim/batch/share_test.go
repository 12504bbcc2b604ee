package batch_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/gosper-life/gosper/sim/batch"
)

func TestShare(t *testing.T) {
	for _, c := range []struct{ workers, pieces int }{{1, 0}, {1, 5}, {3, 2}, {4, 1000}} {
		done := make([]atomic.Int32, c.pieces)
		busy := make([]atomic.Int32, c.workers)
		workers := make([]int, c.workers)
		for i := range workers {
			workers[i] = i
		}
		err := batch.Share(t.Context(), workers, c.pieces, func(w, piece int) error {
			if busy[w].Add(1) != 1 {
				t.Errorf("worker %d does two pieces at once", w)
			}
			done[piece].Add(1)
			busy[w].Add(-1)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		for i := range done {
			if n := done[i].Load(); n != 1 {
				t.Errorf("%d workers: piece %d of %d was done %d times", c.workers, i, c.pieces, n)
			}
		}
	}
}

func TestShareStops(t *testing.T) {
	var done atomic.Int32
	err := batch.Share(t.Context(), []int{0}, 1000, func(_, piece int) error {
		done.Add(1)
		if piece == 7 {
			return fmt.Errorf("piece %d", piece)
		}
		return nil
	})
	if err == nil || err.Error() != "piece 7" || done.Load() != 8 {
		t.Errorf("error %v after %d pieces, want that of piece 7 after 8", err, done.Load())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err = batch.Share(ctx, []int{0, 1}, 10, func(int, int) error {
		t.Error("work is begun that nobody waits for")
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}
