package plan

import (
	"strings"
	"testing"

	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

func TestParsePlan(t *testing.T) {
	const text = "stream,depth=12,words=2,unroll=3,stages=1,kept=0,rows=280"
	p, err := Parse(text)
	if want := (Plan{Depth: 12, Words: 2, Unroll: 3, Stages: 1, Rows: 280}); p != want || err != nil || p.String() != text {
		t.Errorf("got %+v, %v", p, err)
	}
	for _, bad := range []string{"", "stream", text + ",", " " + text, "stream,depth=+12,words=2,unroll=3,stages=1,kept=0,rows=280"} {
		if _, err := Parse(bad); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestParsePatches(t *testing.T) {
	const text = "patches,depth=8,words=4,rows=10"
	p, err := Parse(text)
	if want := (Plan{Patches: true, Depth: 8, Words: 4, Rows: 10}); p != want || err != nil || p.String() != text {
		t.Errorf("got %+v, %v", p, err)
	}
	for _, bad := range []string{"patches", text + ",", text + ",recompute", "patches,depth=8,words=3,rows=10", "patches,depth=8,words=4,rows=25", "patches,depth=0,words=4,rows=10"} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("%q is taken for a plan", bad)
		}
	}
}

// Whatever is taken for a plan prints as it was written, and can be one.
func FuzzParse(f *testing.F) {
	f.Add("stream,depth=12,words=2,unroll=3,stages=1,kept=0,rows=280")
	f.Add("stream,depth=1,words=4,unroll=1,stages=1,kept=0,rows=2048,recompute,chunk=256")
	f.Add("patches,depth=8,words=4,rows=10")
	f.Add("stream,depth=1,words=3,unroll=1,stages=1,kept=0,rows=1,chunk=-1")
	f.Fuzz(func(t *testing.T, text string) {
		if p, err := Parse(text); err == nil && (p.String() != text || p.Rows < 1 || p.Chunk < 0 || p.Words > 4) {
			t.Errorf("%q: %+v", text, p)
		}
	})
}

// The plans of an H200: 132 multiprocessors.
func TestStripRows(t *testing.T) {
	for _, c := range []struct {
		name                             string
		height, across, resident, warmUp int
		lone, uneven                     float64
		want                             int
	}{
		{"two strips a scheduler in one round", 65536, 34, 8, 24, 0.1, 0, 2115},
		{"one strip a scheduler, as short ones would mostly warm up", 16384, 9, 8, 24, 0.1, 0, 283},
		{"three full rounds, as strips at the edges of a plane take longer", 65536, 34, 8, 24, 0.1, 0.13, 705},
		{"a small plane", 16384, 9, 8, 24, 0.1, 0.13, 283},
		{"a universe of one strip", 1024, 1, 16, 16, 0.1, 0, 2},
		{"fewer rows than multiprocessors", 3, 1, 16, 16, 0.1, 0, 1},
	} {
		if got := stripRows(c.height, func(rows int) int { return c.across * ((c.height + rows - 1) / rows) }, 132, c.resident, c.warmUp, c.lone, c.uneven); got != c.want {
			t.Errorf("%s: %d rows, want %d", c.name, got, c.want)
		}
	}
}

func TestWordsFor(t *testing.T) {
	for suffix, want := range map[string]int{
		"T1024,5": 1, "T2048,5": 2, "T4096,5": 4, "T128,5": 2, "T96,5": 1, "T97,5": 2, "P96,5": 2, "K96*,5": 2,
	} {
		top, err := topology.Parse(suffix)
		if err != nil {
			t.Fatal(err)
		}
		if got := wordsFor(top); got != want {
			t.Errorf("%s: %d words, want %d", suffix, got, want)
		}
	}
}

// What is chosen for a universe of 65536², but for the rows of a strip.
func TestChoose(t *testing.T) {
	top := topology.Topology{Kind: topology.Torus, W: 65536, H: 65536}
	for notation, want := range map[string]Plan{
		"B3/S23":                               {Depth: 12, Words: 2, Unroll: 3, Stages: 1},
		"R5,C0,M0,S35..59,B34..45,NM":          {Depth: 1, Words: 2, Unroll: 4, Stages: 1},
		"R16,C0,M0,S170..296,B170..300,NM":     {Depth: 1, Words: 1, Unroll: 11, Stages: 1, Kept: 3},
		"R40,C0,M1,S1500..2700,B1800..2500,NM": {Depth: 1, Words: 2, Unroll: 3, Stages: 1, Recompute: true},
		"R50,C0,M0,S1500..2500,B1700..2300,NN": {Depth: 1, Words: 2, Unroll: 3, Stages: 1},
		"R80,C0,M0,S4000..6000,B4500..5500,NN": {Depth: 1, Words: 2, Unroll: 3, Stages: 1, Recompute: true},
	} {
		got, err := Programs{}.Choose(sim.Config{Rule: mustParse(t, notation), Topology: top})
		if got != want || err != nil {
			t.Errorf("%s: %v, %v, want %v", notation, got, err, want)
		}
	}
}

// Patches of an H200: 132 multiprocessors.
func TestChoosePatches(t *testing.T) {
	for _, c := range []struct {
		rule, topology string
		want           string // empty if there is none
	}{
		{"B3/S23", "T512,512", "patches,depth=16,words=2,rows=2"},
		{"B3/S23", "T1024,1024", "patches,depth=16,words=2,rows=3"},
		{"B3/S23", "T2048,2048", "patches,depth=16,words=4,rows=4"},
		{"B3/S23", "T4096,4096", "patches,depth=12,words=4,rows=11"},
		{"B3/S23", "T8192,8192", ""}, // too large
		{"B3/S23", "T1000,1000", "patches,depth=16,words=2,rows=3"},
		{"B3/S23", "T31,512", ""}, // narrower than a word
		{"B3/S23", "P512,512", ""},
		{"B3/S23", "T512+3,512", ""},
		{"R5,C0,M1,S34..58,B34..45,NM", "T512,512", ""}, // running sums
		{"B3/S23~flip=0.001", "T512,512", ""},
	} {
		top, err := topology.Parse(c.topology)
		if err != nil {
			t.Fatal(err)
		}
		p, ok := Programs{}.ChoosePatches(sim.Config{Rule: mustParse(t, c.rule), Topology: top}, 132)
		if ok != (c.want != "") || ok && p.String() != c.want {
			t.Errorf("%s on %s: %v, %v, want %q", c.rule, c.topology, p, ok, c.want)
		}
	}
}
