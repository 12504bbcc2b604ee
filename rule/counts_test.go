package rule_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/rule"
)

func TestCountsString(t *testing.T) {
	tests := []struct {
		in   []rule.Interval
		want string
	}{
		{nil, ""},
		{[]rule.Interval{{3, 3}}, "3"},
		{[]rule.Interval{{5, 4}}, ""},
		{[]rule.Interval{{18, 22}, {8, 8}, {11, 12}, {13, 15}}, "8,11-15,18-22"},
		{[]rule.Interval{{1, 9}, {2, 3}}, "1-9"},
		{[]rule.Interval{{-3, -1}}, "-3--1"},
	}
	for _, test := range tests {
		if got := rule.NewCounts(test.in...).String(); got != test.want {
			t.Errorf("%v: got %q, want %q", test.in, got, test.want)
		}
	}
}

// TestCountsAreSets checks that counts behave like sets of numbers, and that their intervals are in order and
// have gaps between them.
func TestCountsAreSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.IntRange(-20, 40)
		intervals := make([]rule.Interval, rapid.IntRange(0, 6).Draw(t, "intervals"))
		in := map[int]bool{}
		for i := range intervals {
			intervals[i] = rule.Interval{Lo: number.Draw(t, "lo"), Hi: number.Draw(t, "hi")}
			for n := intervals[i].Lo; n <= intervals[i].Hi; n++ {
				in[n] = true
			}
		}
		c := rule.NewCounts(intervals...)
		lo, hi := number.Draw(t, "from"), number.Draw(t, "to")
		d := number.Draw(t, "shift")
		shifted, reflected, clipped, rest := c.Shift(d), c.Reflect(d), c.Clip(lo, hi), c.Complement(lo, hi)
		for _, set := range []rule.Counts{c, shifted, reflected, clipped, rest} {
			for i, interval := range set {
				if interval.Lo > interval.Hi || i > 0 && interval.Lo <= set[i-1].Hi+1 {
					t.Fatalf("%v is not in order", set)
				}
			}
		}
		for n := -90; n <= 90; n++ {
			within := lo <= n && n <= hi
			if c.Has(n) != in[n] || shifted.Has(n) != in[n-d] || reflected.Has(n) != in[d-n] ||
				clipped.Has(n) != (in[n] && within) || rest.Has(n) != (!in[n] && within) {
				t.Fatalf("%v, shifted %v, reflected %v, clipped to %d..%d %v, the rest %v: wrong about %d",
					c, shifted, reflected, lo, hi, clipped, rest, n)
			}
		}
	})
}
