package cuda

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/gpu/gputest"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cuda/internal/plan"
	"github.com/gosper-life/gosper/soup"
)

// The kernels of a run are compiled at the same time: in a bubble of synctest it would be a deadlock if five that
// wait for each other were not. Each kernel is compiled once, and only kernels that the run uses are compiled.
func TestCompiledTogether(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(16))
	synctest.Test(t, func(t *testing.T) {
		var compiled, used atomic.Int32
		together := make(chan struct{})
		driver := &gputest.Driver{Before: func(function string) {
			switch function {
			case "cuLinkComplete":
				if compiled.Add(1) == 5 { // the pass, those that make a soup and count it, give the host rows, and fill the halo
					close(together)
				}
				<-together
			case "cuModuleGetFunction":
				used.Add(1)
			}
		}}
		cfg := lifeOn("T70,40")
		cfg.Plan, cfg.Outlook.Ahead = plan.OfStrips, 21 // passes of 8, 4 and 1
		e, err := openOn(driver, 1, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if err := soup.Fill(t.Context(), e, 70, 40, 1, 0.5, 1, nil); err != nil {
			t.Error(err)
		}
		if _, err := e.Step(t.Context(), 21); err != nil {
			t.Error(err)
		}
		got, err := grid.StateHash(t.Context(), e, 2, false)
		if err != nil {
			t.Error(err)
		}
		if _, err := e.Population(); err != nil {
			t.Error(err)
		}
		if compiled.Load() != 7 || used.Load() != 7 {
			t.Errorf("%d kernels are compiled, %d are used, want 7", compiled.Load(), used.Load())
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		if driver.Left() != 0 || driver.Used != 0 || len(driver.Wrong) != 0 {
			t.Errorf("%d objects and %d bytes are left, %v", driver.Left(), driver.Used, driver.Wrong)
		}

		cfg.Plan = ""
		right, err := sim.Open(t.Context(), "reference", cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer right.Close()
		if err := soup.Fill(t.Context(), right, 70, 40, 1, 0.5, 1, nil); err != nil {
			t.Error(err)
		}
		if _, err := right.Step(t.Context(), 21); err != nil {
			t.Error(err)
		}
		if want, err := grid.StateHash(t.Context(), right, 2, false); got != want || err != nil {
			t.Errorf("%x, want %x, %v", got, want, err)
		}
	})
}
