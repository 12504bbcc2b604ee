package origin

import (
	"context"
	"errors"
	"fmt"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/background"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// checkGollyB0 refuses rules and topologies for which Golly and Gosper agree, and those that Golly does not have.
func checkGollyB0(r rule.Rule, t topology.Topology) error {
	switch {
	case !t.Bounded():
		return errors.New("--golly-b0 is for bounded universes; on the unbounded plane gosper and Golly agree")
	case r.Volume():
		return fmt.Errorf("--golly-b0 is for rules of two dimensions, not %v: Golly has no B0 in three", r)
	case !r.BirthOnEmpty() || r.States > 2:
		return fmt.Errorf("--golly-b0 is for B0 rules of two states, not %v", r)
	}
	if !r.Homogeneous() {
		return fmt.Errorf("--golly-b0 is for rules that do the same everywhere in every generation, not %v", r)
	}
	return nil
}

// openGollyB0 is sim.Open for a rule and topology that checkGollyB0 allows. It runs a B0 rule on a bounded universe as
// Golly does (its help page "QuickLife"). Golly's result differs from the rule's definition. With Smax it runs the rule
// of the complement on the given cells. Without Smax its odd generations are the complement of the true ones.
func openGollyB0(ctx context.Context, engine string, cfg sim.Config) (sim.Engine, error) {
	if cfg.Rule.SurvivesFull() {
		cfg.Rule, _ = background.Complement(cfg.Rule)
		return sim.Open(ctx, engine, cfg)
	}
	even, odd, _ := background.Alternating(cfg.Rule)
	b := &alternating{}
	for parity, r := range []rule.Rule{even, odd} {
		cfg.Rule = r
		e, err := sim.Open(ctx, engine, cfg)
		if err != nil {
			b.Close()
			return nil, err
		}
		b.engines[parity] = e
		b.Engine = b.engines[0]
	}
	return b, nil
}

// alternating runs the engines of two rules in turn and hands the cells over before each generation. It is
// simple rather than fast.
type alternating struct {
	sim.Engine               // the engine that holds the cells
	engines    [2]sim.Engine // by the parity of the generations that they advance
	generation uint64
}

// Step implements sim.Engine.
func (b *alternating) Step(ctx context.Context, n uint64) (uint64, error) {
	for done := range n {
		if err := b.handOver(ctx, b.engines[b.generation%2]); err != nil {
			return done, err
		}
		if _, err := b.Engine.Step(ctx, 1); err != nil {
			return done, err
		}
		b.generation++
	}
	return n, nil
}

// handOver moves the cells to an engine, unless it has them already.
func (b *alternating) handOver(ctx context.Context, to sim.Engine) error {
	if to == b.Engine {
		return nil
	}
	box, err := b.Engine.Extent()
	if err != nil {
		return err
	}
	const rows = 256 // from one look at the context to the next
	for y := box.Y; y < box.Y+box.H; y += rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		part := grid.Rect{X: box.X, Y: y, W: box.W, H: min(rows, box.Y+box.H-y)}
		if err := grid.Copy(to, b.Engine, part, box.X, y); err != nil {
			return err
		}
	}
	b.Engine = to
	return nil
}

// Generation implements sim.Engine.
func (b *alternating) Generation() uint64 { return b.generation }

// SetGeneration implements sim.Engine.
func (b *alternating) SetGeneration(g uint64) { b.generation = g }

// Info implements sim.Engine.
func (b *alternating) Info() sim.Info {
	info := b.Engine.Info()
	info.Plan += ", B0 as in Golly"
	info.Bytes *= 2
	return info
}

// Close implements sim.Engine.
func (b *alternating) Close() error {
	var first error
	for _, e := range b.engines {
		if e == nil {
			continue
		}
		if err := e.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}
