package cpu

import (
	"context"
	"errors"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/bytewise"
	"github.com/gosper-life/gosper/sim/cpu/internal/bands"
	"github.com/gosper-life/gosper/sim/cpu/internal/plan"
	"github.com/gosper-life/gosper/sim/cpu/internal/tiles"
)

// adaptive advances a torus in bands while much of it changes, and in tiles once most of it has settled. A pass
// over bands costs the same for all cells. A block of tiles that changes costs several times as much as its
// cells do in bands. A block that does not change costs nothing. A small creature alone on it is advanced by
// itself.
type adaptive struct {
	*bands.Engine
	alone    *bytewise.Stepper                      // nil: creatures are not looked for
	ranAlone bool                                   // alone has advanced one, or was asked for
	tiles    *tiles.Engine                          // holds the cells if it is not nil
	open     func(depth int) (*tiles.Engine, error) // makes empty ones; after an error or nil it is not called again
	depth    int                                    // generations of a look
	radius   int                                    // of the rule
	wait     uint64                                 // generations from one look at how much changes to the next
	again    uint64                                 // generations that must be worth moving all cells to tiles and back
	limit    uint64                                 // the most that wait may become by growing
	since    uint64                                 // generations since the last look
	work     uint64                                 // blocks computed since
	held     uint64                                 // generations that the tiles have advanced
	blocks   float64                                // of the torus
	even     float64                                // the share of the blocks at which tiles cost as much as bands
	before   *bands.Snapshot                        // of a look
	later    *bands.Snapshot
	marked   *tiles.Engine // held the cells at Mark; nil if bands did
}

const (
	usualWait = 960     // generations, if much changes
	longWait  = 1 << 20 // if tiles have repeatedly not paid
	quiet     = 0.9     // times the even share: tiles take over
	busy      = 1.25    // times the even share: bands take over
	blockSide = 32      // of blocks of tiles that are quick
)

// adapt returns the engine e, or one that may change over from it to tiles as the plan says.
//
// The more tables a rule has, the more it costs to compute blocks that do not change. Compared with that, looking for
// changes and moving cells in and out of blocks costs less.
func adapt(e *bands.Engine, cfg sim.Config, rules []*compile.Compiled, chosen plan.Plan) sim.Engine {
	tables, cells := max(1, rules[0].Columns().Cost().Tables), cfg.Topology.W*cfg.Topology.H
	const (
		worthwhile = 1 << 23 // tables of a generation
		making     = 2e10    // tables that bands compute in the 20 ms in which the code of wide tiles is made
	)
	alone := forCreatures(cfg)
	if cells < worthwhile/tables || chosen.Valid(cfg.Rule, cfg.Topology) != nil ||
		plan.Core(chosen.Depth*cfg.Rule.Radius()) != blockSide {
		if alone == nil {
			return e
		}
		return &adaptive{Engine: e, alone: alone}
	}
	// A look costs about as much as 100 tables a cell, and moving the cells as much as 3,000.
	wait := min(max(4, 1536/tables), 96)
	if cfg.Rule.Radius() > 1 { // a short run is over before tiles pay for their code
		wait = max(wait, making/tables/cells)
	}
	return &adaptive{
		Engine: e, alone: alone, depth: chosen.Depth, radius: cfg.Rule.Radius(),
		wait: uint64(wait), again: uint64(50_000 / tables), limit: usualWait,
		// A block computes twice its columns, and some more rows. To move its cells in and out takes as long as some
		// 60 tables.
		blocks: float64(cells) / (blockSide * blockSide), even: 1 / (2.5 + 60/float64(tables)),
		open: func(depth int) (*tiles.Engine, error) {
			chosen.Depth = depth
			t, err := tiles.New(cfg.Rule, rules, cfg.Topology, chosen)
			if err != nil || !t.Quick() {
				return nil, err
			}
			return t, nil
		},
	}
}

