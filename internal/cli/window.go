package cli

import (
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/universe"
)

// window is a source seen through other bounds.
type window struct {
	grid.Source
	bounds grid.Rect
}

// Bounds implements grid.Source.
func (w window) Bounds() grid.Rect { return w.bounds }

// moved is a window whose cells have other coordinates.
type moved struct {
	window
	by universe.Point
}

// Bounds implements grid.Source.
func (m moved) Bounds() grid.Rect {
	if m.bounds.Empty() {
		return grid.Rect{}
	}
	return grid.Rect{X: m.bounds.X + m.by.X, Y: m.bounds.Y + m.by.Y, W: m.bounds.W, H: m.bounds.H}
}

// ReadRow implements grid.Source.
func (m moved) ReadRow(dst []uint64, plane, x, y, n int) {
	m.window.ReadRow(dst, plane, x-m.by.X, y-m.by.Y, n)
}
