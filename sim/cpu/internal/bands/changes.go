package bands

import (
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/blockcount"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

var _ sim.ChangeCounter = (*Engine)(nil)

// Mark implements sim.ChangeCounter. It copies all rows.
func (e *Engine) Mark() {
	u := e.u
	size := u.Rows * u.planes * u.Stride
	if e.marked == nil {
		if grid.Fits(2*8*uint64(size)) != nil { // not the last of the memory
			return
		}
		e.marked = make([]uint64, size)
	}
	rest := e.marked
	for i := range u.Rows {
		for k := range u.planes {
			rest = rest[copy(rest, u.row(k, i)):]
		}
	}
}

// Unmark frees the memory of Mark.
func (e *Engine) Unmark() { e.marked = nil }

// Changes implements sim.ChangeCounter.
func (e *Engine) Changes(dst []uint64, area grid.Rect, scale int) (bool, error) {
	if e.marked == nil {
		return false, nil
	}
	u := e.u
	across := area.W >> scale
	clear(dst[:across*(area.H>>scale)])
	seen := area.Intersect(e.Bounds())
	if seen.Empty() {
		return true, nil
	}
	differ, part := make([]uint64, u.Stride), make([]uint64, (seen.W+63)/64)
	for i := range u.Rows {
		known := false // whether differ is that of the row
		for s := range u.Slabs {
			y := s*u.Rows + i
			if y < seen.Y || y >= seen.Y+seen.H {
				continue
			}
			if !known {
				known = true
				e.differences(differ, i)
			}
			u.Unpack(e.cells, differ, s)
			for c := range part {
				part[c] = layout.Load(e.cells, seen.X+64*c, min(64, seen.W-64*c))
			}
			blockcount.Add(dst[(y-area.Y)>>scale*across:], part, seen.X-area.X, scale, 1)
		}
	}
	return true, nil
}

// differences sets the bits of the cells of row i that differ in some plane from their state at Mark.
func (e *Engine) differences(differ []uint64, i int) {
	clear(differ)
	u := e.u
	for k := range u.planes {
		before, now := e.marked[(i*u.planes+k)*u.Stride:][:u.Stride], u.row(k, i)
		for j, v := range before {
			differ[j] |= v ^ now[j]
		}
	}
}
