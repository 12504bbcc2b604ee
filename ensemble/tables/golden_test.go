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
	"census.csv":        "b075ea066869c432",
	"census.parquet":    "96ecab0127435c4e",
	"clusters.csv":      "28b36270e4e70dfa",
	"clusters.parquet":  "34b26a8ef306b52d",
	"lifespans.csv":     "0f3469f49ffdb9d9",
	"lifespans.parquet": "91d5f51c2e7b3fe7",
	"samples.csv":       "e2164148e392cbfe",
	"samples.parquet":   "a1fbddcb6ae9ea18",
	"summary.csv":       "d5e5dbdbbfd139bc",
	"summary.parquet":   "aebf60c87c9679f3",
	"survival.csv":      "9e56f3d60970f3a2",
	"survival.parquet":  "810744304cdb4d40",
	"universes.csv":     "3cb9fe85b5052446",
	"universes.parquet": "19576ed6d9bc207f",
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
