package rule_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/internal/ruletest"
	"github.com/gosper-life/gosper/rule"
)

// TestKinds checks that only the fields of a rule's kind are set: for random rules, and for one of each kind.
func TestKinds(t *testing.T) {
	check := func(r rule.Rule) error {
		set := map[rule.Kind]bool{
			rule.KindCounting: r.Birth != nil || r.Survival != nil,
			rule.KindTable:    r.Table != nil, rule.KindFunction: r.Local != nil, rule.KindBlocks: r.Block != nil,
			rule.KindAlternating: r.Phases != nil, rule.KindStochastic: r.Chance != nil || r.Without != nil,
			rule.KindSwaps: r.Swaps != rule.SwapsNone,
		}
		for other, is := range set {
			if is && other != r.Kind() {
				return fmt.Errorf("%v is of kind %d and has the fields of kind %d", r, r.Kind(), other)
			}
		}
		return nil
	}
	for notation, want := range map[string]rule.Kind{
		"B3/S23": rule.KindCounting, "345/2/4": rule.KindCounting, "R5,C0,M1,S34..58,B34..45,NM": rule.KindCounting,
		"3D4,5/5": rule.KindCounting, "BusyBoxes": rule.KindSwaps, "busyboxesw": rule.KindSwaps,
		"B2-a/S12": rule.KindTable, "WireWorld": rule.KindFunction, "Critters": rule.KindBlocks,
		"B3/S23|B36/S23": rule.KindAlternating, "B3/S23~flip=0.1": rule.KindStochastic, "Ising~T=2": rule.KindStochastic,
	} {
		r, err := rule.Parse(notation)
		if err == nil {
			err = check(r)
		}
		if err != nil || r.Kind() != want {
			t.Errorf("%s: kind %d, want %d: %v", notation, r.Kind(), want, err)
		}
	}
	both, table := mustParse(t, "B3/S23~flip=0.1"), mustParse(t, "B2-a/S12")
	both.Table = table.Table
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a rule is of two kinds")
			}
		}()
		both.Kind()
	}()
	rapid.Check(t, func(t *rapid.T) {
		if err := check(ruletest.Gen().Draw(t, "rule")); err != nil {
			t.Error(err)
		}
	})
}

// TestParts checks which rules a rule is made of.
func TestParts(t *testing.T) {
	for notation, want := range map[string]struct {
		random bool
		base   string
		parts  []string
	}{
		"B3/S23":                   {},
		"B3/S23|B36/S23":           {parts: []string{"B3/S23", "B36/S23"}},
		"B3/S23~flip=0.1":          {random: true, base: "B3/S23", parts: []string{"B3/S23"}},
		"B3/S23|B36/S23~flip=0.1":  {random: true, base: "B3/S23|B36/S23", parts: []string{"B3/S23|B36/S23"}},
		"PN/0,0.25,0.5,0.75,1/0.2": {random: true},
	} {
		r := mustParse(t, notation)
		var parts []string
		for _, p := range r.Parts() {
			parts = append(parts, p.String())
		}
		base, ok := r.Base()
		if r.Random() != want.random || ok != (want.base != "") || ok && base.String() != want.base ||
			!slices.Equal(parts, want.parts) {
			t.Errorf("%s: random %v, base %v (%v), parts %q", notation, r.Random(), base, ok, parts)
		}
	}
}
