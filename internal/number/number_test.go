package number_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/internal/number"
)

func TestWhole(t *testing.T) {
	for text, want := range map[string]uint64{
		"0": 0, "010": 10, "1_000_000": 1e6, "1e6": 1e6, "2.5E+3": 2500, "1.50e1": 15, "18446744073709551615": math.MaxUint64,
		"1e16": 1e16, "1e19": 1e19, "1.8446744073709551615e19": math.MaxUint64, "9007199254740993e0": 1<<53 + 1, "0e999": 0,
		"1.": 1, "5.000": 5,
	} {
		if n, err := number.Whole(text); err != nil || n != want {
			t.Errorf("%s: %d (%v), want %d", text, n, err, want)
		}
	}
	for _, text := range []string{
		"", "-1", "0x10", "1.5", "1e-1", "15e-1", "inf", "NaN", "1e20", "2e19", "1.8446744073709551616e19",
		"18446744073709551616", "ten", "1,000",
		" 1", "e5", ".5e1", "1e", "1e+", "1e99999999999999999999", "1.25e1", "0x1p4",
	} {
		if n, err := number.Whole(text); err == nil {
			t.Errorf("%q: %d, want an error", text, n)
		}
	}
}

func TestInt(t *testing.T) {
	for text, want := range map[string]int{
		"-3": -3, "1e3": 1000, "-2.5e1": -25, "-0": 0,
		"9223372036854775807": math.MaxInt64,
	} {
		if n, err := number.Int(text); err != nil || n != want {
			t.Errorf("%s: %d (%v), want %d", text, n, err, want)
		}
	}
	for _, text := range []string{"--1", "9223372036854775808", "-9223372036854775808", "-", "+1", "1.5"} {
		if n, err := number.Int(text); err == nil {
			t.Errorf("%q: %d, want an error", text, n)
		}
	}
}

// TestEveryNumberIsExact writes numbers with a point and a power of ten anywhere, and compares with arithmetic
// on fractions.
func TestEveryNumberIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := fmt.Sprintf("%d.%se%d", rapid.Uint64Max(1<<rapid.IntRange(0, 63).Draw(t, "bits")).Draw(t, "n"),
			rapid.StringMatching(`[0-9]{0,12}`).Draw(t, "fraction"), rapid.IntRange(0, 22).Draw(t, "power"))
		exact, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Skip(text)
		}
		want := exact.IsInt() && exact.Num().IsUint64()
		n, err := number.Whole(text)
		if want != (err == nil) || want && n != exact.Num().Uint64() {
			t.Fatalf("%s: %d (%v), it is %v", text, n, err, exact)
		}
	})
}
