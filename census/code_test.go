package census

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/census/internal/apgcode"
	"pgregory.net/rapid"
)

// publishedCode is a row of testdata/published_codes.tsv: codes that others print, and the objects they see in
// them, which are several for what only lies side by side. They are from the table of names in apgsearch's
// source, which also says that a block on a lock on a boat is a block and one thing more, and from LifeWiki's
// lists of the commonest oscillators and spaceships and its page on apgcodes.
type publishedCode struct {
	rule, code string
	objects    map[string]int
}

func publishedCodes(t testing.TB) []publishedCode {
	t.Helper()
	file, err := os.ReadFile("testdata/published_codes.tsv")
	if err != nil {
		t.Fatal(err)
	}
	codes, _ := published(t)
	var all []publishedCode
	for _, code := range codes {
		all = append(all, publishedCode{"B3/S23", code, map[string]int{code: 1}})
	}
	for i, line := range slices.Collect(strings.Lines(string(file))) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if i == 0 {
			continue
		}
		p := publishedCode{fields[0], fields[1], map[string]int{}}
		for _, code := range strings.Fields(fields[2]) {
			p.objects[code]++
		}
		all = append(all, p)
	}
	if len(all) < 170 {
		t.Fatalf("only %d codes", len(all))
	}
	return all
}

// counters gives the counter of a rule, the same each time.
func counters(t testing.TB) func(rule string) *Counter {
	known := map[string]*Counter{}
	return func(rule string) *Counter {
		if known[rule] == nil {
			c, err := NewCounter(parseRule(t, rule), Limits{})
			if err != nil {
				t.Fatal(err)
			}
			known[rule] = c
		}
		return known[rule]
	}
}

// TestPublishedCodes reads codes that other programs print and runs their cells. The result must be the same code and
// the same objects.
func TestPublishedCodes(t *testing.T) {
	counter := counters(t)
	for _, p := range publishedCodes(t) {
		code, err := ParseCode(p.code, 2)
		if err != nil {
			t.Error(err)
			continue
		}
		c := counter(p.rule)
		if o := c.Identify(code.Cells); o.Code != p.code {
			t.Errorf("%s is identified as %s", p.code, o.Code)
		}
		if got := c.Count(code.Cells); got.Endless || !maps.Equal(got.Objects, p.objects) {
			t.Errorf("%s is made of %v, want %v", p.code, got, p.objects)
		}
	}
}

// TestObjectsLieAnyWay checks that an object is recognised at any place, in any orientation and in any phase.
func TestObjectsLieAnyWay(t *testing.T) {
	codes, counter := publishedCodes(t), counters(t)
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(codes).Draw(t, "code")
		code, err := ParseCode(p.code, 2)
		if err != nil {
			t.Fatal(err)
		}
		c := counter(p.rule)
		cells := code.Cells
		for range rapid.IntRange(0, 50).Draw(t, "phase") {
			cells = c.local.After(cells, 0)
		}
		cells = apgcode.Turned(cells, rapid.SampledFrom(apgcode.Keeping(apgcode.OfSquare)).Draw(t, "turned"))
		cells = moved(cells, rapid.IntRange(-3000, 3000).Draw(t, "x"), rapid.IntRange(-3000, 3000).Draw(t, "y"))
		cells = rapid.Permutation(cells).Draw(t, "order")
		if o := c.Identify(cells); o.Code != p.code {
			t.Errorf("%s is identified as %s", p.code, o.Code)
		}
		if got := c.Count(cells); got.Endless || !maps.Equal(got.Objects, p.objects) {
			t.Errorf("%s is made of %v, want %v", p.code, got, p.objects)
		}
	})
}

// TestSoupsLieAnyWay checks that the ash of a soup does not depend on its place, nor on its orientation if the rule
// is symmetric.
func TestSoupsLieAnyWay(t *testing.T) {
	counter := counters(t)
	turns := map[string]int{
		"B3/S23": 8, "B3/S23-a": 8, "B2/S34H": 12, "B38/S23": 8, "B2-a/S12": 8, "B2/S013V": 8,
		"23/3/3": 8, "12/2-a/3": 8, "12/34/3": 8, "345/2/4": 8, "2/13/3V": 8, "34/2/3H": 12,
		"R2,C0,M0,S7..12,B8..11,NM": 8, "R2,C2,S4-7,B6,NN": 8, "R2,C2,S1-2,B3-4,N3": 2, "R2,C3,S5-11,B10-12": 8,
		"R2,C2,S2-3,B3-4,NX": 8, "R2,C2,S3-6,B6-8,N@2eeb3d": 1, "R2,C2,S13-20,B17-20,NG": 8,
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(slices.Sorted(maps.Keys(turns))).Draw(t, "rule")
		c := counter(text)
		if len(c.symmetries) != turns[text] {
			t.Fatalf("%s has %d symmetries", text, len(c.symmetries))
		}
		c.limits = Limits{Generations: 1500, Population: 3000, Box: 1500, Period: 100}
		cells := someCells(t, c.rule.States, 8)
		other := apgcode.Turned(cells, rapid.SampledFrom(c.symmetries).Draw(t, "turned"))
		other = moved(other, rapid.IntRange(-60, 60).Draw(t, "x"), rapid.IntRange(-40, 40).Draw(t, "y"))
		want, got := c.Count(cells), c.Count(other)
		if !want.Endless && (got.Endless || !maps.Equal(got.Objects, want.Objects)) {
			t.Errorf("%s: %v becomes %v, and %v elsewhere", text, cells, want, got)
		}
	})
}

