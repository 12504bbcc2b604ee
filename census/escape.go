package census

import (
	"math"
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/topology"
)

// Most soups end with gliders that fly away for ever. A glider with nothing in the quarter of the plane it flies into is struck out, so
// that the rest is seen to have settled. That is sound as long as nothing enters this quarter behind the glider, which is checked whenever
// it may have happened; when something does, the soup is run again with every glider left in.

// glider is one that was struck out, or could be.
type glider struct {
	x, y       int // of the upper left corner of the 3×3 cells that hold it, at generation
	dx, dy     int // its direction: ±1
	generation int
}

// clearance is how far behind a glider other cells must stay: two cells, one a generation for those of a pass, and some to spare.
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

// hasGlider reports whether the glider of B3/S23 is one under a rule too, in all directions.
func hasGlider(r rule.Rule) bool {
	for _, s := range topology.Symmetries {
		if !r.Invariant(s) {
			return false
		}
	}
	h, err := newHerd(r)
	if err != nil {
		return false
	}
	var w world
	for _, c := range []Cell{{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}} {
		w.set(c.X, c.Y)
	}
	for _, phase := range []glider{{0, 1, 1, 1, 1}, {0, 1, 1, 1, 2}, {1, 1, 1, 1, 3}, {1, 1, 1, 1, 4}} {
		w.wakeAll()
		h.pass([]*world{&w}, 1)
		found := false
		for _, t := range w.tiles {
			if g, ok := w.glider(t); ok {
				found = g == phase
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// glider returns the glider of a tile that holds one and nothing else.
func (w *world) glider(t *tile) (glider, bool) {
	if t.population(w.side) != 5 {
		return glider{}, false
	}
	cells := &t.sides[w.side]
	top := 0
	for top < tileHeight && cells[top] == 0 {
		top++
	}
	if top > tileHeight-3 {
		return glider{}, false
	}
	a, b, c := cells[top], cells[top+1], cells[top+2]
	left := bits.TrailingZeros64(a | b | c)
	if (a|b|c)>>left > 7 {
		return glider{}, false
	}
	direction := int(gliderSquares[a>>left|b>>left<<3|c>>left<<6]) - 1
	if direction < 0 {
		return glider{}, false
	}
	return glider{
		x: t.x*tileWidth + left - reach, y: t.y*tileHeight + top,
		dx: direction&1*2 - 1, dy: direction&2 - 1, generation: w.generation,
	}, true
}

// place is where a glider's square is at a generation, to within a cell.
func (g *glider) place(generation int) (x, y int) {
	flown := (generation - g.generation) / 4
	return g.x + g.dx*flown, g.y + g.dy*flown
}

// mover is the glider as it flies on.
func (g *glider) mover(generation int) mover {
	x, y := g.place(generation)
	return mover{box{x - 1, y - 1, x + 3, y + 3}, g.dx, g.dy, 4}
}

// ahead is the quarter of the plane that a glider flies into, and some cells behind it, cut to the cells of a tile: a mask of columns
// and a range of rows.
func (g *glider) ahead(t *tile, generation, behind int) (columns uint64, from, to int) {
	x, y := g.place(generation)
	x, y = x-t.x*tileWidth, y-t.y*tileHeight
	columns, from, to = tileBits, 0, tileHeight
	if g.dx > 0 {
		columns &^= 1<<max(0, min(63, x-behind+reach)) - 1
	} else {
		columns &= 1<<max(0, min(63, x+2+behind+reach+1)) - 1
	}
	if g.dy > 0 {
		from = max(0, y-behind)
	} else {
		to = min(tileHeight, y+3+behind)
	}
	return columns, from, to
}

// cellsAhead counts the cells ahead of a glider and on it, up to a few more than most.
func (w *world) cellsAhead(g *glider, most int) int {
	n := 0
	for _, t := range w.tiles {
		columns, from, to := g.ahead(t, w.generation, clearance)
		for y := from; y < to && n <= most; y++ {
			n += bits.OnesCount64(t.sides[w.side][y] & columns)
		}
	}
	return n
}

// isBehind reports whether a glider flies ahead of this one or nearly beside it, in the same direction; it does so itself.
func (g *glider) isBehind(o *glider) bool {
	return g.dx == o.dx && g.dy == o.dy && (o.x-g.x)*g.dx >= -clearance && (o.y-g.y)*g.dy >= -clearance
}

// strikeGliders takes out the gliders that fly away: with nothing ahead but others that are taken out, too.
func (w *world) strikeGliders() {
	w.leaving = w.leaving[:0]
	for _, t := range w.awake {
		if g, ok := w.glider(t); ok {
			w.leaving = append(w.leaving, g)
		}
	}
	for again := true; again; {
		again = false
		for i := 0; i < len(w.leaving); i++ {
			g := &w.leaving[i]
			cells := 0
			for k := range w.leaving {
				if g.isBehind(&w.leaving[k]) {
					cells += 5
				}
			}
			if w.cellsAhead(g, cells) != cells {
				w.leaving = slices.Delete(w.leaving, i, i+1)
				again, i = true, i-1
			}
		}
	}
	for _, g := range w.leaving {
		for y := range 3 {
			for x := range 3 {
				w.clear(g.x+x, g.y+y)
			}
		}
	}
	if len(w.leaving) > 0 {
		w.escaped = append(w.escaped, w.leaving...)
		w.undisturbed = 0
	}
}

// intruded reports whether cells live close behind a glider that was struck out, or ahead of it. Cells that are new are in tiles that
// are awake, and what changes spreads by a cell a generation from there: so it need not look again until that may have come near a glider.
func (w *world) intruded() bool {
	if len(w.escaped) == 0 || len(w.awake) == 0 || w.generation < w.undisturbed {
		return false
	}
	b := extent(w.awake)
	awake := box{b.left * tileWidth, b.top * tileHeight, (b.right+1)*tileWidth - 1, (b.bottom+1)*tileHeight - 1}
	w.undisturbed = math.MaxInt
	for i := range w.escaped {
		g := &w.escaped[i]
		x, y := g.place(w.generation)
		gap := max(lag(awake.left, awake.right, x+1, g.dx), lag(awake.top, awake.bottom, y+1, g.dy))
		w.undisturbed = min(w.undisturbed, w.generation+max(0, gap))
		if gap > 0 {
			continue
		}
		for _, t := range w.awake {
			columns, from, to := g.ahead(t, w.generation, clearance-2)
			for y := from; y < to; y++ {
				if t.sides[w.side][y]&columns != 0 {
					return true
				}
			}
		}
	}
	return false
}

// lag is how far all from lo to hi is behind what moves in a direction and is at a place, less the clearance.
func lag(lo, hi, place, direction int) int {
	if direction > 0 {
		return place - clearance - hi
	}
	return lo - place - clearance
}
