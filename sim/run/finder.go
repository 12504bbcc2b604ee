package run

import (
	"context"
	"slices"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/background"
	"github.com/gosper-life/gosper/sim"
)

// Finder finds out that a universe repeats itself: that all cells are again what they were, in their places or moved
// together to where the rule does the same. The universe then does the same again and again. It compares every state
// that it is shown with two copies. The first is of the state at the beginning. The second is replaced whenever its age
// is as large as its distance from the beginning (Brent's method), so sooner or later it is in the cycle, and old
// enough.
//
// A look costs a population. Only if that is the same as a copy's it costs a box, and then a comparison of the cells up
// to the first difference. The copies cost memory for the occupied tiles, and after n looks log2 n of them have been
// made. Recurrence remembers all states by their digests instead. It suits looks that are far apart: a look reads all
// cells, and states that have moved are not the same.
type Finder struct {
	cfg           sim.Config
	stride        uint64 // generations after which the rule and its background do the same again
	most          uint64 // the largest area of a copy
	first, recent copied
	renewal       uint64 // the generation from which on the recent copy is replaced
	copies        int    // how many have been made
}

// Return says how a universe has come back to an earlier state.
type Return struct {
	From   uint64 // the earlier generation
	Period uint64 // generations since then
	DX, DY int    // how far the cells have moved, to the right and down
	Still  bool   // each state in between that the finder was shown was the same, in place
}

// copied is a state that others are compared with.
type copied struct {
	cells      *grid.Tiles // nil if there is none
	generation uint64
	outline
	changed bool // whether a later state was another one
}

// outline is the population and the box of a state, which are cheap to find out.
type outline struct {
	population uint64
	extent     grid.Rect
}

// outlineOf returns the outline of the present state of an engine.
func outlineOf(e sim.Engine) (o outline, err error) {
	if o.population, err = e.Population(); err != nil {
		return o, err
	}
	o.extent, err = e.Extent()
	return o, err
}

// NewFinder returns a finder that begins with the present state of an engine.
func NewFinder(ctx context.Context, e sim.Engine, cfg sim.Config) (*Finder, error) {
	now, err := outlineOf(e)
	if err != nil {
		return nil, err
	}
	return newFinder(ctx, e, cfg, now, leavingCells)
}

// newFinder is NewFinder with the outline of the present state and the largest area of a copy.
func newFinder(ctx context.Context, e sim.Engine, cfg sim.Config, now outline, most uint64) (*Finder, error) {
	stride, _ := rounds(cfg)
	f := &Finder{cfg: cfg, stride: stride, most: most}
	return f, f.keep(ctx, e, now, &f.first)
}

// Blind reports whether the finder finds nothing, because the area of the cells was too large for a copy.
func (f *Finder) Blind() bool { return f.first.cells == nil }

// Look compares the present state of the engine with the copies. again is false if it is none of them. The same period
// is found again and again if the caller goes on.
func (f *Finder) Look(ctx context.Context, e sim.Engine) (r Return, again bool, err error) {
	population, err := e.Population()
	if err != nil {
		return r, false, err
	}
	for _, c := range []*copied{&f.first, &f.recent} {
		if c.cells == nil {
			continue
		}
		shift, same, err := c.compare(e, f.cfg, population)
		if err != nil {
			return r, false, err
		}
		c.changed = c.changed || !same || shift != [2]int{}
		period := e.Generation() - c.generation
		if same && period%f.stride == 0 && moves(f.cfg, shift) {
			return Return{c.generation, period, shift[0], shift[1], !c.changed}, true, nil
		}
	}
	if g := e.Generation(); g >= f.renewal {
		f.renewal = g + (g - f.first.generation)
		now, err := outlineOf(e)
		if err != nil {
			return r, false, err
		}
		return r, false, f.keep(ctx, e, now, &f.recent)
	}
	return r, false, nil
}

