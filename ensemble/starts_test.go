package ensemble

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gosper-life/gosper/pattern/builtin"
	"github.com/gosper-life/gosper/soup"
)

// TestStartsArePlaces: every start is a place beside rules and sizes, with all densities if it has any, and in
// canonical notation.
func TestStartsArePlaces(t *testing.T) {
	p, err := Spec{
		Rules: []string{"life", "highlife"}, Sizes: []string{"8", "9"}, Universes: 3, Densities: Densities{0.2, 0.4},
		Starts: Starts{"exact~1=2..6/2", "GAUSS~length=2.0", "soup", "cell~flip=0.1..0.2/0.1,set1=0.5"},
	}.Check()
	if err != nil {
		t.Fatal(err)
	}
	starts := Starts{
		"exact~1=2", "exact~1=4", "exact~1=6", "gauss~length=2", "soup", "cell~flip=0.1,set1=0.5",
		"cell~flip=0.2,set1=0.5",
	}
	if diff := cmp.Diff(starts, p.Spec.Starts); diff != "" {
		t.Error(diff)
	}
	type place struct {
		start   string
		density float64
	}
	want := []place{
		{starts[0], 0},
		{starts[1], 0},
		{starts[2], 0},
		{starts[3], 0.2},
		{starts[3], 0.4},
		{starts[4], 0.2},
		{starts[4], 0.4},
		{starts[5], 0},
		{starts[6], 0},
	}
	var got []place
	for _, at := range p.Points[9:18] {
		got = append(got, place{at.Start.String(), at.Density})
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(place{})); diff != "" || len(p.Points) != 2*2*len(want) ||
		p.Universes() != 3*len(p.Points) {
		t.Errorf("%d points, %d universes, %s", len(p.Points), p.Universes(), diff)
	}
	seen := map[Place]bool{}
	seeds := map[uint64]bool{}
	for j := range p.Jobs() {
		own, err := j.Spec.withUniverses(j.Count).Check()
		if err != nil || len(own.Points) != 1 {
			t.Fatalf("%v: %d points, %v", j, len(own.Points), err)
		}
		at := own.Points[0].Place()
		seen[at] = true
		for i := range j.Count {
			seeds[Seed("1", at, j.First+uint64(i), false)] = true
		}
	}
	if len(seen) != len(p.Points) || len(seeds) != p.Universes() {
		t.Errorf("the jobs have %d places and %d seeds", len(seen), len(seeds))
	}
	if n := len(p.EachStart()); n != 2*2*len(starts) {
		t.Errorf("%d groups to try", n)
	}
}

// TestPatternsOfStarts: a spec and its jobs have the cells of the patterns that they need, and no others.
func TestPatternsOfStarts(t *testing.T) {
	base := Spec{
		Rules: []string{"life"}, Sizes: []string{"20"}, Universes: 4,
		Patterns: map[string]string{"mine": " 3o!\n", "other": "o!", "wide": "30o!", "letters": "AC!"},
	}
	spec := base
	spec.Starts = Starts{"pattern~flip=0..0.2/0.1,of=mine", "repeat~of=glider,x=5", "cell"}
	p, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Starts{
		"pattern~of=mine", "pattern~of=mine,flip=0.1", "pattern~of=mine,flip=0.2",
		"repeat~of=glider,x=5", "cell",
	}, p.Spec.Starts); diff != "" {
		t.Error(diff)
	}
	glider, _ := builtin.Lookup("glider")
	all := map[string]string{"mine": "3o!", "glider": strings.TrimSpace(glider.RLE)}
	if diff := cmp.Diff(all, p.Spec.Patterns); diff != "" {
		t.Error(diff)
	}
	for j := range p.Jobs() {
		start, err := soup.ParseStart(strings.Join(j.Spec.Starts, ""))
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string(nil)
		if name := start.PatternName(); name != "" {
			want = map[string]string{name: all[name]}
		}
		if diff := cmp.Diff(want, j.Spec.Patterns); diff != "" {
			t.Errorf("%v: %s", start, diff)
		}
		again, err := DecodeJob(j.Encode())
		if err != nil || again.Key() != j.Key() {
			t.Errorf("%v is decoded as %v, %v", j, again, err)
		}
	}
	more := spec
	more.Patterns = map[string]string{"mine": "2o!"}
	if q, err := more.Check(); err != nil || q.Hash() == p.Hash() {
		t.Errorf("other cells have the same hash, or %v", err)
	}
	if q, err := p.Spec.Check(); err != nil || q.Hash() != p.Hash() {
		t.Errorf("the canonical spec has another hash, or %v", err)
	}
	for text, want := range map[string]string{
		"pattern":                "start pattern: name its pattern, as in pattern~of=glider",
		"pattern~of=glidr":       `there is no pattern "glidr"`,
		"pattern~of=":            "want the name of a pattern",
		"cell~of=glider":         "want flip=P",
		"pattern~of=wide":        "30×1 cells do not fit the torus of 20×20",
		"repeat~of=mine,x=2":     "3×1 cells do not fit a period of 2×1",
		"pattern~of=letters":     "the pattern has cells in state 3",
		"pattern~of=mine,flip=2": "want a number from 0 to 1",
	} {
		spec := base
		spec.Starts = Starts{text}
		if _, err := spec.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
	spec = base
	spec.Starts, spec.Patterns = Starts{"pattern~of=mine"},
		map[string]string{"mine": "o!" + strings.Repeat(" ", 1<<18) + "x"}
	if _, err := spec.Check(); err == nil || !strings.Contains(err.Error(), "262147 bytes of RLE, want at most 262144") {
		t.Errorf("a long pattern: %v", err)
	}
}

