package measure

import (
	"fmt"
	"math"
)

// structure is the structure factor of the spins 2n − 1 at the wave vectors 2πq/W along x, 2πq/H along y and, in a
// volume, 2πq/D along z: the mean of these. Only the numbers of live cells in columns, rows and layers matter for them.
type structure struct{}

// Quantities implements Instrument.
func (structure) Quantities(s Setting) []string {
	return append(numbered("structure", 0, s.Distance), "spin")
}

// numbered are the names from "name first" to "name last".
func numbered(name string, first, last int) []string {
	var names []string
	for q := first; q <= last; q++ {
		names = append(names, fmt.Sprintf("%s %d", name, q))
	}
	return names
}

// Measure implements Instrument.
func (structure) Measure(dst []float64, v View) {
	last := len(dst) - 1
	clear(dst)
	for _, live := range profileOf(v.Cells, v.Topology).lines() {
		w := newWave(live, v.Topology.W*v.Topology.H/len(live))
		for q := range dst[:last] {
			dst[q] += w.power(q)
		}
	}
	for q := range dst[:last] {
		dst[q] = nine(dst[q] / v.axes() / v.cells())
	}
	dst[last] = float64(2*v.Ones)/v.cells() - 1
}

// Derived implements Deriver. The correlation length is that of the second moment of the connected correlation: the
// square of the mean spin, which is no fluctuation, is taken from S(0). At other wave vectors it has no part.
func (structure) Derived(s Setting) []Derived {
	if t := s.Topology; t.W != t.LayerRows() || t.Volume() && t.W != t.D {
		return nil
	}
	unit, n := 2*math.Sin(math.Pi/float64(s.Topology.W)), s.cells()
	return []Derived{{"correlation_length", []string{"structure 0", "structure 1", "spin"}, func(m []float64) float64 {
		return math.Sqrt((m[0]-float64(n*m[2]*m[2]))/m[1]-1) / unit
	}}}
}

// wave is the sums of the spins of lines around a torus, with the cosines and sines of the angles of these lines.
type wave struct{ spins, cos, sin []float64 }

// newWave makes the spins of lines of length cells, live[j] of which are live, and the sines and cosines of their
// positions.
func newWave(live []int, length int) wave {
	n := len(live)
	w := wave{make([]float64, n), make([]float64, n), make([]float64, n)}
	for j := range n {
		w.spins[j] = float64(2*live[j] - length)
		w.sin[j], w.cos[j] = math.Sincos(2 * math.Pi * float64(j) / float64(n))
	}
	return w
}

// power is |Σ spin(j) exp(2πi·q·j/n)|².
func (w wave) power(q int) float64 {
	n := len(w.spins)
	var re, im float64
	for j, spin := range w.spins {
		re += float64(spin * w.cos[q*j%n])
		im += float64(spin * w.sin[q*j%n])
	}
	return float64(re*re) + float64(im*im)
}
