// Package ensembletest runs small ensembles for the tests of the packages that use results.
package ensembletest

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/worker"
	"github.com/gosper-life/gosper/internal/result"
	_ "github.com/gosper-life/gosper/sim/cpu"       // an engine for RunAll
	_ "github.com/gosper-life/gosper/sim/reference" // an engine that runs every rule
)

// Results are the encoded results of an ensemble by the keys of their jobs. It is a tables.Store.
type Results map[string][]byte

// Has implements tables.Store.
func (r Results) Has(key string) bool { return r[key] != nil }

// Load implements tables.Store.
func (r Results) Load(_ context.Context, key string) ([]byte, error) { return r[key], nil }

// Everything is a spec that measures everything except the census.
func Everything() ensemble.Spec {
	return ensemble.Spec{
		Rules: []string{"life", "B2/S345/4"}, Sizes: []string{"16", "P12,9"}, Densities: ensemble.Densities{0.2, 0.4},
		Universes:   7,
		Generations: 30, Every: 15, Cap: 500,
		Measures: []string{"activity", "entropy", "correlation", "clusters", "percolation", "settling"},
	}
}

// RunAll does all jobs of a study.
func RunAll(t testing.TB, p *ensemble.Study) Results {
	t.Helper()
	all := Results{}
	var w worker.Worker
	defer w.Close()
	for j := range p.Jobs() {
		result, err := w.Run(context.Background(), j)
		if err != nil {
			t.Fatal(err)
		}
		if all[j.Key()], err = result.Encode(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// Rows reads a table.
func Rows[T any](t testing.TB, dir, name string) []T {
	t.Helper()
	rows, err := result.Read[T](filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
