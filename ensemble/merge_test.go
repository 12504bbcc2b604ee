package ensemble

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// results is the encoded results of an ensemble by the hash of their jobs.
type results map[string][]byte

func (r results) load(hash string) ([]byte, error) {
	data, ok := r[hash]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return data, nil
}

func runAll(t *testing.T, p *Plan) results {
	t.Helper()
	all := results{}
	var r Runner
	for j := range p.Jobs() {
		result, err := r.Run(context.Background(), j)
		if err != nil {
			t.Fatal(err)
		}
		if all[j.Hash()], err = result.Encode(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func everything() Spec {
	return Spec{
		Rules: []string{"life", "B2/S345/4"}, Sizes: []string{"16", "P12,9"}, Densities: Densities{0.2, 0.4}, Universes: 7, Generations: 30, Every: 15,
		Measures: []string{"activity", "entropy", "correlation", "clusters", "percolation", "settling"}, Cap: 500,
	}
}

// TestMergedFilesDoNotDependOnHowJobsAreCut is what makes results citable.
func TestMergedFilesDoNotDependOnHowJobsAreCut(t *testing.T) {
	for _, ext := range []string{".parquet", ".csv", ".jsonl"} {
		var first map[string][]byte
		for _, perJob := range []int{1, 3, 7} {
			spec := everything()
			spec.PerJob = perJob
			p, err := spec.Check()
			if err != nil {
				t.Fatal(err)
			}
			data, err := p.Merge(runAll(t, p).load, false)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			names, err := data.Write(dir, ext)
			if err != nil {
				t.Fatal(err)
			}
			files := map[string][]byte{}
			for _, name := range names {
				if files[name], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
			if first == nil {
				first = files
			}
			if len(files) != 6 || len(first) != 6 {
				t.Errorf("files %v", names)
			}
			for name := range first {
				if !bytes.Equal(first[name], files[name]) {
					t.Errorf("%s differs with %d universes a job", name, perJob)
				}
			}
		}
	}
}

func TestMergeRefuses(t *testing.T) {
	spec := Spec{Rules: []string{"life"}, Sizes: []string{"8"}, Universes: 4, PerJob: 1}
	p, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	all := runAll(t, p)
	var hashes []string
	for j := range p.Jobs() {
		hashes = append(hashes, j.Hash())
	}
	lost := all[hashes[1]]
	delete(all, hashes[1])
	var lacks *Incomplete
	if _, err := p.Merge(all.load, false); !errors.As(err, &lacks) || err.Error() != "1 of 4 jobs have no result yet, the first B3/S23:T8,8 density 0.5, universes 1 to 1" {
		t.Errorf("got %v", err)
	}
	if d, err := p.Merge(all.load, true); err != nil || len(d.Universes) != 3 || d.Summary[0].Universes != 3 {
		t.Errorf("got %d universes, %v", len(d.Universes), err)
	}
	all[hashes[1]] = all[hashes[2]]
	if _, err := p.Merge(all.load, false); err == nil || !strings.Contains(err.Error(), "not the result of this job") {
		t.Errorf("got %v", err)
	}
	all[hashes[1]] = lost[:len(lost)/2]
	if _, err := p.Merge(all.load, false); err == nil || !strings.Contains(err.Error(), "not a result") {
		t.Errorf("got %v", err)
	}
}

// TestNothingFound: a table that was measured is there, though nothing was found.
func TestNothingFound(t *testing.T) {
	spec := Spec{Rules: []string{"life"}, Sizes: []string{"8"}, Densities: Densities{0}, Universes: 2, Measures: []string{"clusters", "census", "settling"}}
	p, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.Merge(runAll(t, p).load, false)
	if err != nil {
		t.Fatal(err)
	}
	names, err := d.Write(t.TempDir(), ".csv")
	if err != nil || len(names) != 7 || len(d.Clusters) != 0 || len(d.Census) != 0 || *d.Universes[0].Transient != 0 || *d.Universes[0].Period != 1 {
		t.Errorf("%v, %v, %+v", names, err, d.Universes)
	}
	for _, drawn := range d.Draw() {
		if err := drawn.Figure.Save(filepath.Join(t.TempDir(), drawn.Name+".svg")); err != nil {
			t.Error(err)
		}
	}
}

func TestSummary(t *testing.T) {
	place := Place{Rule: "r", Topology: "T4,4", Width: 4, Height: 4}
	p := &Plan{times: []uint64{0, 5}}
	var d Data
	for i, density := range []float64{0.1, 0.2, 0.6, 0.3} {
		d.Universes = append(d.Universes, Universe{Place: place, Index: uint64(i)})
		d.Samples = append(d.Samples, Sample{Place: place}, Sample{Place: place, Generation: 5, Density: density})
	}
	p.summarise(&d)
	var got *Summary
	for i, s := range d.Summary {
		if s.Quantity == "density" && s.Generation == 5 {
			got = &d.Summary[i]
		}
	}
	// Standard deviation of the four: 0.2160247.
	if got == nil || math.Abs(got.Mean-0.3) > 1e-12 || math.Abs(*got.Error-0.1080123) > 1e-6 || got.Universes != 4 {
		t.Fatalf("got %+v", got)
	}
	if got.Low < 0.1 || got.Low > 0.2 || got.High < 0.35 || got.High > 0.6 {
		t.Errorf("interval %v to %v", got.Low, got.High)
	}
	if len(d.Summary) != 4 || d.Survival != nil {
		t.Errorf("%d rows of summary, %d of survival", len(d.Summary), len(d.Survival))
	}
}

// TestSurvival compares with the estimate worked out by hand.
func TestSurvival(t *testing.T) {
	at := func(time uint64, settled bool) Universe { return Universe{Settled: &settled, Transient: &time} }
	universes := []Universe{at(3, true), at(10, false), at(1, true), at(3, true), at(10, false)}
	got := survival(universes)
	want := []Survival{
		{Time: 1, AtRisk: 5, Settled: 1, Share: 0.8, Error: 0.8 * math.Sqrt(1.0/20)},
		{Time: 3, AtRisk: 4, Settled: 2, Share: 0.4, Error: 0.4 * math.Sqrt(1.0/20+2.0/8)},
		{Time: 10, AtRisk: 2, Censored: 2, Share: 0.4, Error: 0.4 * math.Sqrt(1.0/20+2.0/8)},
	}
	if diff := cmp.Diff(want, got, nearly); diff != "" {
		t.Error(diff)
	}
	p := &Plan{}
	l := lifespan(universes, 10, p.weights(Place{}, 5))
	if l.Censored != 2 || *l.Median != 3 || math.Abs(l.Restricted-5.4) > 1e-12 || !(l.Low < 5.4 && l.High > 5.4) {
		t.Errorf("got %+v", l)
	}
}
