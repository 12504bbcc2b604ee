package batch

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// engines is a batch in which each universe has an engine of its own, with one thread. One engine runs on each thread
// at a time.
type engines struct {
	all        []sim.Engine
	topology   topology.Topology
	workers    []*component.Labeller
	generation uint64
	rule       rule.Rule
}

// OnEngines makes a batch that runs each universe on a separate engine. It works for all universes that the engine
// can run. Implementations of Batch use it if they have nothing faster.
func OnEngines(ctx context.Context, open sim.Opener, cfg Config) (Batch, error) {
	threads := cfg.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	b := &engines{topology: cfg.Topology, rule: cfg.Rule}
	for range cfg.Universes {
		e, err := open(ctx, sim.Config{Rule: cfg.Rule, Topology: cfg.Topology, Threads: 1, Device: cfg.Device})
		if err != nil {
			return nil, errors.Join(err, b.Close())
		}
		b.all = append(b.all, e)
	}
	for range min(threads, cfg.Universes) {
		b.workers = append(b.workers, &component.Labeller{})
	}
	return b, nil
}

// each calls do for all universes and returns the first error.
func (b *engines) each(ctx context.Context, do func(l *component.Labeller, i int, e sim.Engine) error) error {
	return Share(ctx, b.workers, len(b.all), func(l *component.Labeller, i int) error { return do(l, i, b.all[i]) })
}

// Fill implements Batch.
func (b *engines) Fill(ctx context.Context, soups []Soup) error {
	made, err := Soups(soups, len(b.all))
	if err != nil {
		return err
	}
	b.generation = 0
	return b.each(ctx, func(_ *component.Labeller, i int, e sim.Engine) error {
		e.SetGeneration(0)
		if err := sim.Reseed(e, b.rule, made[i].Seed()); err != nil {
			return err
		}
		row := make([]uint64, (b.topology.W+63)/64)
		dead := make([]uint64, len(row))
		for y := range b.topology.H {
			made[i].Row(row, uint64(y)*uint64(b.topology.W), b.topology.W)
			if err := e.WriteRow(row, 0, 0, y, b.topology.W); err != nil {
				return err
			}
			for k := 1; k < e.Planes(); k++ {
				if err := e.WriteRow(dead, k, 0, y, b.topology.W); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// find returns the engine of a universe.
func (b *engines) find(i int, g *grid.Grid) (sim.Engine, error) {
	switch {
	case i < 0 || i >= len(b.all):
		return nil, fmt.Errorf("universe %d: want 0 to %d", i, len(b.all)-1)
	case g.W() != b.topology.W || g.H() != b.topology.H:
		return nil, fmt.Errorf("a grid of %d×%d does not fit universes of %d×%d", g.W(), g.H(), b.topology.W, b.topology.H)
	}
	return b.all[i], nil
}

// Write implements Batch.
func (b *engines) Write(i int, g *grid.Grid) error {
	e, err := b.find(i, g)
	if err == nil {
		err = grid.Copy(e, g, g.Bounds(), 0, 0)
	}
	return err
}

// Read implements Batch.
func (b *engines) Read(i int, g *grid.Grid) error {
	e, err := b.find(i, g)
	if err == nil {
		err = grid.Copy(g, e, g.Bounds(), 0, 0)
	}
	return err
}

// Step implements Batch.
func (b *engines) Step(ctx context.Context, n uint64) error {
	err := b.each(ctx, func(_ *component.Labeller, _ int, e sim.Engine) error {
		_, err := e.Step(ctx, n)
		return err
	})
	if err == nil {
		b.generation += n
	}
	return err
}

// Generation implements Batch.
func (b *engines) Generation() uint64 { return b.generation }

// SetGeneration implements Batch.
func (b *engines) SetGeneration(g uint64) {
	b.generation = g
	for _, e := range b.all {
		e.SetGeneration(g)
	}
}

// Populations implements Batch.
func (b *engines) Populations(ctx context.Context, dst []uint64) error {
	if len(dst) != len(b.all) {
		return fmt.Errorf("a slice of %d populations for %d universes", len(dst), len(b.all))
	}
	return b.each(ctx, func(_ *component.Labeller, i int, e sim.Engine) error {
		var err error
		dst[i], err = e.Population()
		return err
	})
}

// Clusters implements Batch.
func (b *engines) Clusters(ctx context.Context, c component.Connectivity, dst *Histograms) error {
	return Gather(dst, len(b.all), func(add func(first int, counts []Count, ends []int)) error {
		return b.each(ctx, func(l *component.Labeller, i int, e sim.Engine) error {
			found, err := l.Label(e, b.topology, c)
			if err != nil {
				return err
			}
			counts, err := CountsOf(&found.Sizes)
			if err != nil {
				return err
			}
			add(i, counts, []int{len(counts)})
			return nil
		})
	})
}

// Info implements Batch.
func (b *engines) Info() sim.Info {
	info := b.all[0].Info()
	info.Plan = fmt.Sprintf("%d engines, %d at once: %s", len(b.all), len(b.workers), info.Plan)
	info.Bytes *= uint64(len(b.all))
	return info
}

// Close implements Batch.
func (b *engines) Close() error {
	var err error
	for _, e := range b.all {
		err = errors.Join(err, e.Close())
	}
	return err
}
