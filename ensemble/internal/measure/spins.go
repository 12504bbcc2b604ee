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

// BondsOf returns the sum of s·s′ over all cells and their neighbours at edges, or in a volume at faces, so each pair
// counts twice. Spins s are 1 for cells in state 1 and −1 for others.
func BondsOf(g *grid.Grid, t topology.Topology) int64 {
	equal, pairs := alike(g, t)
	return int64(2*equal - pairs)
}

// alike counts the neighbours of all cells, four for each cell, or six in a volume, and those of them in the same state
// as the cell. Each pair counts twice. On a plane cells at the edges have fewer.
func alike(g *grid.Grid, t topology.Topology) (equal, pairs int) {
	w, h, rows := g.W(), g.H(), t.LayerRows()
	steps := []int{1} // to the next row, and to the same row of the next layer
	if t.Volume() {
		steps = append(steps, rows)
	}
	across := func(x, y, dx, dy, dz int) {
		var fx, fy int
		var inside bool
		if t.Volume() {
			fx, fy, inside = t.FoldVolume(x+dx, y%rows+dy, y/rows+dz)
		} else {
			fx, fy, inside = t.Fold(x+dx, y+dy)
		}
		if inside {
			pairs++
			if g.Get(x, y) == g.Get(fx, fy) {
				equal++
			}
		}
	}
	different, inside := 0, 0
	unequal := make([]uint64, len(g.Row(0, 0))) // cells that differ from the next one
	for y := range h {
		clear(unequal)
		for k := range g.Planes() {
			row := g.Row(k, y)
			for i, word := range row {
				next := word >> 1
				if i+1 < len(row) {
					next |= row[i+1] << 63
				}
				unequal[i] |= word ^ next
			}
		}
		for i, word := range unequal {
			if last := w - 1 - 64*i; last < 64 { // the last column has no neighbour inside
				word &= 1<<last - 1
			}
			different += bits.OnesCount64(word)
		}
		inside += w - 1
		across(0, y, -1, 0, 0)
		across(w-1, y, 1, 0, 0)
		for axis, step := range steps {
			dy, dz := 1-axis, axis
			at, last := y%rows, rows-1 // along the axis
			if axis == 1 {
				at, last = y/rows, t.D-1
			}
			for x := range w {
				if at == 0 {
					across(x, y, 0, -dy, -dz)
				}
				if at == last {
					across(x, y, 0, dy, dz)
				}
			}
			if at == last {
				continue
			}
			clear(unequal)
			for k := range g.Planes() {
				other := g.Row(k, y+step)
				for i, word := range g.Row(k, y) {
					unequal[i] |= word ^ other[i]
				}
			}
			for _, word := range unequal {
				different += bits.OnesCount64(word)
			}
			inside += w
		}
	}
	return equal + 2*(inside-different), pairs + 2*inside
}
