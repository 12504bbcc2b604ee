package ensemble

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// FuzzExpand: ranges are refused or make rising values, written as short as they can be, between their ends.
func FuzzExpand(f *testing.F) {
	for _, text := range []string{"2.1..2.4/0.05", "0..1/1e-9", "-1..1/0.3", "1e300..2e300/1e299", "5", "..", "1../", "0x1p-2..1/0.25"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, ",") || !strings.Contains(text, "..") {
			return
		}
		rules, err := expand("Ising~T=" + text)
		if err != nil {
			return
		}
		values, err := steps(strings.TrimSpace(text))
		if err != nil || len(values) != len(rules) || len(values) > mostSteps {
			t.Fatalf("%q: %d rules of %d values, %v", text, len(rules), len(values), err)
		}
		if !slices.IsSorted(values) {
			t.Errorf("%q does not rise: %v", text, values)
		}
		for i, r := range rules {
			if again, err := finite(strings.TrimPrefix(r, "Ising~T=")); err != nil || again != values[i] {
				t.Errorf("%q: %v is written %s (%v)", text, values[i], r, err)
			}
		}
	})
}
