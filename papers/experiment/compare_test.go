package experiment_test

import (
	"strings"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/papers/internal/fujita"
	_ "github.com/gosper-life/gosper/sim/reference"
)

// flawed is a method whose cells come out with one of them turned over.
type flawed struct{ experiment.Stepper }

func (f flawed) Store(g *grid.Grid) error {
	err := f.Stepper.Store(g)
	g.Set(70, 3, 1-g.Get(70, 3))
	return err
}

// Before a method is measured its cells are compared with those of Gosper's own engine.
func TestCellsAreCompared(t *testing.T) {
	r, err := experiment.Start("trial", experiment.Options{Engine: "reference"})
	if err != nil {
		t.Fatal(err)
	}
	cells, err := r.Soup(t.Context(), 96, 40, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	s, err := fujita.Methods()[1].Open(nil, 96, 40)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	check := r.SameCells(t.Context(), cells, 5)
	if n, err := check(s); n != 5 || err != nil {
		t.Errorf("%d generations, %v", n, err)
	}
	if _, err := check(flawed{s}); err == nil || !strings.Contains(err.Error(), "after 5 generations cell (70, 3) is") {
		t.Errorf("got %v", err)
	}
}
