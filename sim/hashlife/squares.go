package hashlife

import (
	"fmt"
	"iter"
	"slices"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim/hashlife/internal/tree"
)

// Levels of the lowest squares of a grid.Quadtree.
const (
	drawn    = 3 // of two states
	ofStates = 1 // of more
)

// unbounded is an engine that gives its cells as a tree.
type unbounded struct{ *engine }

var (
	_ grid.Quadtree     = unbounded{}
	_ grid.QuadtreeSink = unbounded{}
)

// Squares implements grid.Quadtree. The caller must finish the iteration before it uses the engine again. There
// are no squares if memory is too short to move the cells to the position that files need.
func (e unbounded) Squares() iter.Seq[grid.Square] {
	return func(yield func(grid.Square) bool) {
		if e.settle() != nil || e.centre(1) != nil {
			return
		}
		e.tree.Shrink()
		l := lister{
			Tree: e.tree, yield: yield, nodes: map[tree.Ref]uint32{}, leaves: map[tree.Ref]uint32{},
			small: map[grid.Square]uint32{},
		}
		l.list(e.tree.Root, e.tree.Level)
	}
}

// lister yields squares, each once, and knows their indices.
type lister struct {
	*tree.Tree
	yield         func(grid.Square) bool
	ended         bool
	last          uint32
	nodes, leaves map[tree.Ref]uint32
	small         map[grid.Square]uint32 // parts of leaves
}

// list returns the index of a square, and yields the square if that has not been done.
func (l *lister) list(n tree.Ref, level int) uint32 {
	known := l.nodes
	if level == l.Leaf {
		known = l.leaves
	}
	if n == 0 || l.ended {
		return 0
	}
	place, ok := known[n]
	switch {
	case ok:
		return place
	case level == l.Leaf:
		place = l.part(l.Cells(n), level, 0, 0)
	default:
		s := grid.Square{Level: level}
		for i, child := range l.Children(n) {
			s.Children[i] = l.list(child, level-1)
		}
		place = l.add(s)
	}
	known[n] = place
	return place
}

// part returns the index of a part of a leaf.
func (l *lister) part(leaf []uint64, level, x, y int) uint32 {
	s := grid.Square{Level: level}
	switch {
	case level == drawn && l.Planes == 1:
		//	bit 8·row + column      63 … 56   …   15 … 8   7 … 0
		//	row of the square          7             1       0
		for row := range 8 {
			at := (y+row)<<l.Leaf + x
			s.Cells |= leaf[at>>6] >> (at & 63) & 0xff << (8 * row)
		}
	case level == ofStates:
		// A leaf has its planes one after the other, of 2^(2·Leaf) bits each. Bit y·2^Leaf + x of a plane is a cell.
		for i := range s.Children {
			at := (y+i>>1)<<l.Leaf + x + i&1
			for k := range l.Planes {
				s.Children[i] |= uint32(leaf[k<<(2*l.Leaf-6)+at>>6]>>(at&63)&1) << k
			}
		}
	default:
		half := 1 << (level - 1)
		for i := range s.Children {
			s.Children[i] = l.part(leaf, level-1, x+i&1*half, y+i>>1*half)
		}
	}
	if s.Cells == 0 && s.Children == [4]uint32{} {
		return 0
	}
	place, ok := l.small[s]
	if !ok {
		place = l.add(s)
		l.small[s] = place
	}
	return place
}

func (l *lister) add(s grid.Square) uint32 {
	if l.ended = l.ended || !l.yield(s); l.ended {
		return 0
	}
	l.last++
	return l.last
}

