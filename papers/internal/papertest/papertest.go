// Package papertest checks the methods of the papers against the reference engine, bit for bit.
package papertest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// Opener makes a method for a torus of w×h cells.
type Opener func(w, h int) (experiment.Stepper, error)

// Suite describes the checks of a method.
type Suite struct {
	Rule   string // empty: B3/S23
	Open   Opener
	Sizes  [][2]int // width and height of tori that it runs
	Layers int      // of volumes, whose height is that of all layers together; 0: two dimensions
	Refuse [][2]int // that it refuses with a *experiment.SizeError
	Steps  []int    // generations of each step, between which cells are compared; empty: 1, 2, 5, 16
	// Density of the random cells; 0: 0.4.
	Density float64
}

// Run checks a method. Random cells of every size must be the same as the reference's after every step, also
// when the stepper is loaded a second time. Sizes that the method cannot run must be refused.
func Run(t *testing.T, s Suite) {
	t.Helper()
	if len(s.Sizes) == 0 {
		t.Error("no sizes to check")
	}
	for i, size := range s.Sizes {
		if err := s.check(t.Context(), size[0], size[1], uint64(i+1)); err != nil {
			t.Errorf("%d×%d: %v", size[0], size[1], err)
		}
	}
	for _, size := range s.Refuse {
		stepper, err := s.Open(size[0], size[1])
		var refusal *experiment.SizeError
		if !errors.As(err, &refusal) {
			t.Errorf("%d×%d is not refused: %v", size[0], size[1], err)
		}
		if err == nil {
			stepper.Close()
		}
	}
}

// check compares a method with the reference after each of several steps. It loads two universes one
// after the other, since a method may keep something of the first one.
func (s Suite) check(ctx context.Context, w, h int, seed uint64) (err error) {
	stepper, err := s.Open(w, h)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stepper.Close()) }()
	for reload := range uint64(2) {
		oracle, start, err := s.oracle(ctx, w, h, seed+1000*reload)
		if err != nil {
			return err
		}
		if err := stepper.Load(start); err != nil {
			return fmt.Errorf("load: %w", err)
		}
		generation := 0
		for i, n := range s.steps() {
			if _, err := oracle.Step(ctx, uint64(n)); err != nil {
				return err
			}
			// StepTimed must compute the same cells.
			if timed, ok := stepper.(experiment.DeviceTimed); ok && i%2 == 1 {
				_, err = timed.StepTimed(n)
			} else {
				err = stepper.Step(n)
			}
			if err != nil {
				return fmt.Errorf("step of %d: %w", n, err)
			}
			generation += n
			if err := compare(stepper, oracle, w, h); err != nil {
				return fmt.Errorf("seed %d, generation %d after a step of %d: %w", seed+1000*reload, generation, n, err)
			}
		}
	}
	return nil
}

func (s Suite) steps() []int {
	if len(s.Steps) > 0 {
		return s.Steps
	}
	return []int{1, 2, 5, 16}
}

// oracle returns the reference engine with random cells, and the cells.
func (s Suite) oracle(ctx context.Context, w, h int, seed uint64) (sim.Engine, *grid.Grid, error) {
	text, density := s.Rule, s.Density
	if text == "" {
		text = experiment.Life
	}
	if density == 0 {
		density = 0.4
	}
	r, err := rule.Parse(text)
	if err != nil {
		return nil, nil, err
	}
	cfg := sim.Config{Rule: r, Topology: topology.Topology{Kind: topology.Torus, W: w, H: h, D: s.Layers}}
	oracle, err := reference.Open(ctx, cfg)
	if err != nil {
		return nil, nil, err
	}
	start, err := grid.New(w, h, 1)
	if err != nil {
		return nil, nil, err
	}
	if err := soup.Fill(ctx, start, w, h, seed, density, 1, nil); err != nil {
		return nil, nil, err
	}
	return oracle, start, grid.Copy(oracle, start, start.Bounds(), 0, 0)
}

// compare reads all cells and looks for the first one that differs.
func compare(stepper experiment.Stepper, oracle sim.Engine, w, h int) error {
	got, err := grid.New(w, h, 1)
	if err != nil {
		return err
	}
	// None of the old cells may remain.
	for y := range h {
		for x := range w {
			got.Set(x, y, 1)
		}
	}
	if err := stepper.Store(got); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	x, y, differ, err := grid.FirstDifference(got, oracle)
	if err != nil {
		return err
	}
	if differ {
		return fmt.Errorf("cell (%d, %d) is %d, want %d", x, y, got.Get(x, y), 1-got.Get(x, y))
	}
	return nil
}

// Kernels checks that a PTX text has a kernel of every name and no other kernel.
func Kernels(t *testing.T, ptx string, names map[string]bool) {
	t.Helper()
	text, err := gpu.Text(ptx)
	if err != nil {
		t.Fatal(err)
	}
	for name := range names {
		if !strings.Contains(text, ".entry "+name+"(") {
			t.Errorf("there is no kernel %s", name)
		}
	}
	if n := strings.Count(text, ".entry "); n != len(names) {
		t.Errorf("%d kernels for %d names", n, len(names))
	}
}

// GPU is the first GPU of this machine. The test is skipped if there is none. The GPU is closed when the test ends.
func GPU(t testing.TB) *gpu.Device {
	t.Helper()
	d, err := gpu.Open(0)
	if errors.As(err, new(*gpu.Unavailable)) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}
