package pattern

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/gosper-life/gosper/grid"
)

const (
	// maxCoordinate bounds every coordinate, size and position read, so that sums of a few never overflow an int.
	maxCoordinate = 1 << (bits.UintSize - 4)

	// tileBytes is what a plane of a tile takes.
	tileBytes = grid.TileSide * grid.TileSide / 8

	windowWords = 1024
	windowCells = 64 * windowWords
)

// canvas is what readers draw on. Runs of a row are gathered in a window of words, aligned to windowCells, which is
// merged into the tiles when the row or the window changes. Planes are added as states turn up.
type canvas struct {
	budget
	tiles  *grid.Tiles
	trees  bool   // are kept instead
	held   uint64 // bytes a reader holds beside the tiles
	planes int
	y      int                                 // the row of the window
	x      int                                 // the first cell of the window
	lo, hi int                                 // the words in use, lo ≤ w < hi
	window [grid.MaxPlanes][windowWords]uint64 // zero outside lo, hi
	merged [windowWords]uint64                 // scratch
}

func newCanvas(o Options, from *input) *canvas {
	c := &canvas{budget: budget{max: o.MaxBytes, from: from}, trees: o.Squares, planes: 1, lo: windowWords}
	c.tiles, _ = grid.NewTiles(1) // one plane is always allowed
	return c
}

// bytes is the memory held by the reader's own tables, the tiles and, roughly, their map.
func (c *canvas) bytes() uint64 {
	return c.held + uint64(c.tiles.Len())*uint64(c.planes*tileBytes+64)
}

// row moves to row y.
func (c *canvas) row(y int) error {
	if y <= -maxCoordinate || y >= maxCoordinate {
		return fmt.Errorf("row %d is too far away; coordinates are within ±%d", y, maxCoordinate)
	}
	if y == c.y {
		return nil
	}
	err := c.flush()
	c.y = y
	return err
}

// run puts the n ≥ 1 cells from x rightwards of the current row, which are dead so far, in a state.
func (c *canvas) run(x, n int, state uint8) error {
	off := x - c.x
	if uint(off) < windowCells && off+n <= windowCells && state == 1 {
		c.fill(0, off, n)
		return nil
	}
	if x <= -maxCoordinate || x >= maxCoordinate || n >= maxCoordinate-x {
		return fmt.Errorf("column %d+%d is too far away; coordinates are within ±%d", x, n, maxCoordinate)
	}
	if state>>c.planes != 0 {
		if err := c.grow(bits.Len8(state)); err != nil {
			return err
		}
	}
	// So long a run must end up in this many tiles: no need to draw it to see that it is too much.
	if state != 0 {
		if err := c.reserve(uint64(n/grid.TileSide) * tileBytes); err != nil {
			return err
		}
	}
	for n > 0 && state != 0 {
		if off = x - c.x; uint(off) >= windowCells {
			if err := c.flush(); err != nil {
				return err
			}
			c.x = x &^ (windowCells - 1)
			off = x - c.x
		}
		m := min(n, windowCells-off)
		for plane := range c.planes {
			if state>>plane&1 != 0 {
				c.fill(plane, off, m)
			}
		}
		x, n = x+m, n-m
	}
	return nil
}

// fill sets n bits of the window from off on.
func (c *canvas) fill(plane, off, n int) {
	words := &c.window[plane]
	first, last := off>>6, (off+n-1)>>6
	c.lo, c.hi = min(c.lo, first), max(c.hi, last+1)
	head, tail := ^uint64(0)<<(off&63), ^uint64(0)>>(63-(off+n-1)&63)
	if first == last {
		words[first] |= head & tail
		return
	}
	words[first] |= head
	for w := first + 1; w < last; w++ {
		words[w] = ^uint64(0)
	}
	words[last] |= tail
}

// flush merges the window into the tiles.
func (c *canvas) flush() error {
	if c.lo >= c.hi {
		return nil
	}
	x, n := c.x+c.lo<<6, (c.hi-c.lo)<<6
	for plane := range c.planes {
		words, merged := c.window[plane][c.lo:c.hi], c.merged[:c.hi-c.lo]
		if err := c.tiles.ReadRow(merged, plane, x, c.y, n); err != nil {
			return err
		}
		for i, word := range words {
			merged[i] |= word
		}
		if err := c.tiles.WriteRow(merged, plane, x, c.y, n); err != nil {
			return err
		}
		clear(words)
	}
	c.lo, c.hi = windowWords, 0
	return c.reserve(c.bytes())
}

// grow gives the tiles more planes.
func (c *canvas) grow(planes int) error {
	if planes <= c.planes {
		return nil
	}
	if err := c.reserve(c.bytes() + uint64(c.tiles.Len()*planes)*tileBytes); err != nil {
		return err
	}
	old := c.tiles
	var err error
	if c.tiles, err = grid.NewTiles(planes); err != nil {
		return err
	}
	for at, tile := range old.All() {
		for plane := range c.planes {
			for y := range grid.TileSide {
				err := c.tiles.WriteRow(tile.Row(plane, y), plane, at.X*grid.TileSide, at.Y*grid.TileSide+y, grid.TileSide)
				if err != nil {
					return err
				}
			}
		}
	}
	c.planes = planes
	return nil
}

// errNoPattern is what readers of text say of files in which they found nothing that the format has: neither a line that only it
// has nor a cell.
var errNoPattern = errors.New("there is no pattern in it")

// blank reports whether nothing has been drawn.
func (c *canvas) blank() bool { return c.lo >= c.hi && c.tiles.Len() == 0 }

// finish hands the cells over to p.
func (c *canvas) finish(p *Pattern) error {
	if err := c.flush(); err != nil {
		return err
	}
	p.Cells, p.States = c.tiles, 1<<c.planes
	if p.Bounds == (grid.Rect{}) {
		p.Bounds = c.tiles.Bounds()
	}
	return nil
}

// budget bounds the memory of a reader.
type budget struct {
	max     uint64 // 0: the default, and what the machine has
	from    *input
	granted uint64
}

// reserve refuses when a reader comes to hold more than it may, or is to end.
func (b *budget) reserve(total uint64) error {
	if total <= b.granted {
		return b.from.ctx.Err()
	}
	most := b.max
	if most == 0 {
		most = max(DefaultMaxBytes, Expansion*uint64(b.from.bytes))
	}
	if total > most {
		return fmt.Errorf("pattern needs at least %d bytes of memory, the limit is %d", total, most)
	}
	if b.max != 0 {
		b.granted = b.max
		return nil
	}
	// Ask for more than is needed now so as not to ask the system for every row.
	more := min(total-b.granted+max(1<<20, total/8), most-b.granted)
	if err := grid.Fits(more); err != nil {
		return fmt.Errorf("pattern of at least %d bytes: %w", total, err)
	}
	b.granted += more
	return nil
}
