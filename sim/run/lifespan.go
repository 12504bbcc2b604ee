package run

import (
	"context"
	"math/bits"
	"slices"
	"time"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// cycle describes a stable universe. After some generations every group of cells is the same again, moved by
// the group's shift.
type cycle struct {
	from   past
	length uint64
	groups []group // nil: all cells together are one group, which comes back to where it was
}

// group is cells that evolve alone for the length of a cycle, inside an area that no cell of another group enters.
type group struct {
	box   grid.Rect // at the beginning
	area  grid.Rect
	shift [2]int // in a cycle, to the right and down
}

// trail is earlier states of a run, from which the generations that led to a cycle are computed again. It keeps only
// a few of them: the age at most about doubles from each one to the previous one. The first one is never left out.
type trail struct {
	kept  []past
	spent time.Duration // on copies
}

const (
	// trailFree and trailShare limit the time of copies: to so much, and one part of the time of the generations.
	trailFree  = 10 * time.Millisecond
	trailShare = 16
	// trailCells is the largest area that is copied.
	trailCells = 1 << 31
	// trailSteps is the number of copies while a run gets twice as long, about.
	trailSteps = 16
)

// add copies the present state, unless the last copy is recent or copies have taken too long.
func (t *trail) add(ctx context.Context, e sim.Engine, stepping time.Duration) error {
	g := e.Generation()
	if n := len(t.kept); n > 0 && (t.spent > trailFree+stepping/trailShare ||
		g-t.kept[n-1].generation <= (g-t.kept[0].generation)/trailSteps) {
		return nil
	}
	begin := time.Now()
	population, err := e.Population()
	if err != nil {
		return err
	}
	p, err := remembered(ctx, e, g, population, trailCells)
	t.spent += time.Since(begin)
	if err != nil || p.cells == nil {
		return err
	}
	t.kept = append(t.kept, p)
	for i := 1; i+1 < len(t.kept); i++ {
		if g-t.kept[i-1].generation <= 2*(g-t.kept[i+1].generation) {
			t.kept = slices.Delete(t.kept, i, i+1)
			i--
		}
	}
	return nil
}

// history computes parts of a run again, on the engine of the run.
type history struct {
	engine sim.Engine
	cfg    sim.Config
	again  uint64 // the number of generations after which the rule and the background do the same again
	cycle  cycle
	counts []uint64 // the populations in a cycle, one for each generation; nil: not known
}

// measure finds the least period of a stable universe, and its lifespan: the first generation that belongs to
// the cycle. The lifespan is nil if no earlier state is known. The engine keeps its cells and its generation.
func (w *watch) measure(ctx context.Context, e sim.Engine, c cycle, r *Result) (err error) {
	g := e.Generation()
	now, err := grid.TilesOf(ctx, e)
	if err != nil {
		return err
	}
	h := history{engine: e, cfg: w.cfg, again: w.period, cycle: c}
	period, err := h.shorten(ctx)
	if err == nil {
		r.Period = period
		r.Lifespan, err = h.lifespan(ctx, w.trail.kept, w.start, w.once)
	}
	if failed := load(e, w.cfg, now, 0, 0, g); failed != nil {
		return failed
	}
	if ctx.Err() != nil {
		return nil // the universe is stable all the same
	}
	return err
}

// load gives an engine other cells, moved to the right and down.
func load(e sim.Engine, cfg sim.Config, cells *grid.Tiles, dx, dy int, g uint64) error {
	old, err := grid.OccupiedRows(e)
	if err != nil {
		return err
	}
	none, err := grid.NewTiles(e.Planes())
	if err != nil {
		return err
	}
	for _, part := range old {
		if err := grid.Copy(e, none, part, part.X, part.Y); err != nil {
			return err
		}
	}
	for _, part := range cells.OccupiedRows() {
		part = inside(cfg, part)
		if err := grid.Copy(e, cells, part, part.X+dx, part.Y+dy); err != nil {
			return err
		}
	}
	e.SetGeneration(g)
	return nil
}

// goTo loads an earlier state and advances it to a generation.
func (h *history) goTo(ctx context.Context, from past, g uint64) error {
	if err := load(h.engine, h.cfg, from.cells, 0, 0, from.generation); err != nil {
		return err
	}
	if g == from.generation {
		return nil
	}
	_, err := h.engine.Step(ctx, g-from.generation)
	return err
}

// shorten makes the cycle as short as it can be. It returns the least period of the groups that stay where they are, or
// of all if none does.
func (h *history) shorten(ctx context.Context) (period uint64, err error) {
	c := &h.cycle
	if err := load(h.engine, h.cfg, c.from.cells, 0, 0, c.from.generation); err != nil {
		return 0, err
	}
	begin := c.from.generation
	for d := h.again; d <= c.length; d += h.again {
		if c.length%d != 0 {
			continue
		}
		if n := begin + d - h.engine.Generation(); n > 0 {
			if _, err := h.engine.Step(ctx, n); err != nil {
				return 0, err
			}
		}
		all, staying, shifts, err := h.returned(ctx)
		if err != nil {
			return 0, err
		}
		if staying && period == 0 {
			period = d
		}
		if all {
			for i := range c.groups {
				c.groups[i].shift = shifts[i]
			}
			c.length = d
			return period, nil
		}
	}
	return period, nil
}

// returned reports whether all groups of cells are the same as at the beginning of the cycle, and whether those
// are that never move. It also returns how far each one has moved.
func (h *history) returned(ctx context.Context) (all, staying bool, shifts [][2]int, err error) {
	c := &h.cycle
	if c.groups == nil {
		_, _, differ, err := grid.FirstDifference(c.from.cells, h.engine)
		return !differ, !differ, nil, err
	}
	now, err := grid.TilesOf(ctx, h.engine)
	if err != nil {
		return false, false, nil, err
	}
	all, staying = true, true
	none := !slices.ContainsFunc(c.groups, func(g group) bool { return g.shift == [2]int{} })
	for _, g := range c.groups {
		box, err := within(now, g.area)
		if err != nil {
			return false, false, nil, err
		}
		same := box.W == g.box.W && box.H == g.box.H
		if same {
			if same, err = equal(c.from.cells, g.box, now, box); err != nil {
				return false, false, nil, err
			}
		}
		shift := [2]int{box.X - g.box.X, box.Y - g.box.Y}
		if g.shift == [2]int{} {
			same = same && shift == g.shift
		}
		shifts = append(shifts, shift)
		all = all && same
		staying = staying && (same || !none && g.shift != [2]int{})
	}
	return all, staying, shifts, nil
}

// lifespan finds the first generation from which the universe is in the cycle. It is at least once. start is the first
// generation of the run.
func (h *history) lifespan(ctx context.Context, earlier []past, start, once uint64) (*uint64, error) {
	switch p, outside, err := h.guess(ctx, earlier, once); {
	case err != nil:
		return nil, err
	case p.cells == nil:
	default:
		in, err := h.inCycle(ctx, p, once)
		if err != nil {
			return nil, err
		}
		if in && (outside || p.generation == start) {
			return &p.generation, nil
		}
	}
	return h.search(ctx, earlier, start, once)
}

// mostCounts is the longest cycle whose populations are counted.
const mostCounts = 256

// count counts the populations in a cycle.
func (h *history) count(ctx context.Context) error {
	c := &h.cycle
	if c.length > mostCounts {
		return nil
	}
	if err := h.goTo(ctx, c.from, c.from.generation); err != nil {
		return err
	}
	for {
		n, err := h.engine.Population()
		if err != nil {
			return err
		}
		if h.counts = append(h.counts, n); uint64(len(h.counts)) == c.length {
			return nil
		}
		if _, err := h.engine.Step(ctx, 1); err != nil {
			h.counts = nil
			return err
		}
	}
}

// outside reports whether a population shows that a generation is before the cycle.
func (h *history) outside(generation, population, once uint64) bool {
	c := &h.cycle
	back := (c.from.generation - generation) % c.length
	return generation < once || h.counts[(c.length-back)%c.length] != population
}

// guess finds by populations alone which generation may be the first in the cycle. It is none before that. outside
// reports whether the generation before is known to be outside. Without cells there is no guess.
func (h *history) guess(ctx context.Context, earlier []past, once uint64) (first past, outside bool, err error) {
	if err := h.count(ctx); err != nil || h.counts == nil {
		return past{}, false, err
	}
	var base past
	first = h.cycle.from
	for _, p := range slices.Backward(earlier) {
		if p.generation >= first.generation {
			continue
		}
		if h.outside(p.generation, p.population, once) {
			base = p
			break
		}
		first = p
	}
	if base.cells == nil {
		return first, false, nil
	}
	for first.generation-base.generation > 1 {
		middle := base.generation + (first.generation-base.generation)/2
		if err := h.goTo(ctx, base, middle); err != nil {
			return past{}, false, err
		}
		n, err := h.engine.Population()
		if err != nil {
			return past{}, false, err
		}
		if !h.outside(middle, n, once) {
			first = past{generation: middle}
			continue
		}
		base.generation = middle
		if base.cells, err = grid.TilesOf(ctx, h.engine); err != nil {
			return past{}, false, err
		}
	}
	if first.cells == nil {
		if err := h.goTo(ctx, base, first.generation); err != nil {
			return past{}, false, err
		}
		first.cells, err = grid.TilesOf(ctx, h.engine)
	}
	return first, true, err
}

// search finds the first generation from which the universe is in the cycle, by halves.
func (h *history) search(ctx context.Context, earlier []past, start, once uint64) (*uint64, error) {
	first := h.cycle.from.generation // is in the cycle
	var base past                    // is not
	for _, p := range slices.Backward(earlier) {
		if p.generation >= first {
			continue
		}
		in, err := h.inCycle(ctx, p, once)
		if err != nil {
			return nil, err
		}
		if !in {
			base = p
			break
		}
		first = p.generation
	}
	if base.cells == nil {
		if first == start {
			return &first, nil
		}
		return nil, nil
	}
	for first-base.generation > 1 {
		middle := base.generation + (first-base.generation)/2
		if err := h.goTo(ctx, base, middle); err != nil {
			return nil, err
		}
		cells, err := grid.TilesOf(ctx, h.engine)
		if err != nil {
			return nil, err
		}
		p := past{cells: cells, generation: middle}
		in, err := h.inCycle(ctx, p, once)
		if err != nil {
			return nil, err
		}
		if in {
			first = middle
		} else {
			base = p
		}
	}
	return &first, nil
}

// inCycle reports whether a state, of a generation before that at which the cycle is known, belongs to it:
// whether it is the cells that the groups had if they have always moved as they do.
func (h *history) inCycle(ctx context.Context, p past, once uint64) (bool, error) {
	if p.generation < once {
		return false, nil
	}
	c := &h.cycle
	back := c.from.generation - p.generation
	cycles := (back + c.length - 1) / c.length
	if err := h.goTo(ctx, c.from, c.from.generation+cycles*c.length-back); err != nil {
		return false, err
	}
	if c.groups == nil {
		_, _, differ, err := grid.FirstDifference(p.cells, h.engine)
		return !differ, err
	}
	then, err := h.before(ctx, int(cycles))
	if err != nil || then == nil {
		return false, err
	}
	_, _, differ, err := grid.FirstDifference(p.cells, then)
	return !differ, err
}

// before returns the present cells of the engine with each group where it was some cycles ago. It returns nil if groups
// would have been in one place.
func (h *history) before(ctx context.Context, cycles int) (*grid.Tiles, error) {
	now, err := grid.TilesOf(ctx, h.engine)
	if err != nil {
		return nil, err
	}
	then, err := grid.NewTiles(now.Planes())
	if err != nil {
		return nil, err
	}
	parts := now.OccupiedRows()
	for _, g := range h.cycle.groups {
		for _, part := range parts {
			clash := false
			err := eachCell(now, part.Intersect(g.area), func(x, y int) {
				toX, toY := x-cycles*g.shift[0], y-cycles*g.shift[1]
				clash = clash || then.Get(toX, toY) != 0
				then.Set(toX, toY, now.Get(x, y))
			})
			if err != nil || clash {
				return nil, err
			}
		}
	}
	return then, nil
}

// eachCell calls visit for the cells of an area that are not in state 0.
func eachCell(src grid.Source, area grid.Rect, visit func(x, y int)) error {
	live := make([]uint64, (area.W+63)/64)
	row := make([]uint64, len(live))
	for y := area.Y; y < area.Y+area.H; y++ {
		if err := liveIn(live, row, src, area.X, y, area.W); err != nil {
			return err
		}
		for i, word := range live {
			for ; word != 0; word &= word - 1 {
				visit(area.X+64*i+bits.TrailingZeros64(word), y)
			}
		}
	}
	return nil
}

// canLeave reports whether cells can fly away forever under a configuration.
func canLeave(cfg sim.Config) bool {
	return cfg.Topology.Kind == topology.Unbounded && !cfg.Rule.BirthOnEmpty() && !cfg.Rule.DependsOnPlace()
}
