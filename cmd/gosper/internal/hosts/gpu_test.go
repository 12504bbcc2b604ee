package hosts

import (
	"context"
	"fmt"
	math "math/rand/v2"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/internal/gpu/gputest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cuda"
)

// TestGPU: workers with GPUs, here of a stand-in driver, give the cells of one machine. They refuse rules with chance.
func TestGPU(t *testing.T) {
	scope := sim.Scope{
		Engine: fmt.Sprint("gpu", math.Uint64()), Kinds: []rule.Kind{rule.KindCounting, rule.KindStochastic},
	}
	sim.Register(scope, func(_ context.Context, cfg sim.Config) (sim.Engine, error) {
		devs, err := (&gputest.Driver{}).Open(1)
		if err != nil {
			return nil, err
		}
		return cuda.OpenOn(devs, cfg, cuda.Windows{})
	})
	c := newCluster(t, 0)
	for range 2 {
		c.start(&Worker{Engine: scope.Engine, Patience: c.patience})
	}
	o := Options{Config: config(t, "/2/3:T70,40"), Seed: 1, Density: 0.5, Target: 9, Hosts: 2, Depth: 2}
	want, _ := alone(t, o)
	got, err := c.run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, want)
	o.Config = config(t, "B3/S23~flip=0.1:T70,40")
	if _, err := c.run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "the engine cpu does") {
		t.Error(err)
	}
}
