package cat_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/papers/internal/cat"
	"github.com/gosper-life/gosper/papers/internal/papertest"
	"github.com/gosper-life/gosper/soup"
)

func TestHost(t *testing.T) {
	for _, m := range everyMethod {
		for _, p := range cat.Instances() {
			if m == cat.Rows && p.Radius > 4 && p.Radius != 16 {
				continue // slow; the GPU runs all
			}
			t.Run(fmt.Sprint(m, p.Radius), func(t *testing.T) {
				t.Parallel()
				r := parse(t, p.Notation)
				papertest.Run(t, papertest.Suite{
					Rule: p.Notation, Sizes: [][2]int{{17, 31}, {5, 1}, {44, 20}}, Steps: []int{1}, Density: p.Density,
					Refuse: [][2]int{{0, 5}, {5, 1<<18 + 1}},
					Open:   func(w, h int) (experiment.Stepper, error) { return cat.OpenHost(m, r, w, h) },
				})
			})
		}
	}
}

func TestRules(t *testing.T) {
	for _, c := range []struct {
		method  cat.Method
		rule    string
		allowed bool
	}{
		{cat.Base, "B3/S23", true},
		{cat.Base, "B36/S23", false},
		{cat.Base, "B3/S", true},
		{cat.Base, "B0/S8", true},
		{cat.Base, "R17,C0,M0,S2..3,B3..3,NM", false},
		{cat.Base, "R2,C0,M0,S2..3,B3..3,NN", false},
		{cat.Base, "R2,C2,S2-3,B3,N+", false},
		{cat.CAT, "R2,C2,S2-3,B3,N+", true},
		{cat.CAT, "R17,C0,M0,S2..3,B3..3,NM", false},
		{cat.MMA, "R64,C0,M0,S2..3,B3..3,NM", true},
		{cat.MMA, "R65,C0,M0,S2..3,B3..3,NM", false},
		{cat.Cached, "R23,C0,M0,S2..3,B3..3,NM", false},
		{cat.Int8, "R2,C4,M0,S2..3,B3..3,NM", false},
		{cat.Int8, "B3-k/S23", false},
		{cat.Base, "Critters", false},
		{cat.Base, "B3/S23|B3/S2", false},
		{cat.Base, "B3/S23~flip=0.5", false},
		{cat.Temporal, "R16,C0,M0,S2..3,B3..3,NM", true},
		{cat.Temporal, "R17,C0,M0,S2..3,B3..3,NM", false},
		{cat.Temporal, "R2,C2,S2-3,B3,N+", false},
		{cat.Rows, "B3/S23", true},
		{cat.Rows, "B2/S23V", true},
		{cat.Rows, "B2/S23H", false},
		{cat.Bits, "R3,C0,M0,S2..3,B3..3,NC", true},
		{cat.Bits, "R3,C0,M0,S2..3,B3..3,N2", true},
		{cat.Bits, "R3,C2,S2-3,B3,NX", false},
		{cat.Bits, "R3,C2,S2-3,B3,N+", true}, // one row is wide, six are not
		{cat.Bits, "R3,C2,S2-3,B3,NB", false},
		{cat.Bits, "R33,C0,M0,S2..3,B3..3,NN", false},
	} {
		s, err := cat.OpenHost(c.method, parse(t, c.rule), 8, 8)
		var refusal *cat.RuleError
		if c.allowed != (err == nil) || err != nil && !errors.As(err, &refusal) {
			t.Errorf("%s %s: %v", c.method, c.rule, err)
		}
		if err == nil {
			s.Close()
		}
	}
}

func TestHostTransitions(t *testing.T) {
	for _, text := range []string{
		"B3/S23", "B3/S", "B/S23", "B0/S8", "B012345678/S012345678",
		"R2,C0,M0,S0..0,B24..24,NM",
	} {
		for _, m := range everyMethod {
			papertest.Run(t, papertest.Suite{
				Rule: text, Sizes: [][2]int{{40, 20}}, Steps: []int{1, 1},
				Open: func(w, h int) (experiment.Stepper, error) { return cat.OpenHost(m, parse(t, text), w, h) },
			})
		}
	}
}

