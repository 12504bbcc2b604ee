package run

import (
	"fmt"
	"strings"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// counting is the patterns that a series counts. Each has two columns: how often it occurs anywhere, and where
// no live cell touches it.
type counting struct {
	patterns []*ensemble.Pattern
	phases   string // rule of their phases
}

// counting reads the flags. It refuses universes in which patterns cannot be counted.
func (f *outputFlags) counting(t topology.Topology) (c counting, err error) {
	if c.patterns, c.phases, err = ensemble.ReadPatterns(f.Count, f.Phases); err != nil {
		return c, err
	}
	if len(c.patterns) > 0 && t.Kind == topology.Torus && (t.W == 0) != (t.H == 0) {
		return c, fmt.Errorf("--count: patterns are counted on tori and planes, not on %v", t)
	}
	if len(c.patterns) > 0 && t.Volume() {
		return c, fmt.Errorf("--count: patterns have two dimensions, and %v has three", t)
	}
	for _, p := range c.patterns {
		if err := p.Fits(t); t.Bounded() && err != nil {
			return c, fmt.Errorf("--count: %w", err)
		}
	}
	return c, nil
}

// fact returns the text that a checkpoint keeps about the counted patterns. With it, a resumed series continues with
// the same columns. It is empty if nothing is counted.
func (c counting) fact() string {
	if len(c.patterns) == 0 {
		return ""
	}
	var all []string
	for _, p := range c.patterns {
		all = append(all, p.String())
	}
	return strings.Join(append(all, c.phases), " ")
}

// header is the names of the columns, each with a comma before.
func (c counting) header() string {
	var names strings.Builder
	for _, name := range ensemble.PatternNames(c.patterns) {
		fmt.Fprintf(&names, ",pattern_%s,isolated_%[1]s", name)
	}
	return names.String()
}

// unknown is empty fields, for cells too far apart to look at them, and for universes that are alive everywhere.
func (c counting) unknown() string { return strings.Repeat(",,", len(c.patterns)) }

// fields counts the patterns among the cells in state 1. Box has all cells that are not in state 0.
func (c counting) fields(e sim.Engine, t topology.Topology, box grid.Rect) (string, error) {
	if len(c.patterns) == 0 || e.Info().Background != 0 {
		return c.unknown(), nil
	}
	if t.Bounded() {
		box = grid.Rect{W: t.W, H: t.H}
	} else {
		t = topology.Topology{Kind: topology.Plane, W: box.W, H: box.H}
	}
	if box.Empty() {
		return strings.Repeat(",0,0", len(c.patterns)), nil
	}
	if grid.Product(uint64(box.W), uint64(box.H)) > farCells {
		return c.unknown(), nil
	}
	g, err := grid.New(box.W, box.H, e.Planes())
	if err == nil {
		err = grid.Copy(g, e, box, 0, 0)
	}
	if err != nil {
		return "", err
	}
	for y := range box.H {
		ones := g.Row(0, y)
		for k := 1; k < g.Planes(); k++ {
			for i, word := range g.Row(k, y) {
				ones[i] &^= word
			}
		}
	}
	var text strings.Builder
	for _, n := range ensemble.CountPatterns(g, t, c.patterns) {
		fmt.Fprintf(&text, ",%d,%d", n.Anywhere, n.Isolated)
	}
	return text.String(), nil
}
