package tables

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/internal/ensembletest"
	"github.com/gosper-life/gosper/ensemble/worker"
)

// merged is the files of a merge by name.
func merged(t *testing.T, p *ensemble.Study, from Store) map[string][]byte {
	t.Helper()
	dir := t.TempDir()
	m, err := Merge(t.Context(), p, from, false, Output{Dir: dir, Ext: ".parquet"})
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, name := range m.Files {
		if files[name], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func sameFiles(t *testing.T, what string, want, got map[string][]byte) {
	t.Helper()
	if len(want) != len(got) || len(want) == 0 {
		t.Errorf("%s: %d files, want %d", what, len(got), len(want))
	}
	for name := range want {
		if !bytes.Equal(want[name], got[name]) {
			t.Errorf("%s: %s differs", what, name)
		}
	}
}

// checked makes a study with all measures, the given number of universes and a root.
func checked(t *testing.T, universes, perJob int, root string) *ensemble.Study {
	t.Helper()
	spec := ensembletest.Everything()
	spec.Universes, spec.PerJob, spec.Root = universes, perJob, root
	p, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestMoreUniverses: an ensemble with more universes uses the results of the smaller one. Its files are equal to
// those of a single run.
func TestMoreUniverses(t *testing.T) {
	few := checked(t, 5, 3, "1")
	there := ensembletest.RunAll(t, few)
	more, err := few.WithUniverses(11)
	if err != nil {
		t.Fatal(err)
	}
	if !more.Extends(few) || few.Extends(more) || checked(t, 11, 3, "2").Extends(few) {
		t.Error("which ensemble extends which?")
	}
	more.Adopt(slices.Collect(maps.Keys(there)))
	done := 0
	var r worker.Worker
	for j := range more.Jobs() {
		if there.Has(j.Key()) {
			done += j.Count
			continue
		}
		result, err := r.Run(t.Context(), j)
		if err != nil {
			t.Fatal(err)
		}
		if there[j.Key()], err = result.Encode(); err != nil {
			t.Fatal(err)
		}
	}
	if want := few.Universes(); done != want {
		t.Errorf("%d universes were made use of, want %d", done, want)
	}
	atOnce := checked(t, 11, 4, "1")
	sameFiles(t, "more universes", merged(t, atOnce, ensembletest.RunAll(t, atOnce)), merged(t, more, there))
}

// TestPool: universes of two roots together give the same files in any order of the roots, and also as a spec that
// names both.
func TestPool(t *testing.T) {
	a, b := checked(t, 5, 3, "b"), checked(t, 4, 2, "a")
	all := ensembletest.RunAll(t, a)
	maps.Copy(all, ensembletest.RunAll(t, b))
	var first map[string][]byte
	for _, studies := range [][]*ensemble.Study{{a, b}, {b, a}, {a, b, checked(t, 2, 2, "a")}} {
		pooled, err := ensemble.Pool(studies...)
		if err != nil {
			t.Fatal(err)
		}
		pooled.Adopt(slices.Collect(maps.Keys(all)))
		files := merged(t, pooled, all)
		if first == nil {
			first = files
		}
		sameFiles(t, "another order", first, files)
	}
	spec, err := ensemble.Parse("pooled.toml", []byte(`
		rules = ["life", "B2/S345/4"]
		sizes = ["16", "P12,9"]
		densities = [0.2, 0.4]
		root = "a"
		universes = 4
		pooled = [{root = "b", universes = 5}]
		generations = 30
		every = 15
		measures = ["activity", "entropy", "correlation", "clusters", "percolation", "settling"]
		cap = 500
		per_job = 2`))
	if err != nil {
		t.Fatal(err)
	}
	p, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	results := ensembletest.RunAll(t, p)
	sameFiles(t, "a spec", first, merged(t, p, results))
	dir := t.TempDir()
	if _, err := Merge(t.Context(), p, results, false, Output{Dir: dir, Ext: ".csv"}); err != nil {
		t.Fatal(err)
	}
	seeds := map[uint64]bool{}
	for i, u := range ensembletest.Rows[ensemble.Universe](t, dir, "universes.csv") {
		if u.Index != uint64(i%9) {
			t.Errorf("universe %d of a place has number %d", i%9, u.Index)
		}
		seeds[u.Seed] = true
	}
	if len(seeds) != p.Universes() {
		t.Errorf("%d seeds of %d universes", len(seeds), p.Universes())
	}
	if _, err := ensemble.Pool(a, checkedTimes(t)); err == nil {
		t.Error("ensembles that measure at other times are pooled")
	}
	spec.Pooled = append(spec.Pooled, ensemble.Part{Root: "a", Universes: 1})
	if _, err := spec.Check(); err == nil || err.Error() != `root "a" occurs twice: its universes would be counted twice` {
		t.Errorf("got %v", err)
	}
}

func checkedTimes(t *testing.T) *ensemble.Study {
	t.Helper()
	spec := ensembletest.Everything()
	spec.Every = 10
	p, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestRows: the tables of an ensemble with rows have for each place what an ensemble of that place alone has, except
// for bootstrap intervals, whose random numbers depend on the whole.
func TestRows(t *testing.T) {
	generations := []uint64{10, 20}
	every, warmup := uint64(5), uint64(5)
	rows := []ensemble.SpecRow{
		{Sizes: []string{"16"}, Densities: ensemble.Densities{0.2, 0.4}, Universes: 3, Generations: &generations[0]},
		{Sizes: []string{"P12,9"}, Universes: 5, Generations: &generations[1], Every: &every},
	}
	spec := ensemble.Spec{
		Rules: []string{"life", "highlife"}, Warmup: &warmup, Dump: "0,10", DumpUniverses: "1",
		Measures: []string{"activity", "clusters", "magnetisation", "settling"}, Cap: 500, Rows: rows,
	}
	p, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	m, err := Merge(t.Context(), p, ensembletest.RunAll(t, p), false, Output{Dir: dir, Ext: ".csv"})
	if err != nil || m.Universes != 4*3+2*5 {
		t.Fatal(m, err)
	}
	first := map[string]int{} // row of a table that is compared next
	for i, row := range rows {
		apart := spec
		apart.Rows, apart.Sizes, apart.Densities, apart.Universes = nil, row.Sizes, row.Densities, row.Universes
		apart.Generations = *row.Generations
		if row.Every != nil {
			apart.Every = *row.Every
		}
		one, err := apart.Check()
		if err != nil {
			t.Fatal(err)
		}
		alone := t.TempDir()
		if _, err := Merge(t.Context(), one, ensembletest.RunAll(t, one), false,
			Output{Dir: alone, Ext: ".csv"}); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"universes", "samples", "values", "clusters", "survival"} {
			got, want := lines(t, dir, name), lines(t, alone, name)
			got = got[1+first[name]:]
			if len(got) < len(want)-1 || !slices.Equal(got[:len(want)-1], want[1:]) {
				t.Errorf("row %d: %s differs", i, name)
			}
			first[name] += len(want) - 1
		}
		all := append(ensembletest.Rows[ensemble.Summary](t, dir, "summary.csv"),
			averagesAsSummary(ensembletest.Rows[ensemble.Average](t, dir, "averages.csv"))...)
		for _, want := range append(ensembletest.Rows[ensemble.Summary](t, alone, "summary.csv"),
			averagesAsSummary(ensembletest.Rows[ensemble.Average](t, alone, "averages.csv"))...) {
			if !slices.ContainsFunc(all, func(got ensemble.Summary) bool {
				return got.Place == want.Place && got.Generation == want.Generation && got.Quantity == want.Quantity &&
					got.Universes == want.Universes && got.Mean == want.Mean && (got.Error == nil) == (want.Error == nil) &&
					(got.Error == nil || *got.Error == *want.Error)
			}) {
				t.Errorf("row %d: %+v is missing", i, want)
			}
		}
	}
	for _, name := range []string{"universes", "samples", "values", "clusters", "survival"} {
		if n := len(lines(t, dir, name)) - 1; n != first[name] {
			t.Errorf("%s has %d rows, want %d", name, n, first[name])
		}
	}
	if cells := ensembletest.Rows[ensemble.DumpedCells](t, dir, "cells.csv"); len(cells) != 6*2 ||
		cells[11].File != "cells-6.npy" || cells[11].Topology != "P12,9" {
		t.Errorf("%d dumped cells, the last %+v", len(cells), cells[len(cells)-1])
	}
}

func averagesAsSummary(rows []ensemble.Average) (all []ensemble.Summary) {
	for _, r := range rows {
		all = append(all, ensemble.Summary{
			Place: r.Place, Generation: 1000 + r.First, Quantity: r.Quantity, Universes: r.Universes, Mean: r.Mean,
			Error: r.Error,
		})
	}
	return all
}

func lines(t *testing.T, dir, name string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}
