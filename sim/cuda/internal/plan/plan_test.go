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
	if want := (Plan{Depth: 12, Words: 2, Unroll: 3, Stages: 1, Rows: 280}); p != want || err != nil ||
		p.String() != text {
		t.Errorf("got %+v, %v", p, err)
	}
	for _, bad := range []string{
		"", "stream", text + ",", " " + text,
		"stream,depth=+12,words=2,unroll=3,stages=1,kept=0,rows=280",
	} {
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
	for _, bad := range []string{
		"patches", text + ",", text + ",recompute", "patches,depth=8,words=3,rows=10",
		"patches,depth=8,words=4,rows=25", "patches,depth=0,words=4,rows=10",
	} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("%q is taken for a plan", bad)
		}
	}
}

// Every text that is accepted as a plan prints unchanged, and is a valid plan.
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
		if got := stripRows(c.height, 1, func(rows int) int {
			return c.across * ((c.height + rows - 1) / rows)
		}, 132, c.resident, c.warmUp, c.lone, c.uneven); got != c.want {
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

// These plans are chosen for a universe of 65536², apart from the rows of a strip. On an H200 they were the fastest
// of the plans that were measured.
func TestChoose(t *testing.T) {
	top := topology.Topology{Kind: topology.Torus, W: 65536, H: 65536}
	for notation, want := range map[string]Plan{
		"B3/S23":                    {Depth: 12, Words: 2, Unroll: 3, Stages: 1},
		"B36/S23":                   {Depth: 12, Words: 2, Unroll: 3, Stages: 1},
		"B2-a/S12":                  {Depth: 10, Words: 2, Unroll: 3, Stages: 1},
		"B2n3/S23-q":                {Depth: 8, Words: 2, Unroll: 3, Stages: 1},
		"/2/3":                      {Depth: 7, Words: 2, Unroll: 3, Stages: 1},
		"345/2/7":                   {Depth: 6, Words: 2, Unroll: 3, Stages: 1},
		"R2,C0,M0,S7..12,B8..11,NM": {Depth: 3, Words: 2, Unroll: 5, Stages: 1},
		// depth=1,unroll=7,kept=0 is 21 % slower
		"R3,C0,M0,S15..26,B15..22,NM":        {Depth: 2, Words: 2, Unroll: 7, Stages: 1, Kept: 3},
		"R3,C2,S5-9,B4-6,NB":                 {Depth: 2, Words: 2, Unroll: 5, Stages: 1},
		"R3,C2,S3-8,B3-4,N*":                 {Depth: 2, Words: 2, Unroll: 6, Stages: 1},
		"R5,C0,M1,S34..58,B34..45,NM":        {Depth: 1, Words: 2, Unroll: 4, Stages: 1},
		"R5,C0,M0,S35..59,B34..45,NM":        {Depth: 1, Words: 2, Unroll: 4, Stages: 1},
		"R10,C0,M0,S122..211,B123..170,NM":   {Depth: 1, Words: 2, Unroll: 7, Stages: 1, Kept: 2},
		"R16,C0,M0,S170..296,B170..300,NM":   {Depth: 1, Words: 1, Unroll: 11, Stages: 1, Kept: 3},
		"R20,C0,M0,S537..924,B537..756,NM":   {Depth: 1, Words: 1, Unroll: 7, Stages: 1, Kept: 2},
		"R24,C0,M0,S768..1320,B768..1080,NM": {Depth: 1, Words: 1, Unroll: 7, Stages: 1, Kept: 2},
		// those that read old rows again
		"R32,C0,M0,S1352..2323,B1352..1901,NM":      {Depth: 1, Words: 2, Unroll: 3, Stages: 1, Recompute: true},
		"R40,C0,M1,S1500..2700,B1800..2500,NM":      {Depth: 1, Words: 2, Unroll: 3, Stages: 1, Recompute: true},
		"R64,C0,M0,S5325..9152,B5325..7488,NM":      {Depth: 1, Words: 2, Unroll: 3, Stages: 1, Recompute: true},
		"R110,C0,M0,S15629..26862,B15629..21978,NM": {Depth: 1, Words: 2, Unroll: 3, Stages: 1, Recompute: true},
		// unroll=3 is 27 % slower
		"R200,C0,M0,S51456..88440,B51456..72360,NM":     {Depth: 1, Words: 2, Unroll: 2, Stages: 1, Recompute: true},
		"R500,C0,M0,S320640..551100,B320640..450900,NM": {Depth: 1, Words: 4, Unroll: 1, Stages: 1, Recompute: true},
		// diamonds
		"R6,C0,M0,S30..50,B30..45,NN":               {Depth: 1, Words: 2, Unroll: 7, Stages: 1},
		"R10,C0,M0,S70..121,B70..99,NN":             {Depth: 1, Words: 2, Unroll: 7, Stages: 1},
		"R50,C0,M0,S1500..2500,B1700..2300,NN":      {Depth: 1, Words: 2, Unroll: 3, Stages: 1},
		"R70,C0,M0,S3181..5467,B3181..4473,NN":      {Depth: 1, Words: 2, Unroll: 3, Stages: 1},
		"R80,C0,M0,S4000..6000,B4500..5500,NN":      {Depth: 1, Words: 2, Unroll: 3, Stages: 1, Recompute: true},
		"R100,C0,M0,S6464..11110,B6464..9090,NN":    {Depth: 1, Words: 2, Unroll: 3, Stages: 1, Recompute: true},
		"R200,C0,M0,S25728..44220,B25728..36180,NN": {Depth: 1, Words: 2, Unroll: 3, Stages: 1, Recompute: true},
		"B3/S23~flip=0.001":                         {Depth: 8, Words: 2, Unroll: 4, Stages: 1, Drawn: true},
	} {
		got, err := Programs{}.Choose(sim.Config{Rule: mustParse(t, notation), Topology: top})
		if got != want || err != nil {
			t.Errorf("%s: %v, %v, want %v", notation, got, err, want)
		}
	}
}

// Volumes take the words that waste the fewest lanes and registers. Those of radius 1, 2 and 5 are the fastest of those
// measured on an H200.
func TestChooseVolumes(t *testing.T) {
	for _, c := range []struct {
		rule string
		side int
		want Plan
	}{
		{"3D4,5/5", 256, Plan{Depth: 1, Words: 2, Unroll: 3, Stages: 1, Block: 4}},
		{"3D4,5/5", 1024, Plan{Depth: 1, Words: 2, Unroll: 3, Stages: 1, Block: 4}},
		{"3D4,5/5", 4096, Plan{Depth: 1, Words: 4, Unroll: 3, Stages: 1, Block: 4}}, // one strip, closed to a ring
		{"3D4,5/5", 8192, Plan{Depth: 1, Words: 4, Unroll: 3, Stages: 1, Block: 4}},
		{"4/4/5/M", 2048, Plan{Depth: 1, Words: 2, Unroll: 2, Stages: 1, Block: 4}},
		{"3DR2,C0,M0,S25..43,B25..35,NM", 1024, Plan{Depth: 1, Words: 1, Unroll: 5, Stages: 1, Block: 4}},
		{"3DR2,C0,M0,S25..43,B25..35,NM", 2048, Plan{Depth: 1, Words: 2, Unroll: 5, Stages: 1, Block: 4}},
		{"3DR5,C0,M1,S380..700,B405..520,NM", 1024, Plan{Depth: 1, Words: 1, Unroll: 4, Stages: 1, Kept: 2, Block: 4}},
		{"3DR16,C0,M0,S9000..18000,B10000..16000,NM", 512, Plan{Depth: 1, Words: 1, Unroll: 1, Stages: 1, Recompute: true}},
	} {
		top, err := topology.NewVolume(topology.Torus, c.side, c.side, c.side)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Programs{}.Choose(sim.Config{Rule: mustParse(t, c.rule), Topology: top})
		if got != c.want || err != nil {
			t.Errorf("%s, %d³: %v, %v, want %v", c.rule, c.side, got, err, c.want)
		}
		f, err := Programs{}.Of(sim.Config{Rule: mustParse(t, c.rule), Topology: top}, got)
		if err != nil {
			t.Fatal(err)
		}
		got.Settle(f, top, 1, 0, 132, 8) // more devices than layers, which Divisible refuses
		got.Rows = 7
		if again, err := Parse(got.String()); again != got || err != nil {
			t.Errorf("%v: %v, %v", got, again, err)
		}
	}
}

// The stages are known before a kernel is compiled where they do not depend on how many strips of it a
// multiprocessor of an H200 holds.
func TestLikelyStages(t *testing.T) {
	for _, c := range []struct {
		rule string
		size int
		want int
	}{
		{"B3/S23", 1024, 2},
		{"B3/S23", 16384, 2},
		{"B3/S23", 32768, 2},
		{"B3/S23", 65536, 1},
		{"B2-a/S12", 16384, 2},
		{"B2-a/S12", 32768, 1},                    // two, if it holds 12 strips
		{"R5,C0,M0,S35..59,B34..45,NM", 16384, 1}, // one generation a pass
		{"B3/S23~flip=0.001", 16384, 1},           // random bits
	} {
		cfg := sim.Config{Rule: mustParse(t, c.rule), Topology: topology.Topology{Kind: topology.Torus, W: c.size, H: c.size}}
		ps := Programs{}
		p, err := ps.Choose(cfg)
		if err != nil {
			t.Fatal(err)
		}
		f, err := ps.Of(cfg, p)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.LikelyStages(f, cfg.Topology, c.size, 132); got != c.want {
			t.Errorf("%s on %d²: %d, want %d", c.rule, c.size, got, c.want)
		}
		for _, resident := range []int{8, 9, 12, 16, 32} {
			if p.Settle(f, cfg.Topology, 1, c.size, 132, resident); c.want == 2 && p.Stages != 2 {
				t.Errorf("%s on %d²: %d stages where %d strips are held", c.rule, c.size, p.Stages, resident)
			}
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
