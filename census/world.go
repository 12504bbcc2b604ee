package census

import (
	"math/bits"

	"github.com/gosper-life/gosper/grid"
)

// world is an unbounded universe of one soup or object.
type world struct {
	generation  int
	passes      uint64 // begun so far
	side        int    // of the tiles, that is now
	tiles       []*tile
	awake       []*tile // the next pass must compute these
	computed    []*tile // the last one did
	central     [tableSide][tableSide]*tile
	far         map[grid.TileAt]*tile // tiles beyond the table
	unused      []*tile
	fresh       []tile   // never used
	escaped     []glider // struck out
	undisturbed int      // generation before which nothing can come near these
	leaving     []glider // scratch of strikeGliders
}

// tableSide is the tiles each way that are found by their place in a table: those of nearly all soups.
const tableSide = 64

// reset makes the world empty.
func (w *world) reset() {
	for _, t := range w.tiles {
		w.forget(t)
	}
	clear(w.far)
	w.tiles, w.awake, w.escaped, w.generation, w.undisturbed = w.tiles[:0], w.awake[:0], w.escaped[:0], 0, 0
}

// forget takes a tile out of its place.
func (w *world) forget(t *tile) {
	if p := w.place(t.x, t.y); p != nil {
		*p = nil
	} else {
		delete(w.far, grid.TileAt{X: t.x, Y: t.y})
	}
	w.unused = append(w.unused, t)
}

// place is a tile's place in the table; nil beyond.
func (w *world) place(x, y int) **tile {
	x, y = x+tableSide/2, y+tableSide/2
	if uint(x) < tableSide && uint(y) < tableSide {
		return &w.central[y][x]
	}
	return nil
}

// find returns the tile there, or nil.
func (w *world) find(x, y int) *tile {
	if p := w.place(x, y); p != nil {
		return *p
	}
	return w.far[grid.TileAt{X: x, Y: y}]
}

// at returns the tile there, made if need be.
func (w *world) at(x, y int) *tile {
	if t := w.find(x, y); t != nil {
		return t
	}
	t := w.tile()
	t.near, t.x, t.y = lonely, x, y
	if p := w.place(x, y); p != nil {
		*p = t
	} else {
		if w.far == nil {
			w.far = map[grid.TileAt]*tile{}
		}
		w.far[grid.TileAt{X: x, Y: y}] = t
	}
	w.tiles = append(w.tiles, t)
	for d := range t.near {
		if n := w.find(x+d%3-1, y+d/3-1); n != nil {
			t.join(d, n)
		}
	}
	return t
}

// tilesAtOnce are so many that they begin at a multiple of what vectors load: the allocator aligns what is large, and puts a word before
// what is not.
const tilesAtOnce = 64

// tile returns an empty tile that is nowhere yet.
func (w *world) tile() *tile {
	if n := len(w.unused); n > 0 {
		t := w.unused[n-1]
		w.unused = w.unused[:n-1]
		*t = tile{}
		return t
	}
	if len(w.fresh) == 0 {
		w.fresh = make([]tile, tilesAtOnce)
	}
	t := &w.fresh[0]
	w.fresh = w.fresh[1:]
	return t
}

// wake makes a tile one that the next pass must compute.
func (w *world) wake(t *tile) {
	if !w.isAwake(t) {
		t.due = w.passes + 1
		w.awake = append(w.awake, t)
	}
}

func (w *world) isAwake(t *tile) bool { return t.due > w.passes }

// stir wakes a tile that has changed, and those in the directions in which it has changed within their reach. Where there is none it is made
// only if cells live within reach of it.
func (w *world) stir(t *tile, changed, live uint) {
	if changed == 0 {
		return
	}
	t.count = -1
	w.wake(t)
	const itself = 1 << 4
	for directions := changed &^ itself; directions != 0; directions &= directions - 1 {
		d := bits.TrailingZeros(directions)
		n := t.near[d]
		if n == &nowhere {
			if live>>d&1 == 0 {
				continue
			}
			n = w.at(t.x+d%3-1, t.y+d/3-1)
		}
		w.wake(n)
	}
}

// wakeAll wakes every tile with cells and those within reach: after cells were written, or when a pass of another length begins.
func (w *world) wakeAll() {
	for _, t := range w.tiles[:len(w.tiles):len(w.tiles)] {
		if live := t.live(w.side); live != (bands{}) {
			w.stir(t, live.directions(), live.directions())
		}
	}
}

// live tells where a tile has cells on a side.
func (t *tile) live(side int) bands {
	var b bands
	for y, row := range t.sides[side] {
		switch {
		case y < reach:
			b[0] |= row
		case y < tileHeight-reach:
			b[1] |= row
		default:
			b[2] |= row
		}
	}
	return b
}

// sweep drops the tiles that are dead and stay so, and counts the cells.
func (w *world) sweep() (population int) {
	kept := w.tiles[:0]
	for _, t := range w.tiles {
		n := t.population(w.side)
		if n > 0 || w.isAwake(t) {
			kept = append(kept, t)
			population += n
			continue
		}
		for d := range t.near {
			t.part(d)
		}
		w.forget(t)
	}
	w.tiles = kept
	return population
}

func (w *world) population() int {
	n := 0
	for _, t := range w.tiles {
		n += t.population(w.side)
	}
	return n
}

// floorDiv is the quotient rounded down, and what is left.
func floorDiv(a, b int) (q, r int) {
	q, r = a/b, a%b
	if r < 0 {
		q, r = q-1, r+b
	}
	return q, r
}

// set makes a cell live. Tiles must be woken then: see wakeAll.
func (w *world) set(x, y int) {
	tx, cx := floorDiv(x, tileWidth)
	ty, cy := floorDiv(y, tileHeight)
	t := w.at(tx, ty)
	t.sides[w.side][cy] |= 1 << (reach + cx)
	t.count = -1
}

// clear makes a cell of a tile that is awake dead.
func (w *world) clear(x, y int) {
	tx, cx := floorDiv(x, tileWidth)
	ty, cy := floorDiv(y, tileHeight)
	if t := w.find(tx, ty); t != nil {
		t.sides[w.side][cy] &^= 1 << (reach + cx)
		t.count = -1
	}
}
