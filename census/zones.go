package census

import (
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/grid"
)

// What has settled is cut into zones: cells so far from all others that no cell has neighbours in two zones, in any generation of a
// period. What is in a zone depends on nothing else, so a zone seen before is known by its cells alone, and nearly all have been.

// zoneGap is how near cells of one zone may be at least: cells two apart, along a row or column, have a neighbour in common.
const zoneGap = 2

// board is the cells of a world in rows of words, with dead words around them, and those that lived in any generation of a period.
type board struct {
	x, y     int // of the first cell
	words    int // of a row
	rows     int
	now, any []uint64
}

// of copies the cells of a world and their envelope; it reports whether the board is large enough.
func (b *board) of(w *world) bool {
	b.rows = 0
	first := true
	var left, top, right, bottom int
	for _, t := range w.tiles {
		if t.envelope == dead {
			continue
		}
		if first {
			left, top, right, bottom, first = t.x, t.y, t.x, t.y, false
		}
		left, top, right, bottom = min(left, t.x), min(top, t.y), max(right, t.x), max(bottom, t.y)
	}
	if first {
		return true
	}
	b.x, b.y = left*tileWidth-64, top*tileHeight
	b.words = ((right-left+1)*tileWidth+63)/64 + 2
	rows := (bottom - top + 1) * tileHeight
	if b.words > mostBoard/rows {
		return false
	}
	b.rows = rows
	n := b.words * b.rows
	b.now, b.any = slices.Grow(b.now[:0], n)[:n], slices.Grow(b.any[:0], n)[:n]
	clear(b.now)
	clear(b.any)
	for _, t := range w.tiles {
		if t.envelope == dead {
			continue
		}
		column := 64 + (t.x-left)*tileWidth
		at, shift := (t.y-top)*tileHeight*b.words+column>>6, uint(column&63)
		for y := range tileHeight {
			now, any := t.sides[w.side][y]>>reach, t.envelope[y]>>reach
			b.now[at] |= now << shift
			b.now[at+1] |= now >> (64 - shift)
			b.any[at] |= any << shift
			b.any[at+1] |= any >> (64 - shift)
			at += b.words
		}
	}
	return true
}

// mostBoard is the words that a board may have: 128 MB.
const mostBoard = 1 << 24

// window is up to 64×64 cells, row by row.
type window [64]uint64

// square is up to 16×16 cells in their upper left corner: bit 16·(y%4) + x of word y/4.
type square [4]uint64

// zones takes every zone out of the board. It calls small for one whose cells now are within 16×16 cells, and large for any other; both get
// the box that the zone keeps to.
func (b *board) zones(small func(square, box), large func([]Cell, box)) {
	for y := range b.rows {
		row := b.any[y*b.words : (y+1)*b.words]
		for i := 1; i < len(row)-1; i++ {
			for row[i] != 0 {
				x := 64*i + bits.TrailingZeros64(row[i])
				if s, bounds, ok := b.near(x, y); ok {
					small(s, bounds)
				} else {
					large(b.flood(x, y))
				}
			}
		}
	}
}

// load is 64 cells of a row from column x on.
func load(row []uint64, x int) uint64 {
	i, shift := x>>6, uint(x&63)
	return row[i]>>shift | row[i+1]<<(64-shift)
}

