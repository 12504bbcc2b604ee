package scaling

import (
	"slices"
	"testing"
)

// TestNumbersOfLargerThanLife: the numbers that differ between rules are parameters.
func TestNumbersOfLargerThanLife(t *testing.T) {
	of := func(rule string) Notations { return Notations{Rule: rule, Start: "soup"} }
	all := []Notations{
		of("R5,C0,M1,S34..58,B34..45,NM"), of("R5,C0,M1,S36..58,B34..45,NM"), of("R7,C0,M1,S36..58,B34..45,NM~flip=0.1"),
	}
	if got := Parameters(all); !slices.Equal(got, []string{"radius", "survival_least", "flip"}) {
		t.Errorf("parameters %v", got)
	}
	if got := Parameters(all[:1]); len(got) > 0 {
		t.Errorf("parameters %v of one rule", got)
	}
	for name, want := range map[string]float64{
		"radius": 7, "survival_least": 36, "survival_most": 58, "birth_least": 34, "birth_most": 45, "flip": 0.1,
	} {
		if v, ok := all[2].Parameter(name); !ok || v != want {
			t.Errorf("%s is %v, %v; want %v", name, v, ok, want)
		}
	}
	rest := all[2].Without("survival_least").Without("radius").Without("flip")
	if rest.Rule != "R*,C0,M1,S*..58,B34..45,NM" {
		t.Errorf("without two numbers: %s", rest.Rule)
	}
	if _, ok := rest.Parameter("radius"); ok {
		t.Error("a number that was left out is a parameter")
	}
	if v, ok := rest.Parameter("birth_most"); !ok || v != 45 {
		t.Errorf("the last number is %v, %v", v, ok)
	}
	for _, rule := range []string{"B3/S23", "R2,C2,S8,11-15,18-22,B4,9,13-15,18-21", "Ising~T=2"} {
		if _, ok := of(rule).Parameter("radius"); ok {
			t.Errorf("%s has a radius", rule)
		}
	}
}
