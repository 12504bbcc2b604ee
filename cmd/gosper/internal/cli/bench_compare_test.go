package cli

import (
	"strings"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/papers"
	"github.com/gosper-life/gosper/papers/fujita"
	"github.com/gosper-life/gosper/papers/playne"
)

// flawed is a method whose cells come out with one of them turned over.
type flawed struct{ papers.Stepper }

func (f flawed) Store(g *grid.Grid) error {
	err := f.Stepper.Store(g)
	g.Set(70, 3, 1-g.Get(70, 3))
	return err
}

// Before a method is measured its cells are compared with those of Gosper's own engine.
func TestCellsAreCompared(t *testing.T) {
	r := &paperRun{engine: "cpu"}
	cells, err := r.soup(t.Context(), 96, 40, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	s, err := fujita.Methods()[1].Open(nil, 96, 40)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	check := r.sameCells(t.Context(), cells, 5)
	if n, err := check(s); n != 5 || err != nil {
		t.Errorf("%d generations, %v", n, err)
	}
	if _, err := check(flawed{s}); err == nil || !strings.Contains(err.Error(), "after 5 generations cell (70, 3) is") {
		t.Errorf("got %v", err)
	}
}

// miscounting finds a cluster too many.
type miscounting struct{ playne.Simulations }

func (m miscounting) Histogram(dst []uint64) error {
	err := m.Simulations.Histogram(dst)
	dst[4]++
	return err
}

// Before one of Playne and Hawick's methods is measured its clusters and cells are compared with those of Gosper's own batches.
func TestClustersAreCompared(t *testing.T) {
	c := playne.Config{L: 32, Universes: 3, Connectivity: 8}
	sims, err := playne.OpenCPU(c, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer sims.Close()
	if n, err := playneQuick.sameClusters(t.Context(), playneSimulations{sims, c.L}, c); n == 0 || err != nil {
		t.Errorf("%d generations, %v", n, err)
	}
	_, err = playneQuick.sameClusters(t.Context(), playneSimulations{miscounting{sims}, c.L}, c)
	if err == nil || !strings.Contains(err.Error(), "clusters of 4 cells in 3 generations of 3 universes of 32²") {
		t.Errorf("got %v", err)
	}
}