// near takes the zone of the uppermost cell at (x, y) out of the board, if it is not too large to be done with words.
func (b *board) near(x, y int) (s square, bounds box, ok bool) {
	const before, most = 28, 28 // columns to the left, and rows
	var any, zone window
	height := min(most, b.rows-y)
	left := x - before
	any[0] = load(b.any[y*b.words:], left)
	zone[0] = 1 << before
	loaded := 1
	last := 0 // row of the zone
	for changed := true; changed; {
		changed = false
		for r := 0; r <= min(last+zoneGap, height-1); r++ {
			for loaded <= r {
				any[loaded] = load(b.any[(y+loaded)*b.words:(y+loaded+1)*b.words], left)
				loaded++
			}
			around := zone[r]
			for d := 1; d <= zoneGap; d++ {
				around |= zone[r+d]
				if r >= d {
					around |= zone[r-d]
				}
			}
			for {
				grown := (around | around<<1 | around<<2 | around>>1 | around>>2) & any[r]
				if grown&^zone[r] == 0 {
					break
				}
				zone[r] |= grown
				around = zone[r]
				changed = true
				last = max(last, r)
			}
		}
	}
	var around, columns uint64
	for r := range last + 1 {
		around |= zone[r]
	}
	const edges = 1<<zoneGap - 1
	if around&(edges|edges<<(64-zoneGap)) != 0 || last >= most-zoneGap {
		return s, bounds, false
	}
	// The zone's cells now, and where they begin.
	var cells window
	top, bottom := -1, 0
	for r := range last + 1 {
		row := b.now[(y+r)*b.words : (y+r+1)*b.words]
		cells[r] = load(row, left) & zone[r]
		if cells[r] != 0 {
			if top < 0 {
				top = r
			}
			bottom = r
		}
		columns |= cells[r]
	}
	bounds = box{
		b.x + left + bits.TrailingZeros64(around), b.y + y,
		b.x + left + 63 - bits.LeadingZeros64(around), b.y + y + last,
	}
	shift := bits.TrailingZeros64(columns)
	if top < 0 || bottom-top >= 16 || columns>>shift >= 1<<16 {
		return s, bounds, false
	}
	for r := top; r <= bottom; r++ {
		s[(r-top)/4] |= cells[r] >> shift << (16 * ((r - top) % 4))
	}
	for r := range last + 1 {
		i, shift := left>>6, uint(left&63)
		row := b.any[(y+r)*b.words:]
		row[i] &^= zone[r] << shift
		row[i+1] &^= zone[r] >> (64 - shift)
	}
	return s, bounds, true
}

// flood takes any zone out of the board, cell by cell, and returns its cells now and the box of its envelope.
func (b *board) flood(x, y int) (cells []Cell, bounds box) {
	todo := []Cell{{x, y}}
	take := func(x, y int) bool {
		if y < 0 || y >= b.rows || x < 0 || x >= 64*b.words {
			return false
		}
		word, bit := &b.any[y*b.words+x>>6], uint64(1)<<(x&63)
		if *word&bit == 0 {
			return false
		}
		*word &^= bit
		return true
	}
	take(x, y)
	bounds = box{b.x + x, b.y + y, b.x + x, b.y + y}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		bounds = bounds.with(b.x+at.X, b.y+at.Y)
		if b.now[at.Y*b.words+at.X>>6]>>(at.X&63)&1 != 0 {
			cells = append(cells, Cell{b.x + at.X, b.y + at.Y})
		}
		for dy := -zoneGap; dy <= zoneGap; dy++ {
			for dx := -zoneGap; dx <= zoneGap; dx++ {
				if take(at.X+dx, at.Y+dy) {
					todo = append(todo, Cell{at.X + dx, at.Y + dy})
				}
			}
		}
	}
	slices.SortFunc(cells, byRow)
	return cells, bounds
}

// box is a rectangle by its first and last columns and rows.
type box struct{ left, top, right, bottom int }

func (b box) with(x, y int) box {
	return box{min(b.left, x), min(b.top, y), max(b.right, x), max(b.bottom, y)}
}

// squareOf moves cells to the corner of a square, if they fit.
func squareOf(cells []Cell, box grid.Rect) (s square, ok bool) {
	if box.W > 16 || box.H > 16 {
		return s, false
	}
	for _, c := range cells {
		y := c.Y - box.Y
		s[y/4] |= 1 << (16*(y%4) + c.X - box.X)
	}
	return s, true
}

func (s square) cells() []Cell {
	var cells []Cell
	for y := range 16 {
		for x := range 16 {
			if s[y/4]>>(16*(y%4)+x)&1 != 0 {
				cells = append(cells, Cell{x, y})
			}
		}
	}
	return cells
}