// Step implements sim.Engine.
func (a *adaptive) Step(ctx context.Context, n uint64) (done uint64, err error) {
	depth := uint64(a.depth)
	for done < n && err == nil {
		var k uint64
		switch {
		case a.tiles != nil && n-done < uint64(a.tiles.Depth()):
			// A shorter pass does not show which blocks the next long pass can skip, so both would compute every block with
			// cells. If the tiles have already saved the cost of moving the cells, they may come back at once, because steps
			// that are cut short are few.
			err = a.leave(a.again - min(a.again, a.held))
		case a.tiles != nil:
			k, err = a.stepTiles(ctx)
		case a.isAlone(n - done):
			if k, err = a.stepAlone(ctx, n-done); k == 0 && err == nil {
				continue
			}
		case a.open == nil:
			k, err = a.Engine.Step(ctx, n-done)
		case a.since >= a.wait && n > done && (n-done)%depth == 0: // whole passes for the tiles
			k, err = a.look(ctx)
		default:
			k = min(n-done, a.wait-min(a.wait, a.since))
			k += (n - done - k) % depth
			k, err = a.Engine.Step(ctx, k)
			a.since += k
		}
		done += k
	}
	return done, err
}

// stepTiles advances the tiles by a pass. It goes back to bands if too much is computed.
func (a *adaptive) stepTiles(ctx context.Context) (done uint64, err error) {
	depth := uint64(a.tiles.Depth())
	done, err = a.tiles.Step(ctx, depth)
	a.SetGeneration(a.Generation() + done)
	a.since += done
	a.held += done
	a.work += uint64(a.tiles.Computed())
	if err != nil && ctx.Err() == nil { // no memory
		a.open = nil
		return done, a.leave(0)
	}
	if a.since >= 16*depth {
		if float64(a.work*depth) > busy*a.even*float64(a.since)*a.blocks {
			a.limit = min(2*a.limit, longWait)
			err = errors.Join(err, a.leave(a.limit))
		}
		a.since, a.work = 0, 0
	}
	return done, err
}

// leave goes back to bands. The next look at the changes comes after wait generations.
func (a *adaptive) leave(wait uint64) error {
	if err := grid.Copy(a.Engine, a.tiles, a.Bounds(), 0, 0); err != nil {
		return err
	}
	a.tiles, a.since, a.wait = nil, 0, wait
	return nil
}

// look advances the bands by as many generations as a pass of tiles takes, and watches what changes. If that is
// little it changes over to tiles.
func (a *adaptive) look(ctx context.Context) (done uint64, err error) {
	w, done, err := a.watch(ctx)
	if err != nil {
		return done, err
	}
	a.since = 0
	if w.share > quiet*a.even {
		a.wait = min(a.wait+(a.wait+1)/2, a.limit)
		return done, nil
	}
	t, err := a.open(w.depth)
	if err != nil || t == nil {
		a.open = nil
		return done, nil
	}
	if err := a.hand(t, w); err != nil {
		return done, err
	}
	a.tiles, a.work, a.held = t, 0, 0
	return done, nil
}

// SetGeneration implements sim.Engine.
func (a *adaptive) SetGeneration(g uint64) {
	a.Engine.SetGeneration(g)
	if a.tiles != nil {
		a.tiles.SetGeneration(g)
	}
}

// Population implements sim.Engine.
func (a *adaptive) Population() (uint64, error) {
	if a.tiles != nil {
		return a.tiles.Population()
	}
	return a.Engine.Population()
}

// Info implements sim.Engine.
func (a *adaptive) Info() sim.Info {
	info := a.Engine.Info()
	if a.tiles != nil {
		quiet := a.tiles.Info()
		info.Plan, info.Bytes, info.Grain = quiet.Plan, info.Bytes+quiet.Bytes, quiet.Grain
	} else if a.open != nil {
		info.Grain = uint64(plan.CommonMultiple(int(info.Grain), a.depth))
	}
	if a.ranAlone && a.tiles == nil {
		info.Plan = plan.WithAlone(info.Plan)
	}
	return info
}

