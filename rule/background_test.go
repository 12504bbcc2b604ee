package rule_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/internal/background"
	"github.com/gosper-life/gosper/internal/ruletest"
	"github.com/gosper-life/gosper/rule"
)

func TestBackground(t *testing.T) {
	tests := []struct {
		rule       string
		born, full bool
	}{
		{"B3/S23", false, false},
		{"B03/S23", true, false},
		{"B03/S238", true, true},
		{"B03/S234V", true, true},
		{"B03/S236H", true, true},
		{"B0/S8:T30,20", true, true},
		{"MAPARYXfhZofugWaH7oaIDogBZofuhogOiAaIDogIAAgAAWaH7oaIDogGiA6ICAAIAAaIDogIAAgACAAIAAAAAAAA", false, false},
		{"R2,C2,S24,B0", true, true},
		{"R2,C0,M1,S25..25,B0..0,NM", true, true},
		{"R1,C2,S8,B8,NW111101111,12", true, false},
		{"R1,C2,S16,B7,NW111101111,12", false, true},
	}
	for _, test := range tests {
		r := mustParse(t, test.rule)
		if r.BirthOnEmpty() != test.born || r.SurvivesFull() != test.full {
			t.Errorf("%s: B0 %t, Smax %t, want %t, %t", r, r.BirthOnEmpty(), r.SurvivesFull(), test.born, test.full)
		}
	}
}

// Day & Night is its own complement; Golly runs B3/S23 for B0123478/S01234678.
func TestComplementOfKnownRules(t *testing.T) {
	for in, want := range map[string]string{
		"B3678/S34678":       "B3678/S34678",
		"B3/S23":             "B0123478/S01234678",
		"B0123478/S01234678": "B3/S23",
		"B2/S34H":            "B01456/S012356H",
	} {
		c, ok := background.Complement(mustParse(t, in))
		if !ok || c.String() != want {
			t.Errorf("%s: got %s, %t, want %s", in, c, ok, want)
		}
	}
	even, odd, ok := background.Alternating(mustParse(t, "B03/S23"))
	if !ok || even.String() != "B1245678/S0145678" || odd.String() != "B56/S58" {
		t.Errorf("B03/S23: got %s and %s, %t", even, odd, ok)
	}
	if _, ok := background.Complement(mustParse(t, "345/2/4")); ok {
		t.Error("a rule of four states has no complement")
	}
	if _, _, ok := background.Alternating(mustParse(t, "345/02/4")); ok {
		t.Error("a rule of four states does not alternate")
	}
}

func TestComplementsByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := ruletest.Gen().Filter(func(r rule.Rule) bool {
			return r.States == 2 && r.Neighbourhood.Radius == 1 && r.Period() == 1
		}).Draw(t, "rule")
		complement, ok := background.Complement(r)
		even, odd, alternates := background.Alternating(r)
		if !ok || !alternates {
			t.Fatalf("%s has no complement", r)
		}
		block := drawBlock(t, 2)
		not := block
		for i := range not {
			not[i] = 1 - block[i]
		}
		next := evolve(r, block)
		if got := evolve(complement, not); got != 1-next {
			t.Fatalf("%s: complement %s gives %d", r, complement, got)
		}
		if got := evolve(even, block); got != 1-next {
			t.Fatalf("%s: even rule %s gives %d", r, even, got)
		}
		if got := evolve(odd, not); got != next {
			t.Fatalf("%s: odd rule %s gives %d", r, odd, got)
		}
		if r.BirthOnEmpty() && r.SurvivesFull() && complement.BirthOnEmpty() {
			t.Fatalf("%s: the complement %s has B0", r, complement)
		}
		if r.BirthOnEmpty() && !r.SurvivesFull() && (even.BirthOnEmpty() || odd.BirthOnEmpty()) {
			t.Fatalf("%s: B0 is left in %s or %s", r, even, odd)
		}
	})
}

func TestDerivedRulesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := ruletest.Gen().Filter(func(r rule.Rule) bool { return r.States == 2 }).Draw(t, "rule")
		complement, _ := background.Complement(r)
		even, odd, _ := background.Alternating(r)
		for _, derived := range []rule.Rule{complement, even, odd} {
			checkRoundTrip(t, derived)
		}
		if back, _ := background.Complement(complement); !back.Equal(r) {
			t.Fatalf("%s: the complement's complement is %s", r, back)
		}
	})
}
