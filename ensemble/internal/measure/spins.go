package measure

import (
	"math/bits"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
)

// magnetisation takes cells in state 1 as spins up and all others as down: m = (up − down)/N for N cells.
type magnetisation struct{}

// Quantities implements Instrument.
func (magnetisation) Quantities(Setting) []string {
	return []string{"magnetisation", "abs_magnetisation", "magnetisation_2", "magnetisation_4"}
}

// Measure implements Instrument.
func (magnetisation) Measure(dst []float64, v View) {
	m := (float64(2*v.Ones) - v.cells()) / v.cells()
	dst[0], dst[1], dst[2] = m, max(m, -m), m*m
	dst[3] = dst[2] * dst[2]
}

// Derived implements Deriver.
func (magnetisation) Derived(s Setting) []Derived {
	n := s.cells()
	return []Derived{
		{"binder", []string{"magnetisation_2", "magnetisation_4"}, func(m []float64) float64 { return 1 - m[1]/(3*float64(m[0]*m[0])) }},
		{"susceptibility", []string{"abs_magnetisation", "magnetisation_2"}, func(m []float64) float64 { return n * (m[1] - float64(m[0]*m[0])) }},
	}
}

// energy is that of the Ising model with coupling 1, for each cell: −Σ s·s′/N over pairs of neighbours at edges.
type energy struct{}

// Quantities implements Instrument.
func (energy) Quantities(Setting) []string { return []string{"energy", "energy_2"} }

// Measure implements Instrument.
func (energy) Measure(dst []float64, v View) {
	e := -float64(bonds(v.Cells, v.Topology)) / 2 / v.cells()
	dst[0], dst[1] = e, e*e
}

// Derived implements Deriver.
func (energy) Derived(s Setting) []Derived {
	n := s.cells()
	return []Derived{{"energy_variance", []string{"energy", "energy_2"}, func(m []float64) float64 { return n * (m[1] - float64(m[0]*m[0])) }}}
}

// bonds is the sum of s·s′ over all cells and their four neighbours, so each pair counts twice. On a plane cells at the edges have fewer.
func bonds(g *grid.Grid, t topology.Topology) int {
	w, h := g.W(), g.H()
	different, inside := 0, (w-1)*h+w*(h-1)
	for y := range h {
		row := g.Row(0, y)
		for i, word := range row {
			next := word >> 1
			if i+1 < len(row) {
				next |= row[i+1] << 63
			}
			unequal := word ^ next
			if last := w - 1 - 64*i; last < 64 { // the last column has no neighbour inside
				unequal &= 1<<last - 1
			}
			different += bits.OnesCount64(unequal)
			if y+1 < h {
				different += bits.OnesCount64(word ^ g.Row(0, y+1)[i])
			}
		}
	}
	sum := 2 * (inside - 2*different)
	across := func(x, y, dx, dy int) {
		if fx, fy, ok := t.Fold(x+dx, y+dy); ok {
			if g.Get(x, y) == g.Get(fx, fy) {
				sum++
			} else {
				sum--
			}
		}
	}
	for x := range w {
		across(x, 0, 0, -1)
		across(x, h-1, 0, 1)
	}
	for y := range h {
		across(0, y, -1, 0)
		across(w-1, y, 1, 0)
	}
	return sum
}