var (
	_ sim.Counter       = (*adaptive)(nil)
	_ sim.ChangeCounter = (*adaptive)(nil)
)

// Counts implements sim.Counter.
func (a *adaptive) Counts(dst []uint64, area grid.Rect, scale int) (bool, error) {
	return a.Sample(dst, area, scale, 1)
}

// Sample calls Sample of the bands or of the tiles.
func (a *adaptive) Sample(dst []uint64, area grid.Rect, scale, step int) (bool, error) {
	if a.tiles != nil {
		return a.tiles.Sample(dst, area, scale, step)
	}
	return a.Engine.Sample(dst, area, scale, step)
}

// Mark implements sim.ChangeCounter.
func (a *adaptive) Mark() {
	a.alone = nil // otherwise the cells that it writes back would count as written by the caller
	if a.marked = a.tiles; a.tiles != nil {
		a.Engine.Unmark()
		a.tiles.Mark()
		return
	}
	a.Engine.Mark()
}

// Changes implements sim.ChangeCounter. It knows nothing if bands have taken over from tiles since Mark, or
// tiles from bands.
func (a *adaptive) Changes(dst []uint64, area grid.Rect, scale int) (bool, error) {
	switch {
	case a.tiles != a.marked:
		return false, nil
	case a.tiles != nil:
		return a.tiles.Changes(dst, area, scale)
	}
	return a.Engine.Changes(dst, area, scale)
}

// ReadRow implements grid.Source.
func (a *adaptive) ReadRow(dst []uint64, plane, x, y, n int) error {
	if a.tiles != nil {
		return a.tiles.ReadRow(dst, plane, x, y, n)
	}
	return a.Engine.ReadRow(dst, plane, x, y, n)
}

// ReadsInParallel tells grid.StateHash that several goroutines may read whole rows at once.
func (a *adaptive) ReadsInParallel() bool { return a.tiles == nil }

// WriteRow implements grid.Sink.
func (a *adaptive) WriteRow(src []uint64, plane, x, y, n int) error {
	if a.tiles != nil {
		return a.tiles.WriteRow(src, plane, x, y, n)
	}
	return a.Engine.WriteRow(src, plane, x, y, n)
}

const (
	// mostSearched is the largest number of cells of a universe in which a creature is searched for. The search would
	// take long in larger ones.
	mostSearched = 1 << 20
	// leastAlone is the number of generations that are worth a look.
	leastAlone = 64
)

// forCreatures returns a stepper for a creature that is alone on a bounded universe, or nil if the rule or the
// universe has none.
func forCreatures(cfg sim.Config) *bytewise.Stepper {
	if cfg.Topology.W*cfg.Topology.H > mostSearched {
		return nil
	}
	var steps []rule.Rule
	for g := range cfg.Rule.Period() {
		steps = append(steps, cfg.Rule.At(g))
	}
	if s := bytewise.NewStepper(steps); s != nil && s.Bound(cfg.Topology) {
		return s
	}
	return nil
}

// isAlone reports whether it is worth looking for a lone creature before a step of n generations.
func (a *adaptive) isAlone(n uint64) bool {
	return a.alone != nil && n >= leastAlone && a.alone.Due(a.Generation())
}

// stepAlone advances a creature that is alone by n generations, or until it is too large. It does nothing if the
// universe holds anything else.
func (a *adaptive) stepAlone(ctx context.Context, n uint64) (done uint64, err error) {
	from, period := a.Generation(), a.alone.Steps()
	area, ok, err := a.alone.Find(a.Engine)
	if err == nil && ok {
		done, err = a.alone.Run(ctx, a.Engine, area, n, func(done uint64) int { return int((from + done) % period) })
		a.SetGeneration(from + done)
		a.ranAlone = a.ranAlone || done > 0
	}
	if done == 0 {
		a.alone.Vain(from)
	}
	return done, err
}
