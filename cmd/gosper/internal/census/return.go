package census

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/gosper-life/gosper/census"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/run"
	"github.com/gosper-life/gosper/topology"
)

// outcome describes the future of a pattern in a universe of any rule and size: no apgcodes, and no separate objects.
type outcome struct {
	object census.Object // unstable if it becomes something that comes back, which later describes
	later  census.Object // what comes back
	limit  string        // the one that ended the search, as in census.Tally; "" if none did
	at     int           // the number of generations until then, or until an error
	cells  int           // the population then
}

// cellsOfWork is the number of cells of a generation that take about as much work as a pass of a tile.
const cellsOfWork = 60

// comesBack finds out when the pattern of an origin comes back, in place or elsewhere, or how it grows up to a limit.
// With an error, such as that of an interrupt, the outcome says only how far the pattern was followed.
func comesBack(ctx context.Context, u *origin.Origin, limits census.Limits) (out outcome, err error) {
	e, err := u.Open(ctx, sim.Auto)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	if err := u.Load(ctx, e, nil); err != nil {
		return out, err
	}
	e.SetGeneration(u.Generation)
	finder, err := run.NewFinder(ctx, e, u.Config)
	if err != nil {
		return out, err
	}
	var populations []int
	var boxes []grid.Rect
	work := 0
	for out.limit == "" {
		n, err := e.Population()
		switch {
		case err != nil:
			return out, err
		case n == 0:
			return outcome{object: census.Object{Kind: census.Dead}}, nil
		case n > uint64(limits.Population):
			out.limit = "population"
		case out.at == limits.Generations || finder.Blind():
			out.limit = "generations"
		case limits.Work > 0 && work > cellsOfWork*limits.Work:
			out.limit = "work"
		}
		out.cells = int(min(n, math.MaxInt))
		work += out.cells
		populations = append(populations, out.cells)
		if out.at%census.BoxEvery == 0 {
			box, err := e.Extent()
			if err != nil {
				return out, err
			}
			if boxes = append(boxes, box); max(box.W, box.H) > limits.Box {
				out.limit = "box"
			}
		}
		if out.limit != "" {
			break
		}
		if _, err := e.Step(ctx, 1); err != nil {
			return out, err
		}
		out.at++
		r, again, err := finder.Look(ctx, e)
		switch {
		case err != nil:
			return out, err
		case !again || r.Period > uint64(limits.Period):
		case r.From == u.Generation:
			return outcome{object: returned(r), later: returned(r)}, nil
		default:
			return outcome{object: census.Object{Kind: census.Unstable}, later: returned(r)}, nil
		}
	}
	if o, ok := census.Grows(populations, boxes, 0); ok && u.Config.Topology.Kind == topology.Unbounded {
		out.object, out.later = o, o
	}
	return out, nil
}

// returned describes the object that has come back.
func returned(r run.Return) census.Object {
	o := census.Object{Kind: census.Spaceship, Period: int(r.Period), DX: r.DX, DY: r.DY}
	switch {
	case r.Still:
		o.Kind, o.Period = census.StillLife, 1
	case r.DX == 0 && r.DY == 0:
		o.Kind = census.Oscillator
	}
	return o
}

// followAlone is comesBack for a pattern of a number of cells. It says how far it got if somebody interrupts it.
func followAlone(
	ctx context.Context, c *console.Console, u *origin.Origin, cells int, limits census.Limits,
) (out outcome, err error) {
	stop := c.Line(false).Clock("running " + number.Count(uint64(cells), "cell") + " until they come back")
	out, err = comesBack(ctx, u, limits.OrDefault())
	stop()
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(c.Err, "gosper:", interruption(out.at, out.cells, cells, limits.OrDefault()))
	}
	return out, err
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
	unbounded := u.Config.Topology.Kind == topology.Unbounded
	if !unbounded {
		limits.Work = 0
	}
	out, err := followAlone(ctx, c, u, cells, limits)
	if err != nil {
		return err
	}
	future, err := cmd.far(ctx, c, p, out.object, out.limit != "" && unbounded)
	if err != nil {
		return err
	}
	if out.limit == "work" && !decides(future) {
		limits.Work = longWork
		if out, err = followAlone(ctx, c, u, cells, limits); err != nil {
			return err
		}
	}
	o, later := out.object, out.later
	found := identified{
		Rule: u.Config.Rule.String(), Edges: u.Config.Topology.String(), suffix: u.Config.Topology.Suffix(), Kind: o.Kind,
		Period: console.Known(later.Period), DX: later.DX, DY: later.DY, Speed: console.Known(speedOf(later)),
		Cells: cells, Settles: out.limit == "", later: later.Kind, limits: limits.OrDefault(),
		Growth: growthOf(o, census.Output{}), Limit: console.Known(out.limit), ended: out.at,
	}
	switch {
	case o.Kind == later.Kind && found.Settles: // it comes back to its first state
		found.Lifespan = new(uint64)
	case found.Settles:
		if found.Lifespan, err = cmd.lifespan(ctx, c, p, limits.OrDefault()); err != nil {
			return err
		}
	}
	found.add(future, o)
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
