package hosts

import (
	"context"
	"fmt"
	math "math/rand/v2"
	"testing"

	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/gpu/gputest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cuda"
)

// TestGPU: workers with GPUs, here of a stand-in driver, give the cells of one machine.
func TestGPU(t *testing.T) {
	scope := sim.Scope{
		Engine: fmt.Sprint("gpu", math.Uint64()), Kinds: []rule.Kind{rule.KindCounting, rule.KindStochastic},
	}
	driver := gpu.StandIn(&gputest.Driver{}) // of all engines, as on a machine
	sim.Register(scope, func(_ context.Context, cfg sim.Config) (sim.Engine, error) {
		devs, err := driver.OpenAll(0)
		if err != nil {
			return nil, err
		}
		return cuda.OpenOn(devs, cfg, cuda.WindowSizes{})
	})
	c := newCluster(t, 0)
	for range 2 {
		c.start(&Worker{Engine: scope.Engine, Patience: c.patience})
	}
	for _, notation := range []string{
		"/2/3:T70,40", "B3/S23~flip=0.1:T70,40", "B3/S23~flip=0.01:P70,40", "B3/S23~async=0.5,flip=0.001:T70,40",
		"Ising~T=2.3:T70,40",
	} {
		o := Options{Config: config(t, notation), Seed: 1, Density: 0.5, Target: 9, Hosts: 2, Depth: 2}
		want, _ := alone(t, o)
		got, err := c.run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, want)
	}
}
