package measure

import (
	"errors"
	"fmt"
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
	wraps := wraps(t)
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
	if wraps(t) {
		inside = func(n float64) float64 { return n }
	}
	places := inside(w)*h*d + w*inside(h)*d
	if t.Volume() {
		places += w * h * inside(d)
	}
	return places
}

// mutual is the mutual information of the states of two cells at a distance along the axes, in bits.
type mutual struct{}

// Quantities implements Instrument.
func (mutual) Quantities(s Setting) []string { return numbered("mutual", 1, s.Distance) }

// Measure implements Instrument.
func (mutual) Measure(dst []float64, v View) {
	joint := jointCounts(v.States, v.RuleStates, v.Topology, len(dst))
	places, occur := v.axes()*v.cells(), 0.0
	single := make([]float64, v.RuleStates) // places where the first cell, or the second, has a state
	for state, n := range v.States.Counts()[:v.RuleStates] {
		single[state] = v.axes() * float64(n)
		if n > 0 {
			occur++
		}
	}
	for r := range dst {
		sum := 0.0
		for i, n := range joint[r] {
			first, second := i/v.RuleStates, i%v.RuleStates
			sum += term(float64(n), single[first], single[second], places)
		}
		dst[r] = nine(sum/places - float64((occur-1)*(occur-1))/(2*places*math.Ln2))
	}
}

// jointCounts counts the pairs of states of two cells at each distance from 1 to the largest one, along all axes of a
// torus without a shift. The pair of a first and a second state has number first·states + second.
func jointCounts(g *grid.Grid, states int, t topology.Topology, distance int) [][]uint64 {
	joint := make([][]uint64, distance)
	if g.Planes() == 1 {
		counts := make([]uint64, distance+1)
		CountPairs(counts, g, t)
		axes := uint64(Setting{Topology: t}.axes())
		all, one := axes*uint64(t.W)*uint64(t.H), axes*g.Population()
		for r := range joint {
			both := counts[r+1]
			joint[r] = []uint64{all - 2*one + both, one - both, one - both, both}
		}
		return joint
	}
	w, h := t.W, t.LayerRows()
	lines := make([][]uint8, t.H)
	for y := range lines {
		lines[y] = StatesOf(make([]uint8, w), g, y)
	}
	for r := range joint {
		joint[r] = make([]uint64, states*states)
		for y, line := range lines {
			below, right := lines[y/h*h+(y%h+r+1)%h], (r+1)%w
			behind := lines[(y+(r+1)*h)%t.H] // of a volume only
			for x, state := range line {
				joint[r][int(state)*states+int(below[x])]++
				joint[r][int(state)*states+int(line[right])]++
				if t.Volume() {
					joint[r][int(state)*states+int(behind[x])]++
				}
				if right++; right == w {
					right = 0
				}
			}
		}
	}
	return joint
}

// StatesOf stores the states of the cells of a row of a grid in dst, which it returns.
func StatesOf(dst []uint8, g *grid.Grid, y int) []uint8 {
	clear(dst)
	for k := range g.Planes() {
		row := g.Row(k, y)
		for x := range dst {
			dst[x] |= uint8(row[x>>6]>>(x&63)&1) << k
		}
	}
	return dst
}

// agreement measures the share of pairs of cells at a distance along the axes that have the same state.
type agreement struct{}

// Quantities implements Instrument.
func (agreement) Quantities(s Setting) []string {
	return append(numbered("agreement", 1, s.Distance), numbered("share", 0, s.RuleStates-1)...)
}

// Measure implements Instrument.
func (agreement) Measure(dst []float64, v View) {
	for r, pairs := range jointCounts(v.States, v.RuleStates, v.Topology, v.Distance) {
		same := uint64(0)
		for state := range v.RuleStates {
			same += pairs[state*v.RuleStates+state]
		}
		dst[r] = float64(same) / (v.axes() * v.cells())
	}
	for state, n := range v.States.Counts()[:v.RuleStates] {
		dst[v.Distance+state] = float64(n) / v.cells()
	}
}

// Derived implements Deriver. Independent cells agree with a probability that is the sum of the squares of the mean
// shares.
func (agreement) Derived(s Setting) (all []Derived) {
	shares := numbered("share", 0, s.RuleStates-1)
	for r, name := range numbered("agreement", 1, s.Distance) {
		all = append(all, Derived{
			fmt.Sprintf("agreement_connected %d", r+1), append([]string{name}, shares...), func(m []float64) float64 {
				sum := m[0]
				for _, share := range m[1:] {
					sum -= float64(share * share)
				}
				return sum
			},
		})
	}
	return all
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
