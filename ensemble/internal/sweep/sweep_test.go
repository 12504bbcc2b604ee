package sweep

import (
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/internal/compile/code"
)

// FuzzBetween: ranges of rules are refused or hold both ends, rules in the order of their codes.
func FuzzBetween(f *testing.F) {
	for _, text := range []string{
		"B3/S23..B36/S23", "B/SV..B4/S0V", "R5,C0,M1,S34..58,B34..45,NM", "B2/S34H..", "..",
		"life..life",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rules, name, isRange, err := Between(text)
		if err != nil || !isRange || len(rules) > 1<<10 {
			return
		}
		again, same, _, err := Between(name)
		if len(rules) > 1 && (err != nil || same != name || len(again) != len(rules)) || len(rules)&(len(rules)-1) != 0 {
			t.Fatalf("%q: %d rules, %q has %d, %v", text, len(rules), name, len(again), err)
		}
		last := uint64(0)
		for i, r := range rules {
			code, ok := code.Of(r)
			if !ok || i > 0 && code <= last {
				t.Fatalf("%q: %v", text, r)
			}
			last = code
		}
	})
}

// FuzzExpand: ranges are refused or make rising values, written as short as they can be, between their ends.
func FuzzExpand(f *testing.F) {
	for _, text := range []string{
		"2.1..2.4/0.05", "0..1/1e-9", "-1..1/0.3", "1e300..2e300/1e299", "5", "..", "1../",
		"0x1p-2..1/0.25",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, ",") || !strings.Contains(text, "..") {
			return
		}
		rules, err := Expand("rule", "Ising~T="+text)
		if err != nil {
			return
		}
		values, err := Steps(strings.TrimSpace(text))
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
