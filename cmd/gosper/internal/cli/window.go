package cli

import (
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/origin"
)

// window is a source with another extent.
type window struct {
	grid.Source
	bounds grid.Rect
}

// Extent implements grid.Source.
func (w window) Extent() (grid.Rect, error) { return w.bounds, nil }

// moved is a window whose cells have other coordinates.
type moved struct {
	window
	by origin.Point
}

// Extent implements grid.Source.
func (m moved) Extent() (grid.Rect, error) {
	if m.bounds.Empty() {
		return grid.Rect{}, nil
	}
	return grid.Rect{X: m.bounds.X + m.by.X, Y: m.bounds.Y + m.by.Y, W: m.bounds.W, H: m.bounds.H}, nil
}

// Occupied is that of the source, as far as it is seen: grid.Occupied asks for it.
func (m moved) Occupied() []grid.Rect {
	all, err := grid.Occupied(m.Source)
	grid.InMemory(err) // patterns are
	var parts []grid.Rect
	for _, part := range all {
		if part = part.Intersect(m.bounds); !part.Empty() {
			part.X, part.Y = part.X+m.by.X, part.Y+m.by.Y
			parts = append(parts, part)
		}
	}
	return parts
}

// ReadRow implements grid.Source.
func (m moved) ReadRow(dst []uint64, plane, x, y, n int) error {
	return m.window.ReadRow(dst, plane, x-m.by.X, y-m.by.Y, n)
}
