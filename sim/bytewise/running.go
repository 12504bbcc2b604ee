package bytewise

import (
	"context"
	"slices"

	"github.com/gosper-life/gosper/grid"
)

// running is the data of a task: the cells within reach, and the weights of their rows and columns. Its memory is used
// again for further tasks.
type running struct {
	*counter
	task
	of, to  area
	rows    []int
	columns []int

	sums     [3][]int32 // by lean + 1; nil if no run has it
	together []int32
	before   []uint8 // the states of a row
}

// read reads the cells of a task.
func (a *running) read(from *store, t task) {
	a.task = t
	a.of.reset(t.cells)
	a.rows, a.columns = zeroed(a.rows, t.cells.H), zeroed(a.columns, t.cells.W)
	from.read(&a.of)
	if a.states > 2 || a.weights[1] != 1 {
		a.of.counted = zeroed(a.of.counted, len(a.of.states))
		for i, s := range a.of.states {
			a.of.counted[i] = a.weights[s]
		}
	} else {
		a.of.counted = a.of.states
	}
	for y := range t.cells.H {
		for x, w := range a.of.counted[a.of.at(y):][:t.cells.W] {
			a.rows[y] += int(w)
			a.columns[x] += int(w)
		}
	}
}

// zeroed returns n zeros, in the memory of a slice if that suffices.
func zeroed[T any](memory []T, n int) []T {
	if cap(memory) < n {
		return make([]T, n)
	}
	clear(memory[:n])
	return memory[:n]
}

// advance returns the next generation of the area, or nil if all cells are beyond it, and too few for births in it.
// From each row to the next it keeps the sums of all runs of a lean together, as differences between neighbours. It
// stops early if ctx is done.
func (a *running) advance(ctx context.Context) *area {
	from := a.births()
	if from.Empty() {
		return nil
	}
	to := &a.to
	to.reset(from)
	width := a.cells.W + 2*a.radius // of the rows of differences: all columns within reach of a cell
	left, top := a.cells.X-a.radius, a.cells.Y-a.radius
	height := from.Y + from.H - top
	for _, r := range a.runs {
		a.sums[r.lean+1] = zeroed(a.sums[r.lean+1], width+height+4)
	}
	a.together, a.before = zeroed(a.together, width), zeroed(a.before, width)
	sums, together, states := &a.sums, a.together, a.before
	for y := top; y < top+height && ctx.Err() == nil; y++ {
		// The sum of a leaning run at (x, y) follows from that at (x-lean, y-1). Both are in the same place: the origin moves
		// against the lean, and no sum is moved in memory.
		//
		//	slots of lean 1    0 1 2 3 4
		//	row y-1              │b c d e│    column left is in slot 1
		//	row y              │a b c d│      column left is in slot 0
		at := func(lean int) int { // the index of column left in the sums of a lean
			switch lean {
			case 1:
				return 2 + height - (y - top)
			case -1:
				return 2 + y - top
			default:
				return 2
			}
		}
		for _, r := range a.runs {
			into := sums[r.lean+1]
			addWeighted(into[at(r.lean)+a.radius-r.dx-(r.bottom-r.top)*r.lean:], a.weightsOf(y+r.bottom), r.weight)
			addWeighted(into[at(r.lean)+a.radius-r.dx+r.lean:], a.weightsOf(y+r.top-1), -r.weight)
		}
		if y < from.Y {
			continue
		}
		differences := together
		if sums[0] == nil && sums[2] == nil {
			differences = sums[1][at(0):][:width]
		} else {
			clear(together)
			for lean, of := range sums {
				if of != nil {
					for i, s := range of[at(lean-1):][:width] {
						together[i] += s
					}
				}
			}
		}
		clear(states)
		if inside := y - a.cells.Y; inside >= 0 && inside < a.cells.H {
			copy(states[a.radius:], a.of.row(inside))
		}
		skip := from.X - left
		sum := int32(-a.lowest)
		for _, d := range differences[:skip] {
			sum += d
		}
		a.fill(to.row(y-from.Y), sum, differences[skip:][:from.W], states[skip:][:from.W])
	}
	return to
}

// births is the part of the area in which cells can live in the next generation: it leaves out margins where too few
// cells are near for births.
func (a *running) births() grid.Rect {
	margin := func(totals []int) int {
		return margin(a.radius, len(totals), a.least, func(k int) int { return totals[k] * a.most })
	}
	up, left := margin(a.rows), margin(a.columns)
	slices.Reverse(a.rows)
	slices.Reverse(a.columns)
	down, right := margin(a.rows), margin(a.columns)
	box := grid.Rect{X: a.cells.X - left, Y: a.cells.Y - up, W: a.cells.W + left + right, H: a.cells.H + up + down}
	return box.Intersect(a.area)
}

// weightsOf returns a row of weights, empty if no cell is there.
func (a *running) weightsOf(y int) []uint8 {
	if y -= a.cells.Y; y < 0 || y >= a.cells.H {
		return nil
	}
	return a.of.counted[a.of.at(y):][:a.cells.W]
}

// addWeighted adds weighted cells to sums.
func addWeighted(sums []int32, cells []uint8, weight int32) {
	sums = sums[:len(cells)]
	for i, c := range cells {
		sums[i] += int32(c) * weight
	}
}

// fill computes a row from the differences between sums. The first difference is that from the given sum.
// An index of next has the state and two bits of the table of sums:
//
//	bit   9       2      1       0
//	      ┌───────┬──────────┬───────┐
//	      │ state │ survival │ birth │
//	      └───────┴──────────┴───────┘
//
// A state has 8 bits and the rest is masked, so the compiler knows that the index is below 1024 and does not check it.
func (c *counter) fill(row []uint8, sum int32, differences []int32, before []uint8) {
	before, row = before[:len(differences)], row[:len(differences)]
	for i, d := range differences {
		sum += d
		row[i] = c.next[uint(before[i])<<2|uint(c.alive[sum]&3)]
	}
}
