package fujita

import (
	"runtime"
	"sync"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/papers/experiment"
)

// cells is the word-per-cell arrangement on one core: a byte for each cell, and each cell is computed from the
// definition. Lines are rows, or columns in column-major order; the rule is the same for both.
type cells struct {
	m           Method
	w, h        int
	lines, long int // of the array
	now, later  []uint8
}

func newCells(m Method, w, h int) *cells {
	c := &cells{m: m, w: w, h: h, lines: h, long: w, now: make([]uint8, w*h), later: make([]uint8, w*h)}
	if m.Columns {
		c.lines, c.long = w, h
	}
	return c
}

// Load implements experiment.Stepper.
func (c *cells) Load(g *grid.Grid) error { return unpackCells(c.now, g, c.w, c.h, c.m.Columns) }

// Store implements experiment.Stepper.
func (c *cells) Store(g *grid.Grid) error { return packCells(g, c.now, c.w, c.h, c.m.Columns) }

// Close implements experiment.Stepper.
func (c *cells) Close() error { return nil }

// Step implements experiment.Stepper.
func (c *cells) Step(n int) error {
	for range n {
		for y := range c.lines {
			c.line(y)
		}
		c.now, c.later = c.later, c.now
	}
	return nil
}

// line computes a line of cells, a byte each. The first and the last cell have their neighbours at the
// other end.
func (c *cells) line(y int) {
	at := func(y int) []uint8 { return c.now[y*c.long:][:c.long] }
	up, mid, down := at((y+c.lines-1)%c.lines), at(y), at((y+1)%c.lines)
	to := c.later[y*c.long:][:c.long]
	last := c.long - 1
	cell := func(left, x, right int) {
		s := up[left] + up[x] + up[right] + mid[left] + mid[right] + down[left] + down[x] + down[right]
		to[x] = alive[s|mid[x]]
	}
	cell(last, 0, min(1, last))
	for x := 1; x < last; x++ {
		cell(x-1, x, x+1)
	}
	cell(max(last-1, 0), last, 0)
}

// alive is formula (2) by the sum of a cell's neighbours or the cell: 3 neighbours, or 2 and a live cell, and
// nothing else, give 3.
var alive = [16]uint8{3: 1}

// unpackCells makes a byte a cell of a grid, word by word down its columns: 64 columns at a time stay in the
// caches in either order.
func unpackCells(to []uint8, g *grid.Grid, w, h int, columns bool) error {
	if err := experiment.CheckGrid(g, w, h); err != nil {
		return err
	}
	sx, sy := 1, w
	if columns {
		sx, sy = h, 1
	}
	stripes(w, func(x int) {
		for y := range h {
			word := g.Row(0, y)[x>>6]
			for k := range min(64, w-x) {
				to[(x+k)*sx+y*sy] = uint8(word >> k & 1)
			}
		}
	})
	return nil
}

// packCells is the reverse of unpackCells.
func packCells(g *grid.Grid, from []uint8, w, h int, columns bool) error {
	if err := experiment.CheckGrid(g, w, h); err != nil {
		return err
	}
	sx, sy := 1, w
	if columns {
		sx, sy = h, 1
	}
	stripes(w, func(x int) {
		for y := range h {
			word := uint64(0)
			for k := range min(64, w-x) {
				word |= uint64(from[(x+k)*sx+y*sy]) << k
			}
			g.Row(0, y)[x>>6] = word
		}
	})
	return nil
}

// stripes calls do with the first column of every 64, on all cores.
func stripes(w int, do func(x int)) {
	var group sync.WaitGroup
	for core := range min(runtime.GOMAXPROCS(0), ceil(w, 64)) {
		group.Go(func() {
			for x := 64 * core; x < w; x += 64 * runtime.GOMAXPROCS(0) {
				do(x)
			}
		})
	}
	group.Wait()
}
