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
	if seconds, finished, err := r.try(t.Context(), first(small), time.Second); err != nil || !finished || seconds <= 0 {
		t.Errorf("small universes: %v s, finished %v, %v", seconds, finished, err)
	}
	// A life of ten thousand years is estimated from its first moments; when such a universe settles nobody knows.
	long := Spec{Rules: []string{"life"}, Sizes: []string{"512"}, Universes: 1, Generations: 1 << 50, Times: []uint64{1, 1 << 50}, Measures: []string{"activity"}}
	seconds, finished, err := r.try(t.Context(), first(long), 5*time.Millisecond)
	if err != nil || !finished || seconds < 365*24*3600 {
		t.Errorf("a long life: %v s, finished %v, %v", seconds, finished, err)
	}
	long.Measures = []string{"settling"}
	if _, finished, err := r.try(t.Context(), first(long), 5*time.Millisecond); err != nil || finished {
		t.Errorf("a long life until settled: finished %v, %v", finished, err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := r.try(cancelled, first(small), time.Second); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	p, err := small.Check()
	if err != nil {
		t.Fatal(err)
	}
	e, err := r.Estimate(t.Context(), p)
	if err != nil || e.AtLeast || e.Seconds <= 0 || e.Memory == 0 || e.Results < 100*3*10 {
		t.Errorf("%+v, %v", e, err)
	}
}
