package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gosper-life/gosper/internal/energy"
	"github.com/gosper-life/gosper/internal/result"
	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/papers/internal/cat"
	_ "github.com/gosper-life/gosper/sim/reference"
)

// small makes the protocol of machines without a GPU as short as tests need it, on such a machine.
func small(t *testing.T, radii, wide []int) {
	before := onHost
	t.Cleanup(func() { onHost = before })
	onHost.side, onHost.beyondSide, onHost.radii, onHost.sizeRadii, onHost.wide = 32, 32, radii, radii, wide
	t.Setenv("CUDA_VISIBLE_DEVICES", "-1")
}

// Every method can be measured without a GPU, and rows make tables.
func TestEveryMethodOnHost(t *testing.T) {
	small(t, []int{2}, []int{17})
	var said []string
	p := Paper(Settings{Parts: []string{"radius", "beyond", "tiles"}})
	rows, err := p.Run(t.Context(), experiment.Options{Engine: "reference", Note: func(text string) {
		said = append(said, text)
	}})
	if err != nil {
		t.Fatal(err)
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
	var text strings.Builder
	if err := experiment.WriteTables(&text, p.Tables(rows)); err != nil || !strings.Contains(text.String(), "101") {
		t.Errorf("%v: %s", err, text.String())
	}
	if !strings.Contains(strings.Join(said, "\n"), "on one core instead") {
		t.Errorf("said: %q", said)
	}
}

func TestSettings(t *testing.T) {
	for _, c := range []struct {
		settings Settings
		want     string
	}{
		{Settings{Parts: []string{"everything"}}, "products"},
		{Settings{Radii: []int{16, 65}}, "radius 65: want 1 to 64"},
		{Settings{Side: -1}, "want 1 to 131072"},
		{Settings{Limit: -1}, "want more than 0"},
	} {
		if err := c.settings.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.settings, err)
		}
	}
}

