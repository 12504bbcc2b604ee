package cuda

import (
	"errors"
	"testing"

	"github.com/gosper-life/gosper/sim"
	_ "github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/sim/simtest"
)

func openHost(cfg sim.Config) (sim.Engine, error) { return open([]device{&host{}}, cfg) }

// plans are schedules of every kind: several words a lane, short and long strips, turns and stages that fit badly.
var plans = []string{
	"stream,depth=3,words=4,unroll=3,stages=2,kept=0,rows=20",
	"stream,depth=2,words=1,unroll=2,stages=1,kept=0,rows=7",
	"stream,depth=5,words=2,unroll=4,stages=3,kept=0,rows=64",
	"stream,depth=4,words=2,unroll=1,stages=4,kept=0,rows=1000",
	"stream,depth=3,words=2,unroll=3,stages=1,kept=0,rows=7,chunk=20",
}

// The kernels themselves, run on the host.
func TestSuite(t *testing.T) {
	simtest.Run(t, openHost, simtest.Options{Partial: true})
}

// Every case with one of the plans.
func TestPlans(t *testing.T) {
	accepted := 0
	for i, c := range simtest.Cases(true) {
		c.Plan = plans[i%len(plans)]
		err := simtest.Check(t.Context(), openHost, c)
		var unsupported *sim.Unsupported
		switch {
		case err == nil:
			accepted++
		case !errors.As(err, &unsupported):
			t.Error(err)
		}
	}
	if accepted < 40 {
		t.Errorf("only %d cases ran", accepted)
	}
}

// Universes divided among three devices.
func TestBands(t *testing.T) {
	simtest.Run(t, func(cfg sim.Config) (sim.Engine, error) {
		return open([]device{&host{}, &host{}, &host{}}, cfg)
	}, simtest.Options{Partial: true})
}