func (s Spec) withUniverses(n int) Spec {
	s.Universes = n
	return s
}

// TestOneStartIsAText: specs of a single start are written as they were before there could be several, so they
// keep their hashes.
func TestOneStartIsAText(t *testing.T) {
	for text, want := range map[string]string{
		`"start":"cell"`: `"start":"cell"`, `"start":["cell"]`: `"start":"cell"`, `"start":"soup"`: ``,
		`"start":["soup"]`: ``, `"paired":false`: ``,
		`"start":["soup","cell"]`: `"start":["soup","cell"]`, `"start":"exact~1=1..2/1"`: `"start":["exact~1=1","exact~1=2"]`,
	} {
		spec, err := Parse("a.json", []byte(`{"rules":["life"],"sizes":["8"],"universes":1,`+text+`}`))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		p, err := spec.Check()
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		canonical, err := json.Marshal(p.Spec)
		if err != nil || strings.Contains(string(canonical), `"start"`) != (want != "") ||
			!strings.Contains(string(canonical), want) {
			t.Errorf("%s becomes %s, %v", text, canonical, err)
		}
	}
}

// TestSeedsOfStarts: soups and single cells have the seeds of old, others have their start in the text.
func TestSeedsOfStarts(t *testing.T) {
	// sha256sum of "1|B3/S23|T64,64|64|64|0.3|gauss~length=8|7" begins with these bytes.
	at := Place{"B3/S23", "T64,64", 64, 64, 0, 0.3, "gauss~length=8"}
	if got := Seed("1", at, 7, false); got != 0xa4d1d957f163fe73 {
		t.Errorf("seed %#x", got)
	}
	if got := Seed("1", at, 7, true); got != 0x2b491b75c4d03827 {
		t.Errorf("paired: seed %#x", got)
	}
	for _, start := range []string{"", "soup", "cell"} {
		if at.Start = start; Seed("1", at, 7, false) != 0x614a7a8b2dae0780 {
			t.Errorf("start %q has another seed than a soup", start)
		}
	}
}

func TestStartsThatAreWrong(t *testing.T) {
	base := Spec{Rules: []string{"life"}, Sizes: []string{"8"}, Universes: 1}
	for text, want := range map[string]string{
		"gaus":                       "want one of soup, exact",
		"exact~1=1..3":               `start "exact~1=1..3": 1=1..3: want a number, or a range FIRST..LAST/STEP`,
		"exact~1=0..60000/1":         "60001 values are too many",
		"exact~1=1..200/1,2=1..99/1": "its ranges make more than 10000 starts",
		"exact~1=63..66/1":           "65 cells are more than the 8×8 there are",
		"shares~2=0.5":               "state 2 is not among the rule's states",
		"cell cell":                  "want one of soup",
		"cell|CELL":                  "start cell is listed twice",
	} {
		s := base
		s.Starts = strings.Split(text, "|")
		if _, err := s.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
	base.Starts, base.Densities = Starts{"cell", "exact~1=5"}, Densities{0.3}
	if _, err := base.Check(); err == nil || !strings.Contains(err.Error(),
		"start exact~1=5 says how many cells are alive: leave densities out") {
		t.Errorf("densities without a start that has one: %v", err)
	}
	if _, err := Parse("a.json", []byte(`{"start": 5}`)); err == nil ||
		!strings.Contains(err.Error(), `key "start": want a text or a list of texts, not 5`) {
		t.Errorf("got %v", err)
	}
}
