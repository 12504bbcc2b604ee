// Package burning makes engines for forests whose fires burn at once: a fire spreads to all trees that are joined to it
// within a generation.
//
// No engine runs such a rule by itself, because nothing limits how far a fire reaches. The package registers a wrapper
// with package sim. The wrapper opens any engine for the rest of the rule and spreads the fires after each generation.
package burning

import (
	"context"
	"errors"
	"math/bits"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

func init() {
	sim.Wrap(sim.Wrapper{Wraps: func(cfg sim.Config) bool { return cfg.Rule.Burns() }, Inner: inner, Around: around})
}

// inner returns the configuration without the fires that burn at once: see chance.Chance. Any engine that can run the
// rest of the rule does so, one generation at a time.
func inner(name string, cfg sim.Config) (sim.Config, error) {
	if !cfg.Topology.Bounded() {
		return cfg, &sim.Unsupported{
			Engine: name, What: cfg.Rule.String() + " on an infinite universe",
			Why: "a fire could burn forever",
		}
	}
	c := *cfg.Rule.Chance
	c.Burns, c.Model = false, ""
	cfg.Rule.Chance = &c
	return cfg, nil
}

// around makes an engine for a rule whose fires burn at once from one for the rest of the rule.
func around(cfg sim.Config, e sim.Engine) (sim.Engine, error) {
	t := cfg.Topology
	cells, err := grid.New(t.W, t.H, 2)
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return &burning{Engine: e, rule: cfg.Rule, on: t, cells: cells, changed: make([]bool, t.H)}, nil
}

// burning is an engine for a forest of trees (state 1) that spreads each fire (state 2) to all trees that others join
// to it, after each generation.
type burning struct {
	sim.Engine
	rule    rule.Rule
	on      topology.Topology
	cells   *grid.Grid // of the engine, while fires spread
	changed []bool     // rows in which they did
	front   []place    // cells on fire whose neighbours have not caught it yet
}

type place struct{ x, y int }

// Step implements sim.Engine.
func (b *burning) Step(ctx context.Context, n uint64) (uint64, error) {
	for done := range n {
		if _, err := b.Engine.Step(ctx, 1); err != nil {
			return done, err
		}
		if err := b.spread(); err != nil {
			return done, err
		}
	}
	return n, nil
}

// Info implements sim.Engine.
func (b *burning) Info() sim.Info {
	info := b.Engine.Info()
	info.Steady, info.Leaps, info.Grain = false, false, 0 // fires take what they take, and each generation is looked at
	info.Bytes += uint64(b.on.W) * uint64(b.on.H) / 4
	return info
}

// Reseed implements sim.Seeder.
func (b *burning) Reseed(seed uint64) error {
	return sim.Reseed(b.Engine, b.rule, seed)
}

// Clusters implements sim.ClusterCounter.
func (b *burning) Clusters(c component.Connectivity) (component.Clusters, error) {
	return sim.Clusters(b.Engine, b.on, c)
}

// spread burns all trees that are joined to a fire.
func (b *burning) spread() error {
	if err := b.read(1); err != nil {
		return err
	}
	b.front = b.front[:0]
	for y := range b.on.H {
		for i, word := range b.cells.Row(1, y) {
			for ; word != 0; word &= word - 1 {
				b.front = append(b.front, place{64*i + bits.TrailingZeros64(word), y})
			}
		}
	}
	if len(b.front) == 0 {
		return nil
	}
	if err := b.read(0); err != nil {
		return err
	}
	clear(b.changed)
	for len(b.front) > 0 {
		at := b.front[len(b.front)-1]
		b.front = b.front[:len(b.front)-1]
		for x, y := range b.on.Beside(at.x, at.y) {
			b.catch(x, y)
		}
	}
	for y, changed := range b.changed {
		for k := 0; changed && k < 2; k++ {
			if err := b.Engine.WriteRow(b.cells.Row(k, y), k, 0, y, b.on.W); err != nil {
				return err
			}
		}
	}
	return nil
}

// catch sets a tree on fire; other cells stay as they are.
func (b *burning) catch(x, y int) {
	trees, bit := &b.cells.Row(0, y)[x>>6], uint64(1)<<(x&63)
	if *trees&bit == 0 {
		return
	}
	*trees &^= bit
	b.cells.Row(1, y)[x>>6] |= bit
	b.changed[y] = true
	b.front = append(b.front, place{x, y})
}

// read copies a plane of the engine's cells.
func (b *burning) read(plane int) error {
	for y := range b.on.H {
		if err := b.Engine.ReadRow(b.cells.Row(plane, y), plane, 0, y, b.on.W); err != nil {
			return err
		}
	}
	return nil
}
