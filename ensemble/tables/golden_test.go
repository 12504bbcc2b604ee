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
	"census.parquet":    "5737e36ae36c2472",
	"clusters.csv":      "ec35384e5cb33c23",
	"clusters.parquet":  "1d99faee3748b8b5",
	"lifespans.csv":     "a25d4592a5129965",
	"lifespans.parquet": "8d5067e146848641",
	"samples.csv":       "07a544fb90c25d82",
	"samples.parquet":   "3f3a9d29748457e7",
	"summary.csv":       "3b8d4c862b62eb3c",
	"summary.parquet":   "9898138855be321a",
	"survival.csv":      "48861d0b3b76e68e",
	"survival.parquet":  "215f446a9957c1ac",
	"universes.csv":     "88cc10097cf618a3",
	"universes.parquet": "ccdac7962e0aac84",
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
