package cuda

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/internal/gpu/gputest"
	"github.com/gosper-life/gosper/sim"

	_ "github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/sim/simtest"
)

// openHost opens an engine on the host.
func openHost(cfg sim.Config) (sim.Engine, error) { return openOn(&gputest.Driver{}, 1, cfg) }

// openThree opens an engine on three devices of the host.
func openThree(cfg sim.Config) (sim.Engine, error) { return openOn(&gputest.Driver{}, 3, cfg) }

// openEight opens an engine on eight devices of the host, as many as one machine usually has at most.
func openEight(cfg sim.Config) (sim.Engine, error) { return openOn(&gputest.Driver{}, 8, cfg) }

// several are engines on more than one device.
var several = []func(sim.Config) (sim.Engine, error){openThree, openEight}

func openOn(d *gputest.Driver, n int, cfg sim.Config) (sim.Engine, error) {
	devs, err := d.Open(n)
	if err != nil {
		return nil, err
	}
	return OpenOn(devs, cfg, WindowSizes{Side: 64, Generations: 16})
}

// plans are of every kind: several words a lane, short and long strips, turns and stages that fit badly.
var plans = []string{
	"stream,depth=3,words=4,unroll=3,stages=2,kept=0,rows=20",
	"stream,depth=2,words=1,unroll=2,stages=1,kept=0,rows=7",
	"stream,depth=5,words=2,unroll=4,stages=3,kept=0,rows=64",
	"stream,depth=4,words=2,unroll=1,stages=4,kept=0,rows=1000",
	"stream,depth=3,words=2,unroll=3,stages=1,kept=0,rows=7,chunk=20",
}

// The kernels themselves, run on the host.
func TestSuite(t *testing.T) {
	t.Parallel()
	simtest.Run(t, openHost, simtest.Options{Partial: true})
}

// Half the cases, each with one of the plans.
func TestPlans(t *testing.T) {
	t.Parallel()
	accepted := 0
	for i, c := range simtest.Cases(true) {
		if i/7%2 == 1 && os.Getenv(simtest.LongVariable) == "" {
			continue
		}
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

// Planes so large that some strips see no edge.
func TestPlaneInterior(t *testing.T) {
	for i, c := range []simtest.Case{
		{Rule: "B3/S23", Topology: "P3100,40", Plan: "stream,depth=2,words=1,unroll=3,stages=2,kept=0,rows=8"},
		{Rule: "B03/S23", Topology: "P4200,30", Plan: "stream,depth=1,words=2,unroll=2,stages=1,kept=0,rows=7"},
		{
			Rule: "R2,C0,M1,S6..11,B6..9,NM", Topology: "P3071,50",
			Plan: "stream,depth=2,words=1,unroll=3,stages=1,kept=0,rows=13",
		},
	} {
		c.Seed, c.Percent, c.Steps = uint64(i), 40, []uint64{2, 3}
		if err := simtest.Check(t.Context(), openHost, c); err != nil {
			t.Error(err)
		}
	}
}

// A rule whose long pasts are kept in registers, for two generations a pass: the plan that is chosen for it.
func TestLongPastsInRegisters(t *testing.T) {
	c := simtest.Case{
		Rule: "R3,C0,M0,S15..26,B15..22,NM", Topology: "T2100,40", Seed: 1, Percent: 40,
		Steps: []uint64{1, 2, 5},
	}
	var plans []string
	err := simtest.Check(t.Context(), func(cfg sim.Config) (sim.Engine, error) {
		e, err := openHost(cfg)
		if err == nil {
			plans = append(plans, e.Info().Plan)
		}
		return e, err
	}, c)
	if err != nil {
		t.Error(err)
	}
	for _, plan := range plans {
		if !strings.HasPrefix(plan, "stream,depth=2,words=2,unroll=7,stages=1,kept=3,") {
			t.Errorf("the plan is %s", plan)
		}
	}
	if plans == nil {
		t.Error("no engine was opened")
	}
}

// Universes divided among three and eight devices, some so high that bands go on for several passes between exchanges.
func TestBands(t *testing.T) {
	t.Parallel()
	accepted := 0
	for i, c := range simtest.Cases(true) {
		var unsupported *sim.Unsupported
		if i/5%3 != 0 && os.Getenv(simtest.LongVariable) == "" {
			continue
		}
		for _, open := range several {
			switch err := simtest.Check(t.Context(), open, c); {
			case err == nil:
				accepted++
			case !errors.As(err, &unsupported):
				t.Error(err)
			}
		}
	}
	if accepted < 10 {
		t.Errorf("only %d cases ran", accepted)
	}
	const deep, single = "stream,depth=2,words=2,unroll=3,stages=1,kept=0,rows=20",
		"stream,depth=1,words=1,unroll=2,stages=1,kept=0,rows=30"
	for i, c := range []simtest.Case{
		{Rule: "B3/S23", Topology: "T70,150", Plan: deep},
		{Rule: "B3/S23", Topology: "P64,150", Plan: deep},
		{Rule: "B36/S23", Topology: "T70+9,150", Plan: deep},
		{Rule: "345/2/4", Topology: "K70*,150", Plan: deep},
		{Rule: "B2/S23H", Topology: "K70*,150", Plan: single}, // does not turn with the edge
		{Rule: "R2,C0,M1,S6..11,B6..9,NM", Topology: "T128,150", Plan: single},
	} {
		c.Seed, c.Percent, c.Steps = uint64(i), 40, []uint64{13, 1, 4}
		for _, open := range several {
			if err := simtest.Check(t.Context(), open, c); err != nil {
				t.Error(err)
			}
		}
	}
}
