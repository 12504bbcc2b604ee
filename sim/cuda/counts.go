package cuda

import "github.com/gosper-life/gosper/grid"

// largestScale is the largest scale at which places still are numbers of 32 bits.
const largestScale = 28

// Counts implements sim.Counter.
func (e *engine) Counts(dst []uint64, area grid.Rect, scale int) bool {
	return countable(dst, area, scale) && e.counts(dst, area.X, area.Y, area.W, scale, 0)
}

// Counts implements sim.Counter.
func (u *infinite) Counts(dst []uint64, area grid.Rect, scale int) bool {
	return countable(dst, area, scale) && u.window.counts(dst, area.X-u.x, area.Y-u.y, area.W, scale, u.now())
}

// countable reports whether an area is one of whole blocks, as many as there are counts, that the device can count.
func countable(dst []uint64, area grid.Rect, scale int) bool {
	return 0 <= scale && scale <= largestScale && !area.Empty() && (area.X|area.W|area.H)&(1<<scale-1) == 0 &&
		len(dst) == (area.W>>scale)*(area.H>>scale)
}

// counts counts the cells that differ from the background.
func (e *engine) counts(dst []uint64, left, top, width, scale int, background uint8) bool {
	clear(dst)
	return e.access(func() error {
		if err := e.cells.Flush(); err != nil {
			return err
		}
		return e.cells.Counts(dst, width>>scale, left, top, scale, background)
	})
}
