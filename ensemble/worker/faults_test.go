package worker

import (
	"bytes"
	"context"
	"os"
	"testing"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/internal/gpu/gputest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cuda"
	"github.com/gosper-life/gosper/sim/simtest"
)

// TestFaults has every call of a GPU's driver fail, one after the other, while universes are measured one at a
// time: a job then fails, or its result is right.
func TestFaults(t *testing.T) {
	var host *gputest.Driver
	sim.Register(sim.Scope{Engine: "stand-in", Kinds: []rule.Kind{rule.KindCounting}, Volumes: true},
		func(_ context.Context, cfg sim.Config) (sim.Engine, error) {
			devs, err := host.Open(1)
			if err != nil {
				return nil, err
			}
			e, err := cuda.OpenOn(devs, cfg, cuda.WindowSizes{})
			return struct{ sim.Engine }{e}, err // without the kernels for clusters, which no host runs
		})
	for _, spec := range []ensemble.Spec{
		{
			Rules: []string{"life"}, Sizes: []string{"40x20"}, Universes: 2, Generations: 8, Every: 4,
			Measures: []string{"clusters", "activity"},
		},
		{
			Rules: []string{"3D4,5/5"}, Sizes: []string{"12x7x5"}, Universes: 1, Generations: 8, Every: 4,
			Densities: ensemble.Densities{0.3}, Measures: []string{"clusters", "activity"},
		},
	} {
		study, err := spec.Check()
		if err != nil {
			t.Fatal(err)
		}
		for j := range study.Jobs() {
			run := func(failAt int, dead bool) (result []byte, calls int, err error) {
				host = &gputest.Driver{FailAt: failAt, Dead: dead}
				r := Worker{Engine: "stand-in"}
				defer r.Close()
				made, err := r.Run(t.Context(), j)
				calls = host.Count() // others follow when it is closed
				if err == nil {
					result, err = made.Encode()
				}
				return result, calls, err
			}
			want, _, err := run(0, false)
			if err != nil {
				t.Fatal(err)
			}
			if right, err := (&Worker{Engine: "reference"}).Run(t.Context(), j); err != nil {
				t.Fatal(err)
			} else if right, err := right.Encode(); err != nil || !bytes.Equal(right, want) {
				t.Errorf("%s differs from the reference, %v", spec.Rules[0], err)
			}
			every := 7
			if os.Getenv(simtest.LongVariable) != "" {
				every = 1
			}
			for _, dead := range []bool{false, true} {
				for n := 1; ; n += every {
					got, calls, err := run(n, dead)
					// The number of calls depends on how long they take. One near the end may be a part of closing, where a
					// failure loses nothing, but hardly every time.
					for range 3 {
						if err != nil || !dead || calls < n {
							break
						}
						got, calls, err = run(n, dead)
					}
					switch {
					case err != nil && !sim.IsDeviceError(err):
						t.Errorf("call %d failed: %v", n, err)
					case err == nil && !bytes.Equal(got, want):
						t.Errorf("call %d failed, and the job has another result", n)
					case err == nil && dead && calls >= n:
						t.Errorf("call %d and all after it failed, and the job did not", n)
					}
					if calls < n {
						if n < 30 {
							t.Errorf("only %d calls", calls)
						}
						break
					}
				}
			}
		}
	}
}