// The mean power follows from the first and last readings of the meter. The number of readings does not matter.
func TestMeanPower(t *testing.T) {
	begin := time.Now()
	var readings []energy.Reading
	for ms := -1000; ms <= 1000; ms += 20 {
		watts := 100.0
		if ms > 0 {
			watts = 600
		}
		tick := float64(ms - (ms%100+100)%100) // the count is renewed ten times a second
		readings = append(readings, energy.Reading{
			At:     begin.Add(time.Duration(ms) * time.Millisecond),
			Joules: 1e3 + watts*tick/1e3, Watts: 1,
		})
	}
	if watts, ok := meanPower(readings, begin, begin.Add(time.Second)); !ok || math.Abs(watts-600) > 1 {
		t.Errorf("%v W, want 600", watts)
	}
	if watts, ok := meanPower(readings, begin.Add(-time.Second), begin); !ok || math.Abs(watts-100) > 1 {
		t.Errorf("%v W before, want 100", watts)
	}
	if watts, ok := meanPower(readings, begin, begin.Add(90*time.Millisecond)); ok {
		t.Errorf("%v W without an update of the meter", watts)
	}
	kept := sampled(readings, samplePeriod)
	if len(kept) != 21 || kept[20].At != begin.Add(time.Second) || kept[7].At != begin.Add(-300*time.Millisecond) {
		t.Errorf("%d samples: %v", len(kept), kept)
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
func TestSweep(t *testing.T) {
	if n := len(full.sizes); n != 30 || full.sizes[0] != 1024 || full.sizes[29] != 60416 {
		t.Errorf("%d sizes: %v", n, full.sizes)
	}
	p := full.protocol
	if p.Generations != 25 || p.Least != 4 || p.Most != 32 || len(full.radii) != 16 {
		t.Errorf("protocol %+v of %d radii", p, len(full.radii))
	}
}

// A run goes on where an earlier one stopped, and refuses rows of another revision of the program.
func TestGoesOn(t *testing.T) {
	small(t, []int{1}, nil)
	dir := t.TempDir()
	measure := func(methods ...string) (string, error) {
		var said []string
		_, err := Paper(Settings{Parts: []string{"radius"}}).Run(t.Context(), experiment.Options{
			Engine: "reference", Methods: methods, Folder: dir, Note: func(text string) { said = append(said, text) },
		})
		return strings.Join(said, "\n"), err
	}
	path := filepath.Join(dir, "cat.jsonl")
	if _, err := measure("BASE", "CAT"); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	said, err := measure()
	if err != nil || !strings.Contains(said, "has 2 rows, which are not measured again") {
		t.Errorf("%v: %s", err, said)
	}
	after, err := os.ReadFile(path)
	// ten methods, CAT-INT8 and Gosper's engine
	if err != nil || !bytes.HasPrefix(after, before) || bytes.Count(after, []byte("\n")) != 12 {
		t.Errorf("%v: %s", err, after)
	}
	rows, err := result.Read[experiment.Measurement](path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		rows[i].Revision = "other"
	}
	if err := result.Write(path, rows); err != nil {
		t.Fatal(err)
	}
	var bad experiment.InputError
	if _, err := measure(); !errors.As(err, &bad) || !strings.Contains(err.Error(), `rows of revision "other"`) {
		t.Errorf("rows of another revision: %v", err)
	}
}

// A method that has other cells than Gosper's engine is named and gives no row.
func TestWrongMethodGivesNoRow(t *testing.T) {
	e, err := experiment.Start(cat.Name, experiment.Options{Engine: "reference"})
	if err != nil {
		t.Fatal(err)
	}
	r := run{sweep: onHost, Run: e, device: "here"}
	i := cat.Instances()[0]
	right := job{part: "radius", method: "BASE", text: i.Notation, radius: 1, start: 0.5, side: 32}
	if err := r.jobsInTurn(t.Context(), []job{right}); err != nil || len(r.Rows()) != 1 || r.Rows()[0].Compared != 2 {
		t.Fatalf("%v: %+v", err, r.Rows())
	}
	r.after[2].Set(3, 4, 1-r.after[2].Get(3, 4))
	err = r.jobsInTurn(t.Context(), []job{right})
	if err == nil || !strings.Contains(err.Error(),
		"BASE halo=refreshed, radius 1 on 32² cells, has other cells than Gosper's engine") || len(r.Rows()) != 1 {
		t.Errorf("%v, %d rows", err, len(r.Rows()))
	}
}

// Jobs are made once, those of a universe together, and how long they take is said by part.
func TestJobs(t *testing.T) {
	jobs := full.jobs(Parts, true, 227<<10)
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
	if parts["radius"] != 16*12 || parts["power"] != 16*9 || parts["changes"] != 2*9+len(cat.KnownTiles) ||
		parts["tiles"] != 717 || parts["devices"] != 4*7 || parts["size"] != 29*4*7 ||
		parts["launches"] != 4+4+3+2+1 || parts["volume"] != 7*3 { // the other methods are those of the part radius
		t.Errorf("jobs by part: %v", parts)
	}
	limited := full
	limited.protocol.Limit = 1
	long, words := full.told(jobs)
	short, _ := limited.told(jobs)
	if long < 3600 || short > long/4 || !strings.Contains(words, "tiles: 717 measurements, ") ||
		!strings.Contains(words, " h on an H100") {
		t.Errorf("%v s, %v s with a limit: %s", long, short, words)
	}
}

// With some radii there are their measurements alone; the map of tiles has a radius of its own.
func TestOnlySomeRadii(t *testing.T) {
	some := full.only([]int{1, 16, 64})
	parts := map[string]int{}
	for _, j := range some.jobs(Parts, true, 227<<10) {
		parts[j.part]++
		if j.part != "tiles" && j.radius != 1 && j.radius != 16 && j.radius != 64 {
			t.Errorf("radius %d in %s", j.radius, j.part)
		}
	}
	if parts["radius"] != 2*12 || parts["power"] != 2*9 || parts["changes"] != 2*9 || parts["tiles"] != 717 ||
		parts["devices"] != 2*7 || parts["launches"] != 4+1 || parts["volume"] != 2*3 {
		t.Errorf("jobs by part: %v", parts)
	}
	if len(full.radii) != 16 || len(full.wide) != 5 {
		t.Error("the paper's own radii have changed")
	}
}
