package ensemble

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gosper-life/gosper/rule"
)

func TestRangesOfParameters(t *testing.T) {
	for text, want := range map[string][]string{
		"R5,C0,M1,S34..58,B34..45,NM":         {"R5,C0,M1,S34..58,B34..45,NM"}, // ranges of counts are no sweep
		"Ising~T=2.1..2.3/0.05":               {"Ising~T=2.1", "Ising~T=2.15", "Ising~T=2.2", "Ising~T=2.25", "Ising~T=2.3"},
		"ising~T=2..2.25/0.1":                 {"Ising~T=2", "Ising~T=2.1", "Ising~T=2.2"},
		"Potts~q=2..3/1,T=0.8..0.9/0.1":       {"Potts~q=2,T=0.8", "Potts~q=2,T=0.9", "Potts~q=3,T=0.8", "Potts~q=3,T=0.9"},
		"B3/S23~async=0.5,flip=0.25..0.5/.25": {"B3/S23~async=0.5,flip=0.25", "B3/S23~async=0.5,flip=0.5"},
		"Sandpile~p=1e-05..3e-5/0.00001":      {"Sandpile~p=1e-05", "Sandpile~p=2e-05", "Sandpile~p=3e-05"},
	} {
		p, err := Spec{Rules: []string{text}, Sizes: []string{"8"}, Universes: 1}.Check()
		if err != nil {
			t.Error(err)
			continue
		}
		want = slices.Clone(want)
		if strings.HasPrefix(text, "R5") {
			want[0] = p.Spec.Rules[0]
		}
		if diff := cmp.Diff(want, p.Spec.Rules); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	for text, want := range map[string]string{
		"Ising~T=2.4..2.1/0.1":                       `rule "Ising~T=2.4..2.1/0.1": T=2.4..2.1/0.1: want a range FIRST..LAST/STEP that rises`,
		"Ising~T=2..3":                               "T=2..3: want a number, or a range FIRST..LAST/STEP",
		"Ising~T=2..3/0":                             "that rises",
		"Ising~T=..":                                 "want a number, or a range",
		"Ising~T=1..Inf/1":                           "that rises",
		"Ising~T=1..1e308/1e-300":                    "+Inf values are too many, want at most 10000",
		"Ising~T=1..20000/1":                         "20000 values are too many, want at most 10000",
		"Potts~q=2..16/1,T=1..2/0.001":               "its ranges make more than 10000 rules",
		"Ising~T=0..1/0.5":                           "from 0.01",
		"Ising~J=1..2/1":                             "T=2.269",
		"B3/S23~flip=0.1..0.2/0.1,flip=0.3..0.4/0.1": "flip is given twice",
	} {
		_, err := Spec{Rules: []string{text}, Sizes: []string{"8"}, Universes: 1}.Check()
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
	_, err := Spec{Rules: []string{"Ising~T=2..3/0.5", "Ising~T=2.5"}, Sizes: []string{"8"}, Universes: 1}.Check()
	if err == nil || !strings.HasPrefix(err.Error(), "rule Ising~T=2.5 is listed twice") {
		t.Errorf("a value of a range once more: %v", err)
	}
}

func TestRangesOfRules(t *testing.T) {
	for text, want := range map[string][]string{
		"B3/S23..B36/S235":   {"B3/S23", "B3/S235", "B36/S23", "B36/S235"}, // S5 is bit 11 of the code, B6 bit 12
		"B2/S34H..B2/S345h":  {"B2/S34H", "B2/S345H"},
		"23/3..23/36":        {"B3/S23", "B36/S23"},
		"life..highlife":     {"B3/S23", "B36/S23"},
		"B/SV..B4/S0V":       {"B/SV", "B/S0V", "B4/SV", "B4/S0V"},
		"B3/S23..life":       {"B3/S23"},
		"B/S..B01234/S01234": nil, // 1024 of them
	} {
		p, err := Spec{Rules: []string{text}, Sizes: []string{"8"}, Universes: 1}.Check()
		if err != nil {
			t.Error(err)
			continue
		}
		var got []string
		for _, at := range p.Points {
			r, err := rule.Parse(at.Rule.String())
			if err != nil || !r.Equal(at.Rule) {
				t.Fatalf("%s: %v is read as %v (%v)", text, at.Rule, r, err)
			}
			got = append(got, at.Rule.String())
		}
		if want == nil && len(got) == 1024 && slices.Contains(got, "B3/S23") {
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
		again, err := p.Spec.Check()
		if err != nil || again.Hash() != p.Hash() || len(p.Spec.Rules) != 1 {
			t.Errorf("%s: canonical rules %v, %v", text, p.Spec.Rules, err)
		}
	}
	for text, want := range map[string]string{
		"B3/S23..B3/S2":             "want a range B3/S23..B36/S23 of two outer-totalistic rules of one neighbourhood",
		"B3/S23..B3/S234V":          "of one neighbourhood",
		"B3/S23..345/2/4":           "of two outer-totalistic rules",
		"B3/S23..B3/S29":            "B3/S23..B3/S29",
		"B3/S23..":                  "B3/S23..",
		"B3/S23~flip=0.1..B36/S23":  "want",
		"B3/S23..B36/S23~flip=0.1":  "of two outer-totalistic rules",
		"B3/S23:T8,8..B36/S23:T8,8": "want",
	} {
		_, err := Spec{Rules: []string{text}, Sizes: []string{"8"}, Universes: 1}.Check()
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
	_, err := Spec{Rules: []string{"B/S..B2/S2", "B3/S..B23/S2"}, Sizes: []string{"8"}, Universes: 1}.Check()
	if err != nil {
		t.Errorf("ranges without common rules: %v", err)
	}
	_, err = Spec{Rules: []string{"B/S..B3/S23", "life"}, Sizes: []string{"8"}, Universes: 1}.Check()
	if err == nil || !strings.HasPrefix(err.Error(), "rule B3/S23 is listed twice") {
		t.Errorf("a rule of a range once more: %v", err)
	}
}

// TestGroups: each point is in one group, with others only if one circuit runs all and none is looked at alone.
func TestGroups(t *testing.T) {
	many := Spec{
		Rules: []string{"Ising~T=2", "B3/S23..B36/S0123567", "B2/S34V"}, Sizes: []string{"16", "P12,9"},
		Densities: Densities{0.2, 0.4}, Universes: 2,
	}
	for name, c := range map[string]struct {
		change func(s *Spec)
		groups int
	}{
		"two universes":            {func(*Spec) {}, 3 * 4},
		"sixteen":                  {func(s *Spec) { s.Universes = 16 }, 4 * 4},
		"many universes":           {func(s *Spec) { s.Universes = 1000 }, 66 * 4},
		"settling":                 {func(s *Spec) { s.Measures, s.Rules[0] = []string{"settling"}, "B3/S12" }, 66 * 4},
		"few rules":                {func(s *Spec) { s.Rules[1] = "B3/S23..B36/S012356" }, 34 * 4},
		"a shifted torus":          {func(s *Spec) { s.Sizes[0] = "T30+2,20" }, 66 * 4},
		"universes that are large": {func(s *Spec) { s.Sizes[0] = "8192" }, 66 * 4},
	} {
		spec := many
		spec.Rules, spec.Sizes = slices.Clone(many.Rules), slices.Clone(many.Sizes)
		c.change(&spec)
		p, err := spec.Check()
		if err != nil {
			t.Fatal(err)
		}
		seen, groups := map[int]bool{}, 0
		for g := range p.Groups() {
			groups++
			for k, at := range g.Points {
				number := g.First + k*g.Stride
				if seen[number] || p.Points[number].Place() != at.Place() || at.Topology != g.Points[0].Topology ||
					at.Density != g.Points[0].Density {
					t.Fatalf("%s: point %d of a group is %v", name, number, at.Place())
				}
				seen[number] = true
			}
		}
		if len(seen) != len(p.Points) || groups != c.groups {
			t.Errorf("%s: %d groups of %d points, want %d of %d", name, groups, len(seen), c.groups, len(p.Points))
		}
	}
}
