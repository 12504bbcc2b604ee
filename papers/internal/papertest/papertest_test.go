package papertest

import (
	"context"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/topology"
)

// stand is the reference engine as a method of a paper, with a fault to be found.
type stand struct {
	sim.Engine
	w, h  int
	fault func(g *grid.Grid)
}

func (s stand) Load(g *grid.Grid) error {
	grid.InMemory(grid.Copy(s.Engine, g, g.Bounds(), 0, 0))
	return experiment.CheckGrid(g, s.w, s.h)
}

func (s stand) Step(n int) error {
	_, err := s.Engine.Step(context.Background(), uint64(n))
	return err
}

func (s stand) Store(g *grid.Grid) error {
	grid.InMemory(grid.Copy(g, s.Engine, g.Bounds(), 0, 0))
	s.fault(g)
	return nil
}

func open(fault func(*grid.Grid)) Opener {
	return func(w, h int) (experiment.Stepper, error) {
		if w < 3 {
			return nil, &experiment.SizeError{Method: "stand", Width: w, Height: h, Allowed: "width 3 or more"}
		}
		r, err := rule.Parse("B3/S23")
		if err != nil {
			return nil, err
		}
		e, err := reference.Open(context.Background(), sim.Config{
			Rule:     r,
			Topology: topology.Topology{Kind: topology.Torus, W: w, H: h},
		})
		return stand{e, w, h, fault}, err
	}
}

func TestRunPasses(t *testing.T) {
	Run(t, Suite{Open: open(func(*grid.Grid) {}), Sizes: [][2]int{{3, 1}, {65, 7}}, Refuse: [][2]int{{2, 9}}})
}

func TestFaultIsFound(t *testing.T) {
	flip := func(g *grid.Grid) { g.Set(64, 3, 1-g.Get(64, 3)) }
	err := Suite{Open: open(flip)}.check(t.Context(), 65, 7, 1)
	if err == nil || !strings.Contains(err.Error(), "seed 1, generation 1 after a step of 1: cell (64, 3) is") {
		t.Errorf("got %v", err)
	}
}