// SetSquares implements grid.QuadtreeSink.
func (e unbounded) SetSquares(squares []grid.Square) error {
	t := e.tree
	root := squares[len(squares)-1]
	if root.Level > tree.MaxLevel-1 {
		return fmt.Errorf("a square of 2^%d cells a side: up to 2^%d are allowed", root.Level, tree.MaxLevel-1)
	}
	t.Root, t.Level = 0, t.Base()
	clear(e.edits.squares)
	e.edits.square = nil
	if err := t.Reserve(len(squares), len(squares)); err != nil {
		return err
	}
	e.centreY = 1
	level := max(root.Level, t.Base())
	if root.Level < level {
		squares = enclosed(squares, level)
	}
	refs := make([]tree.Ref, len(squares)+1)
	leaf := make([]uint64, t.Planes<<(2*t.Leaf-6))
	for i, s := range squares {
		switch {
		case s.Level == t.Leaf:
			clear(leaf)
			e.fill(leaf, squares, uint32(i+1), 0, 0)
			refs[i+1] = t.LeafOf(leaf)
		case s.Level > t.Leaf:
			q := s.Children
			refs[i+1] = t.Node(s.Level, refs[q[0]], refs[q[1]], refs[q[2]], refs[q[3]])
		}
	}
	t.Root, t.Level = refs[len(squares)], level
	return nil
}

// enclosed returns a tree with its root in the middle of a larger square, of the given level.
//
// Each quarter of the old root goes into the corner of a new square that is nearest to the middle:
//
//	           . . . .
//	a b        . a b .
//	c d   ─▶   . c d .
//	           . . . .
func enclosed(squares []grid.Square, level int) []grid.Square {
	squares = slices.Clone(squares)
	for root := squares[len(squares)-1]; root.Level < level; root = squares[len(squares)-1] {
		switch {
		case root.Level == drawn && root.Children == [4]uint32{}:
			for i := range root.Children {
				x, y := 4*(i&1), 4*(i>>1)
				var cells uint64
				for row := range 4 {
					cells |= root.Cells >> (8*(y+row) + x) & 0xf << (8*(4-y+row) + 4 - x)
				}
				squares = append(squares, grid.Square{Level: drawn, Cells: cells})
			}
		default:
			for i, child := range root.Children {
				s := grid.Square{Level: root.Level}
				s.Children[3-i] = child
				squares = append(squares, s)
			}
		}
		n := uint32(len(squares))
		squares = append(squares, grid.Square{Level: root.Level + 1, Children: [4]uint32{n - 3, n - 2, n - 1, n}})
	}
	return squares
}

// fill draws a square into a leaf, with its corner at (x, y). Bit y·2^level + x of a plane of the leaf is a cell, and a
// plane has 2^(2·level-6) words.
func (e unbounded) fill(leaf []uint64, squares []grid.Square, place uint32, x, y int) {
	if place == 0 {
		return
	}
	s, level := &squares[place-1], e.tree.Leaf
	switch {
	case s.Level == ofStates:
		for i, state := range s.Children {
			at := (y+i>>1)<<level + x + i&1
			for k := range e.tree.Planes {
				leaf[k<<(2*level-6)+at>>6] |= uint64(state>>k&1) << (at & 63)
			}
		}
	case s.Level == drawn && s.Children == [4]uint32{}:
		for row := range 8 {
			at := (y+row)<<level + x
			leaf[at>>6] |= s.Cells >> (8 * row) & 0xff << (at & 63)
		}
	default:
		half := 1 << (s.Level - 1)
		for i, child := range s.Children {
			e.fill(leaf, squares, child, x+i&1*half, y+i>>1*half)
		}
	}
}

const (
	tileLevel = 8       // squares of grid.TileSide
	mostTiles = 1 << 22 // whose cells as bits take 32 GiB
)

// Occupied returns the squares of 256×256 cells, or the leaves if they are larger, that have live cells. If there are
// too many to list it returns the bounding box of all, and in a bounded universe larger squares. Squares that cross
// an edge are cut at the edge.
func (e *engine) Occupied() []grid.Rect {
	box, err := e.Extent()
	if err == nil {
		err = e.settle()
	}
	if err != nil {
		return []grid.Rect{{W: 1, H: 1}} // a read of it returns the error
	}
	level := max(tileLevel, e.tree.Leaf)
	list, few := e.tree.Occupied(level, mostTiles)
	for ; !few && e.topology.Bounded(); list, few = e.tree.Occupied(level, mostTiles) {
		level++
	}
	if !few {
		return []grid.Rect{box}
	}
	x, y := e.corner()
	inside := list[:0]
	for _, square := range list {
		square.X, square.Y = square.X+x, square.Y+y
		if e.topology.Bounded() {
			square = square.Intersect(box)
		}
		if !square.Empty() {
			inside = append(inside, square)
		}
	}
	return inside
}
