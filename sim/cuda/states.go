package cuda

import (
	"fmt"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
)

var (
	_ sim.DeviceReader = (*engine)(nil)
	_ sim.DeviceReader = (*infinite)(nil)
)

// ReadOnDevice implements sim.DeviceReader.
func (e *engine) ReadOnDevice(handle [64]byte, area grid.Rect) error {
	return e.states(handle, area, 0)
}

// ReadOnDevice implements sim.DeviceReader.
func (u *infinite) ReadOnDevice(handle [64]byte, area grid.Rect) error {
	area.X, area.Y = area.X-u.x, area.Y-u.y
	return u.window.states(handle, area, u.held^u.now())
}

func (e *engine) states(handle [64]byte, area grid.Rect, flip uint8) error {
	switch bounds := e.cells.Bounds(); {
	case len(e.devs) > 1:
		return fmt.Errorf("the cells are on %d GPUs: want one", len(e.devs))
	case area.Empty() || bounds.Intersect(area) != area:
		return fmt.Errorf("%d×%d cells from (%d, %d) on are not within %d×%d", area.W, area.H, area.X, area.Y, bounds.W,
			bounds.H)
	}
	return e.access(func() error {
		return e.devs[0].Foreign(handle, func(at uint64) error { return e.cells.States(at, area, flip) })
	})
}
