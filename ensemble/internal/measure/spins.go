package measure

import (
	"math"
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
		{"binder", []string{"magnetisation_2", "magnetisation_4"}, func(m []float64) float64 {
			return 1 - m[1]/(3*float64(m[0]*m[0]))
		}},
		{"susceptibility", []string{"abs_magnetisation", "magnetisation_2"}, func(m []float64) float64 {
			return n * (m[1] - float64(m[0]*m[0]))
		}},
	}
}

// energy is that of the Ising model with coupling 1, for each cell: −Σ s·s′/N over pairs of neighbours at edges.
type energy struct{}

// Quantities implements Instrument.
func (energy) Quantities(Setting) []string { return []string{"energy", "energy_2"} }

// Measure implements Instrument.
func (energy) Measure(dst []float64, v View) {
	e := -float64(v.Bonds) / 2 / v.cells()
	dst[0], dst[1] = e, e*e
}

// Derived implements Deriver.
func (energy) Derived(s Setting) []Derived {
	n := s.cells()
	return []Derived{{"energy_variance", []string{"energy", "energy_2"}, func(m []float64) float64 {
		return n * (m[1] - float64(m[0]*m[0]))
	}}}
}

// potts takes the states 0 to q−1 of cells as spins. Its order parameter is the length of the mean of the spins
// as the q corners of a simplex around 0.
type potts struct{}

// Quantities implements Instrument.
func (potts) Quantities(Setting) []string {
	return []string{"order", "order_2", "order_4", "potts_energy", "potts_energy_2"}
}

// Measure implements Instrument.
func (potts) Measure(dst []float64, v View) {
	counts, length := v.States.Counts()[:v.RuleStates], 0.0
	for i, a := range counts {
		for _, b := range counts[:i] {
			d := (float64(a) - float64(b)) / v.cells()
			length += float64(d * d)
		}
	}
	length /= float64(v.RuleStates - 1)
	equal, _ := alike(v.States, v.Topology)
	e := -float64(equal) / 2 / v.cells()
	dst[0], dst[1], dst[2] = math.Sqrt(length), length, length*length
	dst[3], dst[4] = e, e*e
}

// Derived implements Deriver.
func (potts) Derived(s Setting) []Derived {
	n := s.cells()
	return []Derived{
		{"order_binder", []string{"order_2", "order_4"}, func(m []float64) float64 {
			return 1 - m[1]/(3*float64(m[0]*m[0]))
		}},
		{"order_susceptibility", []string{"order", "order_2"}, func(m []float64) float64 {
			return n * (m[1] - float64(m[0]*m[0]))
		}},
		{"potts_energy_variance", []string{"potts_energy", "potts_energy_2"}, func(m []float64) float64 {
			return n * (m[1] - float64(m[0]*m[0]))
		}},
	}
}

// BondsOf returns the sum of s·s′ over all cells and their four neighbours, so each pair counts twice. Spins s
// are 1 for cells in state 1 and −1 for others.
func BondsOf(g *grid.Grid, t topology.Topology) int64 {
	equal, pairs := alike(g, t)
	return int64(2*equal - pairs)
}

// alike counts the neighbours of all cells, four for each cell, and those of them in the same state as the cell. Each
// pair counts twice. On a plane cells at the edges have fewer.
func alike(g *grid.Grid, t topology.Topology) (equal, pairs int) {
	w, h := g.W(), g.H()
	different, inside := 0, (w-1)*h+w*(h-1)
	// cells that differ from the next one
	right, below := make([]uint64, len(g.Row(0, 0))), make([]uint64, len(g.Row(0, 0)))
	for y := range h {
		clear(right)
		clear(below)
		for k := range g.Planes() {
			row, under := g.Row(k, y), g.Row(k, min(y+1, h-1))
			for i, word := range row {
				next := word >> 1
				if i+1 < len(row) {
					next |= row[i+1] << 63
				}
				right[i] |= word ^ next
				below[i] |= word ^ under[i]
			}
		}
		for i, unequal := range right {
			if last := w - 1 - 64*i; last < 64 { // the last column has no neighbour inside
				unequal &= 1<<last - 1
			}
			different += bits.OnesCount64(unequal) + bits.OnesCount64(below[i])
		}
	}
	equal, pairs = 2*(inside-different), 2*inside
	across := func(x, y, dx, dy int) {
		if fx, fy, ok := t.Fold(x+dx, y+dy); ok {
			pairs++
			if g.Get(x, y) == g.Get(fx, fy) {
				equal++
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
	return equal, pairs
}
