package experiment

import (
	"context"
	"errors"
	"fmt"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/energy"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// Open opens Gosper's own engine for a torus.
func (r *Run) Open(ctx context.Context, life rule.Rule, w, h int) (Own, error) {
	return r.OpenVolume(ctx, life, w, h, 0)
}

// OpenVolume opens Gosper's own engine for a torus of three dimensions. The height is that of all layers together. With
// no layers it has two dimensions.
func (r *Run) OpenVolume(ctx context.Context, life rule.Rule, w, h, layers int) (Own, error) {
	e, err := sim.Open(ctx, r.Engine, sim.Config{
		Rule:     life,
		Topology: topology.Topology{Kind: topology.Torus, W: w, H: h, D: layers},
	})
	return Own{ctx, e}, input(err)
}

// Gosper measures Gosper's own engine, as MethodGosper, and keeps the row.
func (r *Run) Gosper(ctx context.Context, ruleText string, cells *grid.Grid, p Protocol) error {
	if !r.Wants(MethodGosper) {
		return nil
	}
	parsed, err := rule.Parse(ruleText)
	if err != nil {
		return err
	}
	m := Measurement{Method: MethodGosper, Rule: ruleText, Width: int64(cells.W()), Height: int64(cells.H())}
	e, err := r.Open(ctx, parsed, cells.W(), cells.H())
	if err != nil {
		return err
	}
	info := e.Engine.Info()
	m.Parameters, m.Device = Parameters{ParameterEngine: info.Engine}.String(), info.Device
	if r.Has(m) {
		return e.Close()
	}
	if p.EnergyTime > 0 {
		meter, _ := energy.Open(info.GPUs...) // if it fails, nothing is measured
		p.Energy = meter.Joules
	}
	return r.Measure(ctx, m, cells, p, func() (Stepper, error) { return e, nil }, nil)
}

// SameCells returns a check of a method: some generations after a soup it must have the same cells as Gosper's
// own engine.
func (r *Run) SameCells(ctx context.Context, soup *grid.Grid, generations int) func(Stepper) (int, error) {
	return func(s Stepper) (int, error) {
		want, err := r.cellsAfter(ctx, soup, generations)
		if err != nil {
			return 0, err
		}
		got, err := grid.New(soup.W(), soup.H(), 1)
		if err != nil {
			return 0, err
		}
		for _, step := range []func() error{
			func() error {
				return s.Load(soup)
			}, func() error { return s.Step(generations) }, func() error { return s.Store(got) },
		} {
			if err := step(); err != nil {
				return 0, err
			}
		}
		x, y, differ, err := grid.FirstDifference(got, want)
		if err == nil && differ {
			err = fmt.Errorf("after %d generations cell (%d, %d) is %d, Gosper's own engine has %d", generations, x, y,
				got.Get(x, y), want.Get(x, y))
		}
		return generations, err
	}
}

// cellsAfter returns the cells that Gosper's own engine computes from a soup after some generations of B3/S23.
// It keeps them for the next method.
func (r *Run) cellsAfter(ctx context.Context, soup *grid.Grid, generations int) (*grid.Grid, error) {
	if r.afterOf != soup {
		r.after, r.afterOf = map[int]*grid.Grid{}, soup
	}
	if g := r.after[generations]; g != nil {
		return g, nil
	}
	life, err := rule.Parse(Life)
	if err != nil {
		return nil, err
	}
	e, err := r.Open(ctx, life, soup.W(), soup.H())
	if err != nil {
		return nil, err
	}
	g, err := grid.New(soup.W(), soup.H(), 1)
	if err == nil {
		err = e.Load(soup)
	}
	if err == nil {
		err = e.Step(generations)
	}
	if err == nil {
		err = e.Store(g)
	}
	if err := errors.Join(err, e.Close()); err != nil {
		return nil, err
	}
	r.after[generations] = g
	return g, nil
}

// Own is Gosper's own engine as a method.
type Own struct {
	ctx    context.Context
	Engine sim.Engine
}

// Load implements Stepper.
func (s Own) Load(g *grid.Grid) error { return grid.Copy(s.Engine, g, g.Bounds(), 0, 0) }

// Step implements Stepper.
func (s Own) Step(n int) error {
	_, err := s.Engine.Step(s.ctx, uint64(n))
	return err
}

// Store implements Stepper.
func (s Own) Store(g *grid.Grid) error { return grid.Copy(g, s.Engine, g.Bounds(), 0, 0) }

// Close implements Stepper.
func (s Own) Close() error { return s.Engine.Close() }
