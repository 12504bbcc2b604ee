package measure

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// twoTime measures the overlap of a sample with those at waiting times.
type twoTime struct{}

var twoTimeNames = []string{
	"two_time_overlap", "two_time_before", "two_time_now", "two_time_product", "two_time_before_2", "two_time_now_2",
}

// Quantities implements Instrument.
func (twoTime) Quantities(s Setting) (names []string) {
	for _, w := range s.Waiting {
		for _, name := range twoTimeNames {
			names = append(names, fmt.Sprintf("%s %d", name, w))
		}
	}
	return names
}

// From implements Later.
func (twoTime) From(s Setting, quantity int) uint64 { return s.Waiting[quantity/len(twoTimeNames)] }

// Measure implements Instrument.
func (twoTime) Measure(dst []float64, v View) {
	now := float64(v.Ones) / v.cells()
	for k, g := range v.Waiting {
		both, ones := 0, 0
		for y := range g.H() {
			before := g.Row(0, y)
			for i, word := range v.Cells.Row(0, y) {
				both += bits.OnesCount64(word & before[i])
				ones += bits.OnesCount64(before[i])
			}
		}
		before := float64(ones) / v.cells()
		copy(dst[k*len(twoTimeNames):], []float64{
			float64(both) / v.cells(), before, now, before * now, before * before, now * now,
		})
	}
}

// Derived implements Deriver.
func (twoTime) Derived(s Setting) (all []Derived) {
	spread := func(square, mean float64) float64 { return square - float64(mean*mean) }
	for _, w := range s.Waiting {
		names := slices.Clone(twoTimeNames)
		for i := range names {
			names[i] = fmt.Sprintf("%s %d", names[i], w)
		}
		all = append(all,
			Derived{fmt.Sprintf("two_time_cells %d", w), names[:3], func(m []float64) float64 {
				return (m[0] - float64(m[1]*m[2])) / math.Sqrt(float64(spread(m[1], m[1])*spread(m[2], m[2])))
			}},
			Derived{fmt.Sprintf("two_time_density %d", w), names[1:], func(m []float64) float64 {
				return (m[2] - float64(m[0]*m[1])) / math.Sqrt(float64(spread(m[3], m[0])*spread(m[4], m[1])))
			}})
	}
	return all
}