func TestHostBeyondThePaper(t *testing.T) {
	for _, c := range []struct {
		method cat.Method
		rule   string
	}{
		{cat.MMA, wideRule(17)},
		{cat.MMA, wideRule(33)},
		{cat.Cached, wideRule(22)},
		{cat.Registers, wideRule(17)},
		{cat.Registers, wideRule(23)},
		{cat.Int8, wideRule(32)},
		{cat.Int8, wideRule(33)},
		{cat.CAT, "R1,C2,S2-3,B2,N+"},
		{cat.CAT, "R16,C2,S20-40,B22-30,N+"},
		{cat.Cached, "R20,C2,S30-50,B32-41,N+"},
		{cat.Rows, wideRule(32)},
		{cat.Bits, wideRule(32)},
		{cat.Rows, diamonds[0]},
		{cat.Rows, diamonds[1]},
		{cat.Rows, diamonds[2]},
		{cat.Bits, diamonds[0]},
		{cat.Bits, diamonds[1]},
		{cat.Bits, diamonds[2]},
	} {
		t.Run(fmt.Sprint(c.method, c.rule), func(t *testing.T) {
			t.Parallel()
			r := parse(t, c.rule)
			papertest.Run(t, papertest.Suite{
				Rule: c.rule, Sizes: [][2]int{{34, 11}}, Steps: []int{1}, Density: 0.4,
				Open: func(w, h int) (experiment.Stepper, error) { return cat.OpenHost(c.method, r, w, h) },
			})
		})
	}
}

// The published rules reach the cells of an independent program after fifty generations: sim/simtest's file, of
// which each line has a rule, a torus or plane, a soup and the SHA-256 of the cells at the end, a byte each.
func TestTruth(t *testing.T) {
	text, err := os.ReadFile("../../../sim/simtest/testdata/ltl_cat.tsv")
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		f := strings.Split(line, "\t")
		if i == 0 || f[3] != "T" {
			continue
		}
		var w, h, generations int
		var seed uint64
		var density float64
		if _, err := fmt.Sscan(f[1], &w); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Sscan(strings.Join([]string{f[2], f[4], f[5], f[6]}, " "), &h, &seed, &density,
			&generations); err != nil {
			t.Fatal(err)
		}
		r := parse(t, f[0])
		instance := cat.Instances()[r.Radius()-1]
		if !parse(t, instance.Notation).Equal(r) || instance.Density != density {
			t.Errorf("radius %d: %+v, want %s at %v", r.Radius(), instance, f[0], density)
		}
		cells, err := grid.New(w, h, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := soup.Fill(t.Context(), cells, w, h, seed, density, 1, nil); err != nil {
			t.Fatal(err)
		}
		u, err := cat.OpenHost(cat.Prefix, r, w, h)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(u.Load(cells), u.Step(generations), u.Store(cells)); err != nil {
			t.Fatal(err)
		}
		if hash, err := grid.BytesHash(t.Context(), cells); err != nil || fmt.Sprintf("%x", hash) != f[11] {
			t.Errorf("%s: %x, want %s; %v", f[0], hash, f[11], err)
		}
		runs++
	}
	if runs != 16 {
		t.Errorf("%d runs", runs)
	}
}

// Several generations in overlapping patches, with a shorter last pass, agree with the reference.
func TestHostPatches(t *testing.T) {
	for _, radius := range []int{1, 2, 3, 5, 6, 8, 9} {
		p := cat.Instances()[radius-1]
		papertest.Run(t, papertest.Suite{
			Rule: p.Notation, Sizes: [][2]int{{150, 70}, {3, 2}}, Steps: []int{1, 9}, Density: p.Density,
			Open: func(w, h int) (experiment.Stepper, error) {
				return cat.OpenHost(cat.Temporal, parse(t, p.Notation), w, h)
			},
		})
	}
}

// Any method runs any rule it takes, on any torus, as the reference does.
func TestAnyRule(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := rapid.SampledFrom(everyMethod).Draw(rt, "method")
		radius := rapid.IntRange(1, 5).Draw(rt, "radius")
		n := (2*radius+1)*(2*radius+1) - 1
		interval := func(name string) string {
			lo := rapid.IntRange(0, n).Draw(rt, name+" from")
			return fmt.Sprintf("%d..%d", lo, rapid.IntRange(lo, n).Draw(rt, name+" to"))
		}
		text := fmt.Sprintf("R%d,C0,M0,S%s,B%s,NM", radius, interval("survival"), interval("birth"))
		size := [2]int{rapid.IntRange(1, 40).Draw(rt, "width"), rapid.IntRange(1, 12).Draw(rt, "height")}
		r := parse(t, text)
		papertest.Run(t, papertest.Suite{
			Rule: text, Sizes: [][2]int{size}, Steps: []int{1, 1},
			Open: func(w, h int) (experiment.Stepper, error) { return cat.OpenHost(m, r, w, h) },
		})
		if t.Failed() {
			rt.Fatal("differs")
		}
	})
}
