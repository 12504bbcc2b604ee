package grid

import "iter"

// Square is a node of a quadtree.
type Square struct {
	Level int // it has 2^Level × 2^Level cells
	// Cells is for the lowest squares of two states, which have level 3: bit 8·y + x.
	Cells uint64
	// Children are nw ne sw se. Each is the position of an earlier square counted from 1, or 0 for an empty
	// square. The lowest squares of more than two states have level 1; their children are the states of their
	// cells.
	Children [4]uint32
}

// Quadtree is a universe that is stored as a tree of squares. Writing it as a macrocell file takes time in proportion
// to its different squares, for any distance between its cells.
type Quadtree interface {
	Source
	// Squares yields the different squares that have cells not in state 0. Each comes after its children, and the
	// root comes last. It is empty if all cells are in state 0. The root's centre is the upper left corner of cell
	// (0, 1), as in macrocell files.
	Squares() iter.Seq[Square]
}

// QuadtreeSink is a universe that accepts its cells as a tree.
type QuadtreeSink interface {
	// SetSquares replaces all cells by those of a tree. The order of squares and the centre are those of Quadtree;
	// empty squares are allowed, and so are squares of two states in a universe of more. It refuses trees whose
	// cells are too far apart for its coordinates.
	SetSquares(squares []Square) error
}
