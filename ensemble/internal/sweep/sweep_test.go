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

func TestBraces(t *testing.T) {
	for text, want := range map[string][]string{
		"B3/S23": {"B3/S23"},
		"R5,C0,M1,S{33..35}..58,B34..{44,45},NM": {
			"R5,C0,M1,S33..58,B34..44,NM", "R5,C0,M1,S33..58,B34..45,NM", "R5,C0,M1,S34..58,B34..44,NM",
			"R5,C0,M1,S34..58,B34..45,NM", "R5,C0,M1,S35..58,B34..44,NM", "R5,C0,M1,S35..58,B34..45,NM",
		},
		"R{2..6/2},C0,M0,S3..4,B3..3,NM~flip=0..0.1/0.1": {
			"R2,C0,M0,S3..4,B3..3,NM~flip=0", "R2,C0,M0,S3..4,B3..3,NM~flip=0.1", "R4,C0,M0,S3..4,B3..3,NM~flip=0",
			"R4,C0,M0,S3..4,B3..3,NM~flip=0.1", "R6,C0,M0,S3..4,B3..3,NM~flip=0", "R6,C0,M0,S3..4,B3..3,NM~flip=0.1",
		},
		"exact~1={100,200}": {"exact~1=100", "exact~1=200"},
	} {
		if got, err := Expand("rule", text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"S{": "want a number", "S{}": "want a number", "S{1": "there is no }", "S{5..1}": "that rises", "S{x}": "want a number",
		"S{1..10001}": "too many", "S{1..101}{1..101}": "more than 10000 rules",
	} {
		if _, err := Expand("rule", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// FuzzBraces: texts are refused, or become at most so many texts without braces.
func FuzzBraces(f *testing.F) {
	for _, text := range []string{"R5,C0,M1,S{33..35}..58,B34..{44,45},NM", "{", "}{1}", "{1..9/2}{1}", "{{1}}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		made, err := Expand("rule", text)
		if err != nil {
			return
		}
		if len(made) < 1 || len(made) > mostSteps {
			t.Fatalf("%q: %d texts", text, len(made))
		}
		for _, one := range made {
			if strings.Contains(one, "{") {
				t.Fatalf("%q becomes %q", text, one)
			}
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
		if strings.ContainsAny(text, ",{") || !strings.Contains(text, "..") {
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
