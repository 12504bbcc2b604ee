package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/internal/gpu/gputest"
	"github.com/gosper-life/gosper/internal/queue"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/batch"
	"github.com/gosper-life/gosper/sim/cuda"
)

// shared does the jobs of a study with one worker on a GPU and one on a processor. begun is called when the worker on
// the processor begins a job. It returns the results by key, and how many jobs the processor has done.
func shared(t *testing.T, study *ensemble.Study, engine string, begun func()) (results map[string][]byte, left int) {
	t.Helper()
	pool, err := NewShared(engine + ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	store, err := queue.OpenResults(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	var tasks []queue.Task
	for j := range study.Jobs() {
		tasks = append(tasks, queue.Task{Key: j.Key(), Payload: j.Encode()})
	}
	progress, err := queue.Local(t.Context(), tasks, store, func() queue.Do { return pool.New().Do }, queue.Options{
		Workers: 1, RestWorkers: 1, Rest: func() queue.Do {
			w := pool.NewRest()
			return func(ctx context.Context, job []byte) ([]byte, error) {
				left++
				begun()
				return w.Do(ctx, job)
			}
		},
	})
	if err != nil || progress.Done != len(tasks) || progress.Parked > 0 {
		t.Fatalf("%+v, %v", progress, err)
	}
	results = map[string][]byte{}
	for _, task := range tasks {
		all, err := store.Load(task.Key)
		if err != nil {
			t.Fatal(err)
		}
		results[task.Key] = all[0]
	}
	return results, left
}

// onProcessors does the jobs of a study on a processor.
func onProcessors(t *testing.T, study *ensemble.Study) map[string][]byte {
	t.Helper()
	results := map[string][]byte{}
	w := Worker{Engine: "cpu"}
	defer w.Close()
	for j := range study.Jobs() {
		result, err := w.Do(t.Context(), j.Encode())
		if err != nil {
			t.Fatal(err)
		}
		results[j.Key()] = result
	}
	return results
}

func sameResults(t *testing.T, what string, want, got map[string][]byte) {
	t.Helper()
	for key := range want {
		if !bytes.Equal(want[key], got[key]) {
			t.Errorf("%s: job %.8s has another result", what, key)
		}
	}
}

// TestGPUsAndProcessorsShareJobs has a GPU that takes universes of one of three sizes. A job that it leaves is done
// while it computes another one: either waits for the other.
func TestGPUsAndProcessorsShareJobs(t *testing.T) {
	met := newMeeting(2)
	var once sync.Once
	taken := 0
	batch.Register("fussy", func(ctx context.Context, cfg batch.Config) (batch.Batch, error) {
		if cfg.Topology.W != 32 {
			return nil, &sim.Unsupported{Engine: "fussy", What: cfg.Topology.String(), Why: "it is not 32 cells wide"}
		}
		taken++
		if err := met.wait(ctx); err != nil {
			return nil, err
		}
		cfg.Shared = false
		return batch.Open(ctx, "cpu", cfg)
	})
	study, err := (&ensemble.Spec{
		Rules: []string{"life"}, Sizes: []string{"20x12", "32", "40"}, Universes: 6, PerJob: 3, Generations: 20, Every: 5,
		Measures: []string{"clusters"},
	}).Check()
	if err != nil {
		t.Fatal(err)
	}
	got, left := shared(t, study, "fussy", func() {
		once.Do(func() {
			if err := met.wait(t.Context()); err != nil {
				t.Error(err)
			}
		})
	})
	sameResults(t, "shared", onProcessors(t, study), got)
	if taken != 1 || left != 4 { // the worker keeps its batch for the second job
		t.Errorf("the GPU has opened %d batches, and the processor has done %d jobs; want 1 and 4", taken, left)
	}
}

// TestFailingGPULosesNothing has calls of a GPU's driver fail, alone or with all that follow. The processor does the
// jobs that failed.
func TestFailingGPULosesNothing(t *testing.T) {
	var host *gputest.Driver
	batch.Register("failing", func(ctx context.Context, cfg batch.Config) (batch.Batch, error) {
		return batch.OnEngines(ctx, func(_ context.Context, cfg sim.Config) (sim.Engine, error) {
			devs, err := host.Open(1)
			if err != nil {
				return nil, err
			}
			return cuda.OpenOn(devs, cfg, cuda.WindowSizes{})
		}, cfg)
	})
	study, err := (&ensemble.Spec{
		Rules: []string{"life"}, Sizes: []string{"40x20"}, Universes: 3, PerJob: 1, Generations: 8, Every: 4,
		Measures: []string{"activity"},
	}).Check()
	if err != nil {
		t.Fatal(err)
	}
	want := onProcessors(t, study)
	run := func(failAt int, dead bool) (left int) {
		host = &gputest.Driver{FailAt: failAt, Dead: dead}
		got, left := shared(t, study, "failing", func() {})
		sameResults(t, fmt.Sprintf("call %d fails, dead: %v", failAt, dead), want, got)
		return left
	}
	if left := run(0, false); left != 0 {
		t.Fatalf("the GPU does not fail, and leaves %d jobs", left)
	}
	calls := host.Count()
	for at := 1; at <= calls; at += max(1, calls/12) {
		if left := run(at, false); left > 1 {
			t.Errorf("call %d of %d fails, and %d jobs are left", at, calls, left)
		}
		run(at, true)
	}
	if left := run(1, true); left != 3 {
		t.Errorf("the GPU is dead, and %d jobs are left; want 3", left)
	}
}

// TestWorkersOfListsLeaveNothing: only a shared pool leaves jobs.
func TestWorkersOfListsLeaveNothing(t *testing.T) {
	batch.Register("refusing", func(context.Context, batch.Config) (batch.Batch, error) {
		return nil, errNoCard
	})
	study, err := (&ensemble.Spec{Rules: []string{"life"}, Sizes: []string{"20"}, Universes: 1, Generations: 1}).Check()
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []struct {
		make   func(string) (*Pool, error)
		leaves bool
	}{{NewPool, false}, {NewShared, true}} {
		pool, err := of.make("refusing:0")
		if err != nil {
			t.Fatal(err)
		}
		for j := range study.Jobs() {
			if _, err := pool.New().Run(t.Context(), j); err == nil || errors.Is(err, queue.ErrLeft) != of.leaves {
				t.Errorf("shared: %v, error %v", of.leaves, err)
			}
		}
	}
}

// errNoCard is the failure of a device.
var errNoCard = noCard{errors.New("no card")}

type noCard struct{ error }

func (noCard) DeviceFailed() {}
