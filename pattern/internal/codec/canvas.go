package codec

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/gosper-life/gosper/grid"
)

const (
	// MaxCoordinate bounds every coordinate, size and position in a file, so that sums of a few never overflow an int.
	MaxCoordinate = 1 << (bits.UintSize - 4)

	// TileBytes is the size of one plane of a tile.
	TileBytes = grid.TileSide * grid.TileSide / 8

	// SpanWords and SpanCells are the parts of a row that readers draw and writers read at once.
	SpanWords = 1024
	SpanCells = 64 * SpanWords
)

// Canvas collects the cells that a reader finds. Runs of a row are collected in a span of words, aligned to
// SpanCells. The span is merged into the tiles when the row or the span changes. Planes are added as states
// occur.
type Canvas struct {
	Tiles  *grid.Tiles
	Planes int
	Trees  bool   // trees are kept in File.Squares instead of being drawn
	Held   uint64 // bytes that a reader holds in addition to the tiles

	budget
	y      int                               // the row of the span
	x      int                               // the first cell of the span
	lo, hi int                               // the words in use, lo ≤ w < hi
	span   [grid.MaxPlanes][SpanWords]uint64 // zero outside lo, hi
	merged [SpanWords]uint64                 // scratch
}

// Limits bound the memory that a reader uses.
type Limits struct {
	// most bytes of memory; 0 means DefaultMaxBytes, or Expansion times the bytes read if that is more, if the
	// machine has them
	MaxBytes uint64
	Read     func() int64 // how many bytes of the file have been read
	Trees    bool         // keep a file's tree instead of drawing it
}

// How much a file may expand. A few bytes of a file can describe terabytes of cells, and a cell far from all
// others needs a tile.
const (
	defaultMaxBytes = 2 << 30
	expansion       = 64 // a row of gliders takes about 40 times as many bytes in memory as in a file
)

// NewCanvas returns an empty canvas. Its methods fail soon after ctx is done.
func NewCanvas(ctx context.Context, l Limits) *Canvas {
	c := &Canvas{budget: budget{ctx: ctx, limits: l}, Trees: l.Trees, Planes: 1, lo: SpanWords}
	c.Tiles, _ = grid.NewTiles(1) // one plane is always allowed
	return c
}

// Bytes is the memory of the reader's own tables, the tiles and, approximately, their map.
func (c *Canvas) Bytes() uint64 {
	return c.Held + uint64(c.Tiles.Len())*uint64(c.Planes*TileBytes+64)
}

// Row moves to row y.
func (c *Canvas) Row(y int) error {
	if y <= -MaxCoordinate || y >= MaxCoordinate {
		return fmt.Errorf("row %d is too far away; coordinates are within ±%d", y, MaxCoordinate)
	}
	if y == c.y {
		return nil
	}
	err := c.flush()
	c.y = y
	return err
}

// Run sets the n ≥ 1 cells from x to the right in the current row, which are still dead, to a state.
func (c *Canvas) Run(x, n int, state uint8) error {
	off := x - c.x
	if uint(off) < SpanCells && off+n <= SpanCells && state == 1 {
		c.fill(0, off, n)
		return nil
	}
	if x <= -MaxCoordinate || x >= MaxCoordinate || n >= MaxCoordinate-x {
		return fmt.Errorf("column %d+%d is too far away; coordinates are within ±%d", x, n, MaxCoordinate)
	}
	if state>>c.Planes != 0 {
		if err := c.Grow(bits.Len8(state)); err != nil {
			return err
		}
	}
	// A run of n cells needs at least n/TileSide tiles. If that is too much memory, the run is refused before it is
	// drawn.
	if state != 0 {
		if err := c.Reserve(uint64(n/grid.TileSide) * TileBytes); err != nil {
			return err
		}
	}
	for n > 0 && state != 0 {
		if off = x - c.x; uint(off) >= SpanCells {
			if err := c.flush(); err != nil {
				return err
			}
			c.x = x &^ (SpanCells - 1)
			off = x - c.x
		}
		m := min(n, SpanCells-off)
		for plane := range c.Planes {
			if state>>plane&1 != 0 {
				c.fill(plane, off, m)
			}
		}
		x, n = x+m, n-m
	}
	return nil
}

