package ensemble

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestEstimate(t *testing.T) {
	first := func(spec Spec) Job {
		t.Helper()
		p, err := spec.Check()
		if err != nil {
			t.Fatal(err)
		}
		for j := range p.Jobs() {
			return j
		}
		t.Fatal("no jobs")
		return Job{}
	}
	var r Runner
	small := Spec{Rules: []string{"life"}, Sizes: []string{"16"}, Universes: 100, PerJob: 100, Generations: 10, Every: 5, Measures: []string{"clusters", "settling"}}
	if tried, err := r.try(t.Context(), first(small), time.Second); err != nil || !tried.finished || tried.seconds <= 0 || tried.result == nil {
		t.Errorf("small universes: %+v, %v", tried, err)
	}
	// A life of ten thousand years is estimated from its first moments; when such a universe settles nobody knows.
	long := Spec{Rules: []string{"life"}, Sizes: []string{"512"}, Universes: 1, Generations: 1 << 50, Times: []uint64{1, 1 << 50}, Measures: []string{"activity"}}
	tried, err := r.try(t.Context(), first(long), 5*time.Millisecond)
	if err != nil || !tried.finished || tried.seconds < 365*24*3600 {
		t.Errorf("a long life: %+v, %v", tried, err)
	}
	long.Measures = []string{"settling"}
	if tried, err := r.try(t.Context(), first(long), 5*time.Millisecond); err != nil || tried.finished {
		t.Errorf("a long life until settled: %+v, %v", tried, err)
	}
	longPlan, err := long.Check()
	if err != nil {
		t.Fatal(err)
	}
	if e, err := r.Estimate(t.Context(), longPlan, Output{Ext: ".csv"}); err != nil || !e.AtLeast || e.Merge <= 0 {
		t.Errorf("a long life: %+v, %v", e, err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.try(cancelled, first(small), time.Second); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	p, err := small.Check()
	if err != nil {
		t.Fatal(err)
	}
	e, err := r.Estimate(t.Context(), p, Output{Ext: ".parquet"})
	if err != nil || e.AtLeast || e.Seconds <= 0 || e.Merge <= 0 || e.Memory == 0 || e.Results < 100*3*10 {
		t.Errorf("%+v, %v", e, err)
	}
}

// TestSpread: of many rules some are tried, spread over all, of few all.
func TestSpread(t *testing.T) {
	for n, want := range map[int]int{1: 1, 5: 5, 64: 64, 65: 64, 20000: 64} {
		chosen := spread(n)
		last := 0
		for i := range chosen {
			last = max(last, i)
		}
		if len(chosen) != want || !chosen[0] || last < n-n/50-1 || last >= n {
			t.Errorf("of %d: %d, the last %d", n, len(chosen), last)
		}
	}
}
