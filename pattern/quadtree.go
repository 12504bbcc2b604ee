package pattern

import (
	"context"
	"iter"

	"github.com/gosper-life/gosper/grid"
)

// Square is a node of the quadtree of a universe of two states.
type Square struct {
	Level    int       // it has 2^Level × 2^Level cells; 3 is the lowest
	Cells    uint64    // of level 3: bit 8·y + x
	Children [4]uint32 // of the others: nw ne sw se, each the place of an earlier square counted from 1, or 0 where no cell lives
}

// Quadtree is a universe of two states that is a tree of squares already. Written as a macrocell file it takes as long as it has
// different squares, however far apart its cells are.
type Quadtree interface {
	grid.Source
	// Squares is the different squares with live cells, each after its children, the root last; none where no cell lives. The root's
	// centre is the upper left corner of cell (0, 1), as it is in macrocell files.
	Squares() iter.Seq[Square]
}

// squares writes the squares as they come.
func (m *macrocellWriter) squares(tree Quadtree) error {
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

// QuadtreeSink is a universe of two states that takes its cells as a tree.
type QuadtreeSink interface {
	// SetSquares replaces all cells by those of a tree, with the order of squares and the centre of Quadtree; squares without live
	// cells may be among them. It refuses trees whose cells are too far apart for its coordinates.
	SetSquares(squares []Square) error
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
func (r *macrocellReader) squares() (list []Square, ok bool) {
	for _, n := range r.nodes[1:] {
		s := Square{Level: int(n.level), Children: n.child}
		switch {
		case n.leaf:
			s = Square{Level: leafLevel, Cells: uint64(n.child[0]) | uint64(n.child[1])<<32}
		case n.level <= leafLevel:
			return nil, false
		}
		list = append(list, s)
	}
	return list, true
}
