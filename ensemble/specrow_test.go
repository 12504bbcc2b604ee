package ensemble

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func parsed(t *testing.T, text string) *Study {
	t.Helper()
	spec, err := Parse("spec.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	p, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const refined = `
rules = ["Ising~T=2.1..2.4/0.1"]
sizes = ["16", "32"]
universes = 5
generations = 100
every = 10
warmup = 50
measures = ["magnetisation", "structure"]

[[rows]]
rules = ["Ising~T=2.25"]
universes = 20

[[rows]]
rules = ["Ising~T=2.25..2.27/0.02"]
sizes = ["64"]
universes = 8
generations = 400
every = 0
times = ["100..400/x2"]
warmup = 100
`

// TestRows: rows have the places, universes and times that they say, and inherit the rest. Their jobs are those of
// ensembles without rows. The canonical spec means the same.
func TestRows(t *testing.T) {
	p := parsed(t, refined)
	var got []string
	for _, r := range p.Rows() {
		for _, at := range r.Points {
			got = append(got, fmt.Sprintf("%v %v %d %v %d", at.Rule, at.Topology, r.Spec.Universes, r.Times[len(r.Times)-2:],
				*r.Spec.Warmup))
		}
	}
	want := []string{
		"Ising~T=2.1 T16,16 5 [90 100] 50", "Ising~T=2.1 T32,32 5 [90 100] 50",
		"Ising~T=2.2 T16,16 5 [90 100] 50", "Ising~T=2.2 T32,32 5 [90 100] 50",
		"Ising~T=2.3 T16,16 5 [90 100] 50", "Ising~T=2.3 T32,32 5 [90 100] 50",
		"Ising~T=2.4 T16,16 5 [90 100] 50", "Ising~T=2.4 T32,32 5 [90 100] 50",
		"Ising~T=2.25 T16,16 20 [90 100] 50", "Ising~T=2.25 T32,32 20 [90 100] 50",
		"Ising~T=2.25 T64,64 8 [200 400] 100", "Ising~T=2.27 T64,64 8 [200 400] 100",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if all, most := p.Samples(); p.Universes() != 40+40+16 || all != 40*11+40*11+16*3 || most != 11 ||
		len(p.Points) != len(want) {
		t.Errorf("%d universes, %d samples, at most %d of one", p.Universes(), all, most)
	}
	text, err := json.Marshal(p.Spec)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := Parse("again.json", text)
	if err != nil {
		t.Fatal(err)
	}
	again, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	if again.Hash() != p.Hash() || !slices.Equal(keysOf(again), keysOf(p)) {
		t.Errorf("the canonical spec is another ensemble: %s", text)
	}
	apart := parsed(t, `
rules = ["Ising~T=2.25..2.27/0.02"]
sizes = ["64"]
universes = 8
generations = 400
times = [100, 200, 400]
warmup = 100
measures = ["magnetisation", "structure"]`)
	if keys := keysOf(p); !slices.Equal(keys[len(keys)-len(keysOf(apart)):], keysOf(apart)) {
		t.Error("the jobs of a row are not those of its ensemble alone")
	}
	if one := parsed(t, `
universes = 8
measures = ["magnetisation", "structure"]
warmup = 100
[[rows]]
rules = ["Ising~T=2.25..2.27/0.02"]
sizes = ["64"]
generations = 400
times = [100, 200, 400]`); one.Hash() != apart.Hash() {
		t.Error("an ensemble of one row is not the ensemble without rows")
	}
}

// TestLastRowCounts: of a place that several rows have, the last of them counts.
func TestLastRowCounts(t *testing.T) {
	const head = "rules = [\"Ising~T=2..2.2/0.1\"]\nsizes = [\"8\"]\ngenerations = 5\nuniverses = 3\n"
	p := parsed(t, head+"[[rows]]\nrules = [\"Ising~T=2.1..2.2/0.05\"]\nuniverses = 7\n"+
		"[[rows]]\nrules = [\"Ising~T=2.15\"]\ngenerations = 9")
	var got []string
	for _, r := range p.Rows() {
		for _, at := range r.Points {
			got = append(got, fmt.Sprintf("%v %d %d", at.Rule, r.Spec.Universes, r.Spec.Generations))
		}
	}
	want := []string{"Ising~T=2 3 5", "Ising~T=2.1 7 5", "Ising~T=2.2 7 5", "Ising~T=2.15 3 9"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if all := parsed(t, head+"[[rows]]\nuniverses = 9"); len(all.Rows()) != 1 || all.Spec.Universes != 9 {
		t.Errorf("%+v", all.Spec)
	}
}

func keysOf(p *Study) (keys []string) {
	for j := range p.Jobs() {
		keys = append(keys, j.Key())
	}
	return keys
}

func TestRowsRefused(t *testing.T) {
	for text, want := range map[string]string{
		refined + "[[rows]]\nsize = 3":       `key "rows": unknown key "size"; want one of rules, sizes, topology`,
		refined + "[[rows]]\nsizes = 3":      `key "rows": key "sizes": want a list of texts, not 3`,
		refined + "[[rows]]\nsizes = [\"\"]": "row 3: size \"\"",
		"universes = 1\n[[rows]]\nrules = [\"life\"]\nsizes = [\"8\"]\n[[rows]]\nrules = [\"life\"]\nsizes = [\"9\"]\nwarmup = 0": "" +
			"only one of B3/S23 on T8,8 from density 0.5 and B3/S23 on T9,9 from density 0.5 has averages over time",
		"universes = 1\nrules = [\"life\"]\n[[rows]]\nsizes = [\"8\"]\n[[rows]]\nsizes = [\"8\"]\ntopology = \"unbounded\"": "" +
			"either all universes of an ensemble lie on the unbounded plane or none do",
		"universes = 1\nmeasures = [\"clusters\"]\nrules = [\"life\"]\n[[rows]]\nsizes = [\"8\"]\n" +
			"[[rows]]\nrules = [\"3D4,5/5\"]\nsizes = [\"8x8x8\"]": "differ in connectivity, which all places of an ensemble share",
		"universes = 1\n[[rows]]\nsizes = [\"8\"]": "row 1: no rules",
		"universes = 1\nrules = [\"R1,C0,M0,S{0..7}..8,B{1..8}..8,NM\"]\nsizes = [\"8\"]\n[[rows]]\n" +
			"rules = [\"R1,C0,M0,S2..8,B3..8,NM\"]\nuniverses = 2": "share jobs, as 64 rules or more do",
	} {
		spec, err := Parse("spec.toml", []byte(text))
		if err == nil {
			_, err = spec.Check()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestPoolRows: ensembles of other places, generations and universes are pooled, in any order. A place that two have
// gets the universes of both, each once.
func TestPoolRows(t *testing.T) {
	const measured = "measures = [\"magnetisation\"]\nevery = 5\n"
	coarse := parsed(t, measured+"rules = [\"Ising~T=2..3/0.5\"]\nsizes = [\"8\"]\nuniverses = 3\ngenerations = 10")
	fine := parsed(t, measured+"rules = [\"Ising~T=2.2\"]\nsizes = [\"16\"]\nuniverses = 4\ngenerations = 20")
	again := parsed(t, measured+"rules = [\"Ising~T=2.5..3.5/0.5\"]\nsizes = [\"8\"]\nuniverses = 6\ngenerations = 10")
	other := parsed(t, measured+"rules = [\"Ising~T=3\"]\nsizes = [\"8\"]\nuniverses = 2\nroot = \"b\"\ngenerations = 10")
	all, err := Pool(coarse, fine, again, other)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, r := range all.Rows() {
		for _, at := range r.Points {
			got[fmt.Sprintf("%v %v", at.Rule, at.Topology)] += fmt.Sprint(r.parts(), r.Spec.Generations)
		}
	}
	want := map[string]string{
		"Ising~T=2 T8,8": "[{1 3}] 10", "Ising~T=2.5 T8,8": "[{1 6}] 10", "Ising~T=3 T8,8": "[{1 6} {b 2}] 10",
		"Ising~T=3.5 T8,8": "[{1 6}] 10", "Ising~T=2.2 T16,16": "[{1 4}] 20",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("pooled %v, want %v", got, want)
	}
	back, err := Pool(other, again, fine, coarse)
	if err != nil || back.Hash() != all.Hash() {
		t.Errorf("in another order the ensemble is another one; %v", err)
	}
	for _, part := range []*Study{coarse, fine, again, other, all} {
		if !all.Widens(part) {
			t.Errorf("the pooled ensemble lacks %v", part.Spec)
		}
		if more, err := Pool(all, part); err != nil || more.Hash() != all.Hash() {
			t.Errorf("pooled with a part of it, it is another ensemble; %v", err)
		}
	}
	if coarse.Widens(all) || fine.Widens(coarse) {
		t.Error("a part has all places")
	}
	longer := parsed(t, measured+"rules = [\"Ising~T=2\"]\nsizes = [\"8\"]\nuniverses = 3\ngenerations = 20")
	if _, err := Pool(all, longer); err == nil || !strings.Contains(err.Error(),
		"two of the ensembles have Ising~T=2 on T8,8 from density 0.5, but they simulate or measure it differently") {
		t.Error(err)
	}
	unlike := parsed(t, "rules = [\"life\"]\nsizes = [\"8\"]\nuniverses = 3\ngenerations = 20")
	if _, err := Pool(all, unlike); err == nil || !strings.Contains(err.Error(),
		"differ in measures, which all places of an ensemble share") {
		t.Error(err)
	}
}

// TestRowsGoOn: an ensemble with rows goes on to more generations where all of its rows do or stay.
func TestRowsGoOn(t *testing.T) {
	of := func(first, second string) *Study {
		return parsed(
			t, "rules = [\"life\"]\nuniverses = 2\nkeep = true\nevery = 5\n[[rows]]\nsizes = [\"8\"]\ngenerations = "+
				first+"\n[[rows]]\nsizes = [\"16\"]\ngenerations = "+second)
	}
	from := of("10", "20")
	for _, c := range []struct {
		first, second string
		goesOn        bool
		err           string
	}{
		{"10", "20", false, ""},
		{"10", "40", true, ""},
		{"30", "40", true, ""},
		{"5", "40", true, "row 1: it has run to generation 10"},
	} {
		goesOn, err := of(c.first, c.second).GoesOn(from)
		if goesOn != c.goesOn || (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s, %s: %v, %v", c.first, c.second, goesOn, err)
		}
	}
}
