package grid

import (
	"fmt"
	"math"
	"math/bits"
)

// Rect is the cells X ≤ x < X+W, Y ≤ y < Y+H. Empty when W or H is 0.
type Rect struct{ X, Y, W, H int }

// Source is anything whose cells can be read: a Grid, Tiles, an engine. A state is a binary number: plane k holds its
// bit k. Reading fails if the cells are in the memory of a device and the device fails. A Grid and Tiles never fail.
type Source interface {
	// Extent is the whole rectangle of a bounded universe, and the bounding box of the cells not in state 0 of an
	// unbounded one.
	Extent() (Rect, error)
	// Planes is the number of bit planes: 1 for two states, ⌈log2 states⌉ otherwise.
	Planes() int
	// ReadRow stores the n cells of one plane from (x, y) rightwards into dst: bit i of word w is cell x+64·w+i. It
	// writes ⌈n/64⌉ words whose spare bits are zero. Cells outside a bounded universe read as zero. After an error dst
	// holds nothing of use.
	ReadRow(dst []uint64, plane, x, y, n int) error
}

// Sink is anything cells can be written to. Writing fails as reading does, see Source.
type Sink interface {
	// WriteRow stores n cells of one plane at (x, y) rightwards from src (packed like ReadRow), other cells unchanged.
	// Cells that fall outside a bounded universe are dropped. An engine may gather rows on their way to a device. Then a
	// failure may show only in a later call, but at the latest in the next one that reads or advances cells.
	WriteRow(src []uint64, plane, x, y, n int) error
}

// InMemory takes the error of a call that cannot fail, because its sources and sinks are all in memory, a Grid or Tiles.
// It panics if there is an error all the same, so none is overlooked.
func InMemory(err error) {
	if err != nil {
		panic(fmt.Sprintf("cells in memory could not be read or written: %v", err))
	}
}

// PlanesOf is the number of bit planes that hold the given number of states: ⌈log2 states⌉, at least 1.
func PlanesOf(states int) int {
	return max(1, bits.Len(uint(max(states, 1)-1)))
}

// Empty reports whether r holds no cell.
func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

// Contains reports whether the cell (x, y) lies in r.
func (r Rect) Contains(x, y int) bool {
	return x >= r.X && x < end(r.X, r.W) && y >= r.Y && y < end(r.Y, r.H)
}

// Intersect is the cells in both rectangles; the zero Rect when there are none.
func (r Rect) Intersect(s Rect) Rect {
	if r.Empty() || s.Empty() {
		return Rect{}
	}
	return between(max(r.X, s.X), max(r.Y, s.Y), min(end(r.X, r.W), end(s.X, s.W)), min(end(r.Y, r.H), end(s.Y, s.H)))
}

// Union is the smallest rectangle that holds both; an empty one adds nothing.
func (r Rect) Union(s Rect) Rect {
	if r.Empty() {
		r, s = s, r
	}
	if s.Empty() {
		return between(r.X, r.Y, end(r.X, r.W), end(r.Y, r.H))
	}
	return between(min(r.X, s.X), min(r.Y, s.Y), max(end(r.X, r.W), end(s.X, s.W)), max(end(r.Y, r.H), end(s.Y, s.H)))
}

// between is the rectangle from the corner (x, y) up to but not including (endX, endY); the zero Rect when that is
// empty.
func between(x, y, endX, endY int) Rect {
	if endX <= x || endY <= y {
		return Rect{}
	}
	return Rect{x, y, endX - x, endY - y}
}

// end is first + n, or the largest int where that would overflow.
func end(first, n int) int {
	if e := first + n; e >= first {
		return e
	}
	return math.MaxInt
}
