package cuda

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/gpu/gputest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/simtest"
	"github.com/gosper-life/gosper/topology"
)

// play uses all functions of an engine, except clusters, because no host can run their kernels. foreign is memory of
// another process for 10×3 cells. It returns the answers, in words, by their generation. It ends at the first error. If
// the engine's cells are those of a generation, the engine is asked again, and its answers are also kept. Often: it is
// asked at every generation.
func play(t *testing.T, e sim.Engine, foreign []byte, bounded, often bool) (answers map[string]string, err error) {
	answers = map[string]string{}
	cells := make([]uint64, 2)
	writes := 0
	ask := []struct {
		what string
		get  func() (any, error)
	}{
		{"population", func() (any, error) { return e.Population() }},
		{"extent", func() (any, error) { return e.Extent() }},
		{"row", func() (any, error) {
			err := e.ReadRow(cells, 0, -3, 2, 100)
			return cells, err
		}},
		{"hash", func() (any, error) {
			h, err := grid.StateHash(t.Context(), e, 2, !bounded)
			return h, err
		}},
		{"counts", func() (any, error) {
			dst := make([]uint64, 4)
			_, err := e.(sim.Counter).Counts(dst, grid.Rect{W: 32, H: 32}, 4)
			return dst, err
		}},
		{"states", func() (any, error) {
			if one, ok := e.(*engine); ok && len(one.devs) > 1 {
				return nil, nil // they have no way to one memory
			}
			clear(foreign)
			err := e.(sim.DeviceReader).ReadOnDevice([64]byte{}, grid.Rect{X: 5, Y: 2, W: 10, H: 3})
			return foreign, err
		}},
	}
	look := func() (err error) {
		for _, q := range ask {
			answer, failed := q.get()
			if failed == nil {
				answers[fmt.Sprintf("%s at generation %d after %d writes", q.what, e.Generation(), writes)] = fmt.Sprint(answer)
			} else if err == nil {
				err = fmt.Errorf("%s: %w", q.what, failed)
			}
		}
		return err
	}
	defer func() {
		if err != nil && writes >= 0 {
			if again := look(); again != nil && !sim.IsDeviceError(again) {
				t.Errorf("after %v: %v", err, again)
			}
		}
	}()
	write := func(x, y int) error {
		word := []uint64{0b0111_0101_1011_0010}
		err := e.WriteRow(word, 0, x, y, 16)
		if err != nil {
			writes = -1 << 20 // some cells were not written: nothing to compare with
		}
		writes++
		return err
	}
	for y := range 6 {
		if err := write(5+3*y, 4*y); err != nil {
			return answers, err
		}
	}
	e.SetGeneration(2)
	for _, n := range []uint64{0, 2, 6, 4} {
		for ; often && n > 0; n-- {
			if err := look(); err != nil {
				return answers, err
			}
			if _, err := e.Step(t.Context(), 1); err != nil {
				return answers, err
			}
		}
		if _, err := e.Step(t.Context(), n); err != nil {
			return answers, err
		}
		if err := look(); err != nil {
			return answers, err
		}
		if e.Generation() == 4 {
			if err := errors.Join(write(1, 3), write(20, 9)); err != nil {
				return answers, err
			}
		}
	}
	return answers, nil
}

// TestFaults has every call of the driver fail, one after the other, alone and with all that follow: what is
// asked of the engine then fails, or is answered as if nothing had happened, and never with cells that are not
// the universe's.
func TestFaults(t *testing.T) {
	t.Parallel()
	for i, c := range []struct {
		rule, topology, plan string
		devices              int
	}{
		{"B3/S23", "T70,40", "", 1},
		{"B3/S23", "P40,33", "stream,depth=2,words=1,unroll=2,stages=1,kept=0,rows=7", 1},
		{"B3/S23", "T70,66", "stream,depth=3,words=2,unroll=3,stages=1,kept=0,rows=7,chunk=20", 1},
		{"B3/S23", "T64,90", "patches,depth=4,words=1,rows=2", 1},
		{"3D4,5/5", "T70,8,5", "", 1},
		{"3D4,5/5", "P40,5,12", "", 3},
		{"B3/S23", "T64,90", "", 8},
		{"B3/S23", "T64,90", "stream,depth=1,words=1,unroll=2,stages=1,kept=0,rows=30", 3},
		{"B3/S23", "T0", "", 1},
		{"B02/S", "T0", "", 1}, // the background turns over at every generation
	} {
		r, err := rule.Parse(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		top, err := topology.Parse(c.topology)
		if err != nil {
			t.Fatal(err)
		}
		cfg := sim.Config{Rule: r, Topology: top, Plan: c.plan}
		run := func(failAt int, dead, often bool) (answers map[string]string, calls int, err error) {
			foreign := make([]byte, 10*3)
			driver := &gputest.Driver{FailAt: failAt, Dead: dead, Foreign: func(gpu.Handle) []byte { return foreign }}
			defer func() {
				for _, wrong := range driver.Wrong {
					t.Errorf("%s:%s, call %d: %v", c.rule, c.topology, failAt, wrong)
				}
			}()
			e, err := openOn(driver, c.devices, cfg)
			if err != nil {
				return nil, driver.Count(), err
			}
			answers, err = play(t, e, foreign, top.Bounded(), often)
			calls = driver.Count()
			if closed := e.Close(); failAt == 0 && closed != nil {
				t.Error(closed)
			}
			return answers, calls, err
		}
		right, _, err := run(0, false, true)
		if err != nil {
			t.Fatalf("%s:%s: %v", c.rule, c.topology, err)
		}
		for _, dead := range []bool{false, true} {
			first, every := 1, 1
			if os.Getenv(simtest.LongVariable) == "" {
				first, every = i%9+1, 9
			}
			for n := first; ; n += every {
				got, calls, err := run(n, dead, false)
				if calls < n { // how many there are is for the engine to say: it launches as many passes at once as take their time
					if err != nil || n < 50 {
						t.Errorf("%s:%s: only %d calls, %v", c.rule, c.topology, calls, err)
					}
					break
				}
				if err != nil && !sim.IsDeviceError(err) {
					t.Errorf("%s:%s, call %d: %v is no device's error", c.rule, c.topology, n, err)
				}
				if err == nil && dead {
					t.Errorf("%s:%s, call %d and all after it failed and nobody was told", c.rule, c.topology, n)
				}
				for what, answer := range got {
					if answer != right[what] {
						t.Errorf("%s:%s, call %d (for good: %v): %s is %s, want %s; %v", c.rule, c.topology, n, dead, what, answer,
							right[what], err)
					}
				}
			}
		}
	}
}
