package rule_test

import (
	"fmt"
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
		"3D4,5/5":  rule.KindCounting,
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
	rapid.Check(t, func(t *rapid.T) {
		if err := check(ruletest.Gen().Draw(t, "rule")); err != nil {
			t.Error(err)
		}
	})
}
