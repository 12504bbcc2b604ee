// Package grid stores universes as bit planes: Grid for bounded ones, Tiles for the unbounded plane.
package grid

// Rect is the cells X ≤ x < X+W, Y ≤ y < Y+H. Empty when W or H is 0.
type Rect struct{ X, Y, W, H int }

// Source is anything whose cells can be read: a Grid, Tiles, an engine. A state is a binary number: plane k holds its bit k.
type Source interface {
	// Bounds is the whole rectangle of a bounded universe, and the bounding box of the cells not in state 0 of an unbounded one.
	Bounds() Rect
	// Planes is the number of bit planes: 1 for two states, ⌈log2 states⌉ otherwise.
	Planes() int
	// ReadRow stores the n cells of one plane from (x, y) rightwards into dst: bit i of word w is cell x+64·w+i. It writes
	// ⌈n/64⌉ words whose spare bits are zero. Cells outside a bounded universe read as zero.
	ReadRow(dst []uint64, plane, x, y, n int)
}

// Sink is anything cells can be written to.
type Sink interface {
	// WriteRow stores n cells of one plane at (x, y) rightwards from src (packed like ReadRow), other cells unchanged. Cells that
	// fall outside a bounded universe are dropped.
	WriteRow(src []uint64, plane, x, y, n int)
}
