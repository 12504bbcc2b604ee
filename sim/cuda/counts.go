package cuda

import (
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
)

var (
	_ sim.Counter = (*engine)(nil)
	_ sim.Counter = (*infinite)(nil)
)

// largestScale is the largest scale at which coordinates fit in 32 bits.
const largestScale = 28

// Counts implements sim.Counter.
func (e *engine) Counts(dst []uint64, area grid.Rect, scale int) (bool, error) {
	if !countable(dst, area, scale) {
		return false, nil
	}
	err := e.counts(dst, area.X, area.Y, area.W, scale, 0)
	return err == nil, err
}

// Counts implements sim.Counter.
func (u *infinite) Counts(dst []uint64, area grid.Rect, scale int) (bool, error) {
	if !countable(dst, area, scale) {
		return false, nil
	}
	err := u.window.counts(dst, area.X-u.x, area.Y-u.y, area.W, scale, u.held)
	return err == nil, err
}

// countable reports whether an area consists of whole blocks that the device can count, one for each count.
func countable(dst []uint64, area grid.Rect, scale int) bool {
	return 0 <= scale && scale <= largestScale && !area.Empty() && (area.X|area.W|area.H)&(1<<scale-1) == 0 &&
		len(dst) == (area.W>>scale)*(area.H>>scale)
}

// counts counts the cells that differ from the background.
func (e *engine) counts(dst []uint64, left, top, width, scale int, background uint8) error {
	clear(dst)
	return e.access(func() error {
		return e.cells.Counts(dst, width>>scale, left, top, scale, background)
	})
}
