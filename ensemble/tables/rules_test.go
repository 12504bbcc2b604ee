package tables

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/internal/ensembletest"
)

// manyRules is a spec with 64 rules whose universes share jobs, unless these are too large for that, and two others.
func manyRules(perJob int) ensemble.Spec {
	return ensemble.Spec{
		Rules: []string{"Ising~T=2", "B3/S23..B36/S0123567", "B2/S34V"}, Sizes: []string{"16", "P12,9"},
		Densities: ensemble.Densities{0.4}, Universes: 3, PerJob: perJob,
		Generations: 12, Every: 6, Measures: []string{
			"activity", "entropy", "correlation", "clusters", "percolation",
			"magnetisation", "damage",
		}, Connectivity: 8,
	}
}

// mergeSpec returns the tables of a spec, as CSV, by their names.
func mergeSpec(t *testing.T, spec ensemble.Spec) (tables map[string][]byte, dir string, jobs int) {
	t.Helper()
	p, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	m, err := Merge(t.Context(), p, ensembletest.RunAll(t, p), false, Output{Dir: dir, Ext: ".csv"})
	if err != nil {
		t.Fatal(err)
	}
	tables = map[string][]byte{}
	for _, name := range m.Files {
		if tables[name], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if m.Jobs != p.JobCount() || m.Universes != p.Universes() {
		t.Errorf("%d jobs and %d universes merged, want %d and %d", m.Jobs, m.Universes, p.JobCount(), p.Universes())
	}
	return tables, dir, m.Jobs
}

// TestRulesShareJobs: the files are the same whether rules share jobs or not.
func TestRulesShareJobs(t *testing.T) {
	alone, _, most := mergeSpec(t, manyRules(512))
	for _, perJob := range []int{0, 2} {
		shared, _, jobs := mergeSpec(t, manyRules(perJob))
		if jobs >= most/4 {
			t.Errorf("%d universes a job: %d jobs, and %d where rules share none", perJob, jobs, most)
		}
		for name := range alone {
			if !bytes.Equal(alone[name], shared[name]) {
				t.Errorf("%d universes a job: %s differs", perJob, name)
			}
		}
	}
}

// TestRulesAreAsAlone: each rule of many has the universes, samples and means that it has in an ensemble of its own.
func TestRulesAreAsAlone(t *testing.T) {
	_, together, _ := mergeSpec(t, manyRules(0))
	for _, rule := range []string{"B3/S23", "B36/S0123567", "B3/S0237", "B2/S34V"} {
		spec := manyRules(0)
		spec.Rules = []string{rule}
		_, alone, _ := mergeSpec(t, spec)
		same(t, rule, ofRule[ensemble.Universe](t, together, "universes.csv", rule),
			ensembletest.Rows[ensemble.Universe](t, alone, "universes.csv"))
		same(t, rule, ofRule[ensemble.Sample](t, together, "samples.csv", rule),
			ensembletest.Rows[ensemble.Sample](t, alone, "samples.csv"))
		same(t, rule, ofRule[ensemble.Value](t, together, "values.csv", rule),
			ensembletest.Rows[ensemble.Value](t, alone, "values.csv"))
		same(t, rule, ofRule[ensemble.ClusterSize](t, together, "clusters.csv", rule),
			ensembletest.Rows[ensemble.ClusterSize](t, alone, "clusters.csv"))
		same(t, rule, means(ofRule[ensemble.Summary](t, together, "summary.csv", rule)),
			means(ensembletest.Rows[ensemble.Summary](t, alone, "summary.csv")))
	}
}

func same[T any](t *testing.T, rule string, got, want []T) {
	t.Helper()
	if len(want) == 0 {
		t.Fatalf("%s: no rows", rule)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: alone and together differ: %s", rule, diff)
	}
}

func ofRule[T ensemble.Row](t *testing.T, dir, name, rule string) []T {
	return slices.DeleteFunc(ensembletest.Rows[T](t, dir, name), func(row T) bool { return row.At().Rule != rule })
}

// means are rows without their bootstrap intervals, whose random numbers are those of the ensemble.
func means(rows []ensemble.Summary) []ensemble.Summary {
	for i := range rows {
		rows[i].Low, rows[i].High = 0, 0
		if rows[i].Quantity[0] == 'c' { // the errors of connected correlations are by the bootstrap
			rows[i].Error = nil
		}
	}
	return rows
}

// TestMoreUniversesOfManyRules: results of fewer universes are used, also if the rules share jobs.
func TestMoreUniversesOfManyRules(t *testing.T) {
	spec := manyRules(0)
	few, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	results := ensembletest.RunAll(t, few)
	more, err := few.WithUniverses(5)
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for key := range results {
		keys = append(keys, key)
	}
	more.Adopt(keys)
	used := 0
	for j := range more.Jobs() {
		if results.Has(j.Key()) {
			used++
		}
	}
	if used != len(results) || used != few.JobCount() {
		t.Errorf("%d of %d results are used", used, len(results))
	}
}
