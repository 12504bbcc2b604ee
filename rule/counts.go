package rule

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Counts is a set of neighbour counts: disjoint closed intervals in rising order, no two adjacent.
type Counts []Interval

// Interval is the closed range Lo..Hi.
type Interval struct{ Lo, Hi int }

// NewCounts returns the union of intervals. They may overlap and come in any order. An interval with Lo above Hi is
// empty.
func NewCounts(intervals ...Interval) Counts {
	sorted := slices.Clone(intervals)
	slices.SortStableFunc(sorted, func(a, b Interval) int { return cmp.Compare(a.Lo, b.Lo) })
	var c Counts
	for _, in := range sorted {
		last := len(c) - 1
		switch {
		case in.Lo > in.Hi:
		case last >= 0 && in.Lo <= c[last].Hi+1:
			c[last].Hi = max(c[last].Hi, in.Hi)
		default:
			c = append(c, in)
		}
	}
	return c
}

// Has reports whether n is in the set.
func (c Counts) Has(n int) bool {
	i, found := slices.BinarySearchFunc(c, n, func(in Interval, n int) int { return cmp.Compare(in.Lo, n) })
	return found || i > 0 && n <= c[i-1].Hi
}

// Equal reports whether both sets hold the same counts.
func (c Counts) Equal(d Counts) bool { return slices.Equal(c, d) }

// Shift returns the set of n+d for every n of c.
func (c Counts) Shift(d int) Counts {
	shifted := slices.Clone(c)
	for i := range shifted {
		shifted[i].Lo += d
		shifted[i].Hi += d
	}
	return shifted
}

// Reflect returns the set of sum-n for every n of c.
func (c Counts) Reflect(sum int) Counts {
	var reflected Counts
	for _, in := range slices.Backward(c) {
		reflected = append(reflected, Interval{sum - in.Hi, sum - in.Lo})
	}
	return reflected
}

// Clip returns the part of c within lo..hi.
func (c Counts) Clip(lo, hi int) Counts {
	var clipped Counts
	for _, in := range c {
		if in.Lo = max(in.Lo, lo); in.Lo <= min(in.Hi, hi) {
			clipped = append(clipped, Interval{in.Lo, min(in.Hi, hi)})
		}
	}
	return clipped
}

// Complement returns the set of the counts of lo..hi that are not in c.
func (c Counts) Complement(lo, hi int) Counts {
	var rest Counts
	for _, in := range c.Clip(lo, hi) {
		if lo < in.Lo {
			rest = append(rest, Interval{lo, in.Lo - 1})
		}
		lo = in.Hi + 1
	}
	if lo <= hi {
		rest = append(rest, Interval{lo, hi})
	}
	return rest
}

// String returns the set as HROT rules write it: "8,11-15,18-22", and "" for the empty set.
func (c Counts) String() string {
	var b strings.Builder
	for i, in := range c {
		if i > 0 {
			b.WriteByte(',')
		}
		if in.Lo == in.Hi {
			fmt.Fprintf(&b, "%d", in.Lo)
		} else {
			fmt.Fprintf(&b, "%d-%d", in.Lo, in.Hi)
		}
	}
	return b.String()
}

// Digits returns the counts as B/S rules write them: "23".
func (c Counts) Digits() string {
	var b strings.Builder
	for _, in := range c {
		for n := in.Lo; n <= in.Hi; n++ {
			b.WriteByte('0' + byte(n))
		}
	}
	return b.String()
}