// fill sets n bits of the span from off on. head has the bits of the first word from off&63 up, tail those of the last
// word up to (off+n-1)&63.
func (c *Canvas) fill(plane, off, n int) {
	words := &c.span[plane]
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

// flush merges the span into the tiles.
func (c *Canvas) flush() error {
	if c.lo >= c.hi {
		return nil
	}
	x, n := c.x+c.lo<<6, (c.hi-c.lo)<<6
	for plane := range c.Planes {
		words, merged := c.span[plane][c.lo:c.hi], c.merged[:c.hi-c.lo]
		if err := c.Tiles.ReadRow(merged, plane, x, c.y, n); err != nil {
			return err
		}
		for i, word := range words {
			merged[i] |= word
		}
		if err := c.Tiles.WriteRow(merged, plane, x, c.y, n); err != nil {
			return err
		}
		clear(words)
	}
	c.lo, c.hi = SpanWords, 0
	return c.Reserve(c.Bytes())
}

// Grow adds planes to the tiles.
func (c *Canvas) Grow(planes int) error {
	if planes <= c.Planes {
		return nil
	}
	if err := c.Reserve(c.Bytes() + uint64(c.Tiles.Len()*planes)*TileBytes); err != nil {
		return err
	}
	old := c.Tiles
	var err error
	if c.Tiles, err = grid.NewTiles(planes); err != nil {
		return err
	}
	for at, tile := range old.All() {
		for plane := range c.Planes {
			for y := range grid.TileSide {
				err := c.Tiles.WriteRow(tile.Row(plane, y), plane, at.X*grid.TileSide, at.Y*grid.TileSide+y, grid.TileSide)
				if err != nil {
					return err
				}
			}
		}
	}
	c.Planes = planes
	return nil
}

// Blank reports whether nothing has been drawn.
func (c *Canvas) Blank() bool { return c.lo >= c.hi && c.Tiles.Len() == 0 }

// Box is the bounding box of the drawn cells.
func (c *Canvas) Box() (grid.Rect, error) {
	if err := c.flush(); err != nil {
		return grid.Rect{}, err
	}
	return c.Tiles.Bounds(), nil
}

// Bitmap draws n cells of the current row from column 0 on, 8 in each byte, the leftmost in the highest bit.
func (c *Canvas) Bitmap(row []byte, n int) error {
	for x := 0; x < n; x += 64 {
		var eight [8]byte
		copy(eight[:], row[x>>3:])
		word := bits.Reverse64(binary.BigEndian.Uint64(eight[:]))
		if rest := n - x; rest < 64 {
			word &= 1<<rest - 1
		}
		if word == 0 {
			continue
		}
		// The first live cell moves the span here.
		if err := c.Run(x+bits.TrailingZeros64(word), 1, 1); err != nil {
			return err
		}
		c.span[0][(x-c.x)>>6] |= word
	}
	return nil
}

// budget bounds the memory of a reader.
type budget struct {
	ctx     context.Context
	limits  Limits
	granted uint64
}

// Reserve fails if a reader would hold more than it may, or if ctx is done.
func (b *budget) Reserve(total uint64) error {
	if total <= b.granted {
		return b.ctx.Err()
	}
	most := b.limits.MaxBytes
	if most == 0 {
		most = max(defaultMaxBytes, expansion*uint64(b.limits.Read()))
	}
	if total > most {
		return fmt.Errorf("pattern needs at least %d bytes of memory, the limit is %d", total, most)
	}
	if b.limits.MaxBytes != 0 {
		b.granted = b.limits.MaxBytes
		return nil
	}
	// Reserve more than is needed now, so that the system is not asked for every row.
	more := min(total-b.granted+max(1<<20, total/8), most-b.granted)
	if err := grid.Fits(more); err != nil {
		return fmt.Errorf("pattern of at least %d bytes: %w", total, err)
	}
	b.granted += more
	return nil
}
