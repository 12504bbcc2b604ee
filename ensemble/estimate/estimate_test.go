package estimate

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/tables"
	"github.com/gosper-life/gosper/ensemble/worker"
	_ "github.com/gosper-life/gosper/sim/cpu"
)

func TestEstimate(t *testing.T) {
	first := func(spec ensemble.Spec) ensemble.Job {
		t.Helper()
		p, err := spec.Check()
		if err != nil {
			t.Fatal(err)
		}
		for j := range p.Jobs() {
			return j
		}
		t.Fatal("no jobs")
		return ensemble.Job{}
	}
	const ample = time.Hour // what ends by itself ends long before that, however busy the machine is
	var r worker.Worker
	small := ensemble.Spec{
		Rules: []string{"life"}, Sizes: []string{"16"}, Universes: 100, PerJob: 100, Generations: 10,
		Every: 5, Measures: []string{"clusters", "settling"},
	}
	if tried, err := try(t.Context(), &r, first(small), ample); err != nil || !tried.finished || tried.seconds <= 0 ||
		tried.result == nil {
		t.Errorf("small universes: %+v, %v", tried, err)
	}
	// A life of ten thousand years is estimated from its first moments; when such a universe settles nobody knows.
	long := ensemble.Spec{
		Rules: []string{"life"}, Sizes: []string{"512"}, Universes: 1, Generations: 1 << 50,
		Times: []uint64{1, 1 << 50}, Measures: []string{"activity"},
	}
	tried, err := try(t.Context(), &r, first(long), 5*time.Millisecond)
	if err != nil || !tried.finished || tried.seconds < 365*24*3600 {
		t.Errorf("a long life: %+v, %v", tried, err)
	}
	// Ensembles that are averaged, or damaged, from a late generation on have an estimate, too.
	late := uint64(1 << 49)
	warm := long
	warm.Warmup, warm.DamageAt, warm.Measures = &late, late, []string{"magnetisation", "damage"}
	if tried, err := try(t.Context(), &r, first(warm), 5*time.Millisecond); err != nil || tried.seconds < 365*24*3600 {
		t.Errorf("a long life with a warm-up: %+v, %v", tried, err)
	}
	if *warm.Warmup != late {
		t.Errorf("the warm-up became %d", *warm.Warmup)
	}
	long.Measures = []string{"settling"}
	if tried, err := try(t.Context(), &r, first(long), 5*time.Millisecond); err != nil || tried.finished {
		t.Errorf("a long life until settled: %+v, %v", tried, err)
	}
	longPlan, err := long.Check()
	if err != nil {
		t.Fatal(err)
	}
	if e, err := Of(t.Context(), longPlan, &r, tables.Output{Ext: ".csv"}); err != nil || !e.AtLeast || e.Merge <= 0 {
		t.Errorf("a long life: %+v, %v", e, err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := try(cancelled, &r, first(small), time.Second); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	p, err := small.Check()
	if err != nil {
		t.Fatal(err)
	}
	e, err := estimate(t.Context(), p, &r, tables.Output{Ext: ".parquet"}, ample)
	if err != nil || e.AtLeast || e.Seconds <= 0 || e.Merge <= 0 || e.Memory == 0 || e.Results < 100*3*10 {
		t.Errorf("%+v, %v", e, err)
	}
}
