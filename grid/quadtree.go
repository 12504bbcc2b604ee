package grid

import "iter"

// Square is a node of the quadtree of a universe of two states.
type Square struct {
	Level    int       // it has 2^Level × 2^Level cells; 3 is the lowest
	Cells    uint64    // of level 3: bit 8·y + x
	Children [4]uint32 // of the others: nw ne sw se, each the place of an earlier square counted from 1, or 0 where no cell lives
}

// Quadtree is a universe of two states that is kept as a tree of squares. Writing it as a macrocell file takes time in proportion to its
// different squares, however far apart its cells are.
type Quadtree interface {
	Source
	// Squares is the different squares with live cells. Each comes after its children, the root comes last. It is empty where no cell lives.
	// The root's centre is the upper left corner of cell (0, 1), as in macrocell files.
	Squares() iter.Seq[Square]
}

// QuadtreeSink is a universe of two states that can be given its cells as a tree.
type QuadtreeSink interface {
	// SetSquares replaces all cells by those of a tree, with the order of squares and the centre of Quadtree; squares without live
	// cells may be among them. It refuses trees whose cells are too far apart for its coordinates.
	SetSquares(squares []Square) error
}
