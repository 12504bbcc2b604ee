package pattern

import (
	"fmt"

	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// Corner is the position of cell (0, 0) of a universe in the coordinates of pattern files, which are Golly's.
// The middle of a bounded grid is near the origin. The first cell of a volume is at 0,0.
func Corner(t topology.Topology) (x, y int) {
	if t.Volume() {
		return 0, 0
	}
	return -(t.W / 2), -(t.H / 2)
}

// Place returns the position of cell (0, 0) of the pattern in a universe, as in Golly: the position that its file
// gives. Without one, the pattern is in the middle of a bounded grid, or has the upper left cell of its bounds at
// the origin.
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

// Start lets a start fill a bounded universe with this pattern: it puts it in the setting, where Place says. It
// refuses a pattern that has other states than the setting, or does not fit.
func (p *Pattern) Start(start soup.Start, in *soup.Setting, t topology.Topology) error {
	if !t.Bounded() {
		return fmt.Errorf("start %v fills all of the universe: want a bounded one", start)
	}
	if err := p.CheckStates(in.States); err != nil {
		return fmt.Errorf("start %v: %w", start, err)
	}
	x, y := p.Place(t)
	box := p.Cells.Bounds()
	if !start.Repeats() && !box.Empty() && (box.X+x < 0 || box.Y+y < 0 || box.X+x+box.W > t.W || box.Y+y+box.H > t.H) {
		return fmt.Errorf("start %v: the pattern's %d×%d cells do not fit the %s of %d×%d", start, box.W, box.H, t.Kind, t.W,
			t.H)
	}
	in.Pattern, in.X, in.Y = p.Cells, x, y
	return start.CheckPattern(p.Cells)
}
