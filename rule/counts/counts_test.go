package counts_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/rule/counts"
)

func TestCountsString(t *testing.T) {
	tests := []struct {
		in   []counts.Interval
		want string
	}{
		{nil, ""},
		{[]counts.Interval{{3, 3}}, "3"},
		{[]counts.Interval{{5, 4}}, ""},
		{[]counts.Interval{{18, 22}, {8, 8}, {11, 12}, {13, 15}}, "8,11-15,18-22"},
		{[]counts.Interval{{1, 9}, {2, 3}}, "1-9"},
		{[]counts.Interval{{-3, -1}}, "-3--1"},
	}
	for _, test := range tests {
		if got := counts.New(test.in...).String(); got != test.want {
			t.Errorf("%v: got %q, want %q", test.in, got, test.want)
		}
	}
}

// TestCountsAreSets checks that counts behave like sets of numbers, and that their intervals are in order and
// have gaps between them.
func TestCountsAreSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.IntRange(-20, 40)
		intervals := make([]counts.Interval, rapid.IntRange(0, 6).Draw(t, "intervals"))
		in := map[int]bool{}
		for i := range intervals {
			intervals[i] = counts.Interval{Lo: number.Draw(t, "lo"), Hi: number.Draw(t, "hi")}
			for n := intervals[i].Lo; n <= intervals[i].Hi; n++ {
				in[n] = true
			}
		}
		c := counts.New(intervals...)
		lo, hi := number.Draw(t, "from"), number.Draw(t, "to")
		d := number.Draw(t, "shift")
		shifted, reflected, clipped, rest := c.Shift(d), c.Reflect(d), c.Clip(lo, hi), c.Complement(lo, hi)
		for _, set := range []counts.Set{c, shifted, reflected, clipped, rest} {
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
