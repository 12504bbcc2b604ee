package cli

import (
	"context"
	"fmt"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
)

// checkGollyB0 refuses --golly-b0 where it would mean nothing.
func (u *universe) checkGollyB0() error {
	switch {
	case !u.gollyB0:
		return nil
	case !u.config.Topology.Bounded():
		return fmt.Errorf("--golly-b0 is for bounded universes; on the unbounded plane gosper and Golly agree")
	case !u.config.Rule.BirthOnEmpty() || u.config.Rule.States > 2:
		return fmt.Errorf("--golly-b0 is for B0 rules of two states, not %v", u.config.Rule)
	}
	return nil
}

// openGollyB0 makes an engine that runs a B0 rule on a bounded universe as Golly does (help page "QuickLife"): with Smax the rule of
// the complement runs on the given cells; without, odd generations are stored complemented.
func openGollyB0(ctx context.Context, engine string, cfg sim.Config) (sim.Engine, error) {
	if cfg.Rule.SurvivesFull() {
		cfg.Rule, _ = cfg.Rule.Complement()
		return sim.Open(ctx, engine, cfg)
	}
	even, odd, _ := cfg.Rule.Alternating()
	b := &gollyB0{}
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

// gollyB0 alternates between the engines of two rules and hands the cells over after each generation. It is meant to be right, not
// fast.
type gollyB0 struct {
	sim.Engine // of the present parity
	engines    [2]sim.Engine
	generation uint64
}

// Step implements sim.Engine.
func (b *gollyB0) Step(ctx context.Context, n uint64) (uint64, error) {
	for done := range n {
		if _, err := b.Engine.Step(ctx, 1); err != nil {
			return done, err
		}
		b.moveTo(b.generation + 1)
	}
	return n, nil
}

// moveTo numbers the present cells and moves them to the engine that advances such a generation.
func (b *gollyB0) moveTo(g uint64) {
	b.generation = g
	if next := b.engines[g%2]; next != b.Engine {
		box := b.Engine.Bounds()
		grid.Copy(next, b.Engine, box, box.X, box.Y)
		b.Engine = next
	}
}

// Generation implements sim.Engine.
func (b *gollyB0) Generation() uint64 { return b.generation }

// SetGeneration implements sim.Engine.
func (b *gollyB0) SetGeneration(g uint64) { b.moveTo(g) }

// Info implements sim.Engine.
func (b *gollyB0) Info() sim.Info {
	info := b.Engine.Info()
	info.Plan += ", B0 as in Golly"
	info.Bytes *= 2
	return info
}

// Close implements sim.Engine.
func (b *gollyB0) Close() error {
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
