package ensemble_test

import (
	"bytes"
	"compress/gzip"
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
			spec := ensemble.Spec{Rules: []string{"life"}, Sizes: []string{"13x8"}, Universes: 3, PerJob: 3, Generations: 8, Every: every, Measures: measures}
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
		}
	}
}

func FuzzDecodeResult(f *testing.F) {
	spec := ensemble.Spec{Rules: []string{"life"}, Sizes: []string{"4"}, Universes: 1, PerJob: 1, Generations: 1, Every: 1, Measures: []string{"activity", "percolation"}}
	data, err := resultOf(f, spec).Encode()
	if err != nil {
		f.Fatal(err)
	}
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		f.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := text.ReadFrom(zip); err != nil {
		f.Fatal(err)
	}
	f.Add(text.Bytes())
	f.Add([]byte(`{"times":[1],"universes":[{}],"population":[1],"ones":[2],"pairs":[1,2],"span":"BA=="}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var b bytes.Buffer
		zip, err := gzip.NewWriterLevel(&b, gzip.NoCompression) // which is ready at once
		if err != nil {
			t.Fatal(err)
		}
		zip.Write(text)
		zip.Close()
		r, err := ensemble.DecodeResult(b.Bytes())
		if err != nil {
			return
		}
		if rows := r.Samples(); len(rows) != len(r.Universes)*len(r.Times) {
			t.Errorf("%d samples of %d universes at %d times", len(rows), len(r.Universes), len(r.Times))
		}
	})
}
