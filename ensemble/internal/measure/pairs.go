package measure

import (
	"errors"
	"math"
	"math/bits"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
)

// CountPairs counts, for each distance r from 0 to len(counts)-1, the cells in state 1 that have a cell in
// state 1 at distance r to the right, plus those that have one at distance r below. In a volume it adds those that
// have one r layers further on. Pairs cross the edges of a torus without a shift; in all other universes they lie
// inside. The mean product of two cells at distance r is pairs/PairPlaces.
func CountPairs(counts []uint64, ones *grid.Grid, t topology.Topology) {
	a, b := make([]uint64, (t.W+63)/64), make([]uint64, (t.W+63)/64)
	wraps := t.Kind == topology.Torus && (t.Volume() || t.WrapsStraight())
	h, d := t.LayerRows(), max(t.D, 1)
	across := func(y, x, to, n int) (both uint64) { // n cells from columns x and to on
		grid.InMemory(errors.Join(ones.ReadRow(a, 0, x, y, n), ones.ReadRow(b, 0, to, y, n)))
		for i := range (n + 63) / 64 {
			both += uint64(bits.OnesCount64(a[i] & b[i]))
		}
		return both
	}
	for r := range counts {
		for y := range t.H {
			counts[r] += across(y, 0, r, t.W-r)
			if wraps && r > 0 {
				counts[r] += across(y, t.W-r, 0, r)
			}
			row, z := y%h, y/h
			if wraps || row+r < h {
				counts[r] += both(ones, y, z*h+(row+r)%h)
			}
			if t.Volume() && (wraps || z+r < d) {
				counts[r] += both(ones, y, (z+r)%d*h+row)
			}
		}
	}
}

// both counts the columns in which two rows have a cell in state 1.
func both(ones *grid.Grid, y, other int) (n uint64) {
	row := ones.Row(0, other)
	for i, word := range ones.Row(0, y) {
		n += uint64(bits.OnesCount64(word & row[i]))
	}
	return n
}

// PairPlaces is the number of pairs of cells at distance r that CountPairs looks at: those of all cells along each axis
// of a torus without a shift, and those inside any other universe.
func PairPlaces(t topology.Topology, r int) float64 {
	w, h, d := float64(t.W), float64(t.LayerRows()), float64(max(t.D, 1))
	inside := func(n float64) float64 { return max(n-float64(r), 0) }
	if t.Kind == topology.Torus && (t.Volume() || t.WrapsStraight()) {
		inside = func(n float64) float64 { return n }
	}
	places := inside(w)*h*d + w*inside(h)*d
	if t.Volume() {
		places += w * h * inside(d)
	}
	return places
}

// mutual is the mutual information of two cells at a distance along the axes, in bits.
type mutual struct{}

// Quantities implements Instrument.
func (mutual) Quantities(s Setting) []string { return numbered("mutual", 1, s.Distance) }

// Measure implements Instrument.
func (mutual) Measure(dst []float64, v View) {
	counts := make([]uint64, len(dst)+1)
	CountPairs(counts, v.Cells, v.Topology)
	places := 2 * v.cells()
	one := 2 * float64(v.Ones) // places where the first cell, or the second, is in state 1
	for r := range dst {
		both := float64(counts[r+1])
		sum := term(both, one, one, places) + 2*term(one-both, one, places-one, places) +
			term(places-2*one+both, places-one, places-one, places)
		dst[r] = nine(sum/places - 1/(2*places*math.Ln2))
	}
}

// term is the part of some places, of those where two cells have two states that occur first and second times each.
func term(n, first, second, places float64) float64 {
	if n == 0 {
		return 0
	}
	return float64(n * Log2(n/first*(places/second)))
}

// Log2 is the binary logarithm of a positive number, to within a few units of its last place, and with the same
// result on every processor. Package math has different code on some processors. The conversions keep
// processors from fusing two operations. It is computed as 2·artanh((m−1)/(m+1))/ln 2 for the mantissa m,
// between √½ and √2.
func Log2(x float64) float64 {
	m, exponent := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, exponent = 2*m, exponent-1
	}
	s := (m - 1) / (m + 1)
	square := float64(s * s) // at most 0.0295
	sum := 0.0
	for k := 23; k >= 1; k -= 2 { // s + s³/3 + s⁵/5 + …
		sum = float64(sum*square) + 1/float64(k)
	}
	return float64(exponent) + float64(float64(s*sum)*(2/math.Ln2))
}
