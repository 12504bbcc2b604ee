package soup

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gosper-life/gosper/grid"
)

// A piece of work is several rows of about segment cells together, or one row, or a part of a very long row. A part is a whole number of words, so
// that no two parts share a word. Engines write whole rows much faster than parts.
const (
	segment = 1 << 18
	longest = 1 << 22
)

// Filler is a sink that can compute soups in the memory where its cells are.
type Filler interface {
	grid.Source
	// FillSoup fills all cells within the extent with the soup of that width.
	FillSoup(s Soup) error
}

// Fill writes the soup of a seed and density (0 to 1) to the w×h cells of sink whose corner is (0, 0): state 1 for live cells and state 0 for dead
// ones. threads is the number of threads; 0 means one for each core. If sink is a *grid.Grid, all of them write to it; otherwise one at a time does.
// If sink is a Filler as large as the soup, it does the work itself. The bits do not depend on the number of threads.
//
// progress, if it is not nil, gets the number of cells done and the total after each piece of work, from one goroutine at a time. Fill ends early
// with ctx.Err() when ctx is done, and with the sink's error if a row cannot be written.
func Fill(
	ctx context.Context, sink grid.Sink, w, h int, seed uint64, density float64,
	threads int, progress func(done, total uint64),
) error {
	s, err := New(seed, density)
	if err != nil {
		return err
	}
	if w < 1 || h < 1 || int64(w) > grid.MaxSide || int64(h) > grid.MaxSide {
		return fmt.Errorf("soup size %d×%d: width and height must be 1 to %d", w, h, int64(grid.MaxSide))
	}
	if f, ok := sink.(Filler); ok {
		box, err := f.Extent()
		if err != nil {
			return err
		}
		if box == (grid.Rect{W: w, H: h}) {
			return f.FillSoup(s)
		}
	}
	return write(ctx, sink, w, h, 1, threads, progress, func() rowMaker {
		return func(dst [][]uint64, x, y, n int) error {
			s.Row(dst[0], uint64(y)*uint64(w)+uint64(x), n)
			return nil
		}
	})
}

// rowMaker stores the cells of a part of a row, whole words of it, in the planes of dst, whose spare bits it leaves zero. One goroutine calls it at a time.
type rowMaker func(dst [][]uint64, x, y, n int) error

// write writes w×h cells with so many planes, and zeros to further planes of the sink. Each thread has a rowMaker of its own.
func write(
	ctx context.Context, sink grid.Sink, w, h, planes, threads int, progress func(done, total uint64), maker func() rowMaker,
) error {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	all := planes
	if src, ok := sink.(grid.Source); ok {
		all = max(all, src.Planes())
	}
	_, concurrent := sink.(*grid.Grid)
	working, stop := context.WithCancelCause(ctx)
	defer stop(nil)

	width := min(w, longest)
	columns := (w + width - 1) / width
	rows := max(1, segment/w)
	pieces := int64(columns) * int64((h+rows-1)/rows)
	var (
		next        atomic.Int64
		writing     sync.Mutex // held while writing to a sink that is not a Grid
		progressing sync.Mutex
		done        uint64
		wg          sync.WaitGroup
	)
	work := func() {
		cells, makeRow := make([][]uint64, all), maker()
		for k := range cells {
			cells[k] = newRow(width)
		}
		for working.Err() == nil {
			piece := next.Add(1) - 1
			if piece >= pieces {
				return
			}
			x, top := int(piece%int64(columns))*width, int(piece/int64(columns))*rows
			n, bottom := min(width, w-x), min(top+rows, h)
			for y := top; y < bottom; y++ {
				err := makeRow(cells[:planes], x, y, n)
				if !concurrent {
					writing.Lock()
				}
				for k := 0; k < all && err == nil; k++ {
					err = sink.WriteRow(cells[k], k, x, y, n)
				}
				if !concurrent {
					writing.Unlock()
				}
				if err != nil {
					stop(err)
					return
				}
			}
			if progress != nil {
				progressing.Lock()
				done += uint64(n) * uint64(bottom-top)
				progress(done, uint64(w)*uint64(h))
				progressing.Unlock()
			}
		}
	}
	for range min(int64(threads), pieces) {
		wg.Go(work)
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	return context.Cause(working)
}

// newRow has room for n cells.
func newRow(n int) []uint64 { return make([]uint64, (n+63)>>6) }
