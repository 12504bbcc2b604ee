package census

import (
	"context"
	"errors"
	"slices"

	"github.com/gosper-life/gosper/census"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/run"
	"github.com/gosper-life/gosper/topology"
)

// state is all cells of a universe at a generation, counted from the first one.
type state struct {
	cells      []census.Cell
	generation uint64
	changed    bool // whether a later generation had other cells
}

// comesBack finds out when the pattern of an origin comes back, in place or elsewhere. It takes universes of
// every rule and size, so it knows no apgcodes and separates no objects. A pattern that does not come back
// within the limits is unknown. If it becomes something that does, it is unstable, and later describes what it
// has become.
func comesBack(ctx context.Context, u *origin.Origin, limits census.Limits) (o, later census.Object, err error) {
	e, err := u.Open(ctx, sim.Auto)
	if err != nil {
		return o, later, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	if err := u.Load(ctx, e, nil); err != nil {
		return o, later, err
	}
	e.SetGeneration(u.Generation)
	cells, err := census.CellsOf(e)
	if err != nil || len(cells) == 0 {
		return census.Object{Kind: census.Dead}, later, err
	}
	r, t := u.Config.Rule, u.Config.Topology
	first := state{cells: cells}
	// replaced when its age is its generation (Brent's method): sooner or later it recurs, and is old enough
	recent := first
	for g := uint64(1); g <= uint64(limits.Generations); g++ {
		if _, err := e.Step(ctx, 1); err != nil {
			return o, later, err
		}
		n, err := e.Population()
		switch {
		case err != nil:
			return o, later, err
		case n == 0:
			return census.Object{Kind: census.Dead}, later, nil
		case n > uint64(limits.Population):
			return o, later, nil
		}
		replace := g == max(1, 2*recent.generation)
		first.changed = first.changed || n != uint64(len(first.cells))
		recent.changed = recent.changed || n != uint64(len(recent.cells))
		if !replace && n != uint64(len(first.cells)) && n != uint64(len(recent.cells)) {
			continue
		}
		if box, err := e.Extent(); err != nil || max(box.W, box.H) > limits.Box {
			return o, later, err
		}
		now := state{generation: g}
		if now.cells, err = census.CellsOf(e); err != nil {
			return o, later, err
		}
		if o, ok := first.recurs(r, t, now, limits.Period); ok {
			return o, o, nil
		}
		if later, ok := recent.recurs(r, t, now, limits.Period); ok {
			return census.Object{Kind: census.Unstable}, later, nil
		}
		if replace {
			recent = now
		}
	}
	return o, later, nil
}

// recurs describes the object that a state is, if a later state is the same, moved or not, at a generation and
// in a place where the rule does the same again: a side that is not infinite is no direction to move in.
// longest is the longest period.
func (s *state) recurs(r rule.Rule, t topology.Topology, now state, longest int) (o census.Object, ok bool) {
	a, b, period := s.cells, now.cells, now.generation-s.generation
	if len(a) != len(b) {
		return o, false
	}
	dx, dy := b[0].X-a[0].X, b[0].Y-a[0].Y
	same := slices.EqualFunc(a, b, func(p, q census.Cell) bool { return q.X-p.X == dx && q.Y-p.Y == dy && q.Age == p.Age })
	s.changed = s.changed || !same || dx != 0 || dy != 0
	elsewhere := dx != 0 && t.W != 0 || dy != 0 && t.H != 0 || r.Blocks() && (dx%2 != 0 || dy%2 != 0) ||
		r.Triangles() && (dx+dy)%2 != 0
	switch {
	case !same || elsewhere || period%r.Period() != 0 || period > uint64(longest):
		return o, false
	case !s.changed:
		return census.Object{Kind: census.StillLife, Period: 1}, true
	case dx == 0 && dy == 0:
		return census.Object{Kind: census.Oscillator, Period: int(period)}, true
	}
	return census.Object{Kind: census.Spaceship, Period: int(period), DX: dx, DY: dy}, true
}

// identifyAlone reports when a pattern comes back in a universe that a census does not take: by its rule, or
// because it has edges.
func (cmd *IdentifyCommand) identifyAlone(ctx context.Context, c *console.Console, p *pattern.Pattern, cells int,
	limits census.Limits,
) error {
	flags := origin.Flags{Pattern: cmd.Pattern, Rule: cmd.Rule}
	u, err := flags.Of(ctx, p)
	if err != nil {
		return console.Bad(err)
	}
	stop := c.Line(false).Clock("running " + number.Count(uint64(cells), "cell") + " until they come back")
	o, later, err := comesBack(ctx, u, limits.OrDefault())
	stop()
	if err != nil {
		return err
	}
	found := identified{
		Rule: u.Config.Rule.String(), Edges: u.Config.Topology.String(), suffix: u.Config.Topology.Suffix(), Kind: o.Kind,
		Period: console.Known(later.Period), DX: later.DX, DY: later.DY, Speed: console.Known(speedOf(later)),
		Cells: cells, Settles: o.Kind != census.Unknown, later: later.Kind, limits: limits.OrDefault(),
	}
	if found.Settles {
		if found.Lifespan, err = cmd.lifespan(ctx, c, p, limits.OrDefault()); err != nil {
			return err
		}
	}
	if cmd.JSON {
		return c.PrintJSON(found)
	}
	found.print(c, u.Config.Rule)
	return nil
}

// lifespan is the number of generations until all that is left of a pattern repeats or flies away. It is nil if
// that is not proved within twice the limit of generations: gliders must first be far apart.
func (cmd *IdentifyCommand) lifespan(
	ctx context.Context, c *console.Console, p *pattern.Pattern, limits census.Limits,
) (lifespan *uint64, err error) {
	flags := origin.Flags{Pattern: cmd.Pattern, Rule: cmd.Rule}
	u, err := flags.Of(ctx, p)
	if err != nil {
		return nil, console.Bad(err)
	}
	e, err := u.Open(ctx, sim.Auto)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	if err := u.Load(ctx, e, nil); err != nil {
		return nil, err
	}
	e.SetGeneration(u.Generation)
	defer c.Line(false).Clock("looking for the lifespan")()
	r, err := run.Run(ctx, e, run.Options{
		Config: u.Config, Target: u.Generation + 2*uint64(limits.Generations), Until: run.UntilStable, Lifespan: true,
	})
	if err != nil || r.Lifespan == nil {
		return nil, err
	}
	n := *r.Lifespan - u.Generation
	return &n, ctx.Err()
}
