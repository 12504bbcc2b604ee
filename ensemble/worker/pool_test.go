package worker

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/batch"
)

// meeting lets a number of goroutines wait for each other.
type meeting struct {
	mu      sync.Mutex
	missing int
	all     chan struct{}
}

func newMeeting(n int) *meeting { return &meeting{missing: n, all: make(chan struct{})} }

func (m *meeting) wait(ctx context.Context) error {
	m.mu.Lock()
	if m.missing--; m.missing == 0 {
		close(m.all)
	}
	m.mu.Unlock()
	select {
	case <-m.all:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// onCard is a batch of the processor that stands in for one of a GPU. Its first fill waits until all runners
// are at their first.
type onCard struct {
	batch.Batch
	met  *meeting
	once sync.Once
}

func (c *onCard) Fill(ctx context.Context, soups []batch.Soup) (err error) {
	c.once.Do(func() { err = c.met.wait(ctx) })
	if err != nil {
		return err
	}
	return c.Batch.Fill(ctx, soups)
}

// TestRunnersShareGPUs has eight runners on four GPUs do a job each at the same time: two on each GPU, every
// job on one, with the bytes that a processor gives. (Lists of GPUs used to go to the engine for single
// universes, which had all GPUs share each of them.)
func TestRunnersShareGPUs(t *testing.T) {
	const runners, universes = 8, 5
	met := newMeeting(runners)
	var mu sync.Mutex
	opened := map[string]int{} // by GPU
	batch.Register("cards", func(ctx context.Context, cfg batch.Config) (batch.Batch, error) {
		if strings.Contains(cfg.Device, ",") {
			return nil, &sim.Unsupported{Engine: "cards", What: cfg.Device, Why: "a batch runs on one"}
		}
		mu.Lock()
		opened[cfg.Device]++
		mu.Unlock()
		cfg.Shared = false
		b, err := batch.Open(ctx, "cpu", cfg)
		return &onCard{Batch: b, met: met}, err
	})
	spec := ensemble.Spec{
		Rules: []string{"life"}, Sizes: []string{"32"}, Universes: runners * universes, PerJob: universes, Generations: 20,
		Measures: []string{"clusters"},
	}
	study, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	all, err := NewPool("cards:0,1,2,5")
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	if _, err := all.Check(t.Context(), study); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"0": 1, "1": 1, "2": 1, "5": 1}, opened); diff != "" {
		t.Errorf("Check does not open every GPU once: %s", diff)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var wg sync.WaitGroup
	for j := range study.Jobs() {
		r := all.New()
		wg.Go(func() {
			var encoded [2][]byte
			for i, r := range []*Worker{r, {Engine: "cpu"}} {
				result, err := r.Run(ctx, j)
				if err == nil {
					encoded[i], err = result.Encode()
				}
				if err != nil {
					t.Error(err)
					stop() // or else the others would wait for this one
				}
			}
			if !bytes.Equal(encoded[0], encoded[1]) {
				t.Errorf("%v: a GPU gives another result", j)
			}
		})
	}
	wg.Wait()
	// The first worker of each GPU has the universes of Check.
	if diff := cmp.Diff(map[string]int{"0": 2, "1": 2, "2": 2, "5": 2}, opened); diff != "" {
		t.Error(diff)
	}
	if got := all.From(6); got != "cards:2,5,0,1" {
		t.Errorf("a process whose first runner is number 6 is given %q", got)
	}
}

func TestRunnersRefuseLists(t *testing.T) {
	for _, engine := range []string{"cuda:", "cuda:0,", "cuda:1,1", "cuda:,"} {
		if r, err := NewPool(engine); err == nil {
			t.Errorf("%q is taken: %v", engine, r.engines)
		}
	}
	for engine, want := range map[string]int{"": 1, "auto": 1, "cuda": 1, "cuda:3": 1, "cuda:3,0": 2} {
		if r, err := NewPool(engine); err != nil || r.GPUs() != want {
			t.Errorf("%q: %v, %v, want %d", engine, r, err, want)
		}
	}
}

// shortOfMemory is the error of an engine whose GPU has too little memory for a batch.
type shortOfMemory struct{}

func (shortOfMemory) Error() string { return "no memory" }

// TestRunnerDoesNotHideErrors: only what no batch supports is run one universe at a time.
func TestRunnerDoesNotHideErrors(t *testing.T) {
	batch.Register("short", func(context.Context, batch.Config) (batch.Batch, error) {
		return nil, shortOfMemory{}
	})
	sim.Register(sim.Scope{Engine: "short", Kinds: []rule.Kind{rule.KindCounting}},
		func(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
			return sim.Open(ctx, "reference", cfg)
		})
	study, err := ensemble.Spec{Rules: []string{"life"}, Sizes: []string{"16"}, Universes: 2}.Check()
	if err != nil {
		t.Fatal(err)
	}
	for j := range study.Jobs() {
		if _, err := (&Worker{Engine: "short"}).Run(t.Context(), j); err == nil ||
			!strings.HasSuffix(err.Error(), ": no memory") {
			t.Errorf("got %v", err)
		}
	}
}
