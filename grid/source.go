package grid

import (
	"fmt"
	"math"
	"math/bits"
)

// Rect is the rectangle of cells X ≤ x < X+W, Y ≤ y < Y+H. It is empty if W or H is 0.
type Rect struct{ X, Y, W, H int }

// Source is anything whose cells can be read: a Grid, Tiles, an engine. A state is a binary number: plane k
// holds its bit k. Reading can fail if the cells are in the memory of a device. A Grid and Tiles never fail.
type Source interface {
	// Extent is the whole rectangle of a bounded universe. For an unbounded one it is the bounding box of the
	// cells not in state 0.
	Extent() (Rect, error)
	// Planes is the number of bit planes: 1 for two states, ⌈log2 states⌉ otherwise.
	Planes() int
	// ReadRow stores n cells of one plane, from (x, y) to the right, into dst: bit i of word w is cell x+64·w+i.
	// It writes ⌈n/64⌉ words, and spare bits are zero. Cells outside a bounded universe are zero. After an error
	// the content of dst is not valid.
	ReadRow(dst []uint64, plane, x, y, n int) error
}

// Sink is anything that cells can be written to. Writing can fail as reading can, see Source.
type Sink interface {
	// WriteRow stores n cells of one plane, from (x, y) to the right, from src (packed as in ReadRow). Other cells do
	// not change. Cells outside a bounded universe are ignored. An engine may collect rows before it sends them to a
	// device. As a result, a failure may be reported only by a later call, but at the latest by the next one that reads
	// or advances cells.
	WriteRow(src []uint64, plane, x, y, n int) error
}

// InMemory takes the error of a call that cannot fail, because its sources and sinks are all in memory (a Grid
// or Tiles). It panics on an error, so that none is overlooked.
func InMemory(err error) {
	if err != nil {
		panic(fmt.Sprintf("cells in memory could not be read or written: %v", err))
	}
}

// PlanesOf is the number of bit planes for the given number of states: ⌈log2 states⌉, at least 1.
func PlanesOf(states int) int {
	return max(1, bits.Len(uint(max(states, 1)-1)))
}

// Empty reports whether r contains no cell.
func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

// Contains reports whether the cell (x, y) lies in r.
func (r Rect) Contains(x, y int) bool {
	return x >= r.X && x < end(r.X, r.W) && y >= r.Y && y < end(r.Y, r.H)
}

// Intersect returns the cells in both rectangles; the zero Rect if there are none.
func (r Rect) Intersect(s Rect) Rect {
	if r.Empty() || s.Empty() {
		return Rect{}
	}
	return between(max(r.X, s.X), max(r.Y, s.Y), min(end(r.X, r.W), end(s.X, s.W)), min(end(r.Y, r.H), end(s.Y, s.H)))
}

// Union returns the smallest rectangle that contains both. An empty rectangle adds nothing.
func (r Rect) Union(s Rect) Rect {
	if r.Empty() {
		r, s = s, r
	}
	if s.Empty() {
		return between(r.X, r.Y, end(r.X, r.W), end(r.Y, r.H))
	}
	return between(min(r.X, s.X), min(r.Y, s.Y), max(end(r.X, r.W), end(s.X, s.W)), max(end(r.Y, r.H), end(s.Y, s.H)))
}

// between returns the rectangle from the corner (x, y) up to but not including (endX, endY); the zero Rect if
// that is empty.
func between(x, y, endX, endY int) Rect {
	if endX <= x || endY <= y {
		return Rect{}
	}
	return Rect{x, y, endX - x, endY - y}
}

// end is first + n, or the largest int if that would overflow.
func end(first, n int) int {
	if e := first + n; e >= first {
		return e
	}
	return math.MaxInt
}
