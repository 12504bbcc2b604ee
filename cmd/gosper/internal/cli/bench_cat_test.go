package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/energy"
	"github.com/gosper-life/gosper/papers"
	"github.com/gosper-life/gosper/papers/cat"
	"github.com/gosper-life/gosper/result"
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
	if err := cmd.Run(t.Context(), &console.Console{Out: &out, Err: &errOut}); err != nil {
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
	if err := cmd.Run(t.Context(), &console.Console{Out: &again, Err: &errOut}); err != nil || again.String() != out.String() {
		t.Errorf("%v: %s", err, again.String())
	}
	cmd = benchCatCommand{Part: []string{"everything"}}
	if err := cmd.Run(t.Context(), &console.Console{Out: &again, Err: &errOut}); err == nil || !strings.Contains(err.Error(), "products") {
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

// A run goes on where an earlier one stopped, and refuses rows of another revision of the program.
func TestBenchCatGoesOn(t *testing.T) {
	sweep := catHost
	t.Cleanup(func() { catHost = sweep })
	catHost.side, catHost.radii = 32, []int{1}
	t.Setenv("CUDA_VISIBLE_DEVICES", "-1")
	dir := t.TempDir()
	run := func(methods ...string) (string, error) {
		var out, errOut bytes.Buffer
		cmd := benchCatCommand{paperFlags: paperFlags{Engine: "reference", Out: dir, JSON: true}, Part: []string{"radius"}, Method: methods}
		err := cmd.Run(t.Context(), &console.Console{Out: &out, Err: &errOut})
		return errOut.String(), err
	}
	path := filepath.Join(dir, "cat.jsonl")
	if _, err := run("BASE", "CAT"); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	said, err := run()
	if err != nil || !strings.Contains(said, "has 2 rows, which are not measured again") {
		t.Errorf("%v: %s", err, said)
	}
	after, err := os.ReadFile(path)
	if err != nil || !bytes.HasPrefix(after, before) || bytes.Count(after, []byte("\n")) != 11 { // nine methods, CAT-INT8 and Gosper's engine
		t.Errorf("%v: %s", err, after)
	}
	rows, err := result.Read[papers.Measurement](path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		rows[i].Revision = "other"
	}
	if err := result.Write(path, rows); err != nil {
		t.Fatal(err)
	}
	var bad console.BadInput
	if _, err := run(); !errors.As(err, &bad) || !strings.Contains(err.Error(), `rows of revision "other"`) {
		t.Errorf("rows of another revision: %v", err)
	}
}

// A method that comes to other cells than Gosper's engine is named and gives no row.
func TestWrongMethodGivesNoRow(t *testing.T) {
	r := catRun{catSweep: catHost, paperRun: &paperRun{c: &console.Console{Out: io.Discard, Err: io.Discard}, paper: cat.Name, engine: "reference"}, device: "here"}
	i := cat.Instances()[0]
	right := catJob{part: "radius", method: "BASE", text: i.Notation, radius: 1, start: 0.5, side: 32}
	if err := r.jobsInTurn(t.Context(), []catJob{right}); err != nil || len(r.rows) != 1 || r.rows[0].Compared != 2 {
		t.Fatalf("%v: %+v", err, r.rows)
	}
	r.after[2].Set(3, 4, 1-r.after[2].Get(3, 4))
	err := r.jobsInTurn(t.Context(), []catJob{right})
	if err == nil || !strings.Contains(err.Error(), "BASE halo=refreshed, radius 1 on 32² cells, comes to other cells than Gosper's engine") || len(r.rows) != 1 {
		t.Errorf("%v, %d rows", err, len(r.rows))
	}
}

// Jobs are made once, those of a universe together, and how long they take is said by part.
func TestCatJobs(t *testing.T) {
	jobs := catFull.jobs(catParts, true, 227<<10)
	seen, left := map[string]bool{}, map[string]bool{}
	parts := map[string]int{}
	last := ""
	for _, j := range jobs {
		key := fmt.Sprint(j.method, j.universe(), j.o, j.power)
		if seen[key] {
			t.Errorf("twice: %+v", j)
		}
		seen[key] = true
		parts[j.part]++
		if u := j.universe(); u != last {
			if left[u] {
				t.Errorf("%s comes again", u)
			}
			left[u], last = true, u
		}
	}
	if parts["radius"] != 16*11 || parts["power"] != 16*9 || parts["tiles"] != 717 || parts["devices"] != 4*7 || parts["size"] != 29*4*7 {
		t.Errorf("jobs by part: %v", parts)
	}
	limited := catFull
	limited.protocol.Limit = 1
	long, words := catFull.told(jobs)
	short, _ := limited.told(jobs)
	if long < 3600 || short > long/4 || !strings.Contains(words, "tiles: 717 measurements, ") || !strings.Contains(words, " h on an H100") {
		t.Errorf("%v s, %v s with a limit: %s", long, short, words)
	}
}
