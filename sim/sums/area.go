package sums

import (
	"context"
	"slices"
	"sync"

	"github.com/gosper-life/gosper/grid"
)

// area is what a task works on: the cells within reach as bytes, row after row.
type area struct {
	*counter
	task
	planes  int
	states  []uint8
	weights []uint8 // of the states; the same slice where these are the same numbers
	rows    []int   // what the weights of each row add up to
	columns []int   // and of each column
}

// newArea reads the cells of a task. It stops early if ctx is done; then the area must not be advanced.
func newArea(ctx context.Context, c *counter, cells *grid.Tiles, t task) *area {
	size := t.cells.W * t.cells.H
	a := &area{counter: c, task: t, planes: cells.Planes(), states: make([]uint8, size)}
	a.rows, a.columns = make([]int, t.cells.H), make([]int, t.cells.W)
	words := make([]uint64, (t.cells.W+63)/64)
	for y := range t.cells.H {
		if ctx.Err() != nil {
			return a
		}
		row := a.states[y*t.cells.W:][:t.cells.W]
		for plane := range a.planes {
			grid.InMemory(cells.ReadRow(words, plane, t.cells.X, t.cells.Y+y, t.cells.W))
			for i := range row {
				row[i] |= uint8(words[i>>6]>>(i&63)&1) << plane
			}
		}
	}
	a.weights = a.states
	if a.planes > 1 || c.weights[1] != 1 {
		a.weights = make([]uint8, size)
		for i, s := range a.states {
			a.weights[i] = c.weights[s]
		}
	}
	for y := range t.cells.H {
		if ctx.Err() != nil {
			return a
		}
		for x, w := range a.weights[y*t.cells.W:][:t.cells.W] {
			a.rows[y] += int(w)
			a.columns[x] += int(w)
		}
	}
	return a
}

// advance writes the next generation of the area. From each row to the next it keeps the sums of all runs of a lean together, as differences between
// neighbours. It stops early if ctx is done.
func (a *area) advance(ctx context.Context, next *grid.Tiles, writing *sync.Mutex) {
	from := a.births()
	if from.Empty() { // all cells are beyond the area, and too few for births in it
		return
	}
	width := a.cells.W + 2*a.radius // of the rows of differences: all columns within reach of a cell
	left, top := a.cells.X-a.radius, a.cells.Y-a.radius
	height := from.Y + from.H - top
	var sums [3][]int32 // by lean + 1
	for _, r := range a.runs {
		if sums[r.lean+1] == nil {
			sums[r.lean+1] = make([]int32, width+height+4)
		}
	}
	together := make([]int32, width)
	states := make([]uint8, width)
	row := newRow(a.planes, from.W)
	for y := top; y < top+height && ctx.Err() == nil; y++ {
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
			add(into[at(r.lean)+a.radius-r.dx-(r.bottom-r.top)*r.lean:], a.weightsOf(y+r.bottom), r.weight)
			add(into[at(r.lean)+a.radius-r.dx+r.lean:], a.weightsOf(y+r.top-1), -r.weight)
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
			copy(states[a.radius:], a.states[inside*a.cells.W:][:a.cells.W])
		}
		skip := from.X - left
		sum := int32(-a.lowest)
		for _, d := range differences[:skip] {
			sum += d
		}
		if !row.fill(a.counter, sum, differences[skip:][:from.W], states[skip:][:from.W]) {
			continue
		}
		writing.Lock()
		for plane, words := range row.planes {
			grid.InMemory(next.WriteRow(words, plane, from.X, y, from.W))
		}
		writing.Unlock()
	}
}

// births is the part of the area in which cells can live in the next generation: it leaves out margins where too few cells are near for births.
func (a *area) births() grid.Rect {
	up, left := a.margin(a.rows), a.margin(a.columns)
	slices.Reverse(a.rows)
	slices.Reverse(a.columns)
	down, right := a.margin(a.rows), a.margin(a.columns)
	box := grid.Rect{X: a.cells.X - left, Y: a.cells.Y - up, W: a.cells.W + left + right, H: a.cells.H + up + down}
	return box.Intersect(a.area)
}

// margin returns how far outside the first of some rows cells can be born. totals are what the rows add up to.
func (a *area) margin(totals []int) int {
	total := 0
	for k, t := range totals[:min(a.radius, len(totals))] {
		if total += t * a.most; total >= a.least {
			return a.radius - k
		}
	}
	if a.least <= 0 {
		return a.radius
	}
	return 0
}

// weightsOf returns a row of weights, empty if no cell is there.
func (a *area) weightsOf(y int) []uint8 {
	if y -= a.cells.Y; y < 0 || y >= a.cells.H {
		return nil
	}
	return a.weights[y*a.cells.W:][:a.cells.W]
}

// add adds weighted cells to sums.
func add(sums []int32, cells []uint8, weight int32) {
	sums = sums[:len(cells)]
	for i, c := range cells {
		sums[i] += int32(c) * weight
	}
}

// row is a row of the next generation in bit planes.
type row struct{ planes [][]uint64 }

func newRow(planes, width int) row {
	r := row{make([][]uint64, planes)}
	for k := range r.planes {
		r.planes[k] = make([]uint64, (width+63)/64)
	}
	return r
}

// fill computes a row from the differences between sums, of which the first follows on the given one. It returns false if all cells are dead.
func (r row) fill(c *counter, sum int32, differences []int32, states []uint8) (lives bool) {
	var cells [64]uint8
	for word := 0; word*64 < len(states); word++ {
		n := min(64, len(states)-word*64)
		before, any := states[word*64:][:n], uint8(0)
		for i, d := range differences[word*64:][:n] {
			sum += d
			next := c.next[uint(before[i])<<2|uint(c.alive[sum]&3)]
			cells[i&63] = next
			any |= next
		}
		for k, plane := range r.planes {
			plane[word] = 0
			if any>>k == 0 {
				continue
			}
			for i, cell := range cells[:n] {
				plane[word] |= uint64(cell>>k&1) << i
			}
		}
		lives = lives || any != 0
	}
	return lives
}
