package ensemble

import (
	"slices"
	"strings"
	"testing"
)

// TestCountedPatternsAreCanonical: one pattern in several notations is one ensemble, and what cannot be counted
// is refused.
func TestCountedPatternsAreCanonical(t *testing.T) {
	of := func(change func(s *Spec)) (*Study, error) {
		s := Spec{
			Rules: []string{"life"}, Sizes: []string{"8", "P2,2"}, Universes: 1, Measures: []string{"patterns"},
			Count: []string{"xs4_33", "glider"}, Phases: "life",
		}
		change(&s)
		return s.Check()
	}
	p, err := of(func(*Spec) {})
	if err != nil {
		t.Fatal(err)
	}
	again, err := of(func(s *Spec) { s.Count, s.Phases = []string{"x = 2, y = 2\n2o$2o!", "bo$2bo$3o!"}, "B3/S23" })
	if err != nil {
		t.Fatal(err)
	}
	if again.Hash() != p.Hash() || !slices.Equal(p.Spec.Count, []string{"2o$2o!", "bo$2bo$3o!"}) ||
		p.Spec.Phases != "B3/S23" {
		t.Errorf("%+v and %+v", p.Spec, again.Spec)
	}
	for want, change := range map[string]func(s *Spec){
		"count says which ones":               func(s *Spec) { s.Count = nil },
		"count is an option of patterns":      func(s *Spec) { s.Measures = nil },
		"is listed twice":                     func(s *Spec) { s.Count = []string{"block", "xs4_33"} },
		"on tori and planes, not on K8*,8":    func(s *Spec) { s.Sizes = []string{"K8*,8"} },
		"3×3 cells is too large for T3,3":     func(s *Spec) { s.Sizes = []string{"3"} },
		"phases:":                             func(s *Spec) { s.Phases = "B3/S23/" },
		`pattern "what": want the apgcode`:    func(s *Spec) { s.Count = []string{"what"} },
		"phases is an option of patterns":     func(s *Spec) { s.Measures, s.Count = nil, nil },
		"does not come back under B3/S23 wit": func(s *Spec) { s.Count = []string{"o!"} },
	} {
		if _, err := of(change); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
