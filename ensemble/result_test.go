package ensemble_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/worker"
	_ "github.com/gosper-life/gosper/sim/cpu"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func resultOf(t testing.TB, spec ensemble.Spec) *ensemble.Result {
	t.Helper()
	p, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	for j := range p.Jobs() {
		var w worker.Worker
		result, err := w.Run(context.Background(), j)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	t.Fatal("no jobs")
	return nil
}

func TestResultsComeBack(t *testing.T) {
	for _, measures := range [][]string{
		nil,
		{"activity"},
		{"clusters"},
		{"percolation", "entropy"},
		{"correlation"},
		{"settling", "census"},
		{"activity", "entropy", "correlation", "clusters", "percolation", "settling", "census"},
	} {
		for _, every := range []uint64{0, 4} {
			spec := ensemble.Spec{
				Rules: []string{"life"}, Sizes: []string{"13x8"}, Universes: 3, PerJob: 3, Generations: 8,
				Every: every, Measures: measures,
			}
			want := resultOf(t, spec)
			data, err := want.Encode()
			if err != nil {
				t.Fatal(err)
			}
			got, err := ensemble.DecodeResult(data)
			if err != nil {
				t.Fatalf("%v: %v", measures, err)
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%v: %s", measures, diff)
			}
			if again, err := got.Encode(); err != nil || !bytes.Equal(again, data) {
				t.Errorf("%v: what was decoded is encoded otherwise: %v", measures, err)
			}
			if len(measures) != 2 {
				continue
			}
			for at := range data { // any byte, for each part has a sum
				damaged := bytes.Clone(data)
				damaged[at] ^= 1
				if r, err := ensemble.DecodeResult(damaged); err == nil && !cmp.Equal(want, r, cmpopts.EquateEmpty()) {
					t.Fatalf("%v: byte %d of %d was changed, which nobody noticed", measures, at, len(data))
				}
			}
		}
	}
}

func FuzzDecodeResult(f *testing.F) {
	spec := ensemble.Spec{
		Rules: []string{"life"}, Sizes: []string{"4"}, Universes: 1, PerJob: 1, Generations: 1, Every: 1,
		Measures: []string{"activity", "percolation"},
	}
	data, err := resultOf(f, spec).Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ensemble.DecodeResult(data)
		if err != nil {
			return
		}
		if rows := r.Samples(1); len(rows) != len(r.Universes)*len(r.Times) {
			t.Errorf("%d samples of %d universes at %d times", len(rows), len(r.Universes), len(r.Times))
		}
	})
}
