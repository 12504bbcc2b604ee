package tables

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/internal/ensembletest"
)

// TestParametersAreColumns: every table has the parameters of models in columns of their own, and reads as before.
func TestParametersAreColumns(t *testing.T) {
	warmup := uint64(0)
	p, err := ensemble.Spec{
		Rules: []string{"Ising~T=2.1..2.3/0.1", "Contact~lambda=1.6,dt=0.05,dead=0.1,seed=5", "B3/S23~flip=1e-7", "life"}, Sizes: []string{"6"}, Universes: 2,
		Generations: 4, Every: 2, Warmup: &warmup, Measures: []string{"magnetisation", "clusters"},
	}.Check()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	merged, err := Merge(t.Context(), p, ensembletest.RunAll(t, p), false, Output{Dir: dir, Ext: ".csv"})
	if err != nil {
		t.Fatal(err)
	}
	columns := []string{"model", "T", "lambda", "dt", "dead", "rule_seed", "flip"}
	want := map[string][]string{
		"Ising~T=2.1": {"Ising", "2.1", "", "", "", "", ""}, "Ising~T=2.2": {"Ising", "2.2", "", "", "", "", ""}, "Ising~T=2.3": {"Ising", "2.3", "", "", "", "", ""},
		"Contact~lambda=1.6,dt=0.05,dead=0.1,seed=5": {"Contact", "", "1.6", "0.05", "0.1", "5", ""},
		"B3/S23~flip=1e-07":                          {"B3/S23", "", "", "", "", "", "1e-7"}, "B3/S23": {"B3/S23", "", "", "", "", "", ""},
	}
	for _, name := range merged.Files {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		records, err := csv.NewReader(f).ReadAll()
		f.Close()
		if err != nil || len(records) < 2 {
			t.Fatal(name, len(records), err)
		}
		first := slices.Index(records[0], "model")
		if first < 0 || !slices.Equal(records[0][first:], columns) {
			t.Fatalf("%s has the columns %v", name, records[0])
		}
		got := map[string][]string{}
		for _, r := range records[1:] {
			got[r[0]] = r[first:]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if d, err := Read(dir); err != nil || len(d.Summary) == 0 || len(d.Averages) == 0 || len(d.Clusters) == 0 {
		t.Errorf("read %d, %d and %d rows, %v", len(d.Summary), len(d.Averages), len(d.Clusters), err)
	}
}
