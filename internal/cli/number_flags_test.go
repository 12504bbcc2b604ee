package cli

import (
	"math"
	"testing"
)

func TestWholeNumber(t *testing.T) {
	for text, want := range map[string]uint64{
		"0": 0, "010": 10, "1_000_000": 1e6, "1e6": 1e6, "2.5E+3": 2500, "1.50e1": 15, "18446744073709551615": math.MaxUint64,
	} {
		if n, err := wholeNumber(text); err != nil || n != want {
			t.Errorf("%s: %d (%v), want %d", text, n, err, want)
		}
	}
	for _, text := range []string{"", "-1", "0x10", "1.5", "1e-1", "15e-1", "inf", "NaN", "1e16", "18446744073709551616", "ten", "1,000", " 1"} {
		if n, err := wholeNumber(text); err == nil {
			t.Errorf("%q: %d, want an error", text, n)
		}
	}
}
