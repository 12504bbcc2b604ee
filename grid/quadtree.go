package grid

import "iter"

// Square is a node of the quadtree of a universe of two states.
type Square struct {
	Level    int       // it has 2^Level × 2^Level cells; the lowest level is 3
	Cells    uint64    // only for level 3: bit 8·y + x
	Children [4]uint32 // for higher levels: nw ne sw se, each the position of an earlier square counted from 1, or 0 for an empty square
}

// Quadtree is a universe of two states that is stored as a tree of squares. Writing it as a macrocell file takes time in proportion to its different
// squares, however far apart its cells are.
type Quadtree interface {
	Source
	// Squares yields the different squares with live cells. Each comes after its children, and the root comes last. It is empty if no cell lives. The
	// root's centre is the upper left corner of cell (0, 1), as in macrocell files.
	Squares() iter.Seq[Square]
}

// QuadtreeSink is a universe of two states that accepts its cells as a tree.
type QuadtreeSink interface {
	// SetSquares replaces all cells by those of a tree. The order of squares and the centre are those of Quadtree; squares without live cells are
	// allowed. It refuses trees whose cells are too far apart for its coordinates.
	SetSquares(squares []Square) error
}
