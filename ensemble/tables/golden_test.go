package tables

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/internal/ensembletest"
	"github.com/gosper-life/gosper/internal/result"
)

// golden are the SHA-256 of the merged files of an ensemble that measures everything, which every processor
// must give: no fused operation, no logarithm of its own, no order of bytes may show.
var golden = map[string]string{
	"census.csv":        "c8c551ae95c026b0",
	"census.parquet":    "dc99de0169a64870",
	"clusters.csv":      "ec35384e5cb33c23",
	"clusters.parquet":  "d20517a94805dd89",
	"lifespans.csv":     "d10ecaa82b544e10",
	"lifespans.parquet": "9a53e157765e769d",
	"samples.csv":       "ac74db2f2593fc30",
	"samples.parquet":   "8c41f3c77a0c6367",
	"summary.csv":       "d606b731822350e7",
	"summary.parquet":   "fe40189db37b1236",
	"survival.csv":      "48861d0b3b76e68e",
	"survival.parquet":  "e542fdb4efe1effa",
	"universes.csv":     "88cc10097cf618a3",
	"universes.parquet": "4d1c6ce16c3f1554",
}

func TestEveryProcessorGivesTheSameFiles(t *testing.T) {
	spec := ensembletest.Everything()
	spec.Rules, spec.Block, spec.Universes, spec.PerJob = []string{"life", "B36/S23"}, 3, 12, 5
	spec.Densities = ensemble.Densities{0.2, 0.35}
	spec.Measures = append(spec.Measures, "census")
	p, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	all := ensembletest.RunAll(t, p)
	got := map[string]string{}
	for _, ext := range []string{".parquet", ".csv"} {
		dir := t.TempDir()
		m, err := Merge(t.Context(), p, all, false, Output{Dir: dir, Ext: ext})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range m.Files {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			got[name] = fmt.Sprintf("%.8x", sha256.Sum256(data))
		}
	}
	if diff := cmp.Diff(golden, got); diff != "" {
		t.Error(diff)
	}
}

// TestParquetSaysWhatItIsOf: a file that was moved away from its manifest still tells which ensemble it is of,
// with a spec that can be run.
func TestParquetSaysWhatItIsOf(t *testing.T) {
	p := checked(t, 3, 2, "1")
	for name, data := range merged(t, p, ensembletest.RunAll(t, p)) {
		f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		about := map[string]string{}
		for _, key := range []string{"ensemble", "spec", "measures", result.UnitsKey} {
			about[key], _ = f.Lookup(key)
		}
		spec, err := ensemble.Parse("spec.json", []byte(about["spec"]))
		if err != nil {
			t.Fatal(err)
		}
		again, err := spec.Check()
		if err != nil || again.Hash() != p.Hash() || about["ensemble"] != p.Hash() || about[result.UnitsKey] == "" ||
			about["measures"] != strings.Join(p.Wanted.Identities(), " ") {
			t.Errorf("%s says %v, %v", name, about, err)
		}
	}
}
