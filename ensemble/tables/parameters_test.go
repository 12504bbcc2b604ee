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

// TestParametersOfStartsAreColumns: starts are a column of every table, and their numbers behind those of rules.
func TestParametersOfStartsAreColumns(t *testing.T) {
	p, err := ensemble.Spec{
		Rules: []string{"life", "B3/S23~flip=0.1"}, Sizes: []string{"6"}, Universes: 2, Densities: ensemble.Densities{0.3},
		Starts: ensemble.Starts{"soup", "gauss~length=2..4/2", "exact~1=5,set0=0.25"},
	}.Check()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	merged, err := Merge(t.Context(), p, ensembletest.RunAll(t, p), false, Output{Dir: dir, Ext: ".csv"})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range merged.Files {
		records := recordsOf(t, filepath.Join(dir, name))
		if want := []string{
			"model", "flip", "start_length", "start_1",
			"start_set0",
		}; !slices.Equal(records[0][len(records[0])-5:], want) {
			t.Fatalf("%s has the columns %v", name, records[0])
		}
		got := map[string][]string{}
		for _, r := range records[1:] {
			got[r[0]+" "+r[5]+" "+r[6]] = r[len(r)-5:]
		}
		want := map[string][]string{}
		for rule, flip := range map[string]string{"B3/S23": "", "B3/S23~flip=0.1": "0.1"} {
			want[rule+" 0.3 soup"] = []string{"B3/S23", flip, "", "", ""}
			want[rule+" 0.3 gauss~length=2"] = []string{"B3/S23", flip, "2", "", ""}
			want[rule+" 0.3 gauss~length=4"] = []string{"B3/S23", flip, "4", "", ""}
			want[rule+" 0 exact~1=5,set0=0.25"] = []string{"B3/S23", flip, "", "5", "0.25"}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func recordsOf(t *testing.T, path string) [][]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil || len(records) < 2 {
		t.Fatal(path, len(records), err)
	}
	return records
}

// TestParametersAreColumns: every table has the parameters of models in columns of their own, and reads as before.
func TestParametersAreColumns(t *testing.T) {
	warmup := uint64(0)
	p, err := ensemble.Spec{
		Rules: []string{"Ising~T=2.1..2.3/0.1", "Contact~lambda=1.6,dt=0.05,dead=0.1,seed=5", "B3/S23~flip=1e-7", "life"},
		Sizes: []string{"6"}, Universes: 2,
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
		"Ising~T=2.1": {"Ising", "2.1", "", "", "", "", ""}, "Ising~T=2.2": {"Ising", "2.2", "", "", "", "", ""},
		"Ising~T=2.3": {"Ising", "2.3", "", "", "", "", ""},
		"Contact~lambda=1.6,dt=0.05,dead=0.1,seed=5": {"Contact", "", "1.6", "0.05", "0.1", "5", ""},
		"B3/S23~flip=1e-07":                          {"B3/S23", "", "", "", "", "", "1e-7"},
		"B3/S23":                                     {"B3/S23", "", "", "", "", "", ""},
	}
	for _, name := range merged.Files {
		records := recordsOf(t, filepath.Join(dir, name))
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
