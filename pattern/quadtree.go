package pattern

import (
	"context"

	"github.com/gosper-life/gosper/grid"
)

// squares writes the squares as they come.
func (m *macrocellWriter) squares(tree grid.Quadtree) error {
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

// Draw makes the cells of Squares, which are gone then. It refuses what takes more memory than there is, or than readers take by
// default, and ends with ctx's error soon after that is done.
func (p *Pattern) Draw(ctx context.Context) error {
	if p.Squares == nil {
		return nil
	}
	r := &macrocellReader{p: p, c: newCanvas(Options{}, &input{ctx: ctx}), nodes: make([]node, 1, len(p.Squares)+1)}
	for _, s := range p.Squares {
		n := node{child: s.Children, level: int32(s.Level)}
		if s.Level == leafLevel {
			n.leaf = true
			n.child = [4]uint32{uint32(s.Cells), uint32(s.Cells >> 32)}
		}
		n.tiles = r.tilesOf(n)
		r.nodes = append(r.nodes, n)
	}
	if err := r.spread(1); err != nil {
		return err
	}
	p.Squares, p.Drawn, p.Bounds = nil, 0, grid.Rect{}
	return r.c.finish(p)
}

// squares are the nodes of the file; ok is false where they have more than two states.
func (r *macrocellReader) squares() (list []grid.Square, ok bool) {
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