// keep copies the present state of an engine, which has the given outline.
func (f *Finder) keep(ctx context.Context, e sim.Engine, now outline, as *copied) error {
	f.copies++
	p, err := remembered(ctx, e, e.Generation(), now.population, f.most)
	*as = copied{cells: p.cells, generation: e.Generation(), outline: now}
	return err
}

// compare reports whether the present state of an engine, of the given population, is that of the copy, and how far it
// has moved since.
func (c *copied) compare(e sim.Engine, cfg sim.Config, population uint64) (shift [2]int, same bool, err error) {
	if population != c.population {
		return shift, false, nil
	}
	box, err := e.Extent()
	if err != nil || box.W != c.extent.W || box.H != c.extent.H {
		return shift, false, err
	}
	shift = [2]int{box.X - c.extent.X, box.Y - c.extent.Y}
	// As many cells are in both, so what is equal where the copy has cells is equal everywhere.
	for _, part := range c.cells.OccupiedRows() {
		part = inside(cfg, part)
		there := part
		there.X, there.Y = part.X+shift[0], part.Y+shift[1]
		if same, err := equal(c.cells, part, e, there); err != nil || !same {
			return shift, false, err
		}
	}
	return shift, true, nil
}

// rounds returns after how many generations the rule and the background of a universe do the same again, and how many
// generations of the background come only once.
func rounds(cfg sim.Config) (period, once uint64) {
	if cfg.Topology.Bounded() {
		return cfg.Rule.Period(), 0
	}
	if orbit, ok := background.Of(cfg.Rule); ok {
		return orbit.Period(), uint64(orbit.Once())
	}
	return cfg.Rule.Period(), 0
}

// moves reports whether cells that are moved do the same in their new places: a side with edges is no direction to move
// in, and 2×2 blocks and triangles treat even and odd places differently.
func moves(cfg sim.Config, shift [2]int) bool {
	t, r, dx, dy := cfg.Topology, cfg.Rule, shift[0], shift[1]
	switch {
	case dx == 0 && dy == 0:
		return true
	case dx != 0 && t.W != 0, dy != 0 && t.H != 0, r.Blocks() && (dx%2 != 0 || dy%2 != 0):
		return false
	}
	return !r.Triangles() || (dx+dy)%2 == 0
}

// inside is the part of an area of tiles that lies between the edges of a universe.
func inside(cfg sim.Config, area grid.Rect) grid.Rect {
	if w := cfg.Topology.W; w > 0 {
		area = area.Intersect(grid.Rect{Y: area.Y, W: w, H: area.H})
	}
	if h := cfg.Topology.H; h > 0 {
		area = area.Intersect(grid.Rect{X: area.X, W: area.W, H: h})
	}
	return area
}

// past is an earlier state of a universe.
type past struct {
	cells      *grid.Tiles // nil if there is none
	generation uint64
	population uint64
}

// remembered copies a universe. It returns no copy if the cells' area is larger than most.
func remembered(ctx context.Context, e sim.Engine, g, population, most uint64) (past, error) {
	var area uint64
	parts, err := grid.Occupied(e)
	if err != nil {
		return past{}, err
	}
	for _, part := range parts {
		more := grid.Product(uint64(part.W), uint64(part.H))
		if more > most-area {
			return past{}, nil
		}
		area += more
	}
	cells, err := grid.TilesOf(ctx, e)
	return past{cells, g, population}, err
}

// equal reports whether two areas of the same size hold the same cells.
func equal(a grid.Source, areaA grid.Rect, b grid.Source, areaB grid.Rect) (bool, error) {
	rowA, rowB := make([]uint64, (areaA.W+63)/64), make([]uint64, (areaA.W+63)/64)
	for y := range areaA.H {
		for k := range a.Planes() {
			if err := a.ReadRow(rowA, k, areaA.X, areaA.Y+y, areaA.W); err != nil {
				return false, err
			}
			if err := b.ReadRow(rowB, k, areaB.X, areaB.Y+y, areaA.W); err != nil {
				return false, err
			}
			if !slices.Equal(rowA, rowB) {
				return false, nil
			}
		}
	}
	return true, nil
}
