package macrocell

import (
	"errors"
	"math/bits"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern/internal/codec"
)

// squares writes the squares in their order.
func (m *writer) squares(tree grid.Quadtree) {
	for s := range tree.Squares() {
		key := nodeKey{level: uint32(s.Level), child: s.Children}
		if isDrawn(s) {
			key.child = [4]uint32{uint32(s.Cells), uint32(s.Cells >> 32)}
		}
		if m.write(key); m.err != nil {
			return
		}
	}
	if m.last == 0 { // there are cells: the writer knows
		m.err = errors.New("there is too little memory to list the squares of the tree")
	}
}

// isDrawn reports whether a square is of the lowest ones of two states.
func isDrawn(s grid.Square) bool { return s.Level == leafLevel && s.Children == [4]uint32{} }

// Draw draws the cells of a tree.
func Draw(squares []grid.Square, c *codec.Canvas) error {
	r := &reader{c: c, nodes: make([]node, 1, len(squares)+1)}
	var states uint32
	for _, s := range squares {
		n := node{child: s.Children, level: int32(s.Level)}
		switch {
		case isDrawn(s):
			n.leaf = true
			n.child = [4]uint32{uint32(s.Cells), uint32(s.Cells >> 32)}
		case s.Level == cellsLevel:
			states |= s.Children[0] | s.Children[1] | s.Children[2] | s.Children[3]
		}
		n.tiles = r.tilesOf(n)
		r.nodes = append(r.nodes, n)
	}
	return r.spread(max(1, bits.Len32(states)))
}

// squares returns the nodes of the file.
func (r *reader) squares() []grid.Square {
	list := make([]grid.Square, 0, len(r.nodes)-1)
	for _, n := range r.nodes[1:] {
		s := grid.Square{Level: int(n.level), Children: n.child}
		if n.leaf {
			s = grid.Square{Level: leafLevel, Cells: uint64(n.child[0]) | uint64(n.child[1])<<32}
		}
		list = append(list, s)
	}
	return list
}
