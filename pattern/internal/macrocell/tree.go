package macrocell

import (
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern/internal/codec"
)

// squares writes the squares in their order.
func (m *writer) squares(tree grid.Quadtree) error {
	for s := range tree.Squares() {
		key := nodeKey{level: s.Level, child: s.Children}
		if s.Level == leafLevel {
			key.child = [4]uint32{uint32(s.Cells), uint32(s.Cells >> 32)}
		}
		if m.write(key); m.err != nil {
			return m.err
		}
	}
	return nil
}

// Draw draws the cells of a tree.
func Draw(squares []grid.Square, c *codec.Canvas) error {
	r := &reader{c: c, nodes: make([]node, 1, len(squares)+1)}
	for _, s := range squares {
		n := node{child: s.Children, level: int32(s.Level)}
		if s.Level == leafLevel {
			n.leaf = true
			n.child = [4]uint32{uint32(s.Cells), uint32(s.Cells >> 32)}
		}
		n.tiles = r.tilesOf(n)
		r.nodes = append(r.nodes, n)
	}
	return r.spread(1)
}

// squares returns the nodes of the file. ok is false if they have more than two states.
func (r *reader) squares() (list []grid.Square, ok bool) {
	for _, n := range r.nodes[1:] {
		s := grid.Square{Level: int(n.level), Children: n.child}
		switch {
		case n.leaf:
			s = grid.Square{Level: leafLevel, Cells: uint64(n.child[0]) | uint64(n.child[1])<<32}
		case n.level <= leafLevel:
			return nil, false
		}
		list = append(list, s)
	}
	return list, true
}
