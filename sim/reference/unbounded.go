package reference

import (
	"cmp"
	"maps"
	"slices"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/background"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/topology"
)

type point struct{ x, y int }

// unbounded is a universe that is infinite in one or both directions. It stores the cells that differ from the
// background.
//
// A step starts every cell with the count that it would have in an empty background. Each cell that differs
// from the background then adds the difference to the cells whose neighbour it is.
type unbounded struct {
	topology topology.Topology
	cells    map[point]uint8 // never 0
	rows     map[int][]int   // the columns of the cells in each row; nil after a step, until they are needed
}

// step computes every cell that may differ from the background.
func (u *unbounded) step(t *transition, generation uint64, empty, nextEmpty uint8) {
	switch t.way {
	case byStates:
		u.stepNear(t.reach, empty, nextEmpty, func(x, y int, at func(x, y int) uint8) uint8 {
			next := t.nextOf(func(p local.Place) uint8 { return at(x+p.DX, y+p.DY) })
			return t.decide(x, y, generation, at(x, y), next, 0)
		})
	case byBlock:
		u.stepNear(t.reach, empty, nextEmpty, func(x, y int, at func(x, y int) uint8) uint8 {
			return t.decide(x, y, generation, at(x, y), t.nextOfBlock(x, y, generation, at), 0)
		})
	case byCount:
		u.stepCounts(t, generation, empty, nextEmpty)
	case byProposal, bySwap: // chance would give life to the dead plane, and volumes are finite
		panic("reference: proposals and swaps have no infinite universes")
	}
}

// stepCounts visits every cell near one that differs from the background. Instead of sums it adds up how
// they differ from those of the background, because only finitely many do.
func (u *unbounded) stepCounts(t *transition, generation uint64, empty, nextEmpty uint8) {
	differences := map[point]int{}
	for p, c := range u.cells {
		differences[p] += 0 // so that a cell without neighbours is also visited
		difference := t.stateWeight[background.Exchange(c, empty)] - t.stateWeight[empty]
		for _, offsets := range [][]rule.Offset{t.offsets, t.turned} {
			for _, o := range offsets {
				x, y, inside := u.topology.Fold(p.x-o.DX, p.y-o.DY)
				if !inside || &t.of(x, y)[0] != &offsets[0] { // a triangle that points the other way
					continue
				}
				differences[point{x, y}] += o.Weight * difference
			}
		}
	}
	bare := t.uniform(empty)
	next := make(map[point]uint8, len(u.cells))
	for p, difference := range differences {
		before := background.Exchange(u.cells[p], empty)
		state := t.decide(p.x, p.y, generation, before, t.next(before, bare+difference), bare+difference)
		if c := background.Exchange(state, nextEmpty); c != 0 {
			next[p] = c
		}
	}
	u.cells, u.rows = next, nil
}

// stepNear computes every cell that has one within its reach that differs from the background. next is the next
// state of a cell, where at says the states before.
func (u *unbounded) stepNear(reach int, empty, nextEmpty uint8, next func(x, y int, at func(x, y int) uint8) uint8) {
	near := map[point]bool{}
	for p := range u.cells {
		for dy := -reach; dy <= reach; dy++ {
			for dx := -reach; dx <= reach; dx++ {
				if x, y, inside := u.topology.Fold(p.x-dx, p.y-dy); inside {
					near[point{x, y}] = true
				}
			}
		}
	}
	at := func(x, y int) uint8 {
		x, y, inside := u.topology.Fold(x, y)
		if !inside {
			return 0
		}
		return background.Exchange(u.cells[point{x, y}], empty)
	}
	after := make(map[point]uint8, len(u.cells))
	for p := range near {
		if c := background.Exchange(next(p.x, p.y, at), nextEmpty); c != 0 {
			after[p] = c
		}
	}
	u.cells, u.rows = after, nil
}

// columns returns the columns of the cells of row y, in any order. Without it, a suite that compares large
// empty areas would spend its time here.
func (u *unbounded) columns(y int) []int {
	if u.rows == nil {
		u.rows = map[int][]int{}
		for p := range u.cells {
			u.rows[p.y] = append(u.rows[p.y], p.x)
		}
	}
	return u.rows[y]
}

func (u *unbounded) readRow(dst []uint64, plane, x, y, n int) {
	for _, column := range u.columns(y) {
		if i := column - x; 0 <= i && i < n {
			setBit(dst, i, u.cells[point{column, y}]>>plane)
		}
	}
}

func (u *unbounded) cell(x, y int) uint8 {
	if !u.inside(x, y) {
		return 0
	}
	return u.cells[point{x, y}]
}

// setCell changes a cell, and the list of its row if rows are listed.
func (u *unbounded) setCell(x, y int, c uint8) {
	p := point{x, y}
	_, differs := u.cells[p]
	switch {
	case !u.inside(x, y):
	case c == 0 && differs:
		delete(u.cells, p)
		if u.rows != nil {
			u.rows[y] = slices.DeleteFunc(u.rows[y], func(column int) bool { return column == x })
		}
	case c != 0:
		u.cells[p] = c
		if u.rows != nil && !differs {
			u.rows[y] = append(u.rows[y], x)
		}
	}
}

// inside reports whether (x, y) lies between the edges, if there are any.
func (u *unbounded) inside(x, y int) bool {
	w, h := u.topology.W, u.topology.H
	return (w == 0 || 0 <= x && x < w) && (h == 0 || 0 <= y && y < h)
}

func (u *unbounded) bounds() grid.Rect {
	var box grid.Rect
	for p := range u.cells {
		box = box.Union(grid.Rect{X: p.x, Y: p.y, W: 1, H: 1})
	}
	return box
}

// occupied returns the tiles of grid.Tiles that contain cells, row by row.
func (u *unbounded) occupied() []grid.Rect {
	found := map[grid.Rect]bool{}
	for p := range u.cells {
		found[grid.Rect{
			X: p.x &^ (grid.TileSide - 1), Y: p.y &^ (grid.TileSide - 1), W: grid.TileSide,
			H: grid.TileSide,
		}] = true
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b grid.Rect) int {
		return cmp.Or(cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X))
	})
}

func (u *unbounded) population() uint64 { return uint64(len(u.cells)) }

func (u *unbounded) bytes() uint64 { return uint64(len(u.cells)) * 24 }
