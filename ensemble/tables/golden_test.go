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

// golden are the SHA-256 of the merged files of an ensemble that measures everything, which every processor must give: no fused
// operation, no logarithm of its own, no order of bytes may show.
var golden = map[string]string{
	"census.csv":        "eed15b204fbcb92a",
	"census.parquet":    "fd89656d731f5b71",
	"clusters.csv":      "7a340b934db72c91",
	"clusters.parquet":  "88032fc3ac81af27",
	"lifespans.csv":     "ebd592b8626a59f8",
	"lifespans.parquet": "6be8f62e665ba978",
	"samples.csv":       "0b3691607a9146f7",
	"samples.parquet":   "80600ed3066504b1",
	"summary.csv":       "9ad8dd24b4960473",
	"summary.parquet":   "9ecc003791ae8fc0",
	"survival.csv":      "856193fda7497261",
	"survival.parquet":  "163510c2b851251c",
	"universes.csv":     "d303726f46cc9c98",
	"universes.parquet": "333f7f0f22a70585",
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

// TestParquetSaysWhatItIsOf: a file that was moved away from its manifest still tells which ensemble it is of, with a spec that can be run.
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
