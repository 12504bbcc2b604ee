package script

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/grid"
)

// A cell array of Golly has x, y for each cell in state 1; or x, y, state, and then its length is odd: a zero follows
// if there is an even number of cells.

// cell is a cell with its state.
type cell struct{ x, y, state int }

// isMulti reports whether a cell array has states.
func isMulti(array []int) bool { return len(array)%2 == 1 }

// triples returns the cells of a list of x, y, state.
func triples(list []int) []cell {
	cells := make([]cell, len(list)/3)
	for i := range cells {
		cells[i] = cell{list[3*i], list[3*i+1], list[3*i+2]}
	}
	return cells
}

// cellsOf returns the cells of a cell array.
func cellsOf(array []int) []cell {
	if isMulti(array) {
		return triples(array)
	}
	cells := make([]cell, len(array)/2)
	for i := range cells {
		cells[i] = cell{array[2*i], array[2*i+1], 1}
	}
	return cells
}

// arrayOf returns the cell array of some cells.
func arrayOf(cells []cell, multi bool) []int {
	if len(cells) == 0 {
		return []int{}
	}
	array := make([]int, 0, 3*len(cells)+1)
	for _, c := range cells {
		array = append(array, c.x, c.y)
		if multi {
			array = append(array, c.state)
		}
	}
	return padded(array, multi)
}

// padded makes the length of an array with states odd.
func padded(array []int, multi bool) []int {
	if multi && len(array) > 0 && !isMulti(array) {
		array = append(array, 0)
	}
	return array
}

// transformation moves cells: x to x0 + x·axx + y·axy, y to y0 + x·ayx + y·ayy.
type transformation struct{ x0, y0, axx, axy, ayx, ayy int }

func (t transformation) of(x, y int) (int, int) {
	return t.x0 + x*t.axx + y*t.axy, t.y0 + x*t.ayx + y*t.ayy
}

// array transforms a cell array, in place.
func (t transformation) array(array []int) []int {
	step := 2
	if isMulti(array) {
		step = 3
	}
	n := len(array) / step * step
	for i := 0; i < n; i += step {
		array[i], array[i+1] = t.of(array[i], array[i+1])
	}
	return padded(array[:n], step == 3)
}

// join joins cell arrays, the first of which it may change. The result has states if one of them has.
func join(a, b []int) []int {
	if !isMulti(a) && !isMulti(b) {
		return append(a, b...)
	}
	return arrayOf(append(cellsOf(a), cellsOf(b)...), true)
}

func trailingZeros(word uint64) int { return bits.TrailingZeros64(word) }

func intersect(a, b grid.Rect) grid.Rect {
	x, y := max(a.X, b.X), max(a.Y, b.Y)
	w, h := min(a.X+a.W, b.X+b.W)-x, min(a.Y+a.H, b.Y+b.H)-y
	if w <= 0 || h <= 0 {
		return grid.Rect{}
	}
	return grid.Rect{X: x, Y: y, W: w, H: h}
}

// rowsOf returns the parts of an area, in groups that have the same rows, from top to bottom and from left to right.
func rowsOf(parts []grid.Rect, area grid.Rect) (groups [][]grid.Rect) {
	var cut []grid.Rect
	for _, part := range parts {
		if part = intersect(part, area); !part.Empty() {
			cut = append(cut, part)
		}
	}
	slices.SortFunc(cut, func(a, b grid.Rect) int {
		return cmp.Or(cmp.Compare(a.Y, b.Y), cmp.Compare(a.H, b.H), cmp.Compare(a.X, b.X))
	})
	for i, part := range cut {
		if i > 0 && part.Y == cut[i-1].Y && part.H == cut[i-1].H {
			groups[len(groups)-1] = append(groups[len(groups)-1], part)
		} else {
			groups = append(groups, []grid.Rect{part})
		}
	}
	return groups
}

// before reports whether a cell comes before another one, row by row.
func before(a, b []int) bool { return a[1] < b[1] || a[1] == b[1] && a[0] < b[0] }

// sortCells sorts a list of x, y, state row by row.
func sortCells(list []int) {
	cells := triples(list)
	slices.SortFunc(cells, func(a, b cell) int { return cmp.Or(cmp.Compare(a.y, b.y), cmp.Compare(a.x, b.x)) })
	for i, c := range cells {
		list[3*i], list[3*i+1], list[3*i+2] = c.x, c.y, c.state
	}
}
