package term

import (
	"errors"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
)

var errVolume = errors.New("in three dimensions single cells can be changed (d), and all of them (n)")

// refusesVolume reports whether the universe is a volume, whose areas cannot be selected, and then says so.
func (m *model) refusesVolume() bool {
	if m.slice.Axis == 0 {
		return false
	}
	m.fail(errVolume)
	return true
}

// sheet is the plane that the picture is of: a slice of a volume, or the universe.
func (m *model) sheet() topology.Topology {
	t := m.status.Topology
	if m.slice.Axis == 0 {
		return t
	}
	w, h := m.slice.Size(t)
	return topology.Topology{Kind: t.Kind, W: w, H: h}
}

// box is the rectangle that a fitted view shows.
func (m *model) box() grid.Rect {
	if m.slice.Axis == 0 {
		return m.status.Box
	}
	w, h := m.slice.Size(m.status.Topology)
	return grid.Rect{W: w, H: h}
}

// fitSlice keeps the slice within the universe. A volume has one, other universes have none.
func (m *model) fitSlice() {
	switch t := m.status.Topology; {
	case !t.Volume():
		m.slice = scene.Slice{}
	case m.slice.Axis == 0:
		m.slice = scene.Middle(t, 'z')
		m.selected, m.floating = nil, nil
	default:
		m.slice.At = min(m.slice.At, m.slice.Number(t)-1)
	}
}

// moveSlice goes through a volume. Beyond the last slice of a torus is the first one.
func (m *model) moveSlice(by int) {
	t := m.status.Topology
	if m.slice.Axis == 0 {
		m.fail(errors.New("slices are of universes with three dimensions"))
		return
	}
	n := m.slice.Number(t)
	if m.slice.At += by; t.Kind == topology.Torus {
		m.slice.At = (m.slice.At + n) % n
	}
	m.slice.At = max(0, min(n-1, m.slice.At))
}

// nextAxis shows the slices across another axis.
func (m *model) nextAxis() {
	if m.slice.Axis == 0 {
		m.fail(errors.New("slices are of universes with three dimensions"))
		return
	}
	m.slice = scene.Middle(m.status.Topology, map[byte]byte{'z': 'x', 'x': 'y', 'y': 'z'}[m.slice.Axis])
	m.pen = nil
	m.fit()
}
