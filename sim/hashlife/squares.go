package hashlife

import (
	"fmt"
	"iter"
	"math"
	"math/bits"

	"github.com/gosper-life/gosper/grid"
)

// Squares implements grid.Quadtree. It is to be run through before the engine is used again.
func (e *engine) Squares() iter.Seq[grid.Square] {
	return func(yield func(grid.Square) bool) {
		t := e.tree
		t.yieldSquares(t.shrink(t.rowTo(up, t.grow(e.root))), map[uint32]uint32{}, yield)
	}
}

// SetSquares implements grid.QuadtreeSink.
func (e *engine) SetSquares(squares []grid.Square) error {
	t := e.tree
	places := make([]uint32, 1, len(squares)+1)
	for _, s := range squares {
		if s.Level == leafLevel {
			places = append(places, t.leaf(s.Cells))
			continue
		}
		if s.Level >= maxLevel-1 {
			return fmt.Errorf("a square of 2^%d cells a side: up to 2^%d are allowed", s.Level, maxLevel-2)
		}
		var q [4]uint32
		for i, child := range s.Children {
			if q[i] = places[child]; child == 0 {
				q[i] = t.empty[s.Level-1]
			}
		}
		places = append(places, t.join(q[0], q[1], q[2], q[3]))
	}
	root := places[len(places)-1]
	if t.level(root) <= leafLevel {
		return fmt.Errorf("a root of 2^%d cells a side: at least 2^%d are wanted", t.level(root), leafLevel+1)
	}
	e.root = t.rowTo(down, t.grow(root))
	return nil
}

// yieldSquares yields the squares of n that are not in places yet, which it tells the places of. It reports whether to go on.
func (t *tree) yieldSquares(n uint32, places map[uint32]uint32, yield func(grid.Square) bool) bool {
	if _, yielded := places[n]; yielded || t.isEmpty(n) {
		return true
	}
	s := grid.Square{Level: t.level(n)}
	if s.Level == leafLevel {
		s.Cells = t.cells(n)
	} else {
		for i, child := range t.nodes[n].child {
			if !t.yieldSquares(child, places, yield) {
				return false
			}
			s.Children[i] = places[child]
		}
	}
	places[n] = uint32(len(places) + 1)
	return yield(s)
}

// direction is up or down.
type direction bool

const (
	up   direction = false
	down direction = true
)

// rowTo is a square with its cells moved by a row; those of the last row in that direction are lost.
func (t *tree) rowTo(d direction, n uint32) uint32 {
	beyond := t.empty[t.level(n)]
	if d == up {
		return t.moved(d, n, beyond, map[[2]uint32]uint32{})
	}
	return t.moved(d, beyond, n, map[[2]uint32]uint32{})
}

// moved is the square between two, one above the other, that is a row below the upper (up) or a row above the lower one (down). Known
// ones are in done.
func (t *tree) moved(d direction, upper, lower uint32, done map[[2]uint32]uint32) uint32 {
	level := t.level(upper)
	switch {
	case t.isEmpty(upper) && t.isEmpty(lower):
		return upper
	case level == leafLevel && d == up:
		return t.leaf(t.cells(upper)>>8 | t.cells(lower)<<56)
	case level == leafLevel:
		return t.leaf(t.cells(upper)>>56 | t.cells(lower)<<8)
	}
	pair := [2]uint32{upper, lower}
	if n, known := done[pair]; known {
		return n
	}
	u, l := t.nodes[upper].child, t.nodes[lower].child
	halves := [3][2]uint32{{u[0], u[1]}, {u[2], u[3]}, {l[0], l[1]}}
	if d == down {
		halves = [3][2]uint32{{u[2], u[3]}, {l[0], l[1]}, {l[2], l[3]}}
	}
	var child [4]uint32
	for i := range child {
		child[i] = t.moved(d, halves[i>>1][i&1], halves[i>>1+1][i&1], done)
	}
	n := t.join(child[0], child[1], child[2], child[3])
	done[pair] = n
	return n
}

const (
	tileLevel = 8       // squares of grid.TileSide
	mostTiles = 1 << 22 // whose cells as bits take 32 GiB
)

// Occupied is the squares of 256×256 cells that have live ones, or the bounding box of all where there are too many to list.
func (e *engine) Occupied() []grid.Rect {
	t := e.tree
	root := e.root
	for t.level(root) <= tileLevel {
		root = t.grow(root) // so that the corner of a tile is at (0, 0)
	}
	if t.tiles(root, map[uint32]uint64{}) > mostTiles {
		return []grid.Rect{t.bounds(e.root)}
	}
	half := 1 << (t.level(root) - 1)
	return t.appendTiles(nil, root, -half, -half)
}

// tiles is the number of tiles with live cells, or math.MaxUint64 where it is that or more.
func (t *tree) tiles(n uint32, known map[uint32]uint64) uint64 {
	if t.isEmpty(n) {
		return 0
	}
	if t.level(n) == tileLevel {
		return 1
	}
	total, ok := known[n]
	if ok {
		return total
	}
	for _, child := range t.nodes[n].child {
		sum, carry := bits.Add64(total, t.tiles(child, known), 0)
		if total = sum; carry != 0 {
			total = math.MaxUint64
			break
		}
	}
	known[n] = total
	return total
}

// appendTiles appends the tiles of n, whose upper left cell is (x, y).
func (t *tree) appendTiles(list []grid.Rect, n uint32, x, y int) []grid.Rect {
	if t.isEmpty(n) {
		return list
	}
	if t.level(n) == tileLevel {
		return append(list, grid.Rect{X: x, Y: y, W: grid.TileSide, H: grid.TileSide})
	}
	half := 1 << (t.level(n) - 1)
	for i, child := range t.nodes[n].child {
		list = t.appendTiles(list, child, x+i&1*half, y+i>>1*half)
	}
	return list
}
