package soup

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gosper-life/gosper/grid"
)

// A piece of work is several rows of about segment cells together, or one row, or a part of a very long row. A
// part is a whole number of words, so that no two parts share a word. Engines write whole rows much faster than
// parts.
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

// Fill writes the soup of a seed and density (0 to 1) to the w×h cells of sink whose corner is (0, 0): state 1
// for live cells and state 0 for dead ones. threads is the number of threads; 0 means one for each core. If
// sink is a *grid.Grid, all of them write to it; otherwise one at a time does. If sink is a Filler as large as
// the soup, it does the work itself. The bits do not depend on the number of threads.
//
// progress, if it is not nil, gets the number of cells done and the total after each piece of work, from one
// goroutine at a time. Fill ends early with ctx.Err() when ctx is done, and with the sink's error if a row
// cannot be written.
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
	f := filling{sink: sink, w: w, h: h, planes: 1, progress: progress}
	return f.run(ctx, threads, func() rowMaker {
		return func(dst [][]uint64, x, y, n int) error {
			s.Row(dst[0], uint64(y)*uint64(w)+uint64(x), n)
			return nil
		}
	})
}

// rowMaker stores the cells of a part of a row, whole words of it, in the planes of dst, whose spare bits it
// leaves zero. One goroutine calls it at a time.
type rowMaker func(dst [][]uint64, x, y, n int) error

// filling is w×h cells of a sink while several threads write them, piece by piece.
type filling struct {
	sink     grid.Sink
	w, h     int
	planes   int                      // that are made; further planes of the sink get zeros
	progress func(done, total uint64) // may be nil

	writing     sync.Mutex // held while writing to a sink that is not a Grid
	progressing sync.Mutex
	done        uint64 // cells
}

// run writes all cells. Each thread has a rowMaker of its own; 0 threads are one for each core.
func (f *filling) run(ctx context.Context, threads int, maker func() rowMaker) error {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	all := f.planes
	if src, ok := f.sink.(grid.Source); ok {
		all = max(all, src.Planes())
	}
	working, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	pieces := f.pieces()
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(int64(threads), pieces) {
		wg.Go(func() {
			cells, makeRow := make([][]uint64, all), maker()
			for k := range cells {
				cells[k] = newRow(min(f.w, longest))
			}
			for working.Err() == nil {
				i := next.Add(1) - 1
				if i >= pieces {
					return
				}
				piece := f.piece(i)
				if err := f.write(piece, cells, makeRow); err != nil {
					stop(err)
					return
				}
				f.advance(uint64(piece.W) * uint64(piece.H))
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	return context.Cause(working)
}

// split returns how many columns and rows of cells a piece has, and how many pieces lie side by side.
func (f *filling) split() (width, rows, across int) {
	width = min(f.w, longest)
	return width, max(1, segment/f.w), (f.w + width - 1) / width
}

// pieces returns how many pieces there are.
func (f *filling) pieces() int64 {
	_, rows, across := f.split()
	return int64(across) * int64((f.h+rows-1)/rows)
}

// piece returns the cells of piece i.
func (f *filling) piece(i int64) grid.Rect {
	width, rows, across := f.split()
	x, y := int(i%int64(across))*width, int(i/int64(across))*rows
	return grid.Rect{X: x, Y: y, W: min(width, f.w-x), H: min(rows, f.h-y)}
}

// write makes the cells of a piece and writes them. cells has room for a row in every plane of the sink.
func (f *filling) write(piece grid.Rect, cells [][]uint64, makeRow rowMaker) error {
	for y := piece.Y; y < piece.Y+piece.H; y++ {
		if err := makeRow(cells[:f.planes], piece.X, y, piece.W); err != nil {
			return err
		}
		if err := f.writeRow(cells, piece.X, y, piece.W); err != nil {
			return err
		}
	}
	return nil
}

// writeRow writes a row of all planes. Pieces of a Grid are written at the same time, because they share no words;
// other sinks get one row after the other.
func (f *filling) writeRow(cells [][]uint64, x, y, n int) error {
	if _, concurrent := f.sink.(*grid.Grid); !concurrent {
		f.writing.Lock()
		defer f.writing.Unlock()
	}
	for k, plane := range cells {
		if err := f.sink.WriteRow(plane, k, x, y, n); err != nil {
			return err
		}
	}
	return nil
}

// advance adds to the number of cells that have been written, and reports the progress.
func (f *filling) advance(cells uint64) {
	if f.progress == nil {
		return
	}
	f.progressing.Lock()
	defer f.progressing.Unlock()
	f.done += cells
	f.progress(f.done, uint64(f.w)*uint64(f.h))
}

// newRow has room for n cells.
func newRow(n int) []uint64 { return make([]uint64, (n+63)>>6) }
