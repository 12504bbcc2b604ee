package sparse

import (
	"math"
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/topology"
)

// Most soups end with gliders that fly away forever. A glider flies into a quarter of the plane. If nothing
// else lives there, the glider is removed, so that the rest can be recognised as settled. That changes nothing
// as long as nothing enters this quarter later, behind the glider. Intruded checks for that whenever it may
// have happened. If it has, the soup must be run again with all gliders.

// Glider is a glider that was removed, or could be.
type Glider struct {
	DX, DY     int // its direction: ±1
	X, Y       int // of the upper left corner of the 3×3 cells that hold it, at Generation
	Generation int
	Square     int // the 3×3 cells as Has takes them, once a Universe has removed it; else 0
}

// clearance is the distance in cells that other cells must keep behind a glider. Two cells are needed, one for each
// generation of a pass; the rest is reserve.
const clearance = 12

// gliderSquares are the directions of 3×3 squares with a glider in them, plus one: (dx+1)/2 + (dy+1); 0 for all others.
var gliderSquares = func() (table [512]int8) {
	phases := [2]int{0b111_100_010, 0b010_110_101} // lowest bit first: the upper left cell; both fly right and down
	for _, square := range phases {
		for _, s := range topology.Symmetries {
			turned := 0
			for i := range 9 {
				if square>>i&1 != 0 {
					x, y := s.Apply(i%3-1, i/3-1)
					turned |= 1 << (3*(y+1) + x + 1)
				}
			}
			dx, dy := s.Apply(1, 1)
			table[turned] = int8((dx+1)/2 + (dy + 1) + 1)
		}
	}
	return table
}()

// Has reports whether 3×3 cells, row by row from the lowest bit on, are a glider that flies like this one.
func (g *Glider) Has(square int) bool {
	return int(gliderSquares[square]) == (g.DX+1)/2+(g.DY+1)+1
}

