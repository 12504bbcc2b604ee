package census

import (
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/topology"
)

// TestPublishedCodes reads every code of the published census, runs what it shows, and must come to the same code.
func TestPublishedCodes(t *testing.T) {
	c, err := newClassifier(parseRule(t, "B3/S23"), DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	codes, _ := published(t)
	if len(codes) < 60 {
		t.Fatalf("only %d codes", len(codes))
	}
	for _, text := range codes {
		code, err := ParseCode(text)
		if err != nil {
			t.Error(err)
			continue
		}
		if o, _ := c.identify(code.Cells); o.Code != text {
			t.Errorf("%s is identified as %s", text, o.Code)
		}
	}
}

// TestBuiltins holds the built-in patterns to the codes in testdata/builtins.tsv, which this package wrote: they shall not change. The
// codes that others publish are tested above and in TestPublishedSoup; block-laying-switch-engine is the linear growth whose code, yl144_1_16,
// apgsearch quotes in its source.
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
		"", "xs", "xs4", "xs4_", "xs5_33", "xs04_33", "xs4_330", "xs4_033", "xs4_33z", "xs4_3w3z", "xp1_7", "xp2_7!", "xp2_7y", "xp2_7y!", "xp2_7_0",
		"xs4_z33", "xs2_1001", "xs2_1wx1", "yl144_1_16_afb5f3db909e60548f086e22ee3353ac", "PATHOLOGICAL", "xs0_00", "XS4_33", "xs-4_33",
		"xs1_0z1", "xq0_1", "xs4_" + strings.Repeat("33", 1000),
	} {
		if c, err := ParseCode(text); err == nil {
			t.Errorf("%q was read as %v", text, c)
		}
	}
}

func TestCodeOfPhases(t *testing.T) {
	for text, want := range map[string][]Cell{
		"xs4_33":  {{0, 0}, {1, 0}, {0, 1}, {1, 1}},
		"xp2_7":   {{0, 0}, {0, 1}, {0, 2}},
		"xq4_153": {{0, 0}, {1, 0}, {2, 0}, {2, 1}, {1, 2}},
		"xs0_0":   nil,
		"xp9_1w1": {{0, 0}, {3, 0}},
	} {
		c, err := ParseCode(text)
		sortedWant := sorted(want)
		if text == "xq4_153" { // columns 1, 5 and 3, lowest bit first
			sortedWant = []Cell{{0, 0}, {1, 0}, {2, 0}, {2, 1}, {1, 2}}
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
			return Cell{rapid.IntRange(0, side-1).Draw(t, "x"), rapid.IntRange(0, side-1).Draw(t, "y")}
		}), 1, 30).Draw(t, "cells"))
		box := boxOf(cells)
		text := encode(cells)
		got, err := decode(text)
		if err != nil || !slices.Equal(got, moved(cells, -box.X, -box.Y)) {
			t.Fatalf("%v → %q → %v, %v", cells, text, got, err)
		}
		best := canonical([][]Cell{cells}, topology.Symmetries[:])
		for _, s := range topology.Symmetries {
			other := encode(turned(cells, s))
			if len(other) < len(best) || len(other) == len(best) && other < best {
				t.Fatalf("canonical %q, but there is %q", best, other)
			}
			if canonical([][]Cell{turned(cells, s)}, topology.Symmetries[:]) != best {
				t.Fatalf("turned by %v the canonical text is another one", s)
			}
		}
	})
}

func FuzzParseCode(f *testing.F) {
	codes, _ := published(f)
	for _, code := range append(codes, "xs0_0", "xp46_033y133zzzckgsxsgkczydciczy4ccy0222", "xs2_1yz01", "xp2_zz1", "xs4_3w3") {
		f.Add(code)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseCode(text)
		if err != nil {
			return
		}
		want := text[strings.IndexByte(text, '_')+1:]
		if got := encode(c.Cells); len(c.Cells) > 0 && got != want {
			t.Errorf("%q shows cells that are written %q", text, got)
		}
	})
}