// TestBuiltins holds the built-in patterns to the codes in testdata/builtins.tsv, which this package wrote:
// they shall not change. The codes that others publish are tested above and in TestPublishedSoup;
// block-laying-switch-engine is the linear growth whose code, yl144_1_16, apgsearch quotes in its source.
func TestBuiltins(t *testing.T) {
	file, err := os.ReadFile("testdata/builtins.tsv")
	if err != nil {
		t.Fatal(err)
	}
	counters := map[string]*Counter{}
	for line := range strings.Lines(string(file)) {
		name, want, _ := strings.Cut(strings.TrimSpace(line), "\t")
		r, cells := builtin(t, name)
		c := counters[r.String()]
		if c == nil {
			if c, err = NewCounter(r, Limits{Period: 320, Generations: 2000}); err != nil {
				t.Fatal(err)
			}
			counters[r.String()] = c
		}
		if o := c.Identify(cells); o.Code != want {
			t.Errorf("%s is %s, want %s", name, o.Code, want)
		}
	}
}

func TestParseCodeRefuses(t *testing.T) {
	for _, text := range []string{
		"", "xs", "xs4", "xs4_", "xs5_33", "xs04_33", "xs4_330", "xs4_033", "xs4_33z", "xs4_3w3z", "xp1_7", "xp2_7!",
		"xp2_7y", "xp2_7y!", "xp2_7_0",
		"xs4_z33", "xs2_1001", "xs2_1wx1", "yl144_1_16_afb5f3db909e60548f086e22ee3353ac", "PATHOLOGICAL", "xs0_00", "XS4_33",
		"xs-4_33",
		"xs1_0z1", "xq0_1", "xs4_" + strings.Repeat("33", 1000),
	} {
		if c, err := ParseCode(text, 2); err == nil {
			t.Errorf("%q was read as %v", text, c)
		}
	}
}

func TestParseCodeRefusesGenerations(t *testing.T) {
	for text, states := range map[string]int{
		"xq1_03_3": 2, "xq1_03_3_0": 4, "xq1_03_3_": 3, "xq1_3_3": 3, "xq1_03_3_1": 3, "xp2_0_0_1": 4, "xp2_0_0_0_0_1": 5,
		"xq1_03_3z": 3, "xq1_003_03": 3,
		"xp2_0_0": 3, "xs1__1": 3, "xs2_1_1": 3,
	} {
		if c, err := ParseCode(text, states); err == nil {
			t.Errorf("%q of %d states was read as %v", text, states, c)
		}
	}
}

func TestCodeOfPhases(t *testing.T) {
	for text, want := range map[string][]Cell{
		"xs4_33":  {{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 0, Y: 1}, {X: 1, Y: 1}},
		"xp2_7":   {{X: 0, Y: 0}, {X: 0, Y: 1}, {X: 0, Y: 2}},
		"xq4_153": {{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 2, Y: 0}, {X: 2, Y: 1}, {X: 1, Y: 2}},
		"xs0_0":   nil,
		"xp9_1w1": {{X: 0, Y: 0}, {X: 3, Y: 0}},
	} {
		c, err := ParseCode(text, 2)
		sortedWant := sorted(want)
		if text == "xq4_153" { // columns 1, 5 and 3, lowest bit first
			sortedWant = []Cell{{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 2, Y: 0}, {X: 2, Y: 1}, {X: 1, Y: 2}}
		}
		if err != nil || !slices.Equal(c.Cells, sortedWant) {
			t.Errorf("%s shows %v (%v), want %v", text, c.Cells, err, sortedWant)
		}
	}
}

// TestEncodeDecode writes random phases and reads them again, and holds the canonical text to its definition.
func TestEncodeDecode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		side := rapid.SampledFrom([]int{1, 3, 6, 12, 98}).Draw(t, "side")
		cells := sorted(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Cell {
			return Cell{X: rapid.IntRange(0, side-1).Draw(t, "x"), Y: rapid.IntRange(0, side-1).Draw(t, "y")}
		}), 1, 30).Draw(t, "cells"))
		box := apgcode.BoxOf(cells)
		text := apgcode.Encode(cells, 2)
		got, err := apgcode.Decode(text, 2)
		if err != nil || !slices.Equal(got, moved(cells, -box.X, -box.Y)) {
			t.Fatalf("%v → %q → %v, %v", cells, text, got, err)
		}
		best := apgcode.Canonical([][]Cell{cells}, apgcode.Keeping(apgcode.OfSquare), 2)
		for _, s := range apgcode.Keeping(apgcode.OfSquare) {
			other := apgcode.Encode(apgcode.Turned(cells, s), 2)
			if len(other) < len(best) || len(other) == len(best) && other < best {
				t.Fatalf("canonical %q, but there is %q", best, other)
			}
			if apgcode.Canonical([][]Cell{apgcode.Turned(cells, s)}, apgcode.Keeping(apgcode.OfSquare), 2) != best {
				t.Fatalf("turned by %v the canonical text is another one", s)
			}
		}
	})
}

func FuzzParseCode(f *testing.F) {
	codes, _ := published(f)
	for _, code := range append(codes, "xs0_0", "xp46_033y133zzzckgsxsgkczydciczy4ccy0222", "xs2_1yz01", "xp2_zz1",
		"xs4_3w3") {
		f.Add(code, uint8(2))
	}
	for _, object := range generationsCodes {
		f.Add(object.code, uint8(4))
	}
	f.Fuzz(func(t *testing.T, text string, states uint8) {
		states = max(states, 2)
		c, err := ParseCode(text, int(states))
		if err != nil {
			return
		}
		want := text[strings.IndexByte(text, '_')+1:]
		if got := apgcode.Encode(c.Cells, int(states)); len(c.Cells) > 0 && got != want {
			t.Errorf("%q shows cells that are written %q", text, got)
		}
	})
}
