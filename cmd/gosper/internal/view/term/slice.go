package term

import (
	"errors"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
)

var errVolume = errors.New("in three dimensions single cells can be changed (d), and all of them (n)")

// refusesVolume reports whether the universe is a volume, whose areas cannot be selected, and then says so.
func (v *view) refusesVolume() bool {
	if v.slice.Axis == 0 {
		return false
	}
	v.orders.fail(errVolume)
	return true
}

// sheet is the plane that the picture is of: a slice of a volume, or the universe.
func (v *view) sheet() topology.Topology {
	t := v.display.status.Topology
	if v.slice.Axis == 0 {
		return t
	}
	w, h := v.slice.Size(t)
	return topology.Topology{Kind: t.Kind, W: w, H: h}
}

// box is the rectangle that a fitted view shows.
func (v *view) box() grid.Rect {
	if v.slice.Axis == 0 {
		return v.display.status.Box
	}
	w, h := v.slice.Size(v.display.status.Topology)
	return grid.Rect{W: w, H: h}
}

// fitSlice keeps the slice within the universe. A volume has one, other universes have none. It reports whether the
// slice is the first one of a volume.
func (v *view) fitSlice() (first bool) {
	switch t := v.display.status.Topology; {
	case !t.Volume():
		v.slice = scene.Slice{}
	case v.slice.Axis == 0:
		v.slice = scene.Middle(t, 'z')
		return true
	default:
		v.slice.At = min(v.slice.At, v.slice.Number(t)-1)
	}
	return false
}

// moveSlice goes through a volume. Beyond the last slice of a torus is the first one.
func (v *view) moveSlice(by int) {
	t := v.display.status.Topology
	if v.slice.Axis == 0 {
		v.orders.fail(errors.New("slices are of universes with three dimensions"))
		return
	}
	n := v.slice.Number(t)
	if v.slice.At += by; t.Kind == topology.Torus {
		v.slice.At = (v.slice.At + n) % n
	}
	v.slice.At = max(0, min(n-1, v.slice.At))
}

// nextAxis shows the slices across another axis. It reports whether there are any.
func (v *view) nextAxis() bool {
	if v.slice.Axis == 0 {
		v.orders.fail(errors.New("slices are of universes with three dimensions"))
		return false
	}
	v.slice = scene.Middle(v.display.status.Topology, map[byte]byte{'z': 'x', 'x': 'y', 'y': 'z'}[v.slice.Axis])
	v.fit()
	return true
}
