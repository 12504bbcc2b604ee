package pattern

import "github.com/gosper-life/gosper/topology"

// Corner is the position of cell (0, 0) of a universe in the coordinates of pattern files, which are Golly's. The middle of a bounded grid is near
// the origin.
func Corner(t topology.Topology) (x, y int) { return -(t.W / 2), -(t.H / 2) }

// Place returns the position of cell (0, 0) of the pattern in a universe, as in Golly: the position that its file gives, else in the middle of a
// bounded grid, else with the upper left cell of its bounds at the origin.
func (p *Pattern) Place(t topology.Topology) (x, y int) {
	if p.HasPosition {
		x, y = Corner(t)
		return p.X - x, p.Y - y
	}
	x, y = -p.Bounds.X, -p.Bounds.Y
	if t.W > 0 && p.Bounds.W > t.W || t.H > 0 && p.Bounds.H > t.H {
		// The header states a larger size than fits. The cells may still fit.
		return x, y
	}
	if t.W > 0 {
		x += t.W/2 - p.Bounds.W/2
	}
	if t.H > 0 {
		y += t.H/2 - p.Bounds.H/2
	}
	return x, y
}
