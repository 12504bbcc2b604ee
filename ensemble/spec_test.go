package ensemble

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	want := Spec{
		Rules: []string{"B3/S23", "highlife"}, Sizes: []string{"64", "T30+5,20"}, Densities: Densities{0.1, 0.2, 0.3, 0.5},
		Universes: 100, Generations: 1000, Every: 10, Measures: []string{"clusters", "settling"}, Cap: 20000, Paired: true,
	}
	for name, text := range map[string]string{
		"a.toml": `
			rules = ["B3/S23", "highlife"] # the two
			sizes = ["64", "T30+5,20"]
			densities = ["0.1..0.3/0.1", 0.5]
			universes = 100
			generations = 1000
			every = 10
			measures = ["clusters", "settling"]
			cap = 20000
			paired = true`,
		"a.json": `{"rules": ["B3/S23", "highlife"], "sizes": ["64", "T30+5,20"], "densities": ["0.1..0.3/0.1", 0.5],
			"universes": 100, "generations": 1000, "every": 10, "measures": ["clusters", "settling"], "cap": 20000, "paired": true}`,
	} {
		got, err := Parse(name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(name, diff)
		}
		if _, err := got.Check(); err != nil {
			t.Error(err)
		}
	}
}

func TestSpecsRefused(t *testing.T) {
	const rest = "rules=[\"B3/S23\"]\nsizes=[\"64\"]\nuniverses=1\n"
	for text, want := range map[string]string{
		rest + `densty = [0.5]`:                                     `a.toml: unknown key "densty"; want one of rules, rule_files, sizes, topology, densities, start, patterns, universes, root,`,
		rest + `generations = "many"`:                               `a.toml: key "generations": want a whole number from 0 on, not "many"`,
		rest + `generations = -1`:                                   `a.toml: key "generations": want a whole number from 0 on, not -1`,
		rest + `densities = 0.5`:                                    `a.toml: key "densities": want a list of numbers and ranges, not 0.5`,
		rest + `densities = [1.5]`:                                  `density "1.5": densities are from 0 to 1`,
		rest + `densities = ["0.1..0.9"]`:                           `density "0.1..0.9": want a number, or a range FIRST..LAST/STEP`,
		rest + `densities = ["0..1/1e-9"]`:                          "want at most 10000",
		rest + `densities = [0.5, 0.5]`:                             "density 0.5 is listed twice: its universes would be counted twice",
		"rules=[\n":                                                 "a.toml: line 1: ",
		`rules = ["B3/S23"]`:                                        "no sizes: give at least one, like 64 or 100x63",
		`sizes = ["64"]`:                                            "no rules: name at least one, like B3/S23",
		"rules=[\"B3/S23\"]\nsizes=[\"64\"]":                        "universes 0: want 1 or more",
		"rules=[\"B3/S23\", \"life\"]\nsizes=[\"64\"]\nuniverses=1": "rule B3/S23 is listed twice",
		"rules=[\"B3/Z\"]\nsizes=[\"64\"]\nuniverses=1":             `rule "B3/Z", character 4`,
		"rules=[\"B3/S23:T9\"]\nsizes=[\"64\"]\nuniverses=1":        "give sizes and topologies separately",
		"rules=[\"B3/S23\"]\nsizes=[\"64y\"]\nuniverses=1":          `size "64y": want W, WxH, WxHxD, or a bounded grid`,
		"rules=[\"B3/S23\"]\nsizes=[\"T0\"]\nuniverses=1":           `size "T0": universes of an ensemble are bounded, or start from W×H cells on the unbounded plane (topology unbounded)`,
		rest + `topology = "donut"`:                                 `unknown topology "donut": allowed are unbounded, torus, plane`,
		rest + `measures = ["entrpy"]`:                              `unknown measure "entrpy"; want one of density, activity, entropy, correlation, clusters, kinetics, percolation, settling, census`,
		rest + `block = 2`:                                          "block is an option of entropy: add that to the measures",
		rest + "measures = [\"entropy\"]\nblock = 5":                "block 5: want 1 to 4",
		"rules=[\"B3/S23\"]\nsizes=[\"8x2\", \"P8,2\"]\nuniverses=1\nblock=3\nmeasures=[\"entropy\"]": "block 3 is too large for a universe of 8×2 cells",
		rest + "measures = [\"clusters\"]\nconnectivity = 5":                                          `connectivity "5": want 8, 6 or 4`,
		rest + "measures = [\"correlation\"]\ndistance = 33":                                          "distance 33: want 1 to half the smallest side, 32",
		rest + "measures = [\"settling\"]\ncap = 100":                                                 "cap 100: want at least 256",
		rest + "times = [5]":                                                           "time 5 is later than the last generation, 0",
		rest + "generations = 10000000\nevery = 1":                                     "10000001 samples of each universe: want at most 1048576",
		rest + `start = "glider"`:                                                      `start "glider": want one of soup, exact`,
		rest + `start = "repeat~x=9"`:                                                  "start repeat~x=9: name its pattern, as in pattern~of=glider",
		rest + `start = "exact~1=4097"`:                                                "4097 cells are more than the 64×64 there are",
		rest + `start = "shares~2=0.1"`:                                                "state 2 is not among the rule's states",
		rest + "start = \"cell\"\ndensities = [0.2]":                                   "start cell says how many cells are alive: leave densities out",
		rest + "start = \"cell\"\nmeasures = [\"census\"]":                             "measure census: it counts what soups settle into, and start is cell",
		rest + "waiting = [1]":                                                         "waiting is an option of twotime: add that to the measures",
		rest + "measures = [\"twotime\"]":                                              "measure twotime: waiting says from which generations on, like 10,100",
		rest + "generations = 9\nwaiting = [10]\nmeasures = [\"twotime\"]":             "time 10 is later than the last generation, 9",
		rest + "waiting = [0]\nmeasures = [\"twotime\"]\nkeep = true":                  "so leave keep out",
		rest + "damage_at = 1":                                                         "damage_at is an option of damage: add that to the measures",
		rest + "damage_at = 99999999\nmeasures=[\"damage\"]":                           "damage_at 99999999 is later than the last generation",
		rest + "measures=[\"avalanches\"]":                                             "measure avalanches: want rules Sandpile",
		"rules=[\"Sandpile\"]\nsizes=[\"64\"]\nuniverses=1\nmeasures=[\"avalanches\"]": "want a plane, beyond whose edges grains are lost, not T64",
		rest + "damage = 0.5":                                                          "damage is an option of damage: add that to the measures",
		rest + "damage = 1.5\nmeasures=[\"damage\"]":                                   "damage 1.5: want a share of cells, 0 to 1",
		rest + "generations = 10\nwarmup = 11":                                         "warmup 11: want at most the generation of the last sample, 10",
		"rules=[\"B3/S23\"]\nsizes=[\"P64\"]\nuniverses=1\nmeasures=[\"mutual\"]":      "measure mutual: want tori without a shift, not P64",
		"rules=[\"B3/S23\"]\nsizes=[\"T64\"]\nuniverses=1\ntopology=\"unbounded\"":     `size "T64": want W or WxH, the size of the start, on the unbounded plane`,
		rest + "topology = \"unbounded\"\nmeasures=[\"percolation\"]":                  "measure percolation: on the unbounded plane, whose cells cannot be counted and where nothing wraps, want clusters, settling, census, spreading",
		rest + "topology = \"unbounded\"\nkeep = true":                                 "keep: universes on the unbounded plane do not keep their last states",
		rest + "topology = \"Unbounded\"\ndump = \"0\"":                                "dump: universes on the unbounded plane have no size that an array could have",
		rest + "per_job = 100000":                                                      "per_job 100000: want 1 to 65536",
	} {
		spec, err := Parse("a.toml", []byte(text))
		if err == nil {
			_, err = spec.Check()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	if _, err := Parse("a.yaml", nil); err == nil || !strings.Contains(err.Error(),
		"the extension must be .json or .toml") {
		t.Errorf("got %v", err)
	}
	if _, err := Parse("a.json", []byte("{} {}")); err == nil {
		t.Error("two values were read as one")
	}
}

func TestSeeds(t *testing.T) {
	// sha256sum of "1|B3/S23|T64,64|64|64|0.3|7" and of "1|7" begin with these bytes.
	at := Place{"B3/S23", "T64,64", 64, 64, 0, 0.3, "soup"}
	for _, c := range []struct {
		paired bool
		want   uint64
	}{{false, 0x614a7a8b2dae0780}, {true, 0x2b491b75c4d03827}} {
		if got := Seed("1", at, 7, c.paired); got != c.want {
			t.Errorf("paired %v: seed %#x, want %#x", c.paired, got, c.want)
		}
	}
}

func TestHashesOfWhatMatters(t *testing.T) {
	base := Spec{Rules: []string{"life"}, Sizes: []string{"64"}, Universes: 1000, Generations: 100}
	hash := func(change func(s *Spec)) string {
		s := base
		change(&s)
		p, err := s.Check()
		if err != nil {
			t.Fatal(err)
		}
		return p.Hash()
	}
	same := hash(func(*Spec) {})
	for name, change := range map[string]func(s *Spec){
		"another spelling": func(s *Spec) { s.Rules, s.Sizes, s.Topology = []string{"b3s23"}, []string{"T64"}, "" },
		"defaults": func(s *Spec) {
			s.Root, s.Densities, s.Measures, s.Times = "1", Densities{0.5}, []string{"density"}, []uint64{}
		},
		"size of jobs": func(s *Spec) { s.PerJob = 7 },
		"kept states":  func(s *Spec) { s.Keep = true },
	} {
		if hash(change) != same {
			t.Errorf("%s: another hash", name)
		}
	}
	for name, change := range map[string]func(s *Spec){
		"root":     func(s *Spec) { s.Root = "2" },
		"paired":   func(s *Spec) { s.Paired = true },
		"measures": func(s *Spec) { s.Measures = []string{"clusters"} },
		"times":    func(s *Spec) { s.Every = 10 },
		"edges":    func(s *Spec) { s.Topology = "unbounded" },
	} {
		if hash(change) == same {
			t.Errorf("%s: the same hash", name)
		}
	}
}

func TestJobsCoverEveryUniverseOnce(t *testing.T) {
	spec := Spec{
		Rules: []string{"life", "highlife"}, Sizes: []string{"8", "9"}, Densities: Densities{0.2, 0.4},
		Universes: 10, PerJob: 4,
	}
	p, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	seen, hashes := map[string]int{}, map[string]bool{}
	n := 0
	for j := range p.Jobs() {
		n++
		hashes[j.Key()] = true
		for i := range j.Count {
			seen[strings.Join([]string{j.Spec.Rules[0], j.Spec.Sizes[0]}, " ")+" "+string(rune('0'+int(j.First)+i))]++
		}
	}
	if n != p.JobCount() || n != 24 || len(hashes) != n {
		t.Errorf("%d jobs with %d hashes, JobCount %d, want 24", n, len(hashes), p.JobCount())
	}
	for name, times := range seen {
		if times != 2 { // two densities
			t.Errorf("%s: %d times", name, times)
		}
	}
}

// TestJobsHaveRoom: a job never holds more than it has room for, with any number of samples.
func TestJobsHaveRoom(t *testing.T) {
	base := Spec{Rules: []string{"life"}, Sizes: []string{"16"}, Universes: 5000, Generations: 1 << 20}
	for every, want := range map[uint64]int{0: 128, 1 << 10: 128, 64: 128, 2: 31} {
		spec := base
		spec.Every = every
		p, err := spec.Check()
		if err != nil {
			t.Fatal(err)
		}
		if p.Spec.PerJob != want {
			t.Errorf("%d samples: %d universes a job, want %d", len(p.Times), p.Spec.PerJob, want)
		}
	}
}

// TestSpread: of many rules some are tried, spread over all, of few all.
func TestSpread(t *testing.T) {
	for n, want := range map[int]int{1: 1, 5: 5, 64: 64, 65: 64, 20000: 64} {
		p := &Study{Points: make([]Point, 3*n), Spec: Spec{Sizes: []string{"64"}, Densities: Densities{0.1, 0.2, 0.3}}}
		for i := range p.Points {
			p.Points[i].Density = float64(i)
		}
		p.begins = []begin{{first: true}, {}, {}}
		for i := range n {
			p.chunks = append(p.chunks, span{i, i + 1})
		}
		chosen := p.EachRule()
		last := chosen[len(chosen)-1].First
		if len(chosen) != want || chosen[0].First != 0 || last < 3*(n-n/50-1) || last >= 3*n || last%3 != 0 ||
			chosen[0].Points[0].Density != 0 {
			t.Errorf("of %d: %d, the last %d", n, len(chosen), last)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("a.toml", "rules=[\"B3/S23\"]\nsizes=[\"64\"]\nuniverses=1\ndensities=[\"0.1..0.3/0.1\"]")
	f.Add("a.json", `{"rules":["B3/S23"],"sizes":["64"],"universes":3,"times":[1]}`)
	f.Add("a.json", `{"rules":["Potts~q=2..4/1,T=0.5..1/0.25"],"sizes":["64"],"universes":3}`)
	f.Fuzz(func(t *testing.T, name, text string) {
		spec, err := Parse(name, []byte(text))
		if err != nil {
			return
		}
		study, err := spec.Check()
		if err != nil {
			return
		}
		// A checked spec is canonical: checking it again changes nothing.
		again, err := study.Spec.Check()
		if err != nil {
			t.Fatalf("%v of the canonical spec", err)
		}
		if again.Hash() != study.Hash() {
			t.Errorf("the canonical spec has another hash: %s", cmp.Diff(study.Spec, again.Spec))
		}
	})
}

// TestKineticsGoOn: universes go on only if their next sample follows one of the states that were kept.
func TestKineticsGoOn(t *testing.T) {
	study := func(generations uint64, times ...uint64) *Study {
		p, err := Spec{
			Rules: []string{"life"}, Sizes: []string{"16"}, Universes: 2, Generations: generations, Times: times, Keep: true,
			Measures: []string{"kinetics"},
		}.Check()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	const refused = "measure kinetics compares each sample with the one before: the samples up to generation 8 have to be " +
		"the same as before, with one of that generation"
	for _, c := range []struct {
		before, after []uint64
		want          string
	}{
		{[]uint64{2, 8}, []uint64{2, 8, 20}, ""},
		{[]uint64{2, 6}, []uint64{2, 6, 20}, refused},
		{[]uint64{2, 8}, []uint64{8, 20}, refused},
	} {
		got := ""
		goesOn, err := study(20, c.after...).GoesOn(study(8, c.before...))
		if err != nil {
			got = err.Error()
		}
		if !goesOn || got != c.want {
			t.Errorf("from %v to %v: %v, %q, want %q", c.before, c.after, goesOn, got, c.want)
		}
	}
}

func TestSideOfPlaces(t *testing.T) {
	for want, p := range map[float64]Place{
		6: {Topology: "T3,12", Width: 3, Height: 12}, 16: {Topology: "T16,16,16", Width: 16, Height: 256},
		30: {Topology: "P30,30,30", Width: 30, Height: 900}, 4: {Topology: "T0", Width: 4, Height: 4},
	} {
		if got := p.Side(); got != want {
			t.Errorf("%v has sides of %v, want %v", p, got, want)
		}
	}
}
