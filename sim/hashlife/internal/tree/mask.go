package tree

import "github.com/gosper-life/gosper/grid"

// Mask replaces the universe by one that has only the cells of a rectangle, all in state 0. The rectangle is
// relative to the corner of the root, which contains it. The tree must be Masked.
func (t *Tree) Mask(cells grid.Rect) {
	m := masker{Tree: t, known: map[maskKey]Ref{}}
	t.Root = m.square(t.Level, cells)
}

// masker makes the squares of a mask. Most of them are equal.
type masker struct {
	*Tree
	known map[maskKey]Ref
}

// maskKey is a square of a level and the cells that it has, relative to its corner.
type maskKey struct {
	level int
	cells grid.Rect
}

// square returns a square of a level that has the cells of a rectangle.
func (m *masker) square(level int, cells grid.Rect) Ref {
	key := maskKey{level, cells.Intersect(grid.Rect{W: 1 << level, H: 1 << level})}
	if key.cells.Empty() {
		return 0
	}
	n, known := m.known[key]
	switch {
	case known:
		return n
	case level == m.Leaf:
		n = m.leaf(key.cells)
	default:
		var q [4]Ref
		for i := range q {
			part := key.cells
			part.X -= i & 1 << (level - 1)
			part.Y -= i >> 1 << (level - 1)
			q[i] = m.square(level-1, part)
		}
		n = m.Node(level, q[0], q[1], q[2], q[3])
	}
	m.known[key] = n
	return n
}

// leaf returns a leaf whose mask plane, which follows the planes of states, is 1 in a rectangle.
func (m *masker) leaf(cells grid.Rect) Ref {
	leaf, ones := make([]uint64, m.leafWords), make([]uint64, (cells.W+63)/64)
	for i := range ones {
		ones[i] = ^uint64(0)
	}
	for y := cells.Y; y < cells.Y+cells.H; y++ {
		grid.CopyBits(leaf, m.StatePlanes()<<(2*m.Leaf)+y<<m.Leaf+cells.X, ones, 0, cells.W)
	}
	return m.LeafOf(leaf)
}
