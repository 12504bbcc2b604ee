package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/papers"
	"github.com/gosper-life/gosper/papers/cat"
)

// The command measures every method where there is no GPU, and its files tell the same again.
func TestBenchCat(t *testing.T) {
	sweep := catHost
	t.Cleanup(func() { catHost = sweep })
	catHost.side, catHost.radii, catHost.wide = 32, []int{2}, []int{17}
	t.Setenv("CUDA_VISIBLE_DEVICES", "-1")

	dir := t.TempDir()
	var out, errOut bytes.Buffer
	cmd := benchCatCommand{paperFlags: paperFlags{Engine: "reference", Out: dir, JSON: true}, Part: []string{"radius", "beyond", "tiles"}}
	if err := cmd.Run(t.Context(), &console{out: &out, err: &errOut}); err != nil {
		t.Fatal(err)
	}
	var rows []papers.Measurement
	if err := json.Unmarshal(out.Bytes(), &rows); err != nil {
		t.Fatalf("%v: %s", err, out.Bytes())
	}
	measured := map[string]int{}
	for _, m := range rows {
		if m.Seconds <= 0 || m.Paper != "cat" || m.Method != "gosper" && m.Parameter(cat.ParameterHalo) != "refreshed" {
			t.Errorf("row %+v", m)
		}
		measured[m.Method]++
	}
	for _, m := range append(append([]cat.Method{}, cat.Published...), cat.Beyond...) {
		if measured[string(m)] == 0 {
			t.Errorf("%s is not measured", m)
		}
	}
	// Radius 2, radius 17 and the diamond.
	if measured["gosper"] != 3 || measured["CAT-BITS"] != 3 || measured["CAT"] != 2 || measured["BASE"] != 1 {
		t.Errorf("rows by method: %v", measured)
	}
	if table, err := os.ReadFile(filepath.Join(dir, "cat.md")); err != nil || !strings.Contains(string(table), "101") {
		t.Errorf("%v: %s", err, table)
	}
	if !strings.Contains(errOut.String(), "on one core instead") {
		t.Errorf("said: %s", errOut.String())
	}

	var again bytes.Buffer
	cmd = benchCatCommand{paperFlags: paperFlags{From: []string{filepath.Join(dir, "cat.parquet")}, JSON: true}}
	if err := cmd.Run(t.Context(), &console{out: &again, err: &errOut}); err != nil || again.String() != out.String() {
		t.Errorf("%v: %s", err, again.String())
	}
	cmd = benchCatCommand{Part: []string{"everything"}}
	if err := cmd.Run(t.Context(), &console{out: &again, err: &errOut}); err == nil || !strings.Contains(err.Error(), "products") {
		t.Errorf("an unknown part gives %v", err)
	}
}

// The paper's sweep is the default.
func TestCatSweep(t *testing.T) {
	if n := len(catFull.sizes); n != 30 || catFull.sizes[0] != 1024 || catFull.sizes[29] != 60416 {
		t.Errorf("%d sizes: %v", n, catFull.sizes)
	}
	p := catFull.protocol
	if p.Generations != 25 || p.Least != 4 || p.Most != 32 || len(catFull.radii) != 16 {
		t.Errorf("protocol %+v of %d radii", p, len(catFull.radii))
	}
}