// HasGlider reports whether the rule has two states and radius 1, and the glider of B3/S23 works under it in all
// directions. Under wider rules cells could catch up with a glider. Rules that take turns have none.
func (b *Batch) HasGlider() bool {
	if b.rule.States != 2 || b.rule.Radius() > 1 || b.turns > 1 {
		return false
	}
	for _, s := range topology.Symmetries {
		if !b.rule.Invariant(s) {
			return false
		}
	}
	var u Universe
	for _, c := range [][2]int{{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}} {
		u.set(c[0], c[1], 1)
	}
	for _, phase := range []Glider{
		{1, 1, 0, 1, 1, 0b010_110_101},
		{1, 1, 0, 1, 2, 0b110_101_100},
		{1, 1, 1, 1, 3, 0b011_110_001},
		{1, 1, 1, 1, 4, 0b111_100_010},
	} {
		u.WakeAll()
		b.Pass([]*Universe{&u}, 1)
		found := false
		for _, t := range u.tiles {
			if g, ok := u.glider(t); ok {
				found = g == phase
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// glider returns the glider of a tile that contains one and nothing else.
func (u *Universe) glider(t *tile) (Glider, bool) {
	if t.population(u.side) != 5 {
		return Glider{}, false
	}
	cells := &t.sides[u.side]
	top := 0
	for top < tileHeight && cells[top] == 0 {
		top++
	}
	if top > tileHeight-3 {
		return Glider{}, false
	}
	a, b, c := cells[top], cells[top+1], cells[top+2]
	left := bits.TrailingZeros64(a | b | c)
	if (a|b|c)>>left > 7 {
		return Glider{}, false
	}
	// The 3×3 cells as a number, row by row:
	//
	//	bit   8 7 6   5 4 3   2 1 0
	//	      row c   row b   row a, the top
	//
	// Bit 0 of the direction is 1 for right, and bit 1 for down.
	square := int(a>>left | b>>left<<3 | c>>left<<6)
	direction := int(gliderSquares[square]) - 1
	if direction < 0 {
		return Glider{}, false
	}
	return Glider{
		DX: direction&1*2 - 1, DY: direction&2 - 1,
		X: t.x*tileWidth + left - reach, Y: t.y*tileHeight + top, Generation: u.generation,
		Square: square,
	}, true
}

// Place returns the upper left corner of a glider's 3×3 cells at a generation. It is exact to within a cell.
func (g *Glider) Place(generation int) (x, y int) {
	flown := (generation - g.Generation) / 4
	return g.X + g.DX*flown, g.Y + g.DY*flown
}

// ahead returns the quarter of the plane that a glider flies into, and some cells behind it, restricted to the
// cells of a tile: a mask of columns and a range of rows.
func (g *Glider) ahead(t *tile, generation, behind int) (columns uint64, from, to int) {
	x, y := g.Place(generation)
	x, y = x-t.x*tileWidth, y-t.y*tileHeight
	columns, from, to = tileBits, 0, tileHeight
	if g.DX > 0 {
		columns &^= 1<<max(0, min(63, x-behind+reach)) - 1
	} else {
		columns &= 1<<max(0, min(63, x+2+behind+reach+1)) - 1
	}
	if g.DY > 0 {
		from = max(0, y-behind)
	} else {
		to = min(tileHeight, y+3+behind)
	}
	return columns, from, to
}

// cellsAhead counts the cells ahead of a glider and on it. It stops soon after most.
func (u *Universe) cellsAhead(g *Glider, most int) int {
	n := 0
	for _, t := range u.tiles {
		columns, from, to := g.ahead(t, u.generation, clearance)
		for y := from; y < to && n <= most; y++ {
			n += bits.OnesCount64(t.sides[u.side][y] & columns)
		}
	}
	return n
}

// isBehind reports whether o flies ahead of this glider, or nearly beside it, in the same direction. It is true
// for the glider itself.
func (g *Glider) isBehind(o *Glider) bool {
	return g.DX == o.DX && g.DY == o.DY && (o.X-g.X)*g.DX >= -clearance && (o.Y-g.Y)*g.DY >= -clearance
}

// StrikeGliders removes the gliders that fly away. Nothing may be ahead of them except other gliders that are removed.
func (u *Universe) StrikeGliders() {
	u.leaving = u.leaving[:0]
	for _, t := range u.awake {
		if g, ok := u.glider(t); ok {
			u.leaving = append(u.leaving, g)
		}
	}
	for again := true; again; {
		again = false
		for i := 0; i < len(u.leaving); i++ {
			g := &u.leaving[i]
			cells := 0
			for k := range u.leaving {
				if g.isBehind(&u.leaving[k]) {
					cells += 5
				}
			}
			if u.cellsAhead(g, cells) != cells {
				u.leaving = slices.Delete(u.leaving, i, i+1)
				again, i = true, i-1
			}
		}
	}
	for _, g := range u.leaving {
		for y := range 3 {
			for x := range 3 {
				u.clear(g.X+x, g.Y+y)
			}
		}
	}
	if len(u.leaving) > 0 {
		u.escaped = append(u.escaped, u.leaving...)
		u.undisturbed = 0
	}
}

// Escaped returns the gliders that were removed.
func (u *Universe) Escaped() []Glider { return u.escaped }

// Intruded reports whether cells live close behind a removed glider, or ahead of it. New cells are in blocks that are
// awake, and changes spread from there by at most a cell in a generation, while the glider flies on. Therefore, it
// looks again only when they may have come near a glider.
func (u *Universe) Intruded() bool {
	return len(u.escaped) > 0 && u.generation >= u.undisturbed && u.intruded()
}

// intruded reports whether cells may meet a glider that has been taken out because it flies away. It
// also notes until when none can, so that it need not look again before: cells spread by at most one
// cell in a generation, and the glider moves away by a quarter of one.
func (u *Universe) intruded() bool {
	if len(u.awake) == 0 {
		return false
	}
	nearest := math.MaxInt / 4 // how far behind a glider a tile's awake blocks are
	for i := range u.escaped {
		g := &u.escaped[i]
		x, y := g.Place(u.generation)
		for _, t := range u.awake {
			first, end := t.awake()
			left, top := t.x*tileWidth, t.y*tileHeight
			gap := max(lag(left, left+tileWidth-1, x+1, g.DX), lag(top+first, top+end-1, y+1, g.DY))
			nearest = min(nearest, gap)
			if gap > 0 {
				continue
			}
			columns, from, to := g.ahead(t, u.generation, clearance-2)
			for y := max(from, first); y < min(to, end); y++ {
				if t.sides[u.side][y]&columns != 0 {
					return true
				}
			}
		}
	}
	u.undisturbed = u.generation + max(0, nearest)*4/3
	return false
}

// lag is the distance of the interval from lo to hi behind a place that moves in a direction, less the clearance.
func lag(lo, hi, place, direction int) int {
	if direction > 0 {
		return place - clearance - hi
	}
	return lo - place - clearance
}
