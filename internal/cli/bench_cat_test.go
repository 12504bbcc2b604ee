package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gosper-life/gosper/energy"
	"github.com/gosper-life/gosper/papers"
	"github.com/gosper-life/gosper/papers/cat"
)

// The command measures every method where there is no GPU, and its files tell the same again.
func TestBenchCat(t *testing.T) {
	sweep := catHost
	t.Cleanup(func() { catHost = sweep })
	catHost.side, catHost.beyondSide, catHost.radii, catHost.sizeRadii, catHost.wide = 32, 32, []int{2}, []int{2}, []int{17}
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
	for _, m := range cat.All() {
		if measured[string(m)] == 0 {
			t.Errorf("%s is not measured", m)
		}
	}
	// Radius 2, radius 17, the diamond and the cross.
	if measured["gosper"] != 4 || measured["CAT-BITS"] != 3 || measured["CAT"] != 2 || measured["BASE"] != 1 {
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

// Power is what the meter moved by, however often it was read.
func TestMeanPower(t *testing.T) {
	begin := time.Now()
	var readings []energy.Reading
	for ms := -1000; ms <= 1000; ms += 20 {
		watts := 100.0
		if ms > 0 {
			watts = 600
		}
		tick := float64(ms - (ms%100+100)%100) // the count is renewed ten times a second
		readings = append(readings, energy.Reading{At: begin.Add(time.Duration(ms) * time.Millisecond), Joules: 1e3 + watts*tick/1e3, Watts: 1})
	}
	got := meanPower(readings, begin)
	if len(got) != 10 || got[0].At.Sub(begin) != 100*time.Millisecond {
		t.Fatalf("%d moves: %v", len(got), got)
	}
	for _, r := range got {
		if r.Watts < 599 || r.Watts > 601 {
			t.Errorf("%v W at %v, want 600", r.Watts, r.At.Sub(begin))
		}
	}
	if got := meanPower(readings[60:61], begin); got != nil {
		t.Errorf("%v of one reading", got)
	}
}

func TestThinned(t *testing.T) {
	readings := make([]energy.Reading, 2501)
	for i := range readings {
		readings[i].Joules = float64(i)
	}
	got := thinned(readings, 200)
	if len(got) != 200 || got[0].Joules != 0 || got[199].Joules != 2500 || got[100].Joules != 1256 {
		t.Errorf("%d readings, %v to %v, in the middle %v", len(got), got[0], got[len(got)-1], got[len(got)/2])
	}
	if got := thinned(readings[:7], 200); len(got) != 7 {
		t.Errorf("%d readings of 7", len(got))
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
