package sparse

import (
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/grid"
)

// ZoneMap divides a settled universe into zones. Cells of different zones are so far apart that no cell has
// neighbours in both, in any generation of a period, so the future of a zone depends only on its own cells.
//
// It holds the cells of a universe in rows of words, with dead words around them: those that are not in state 0
// now, and those that were not in any generation of the last Batch.Envelope.
type ZoneMap struct {
	Radius int // of the rule; must be set

	x, y      int // of the first cell
	words     int // of a row
	rows      int
	now, ever []uint64
	ages      map[Cell]uint8 // of the cells that are dying, by their position
}

// gap is the distance up to which two cells belong to one zone: at that distance, they have a neighbour in common.
func (b *ZoneMap) gap() int { return 2 * b.Radius }

// Load copies the cells of a universe and their envelope. It reports whether they fit; a map has at most 2^30 cells.
func (b *ZoneMap) Load(u *Universe) bool {
	b.rows = 0
	clear(b.ages)
	first := true
	var left, top, right, bottom int
	for _, t := range u.tiles {
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
	if b.words > mostMapped/rows {
		return false
	}
	b.rows = rows
	n := b.words * b.rows
	b.now, b.ever = slices.Grow(b.now[:0], n)[:n], slices.Grow(b.ever[:0], n)[:n]
	clear(b.now)
	clear(b.ever)
	for _, t := range u.tiles {
		if t.envelope == dead {
			continue
		}
		column := 64 + (t.x-left)*tileWidth
		// A row of a tile is narrower than a word. It lies in one word of the map or in two. Without a second word, the
		// shift by 64-shift leaves nothing.
		at, shift := (t.y-top)*tileHeight*b.words+column>>6, uint(column&63)
		for y := range tileHeight {
			b.keepAges(t, u.side, y)
			now, ever := t.occupied(u.side, y)>>reach, t.envelope[y]>>reach
			b.now[at] |= now << shift
			b.now[at+1] |= now >> (64 - shift)
			b.ever[at] |= ever << shift
			b.ever[at+1] |= ever >> (64 - shift)
			at += b.words
		}
	}
	return true
}

// LoadWindow takes live cells and their envelope from rows of a window, from row top on, the lowest bit of a
// word on the left. The side of the window must be a multiple of 64.
func (b *ZoneMap) LoadWindow(side, top int, now, ever []uint32) {
	clear(b.ages)
	n := side / 32
	b.x, b.y, b.words, b.rows = -64-side/2, top-side/2, n/2+2, len(now)/n
	b.now, b.ever = spread(b.now, now, n), spread(b.ever, ever, n)
}

// spread copies rows of n words of 32 bits each into rows of words of 64 bits with a dead one at either end.
func spread(to []uint64, from []uint32, n int) []uint64 {
	rows := len(from) / n
	to = slices.Grow(to[:0], rows*(n/2+2))[:rows*(n/2+2)]
	rest := to
	for ; len(from) >= n; from = from[n:] {
		row := rest[:n/2+2]
		rest = rest[len(row):]
		row[0], row[len(row)-1] = 0, 0
		for j, in := 1, from[:n]; len(in) > 1; j, in = j+1, in[2:] {
			row[j] = uint64(in[0]) | uint64(in[1])<<32
		}
	}
	return to
}

// keepAges keeps the ages of the cells of a row that are dying.
func (b *ZoneMap) keepAges(t *tile, side, y int) {
	if len(t.more) == 0 {
		return
	}
	for row := t.occupied(side, y); row != 0; row &= row - 1 {
		at := bits.TrailingZeros64(row)
		if age := t.age(side, y, at); age > 0 {
			if b.ages == nil {
				b.ages = map[Cell]uint8{}
			}
			b.ages[Cell{X: t.x*tileWidth + at - reach, Y: t.y*tileHeight + y}] = age
		}
	}
}

// mostMapped is the words that a map may have: 128 MB.
const mostMapped = 1 << 24

// bitmap is up to 64×64 cells, row by row.
type bitmap [64]uint64

// Square is up to 16×16 cells, moved to the upper left corner: bit 16·(y%4) + x of word y/4.
//
//	           63     48 47     32 31     16 15      0
//	          ┌─────────┬─────────┬─────────┬─────────┐
//	word i    │ row 4i+3│ row 4i+2│ row 4i+1│ row 4i  │   column 0 in the lowest bit of a row
//	          └─────────┴─────────┴─────────┴─────────┘
type Square [4]uint64

// Zones takes every zone out of the map. It calls small for a zone whose cells fit in 16×16 cells, and large
// for any other, with the box that the zone never leaves. If any cell is dying, or if small is nil, it calls large for
// all zones. It leaves out zones that have no cells now: sparks that have died.
func (b *ZoneMap) Zones(small func(Square, Box), large func([]Cell, Box)) {
	for y := range b.rows {
		row := b.ever[y*b.words : (y+1)*b.words]
		for i := 1; i < len(row)-1; i++ {
			for row[i] != 0 {
				x := 64*i + bits.TrailingZeros64(row[i])
				if small != nil && len(b.ages) == 0 {
					if s, bounds, ok := b.near(x, y); ok {
						small(s, bounds)
						continue
					}
				}
				if cells, bounds := b.flood(x, y); len(cells) > 0 {
					large(cells, bounds)
				}
			}
		}
	}
}

// load returns 64 cells of a row from column x on. If x is a multiple of 64, the second shift is by 64 and leaves
// nothing of the next word.
func load(row []uint64, x int) uint64 {
	i, shift := x>>6, uint(x&63)
	return row[i]>>shift | row[i+1]<<(64-shift)
}

// near takes the zone of the uppermost cell at (x, y) out of the map, if it is small enough to be handled in words.
func (b *ZoneMap) near(x, y int) (s Square, bounds Box, ok bool) {
	// Bit 28 of each word is column x. No cell of the zone is above row y, but cells may be to the left of column x.
	//
	//	bit      0                  28                      63
	//	row y    │ 28 to the left   │ x   35 to the right   │
	const before, most = 28, 28 // columns to the left, and rows
	gap := b.gap()
	var ever, zone bitmap
	height := min(most, b.rows-y)
	left := x - before
	ever[0] = load(b.ever[y*b.words:], left)
	zone[0] = 1 << before
	loaded := 1
	last := 0 // row of the zone
	for changed := true; changed; {
		changed = false
		for r := 0; r <= min(last+gap, height-1); r++ {
			for loaded <= r {
				ever[loaded] = load(b.ever[(y+loaded)*b.words:(y+loaded+1)*b.words], left)
				loaded++
			}
			around := zone[r]
			for d := 1; d <= gap; d++ {
				around |= zone[r+d]
				if r >= d {
					around |= zone[r-d]
				}
			}
			// Cells reach as many columns to both sides. This is repeated until the row is complete, and a row that has grown
			// makes the rows around it be looked at again.
			for {
				grown := around
				for d := 1; d <= gap; d++ {
					grown |= around<<d | around>>d
				}
				grown &= ever[r]
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
	// A zone within the gap of the last column or row that was loaded may continue beyond it. Nothing has been taken out
	// of the map yet, so the caller can still take the zone cell by cell.
	edges := uint64(1)<<gap - 1
	if around&(edges|edges<<(64-gap)) != 0 || last >= most-gap {
		return s, bounds, false
	}
	// The zone's cells now, and where they begin.
	var cells bitmap
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
	bounds = Box{
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
		row := b.ever[(y+r)*b.words:]
		row[i] &^= zone[r] << shift
		row[i+1] &^= zone[r] >> (64 - shift)
	}
	return s, bounds, true
}

// flood takes any zone out of the map, cell by cell. It returns its present cells and the box of its envelope.
func (b *ZoneMap) flood(x, y int) (cells []Cell, bounds Box) {
	todo := []Cell{{X: x, Y: y}}
	take := func(x, y int) bool {
		if y < 0 || y >= b.rows || x < 0 || x >= 64*b.words {
			return false
		}
		word, bit := &b.ever[y*b.words+x>>6], uint64(1)<<(x&63)
		if *word&bit == 0 {
			return false
		}
		*word &^= bit
		return true
	}
	take(x, y)
	bounds = Box{b.x + x, b.y + y, b.x + x, b.y + y}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		bounds = bounds.With(b.x+at.X, b.y+at.Y)
		if b.now[at.Y*b.words+at.X>>6]>>(at.X&63)&1 != 0 {
			cell := Cell{X: b.x + at.X, Y: b.y + at.Y}
			cell.Age = b.ages[cell]
			cells = append(cells, cell)
		}
		for dy := -b.gap(); dy <= b.gap(); dy++ {
			for dx := -b.gap(); dx <= b.gap(); dx++ {
				if take(at.X+dx, at.Y+dy) {
					todo = append(todo, Cell{X: at.X + dx, Y: at.Y + dy})
				}
			}
		}
	}
	slices.SortStableFunc(cells, ByRow)
	return cells, bounds
}

// Box is a rectangle, given by its first and last columns and rows.
type Box struct{ Left, Top, Right, Bottom int }

// With is the smallest box that has a box and a place.
func (b Box) With(x, y int) Box {
	return Box{min(b.Left, x), min(b.Top, y), max(b.Right, x), max(b.Bottom, y)}
}

// SquareOf moves cells to the corner of a square, if they fit.
func SquareOf(cells []Cell, bounds grid.Rect) (s Square, ok bool) {
	if bounds.W > 16 || bounds.H > 16 {
		return s, false
	}
	for _, c := range cells {
		y := c.Y - bounds.Y
		s[y/4] |= 1 << (16*(y%4) + c.X - bounds.X)
	}
	return s, true
}

// Cells lists the live cells of a square row by row.
func (s Square) Cells() []Cell {
	var cells []Cell
	for y := range 16 {
		for x := range 16 {
			if s[y/4]>>(16*(y%4)+x)&1 != 0 {
				cells = append(cells, Cell{X: x, Y: y})
			}
		}
	}
	return cells
}
