package cuda

import (
	"context"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/batch"
)

// turns implements multispin.Turns: an engine for one universe, which is made when the first has its turn.
type turns struct {
	dev    *gpu.Device
	cfg    sim.Config
	engine *engine
}

func newTurns(dev *gpu.Device, cfg batch.Config) *turns {
	return &turns{dev: dev, cfg: sim.Config{Rule: cfg.Rule, Topology: cfg.Topology, Device: cfg.Device}}
}

// Load implements multispin.Turns.
func (t *turns) Load(cells uint64, stride int, seed, generation uint64) error {
	if t.engine == nil {
		var err error
		if t.engine, err = newEngine([]*gpu.Device{t.dev}, t.cfg, 1, nil, nil); err != nil {
			return err
		}
	}
	e := t.engine
	e.SetGeneration(generation)
	if err := sim.Reseed(e, t.cfg.Rule, seed); err != nil {
		return err
	}
	return e.access(func() error { return e.cells.TakeRows(cells, stride) })
}

// Step implements multispin.Turns.
func (t *turns) Step(ctx context.Context, n uint64) error {
	_, err := t.engine.Step(ctx, n)
	return err
}

// Store implements multispin.Turns.
func (t *turns) Store(cells uint64, stride int) error {
	return t.engine.access(func() error { return t.engine.cells.GiveRows(cells, stride) })
}

// Clusters implements multispin.Turns.
func (t *turns) Clusters(c component.Connectivity) (component.Clusters, error) {
	return t.engine.Clusters(c)
}

// Close implements multispin.Turns. The device stays open.
func (t *turns) Close() error {
	if t.engine == nil {
		return nil
	}
	return t.engine.cells.Release()
}
