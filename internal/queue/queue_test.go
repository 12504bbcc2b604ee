package queue

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func tasks(n int) []Task {
	var list []Task
	for i := range n {
		list = append(list, Task{fmt.Sprintf("k%02d", i), fmt.Appendf(nil, "%d", i)})
	}
	return list
}

func TestLocal(t *testing.T) {
	results := open(t, t.TempDir())
	var calls atomic.Int64
	worker := func() Do {
		return func(_ context.Context, payload []byte) ([]byte, error) {
			calls.Add(1)
			switch string(payload) {
			case "3":
				return nil, errors.New("three is too much")
			case "5":
				var list []int
				return nil, fmt.Errorf("never %d", list[len(payload)])
			}
			return append([]byte("result "), payload...), nil
		}
	}
	var last Progress
	p, err := Local(t.Context(), tasks(20), results, worker, Options{Workers: 4, Tries: 2, Report: func(p Progress) {
		last = p
	}})
	if err != nil || p.Done != 18 || p.Parked != 2 || !p.Finished() || last.Done != 18 || p.Workers[Name()] != 18 ||
		calls.Load() != 22 {
		t.Fatalf("%+v, %v after %d calls", p, err, calls.Load())
	}
	if data, err := results.Load("k07"); len(data) != 1 || string(data[0]) != "result 7" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	failures, err := results.Failures()
	if err != nil || len(failures) != 2 || failures[0].Error != "three is too much" || failures[0].Tries != 2 ||
		!strings.HasPrefix(failures[1].Error,
			"the job panicked: runtime error: index out of range [1] with length 0 (queue_test.go:") {
		t.Errorf("%+v, %v", failures, err)
	}
	// A second run does only what has no result, and what succeeds is no failure any more.
	calls.Store(0)
	p, err = Local(t.Context(), tasks(20), results, func() Do {
		return func(context.Context, []byte) ([]byte, error) { calls.Add(1); return []byte("x"), nil }
	}, Options{})
	if err != nil || p.Done != 20 || p.Before != 18 || calls.Load() != 2 {
		t.Errorf("%+v, %v after %d calls", p, err, calls.Load())
	}
	if failures, _ := results.Failures(); failures != nil {
		t.Errorf("%v", failures)
	}
}

func TestLocalStopsWhereResultsCannotBeKept(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "jobs"), nil, 0o666); err != nil { // in the way of the folder
		t.Fatal(err)
	}
	p, err := Local(t.Context(), tasks(1000), open(t, dir), func() Do {
		return func(context.Context, []byte) ([]byte, error) { return nil, nil }
	}, Options{Workers: 2})
	if err == nil || !strings.Contains(err.Error(), "cannot be stored") || p.Done > 0 {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestLocalStopsWhenCancelled(t *testing.T) {
	results := open(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	p, err := Local(ctx, tasks(10), results, func() Do {
		return func(_ context.Context, payload []byte) ([]byte, error) {
			if string(payload) == "4" {
				cancel()
			}
			return payload, nil
		}
	}, Options{Workers: 1})
	if !errors.Is(err, context.Canceled) || p.Done != 4 || p.Finished() {
		t.Errorf("%+v, %v", p, err)
	}
	if keys := results.Keys(); len(keys) != 4 {
		t.Errorf("%v", keys)
	}
}

func TestShardsCoverEverythingOnce(t *testing.T) {
	for _, n := range []int{1, 3, 7, 30} {
		seen := map[string]int{}
		for i := 1; i <= n; i++ {
			for _, task := range Shard(tasks(20), i, n) {
				seen[task.Key]++
			}
		}
		want := map[string]int{}
		for _, task := range tasks(20) {
			want[task.Key] = 1
		}
		if diff := cmp.Diff(want, seen); diff != "" {
			t.Errorf("%d shards: %s", n, diff)
		}
	}
}

// open is the results in a folder.
func open(t testing.TB, dir string) *Results {
	t.Helper()
	r, err := OpenResults(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func TestNoResults(t *testing.T) {
	r := open(t, filepath.Join(t.TempDir(), "gone"))
	if keys := r.Keys(); len(keys) > 0 || r.Has("a") {
		t.Errorf("%v", keys)
	}
	if _, err := r.Load("a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
