package measure

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestLog2(t *testing.T) {
	for x, want := range map[float64]float64{1: 0, 2: 1, 0.125: -3, 1 << 40: 40, math.Sqrt2: 0.5} {
		if got := Log2(x); math.Abs(got-want) > 2e-16 {
			t.Errorf("Log2(%v) = %v, want %v", x, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(1e-12, 1e12).Draw(t, "x")
		if got, want := Log2(x), math.Log2(x); math.Abs(got-want) > 4e-16*max(1, math.Abs(want)) {
			t.Errorf("Log2(%v) = %v, want %v", x, got, want)
		}
	})
}
