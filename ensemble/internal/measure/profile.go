package measure

import (
	"iter"
	"math"
	"math/bits"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
)

// profile is the number of live cells that each column has, each row, and in a volume each layer. All cells with the
// same x are a column there, all with the same y a row.
type profile struct{ columns, rows, layers []int }

// lines are the numbers along each axis.
func (p profile) lines() [][]int {
	if p.layers == nil {
		return [][]int{p.columns, p.rows}
	}
	return [][]int{p.columns, p.rows, p.layers}
}

// profileOf counts 64 columns at once: bit k of the count of column b is bit b of plane k, and a row is added
// by carrying from plane to plane, which takes two steps on average.
func profileOf(g *grid.Grid, t topology.Topology) profile {
	w, h := g.W(), g.H()
	p := profile{make([]int, w), make([]int, h), nil}
	planes := make([]uint64, bits.Len(uint(h)))
	for i := range (w + 63) / 64 {
		clear(planes)
		for y := range h {
			carry := g.Row(0, y)[i]
			p.rows[y] += bits.OnesCount64(carry)
			for k := 0; carry != 0; k++ {
				planes[k], carry = planes[k]^carry, planes[k]&carry
			}
		}
		for x := 64 * i; x < min(w, 64*i+64); x++ {
			for k, plane := range planes {
				p.columns[x] |= int(plane>>(x&63)&1) << k
			}
		}
	}
	if t.Volume() {
		all := p.rows
		p.rows, p.layers = make([]int, t.LayerRows()), make([]int, t.D)
		for i, n := range all {
			p.rows[i%len(p.rows)] += n
			p.layers[i/len(p.rows)] += n
		}
	}
	return p
}

// around adds up live cells and their distances from the middle of a universe, the cell (W/2, H/2), or (W/2, H/2, D/2).
// On a torus, distances are measured the shorter way around.
type around struct {
	cells   float64
	squares float64 // sum of the squares of their distances
	extent  float64 // the largest distance along an axis
}

func (p profile) around(wraps bool) around {
	var a around
	for _, line := range p.lines() {
		a.cells = 0
		for i, n := range line {
			d := i - len(line)/2
			if d = max(d, -d); wraps {
				d = min(d, len(line)-d)
			}
			a.cells += float64(n)
			a.squares += float64(n) * float64(d*d)
			if n > 0 {
				a.extent = max(a.extent, float64(d))
			}
		}
	}
	return a
}

// spreading measures how far live cells are from the middle of the universe. A start from a single cell puts that
// cell there.
type spreading struct{}

// Quantities implements Instrument.
func (spreading) Quantities(Setting) []string { return []string{"alive", "live", "squares", "extent"} }

// Measure implements Instrument.
func (spreading) Measure(dst []float64, v View) {
	profileOf(v.Cells, v.Topology).around(v.wraps()).store(dst)
}

func (a around) store(dst []float64) {
	dst[0], dst[1], dst[2], dst[3] = 0, a.cells, a.squares, a.extent
	if a.cells > 0 {
		dst[0] = 1
	}
}

// Spreading stores the numbers of the measure of that name for cells on the unbounded plane, which are given by their
// distances along the axes from the middle.
func Spreading(dst []float64, cells iter.Seq2[int, int]) {
	var a around
	for dx, dy := range cells {
		a.cells++
		a.squares += float64(dx*dx) + float64(dy*dy)
		a.extent = max(a.extent, math.Abs(float64(dx)), math.Abs(float64(dy)))
	}
	a.store(dst)
}

// Derived implements Deriver.
func (spreading) Derived(Setting) []Derived {
	return []Derived{
		{"square_distance", []string{"squares", "live"}, ratio},
		{"extent_alive", []string{"extent", "alive"}, ratio},
	}
}

func ratio(m []float64) float64 { return m[0] / m[1] }

// damage measures where a universe and its twin differ.
type damage struct{}

// Quantities implements Instrument.
func (damage) Quantities(Setting) []string {
	return []string{"damaged", "damage", "damage_squares", "damage_extent"}
}

// Measure implements Instrument.
func (damage) Measure(dst []float64, v View) {
	differ, err := v.Cells.Copy()
	grid.InMemory(err)
	for y := range differ.H() {
		row := differ.Row(0, y)
		for i, word := range v.Twin.Row(0, y) {
			row[i] ^= word
		}
	}
	profileOf(differ, v.Topology).around(v.wraps()).store(dst)
	dst[1] /= v.cells()
}

// Derived implements Deriver.
func (damage) Derived(s Setting) []Derived {
	n := s.cells()
	return []Derived{
		{"damage_square_distance", []string{"damage_squares", "damage"}, func(m []float64) float64 {
			return m[0] / (n * m[1])
		}},
		{"damage_extent_alive", []string{"damage_extent", "damaged"}, ratio},
	}
}

// autocorrelation measures the share of the first sample that is left.
type autocorrelation struct{}

// Quantities implements Instrument.
func (autocorrelation) Quantities(Setting) []string {
	return []string{"overlap", "first_density", "now_density"}
}

// Measure implements Instrument.
func (autocorrelation) Measure(dst []float64, v View) {
	both, first := 0, 0
	for y := range v.Cells.H() {
		before := v.First.Row(0, y)
		for i, word := range v.Cells.Row(0, y) {
			both += bits.OnesCount64(word & before[i])
			first += bits.OnesCount64(before[i])
		}
	}
	dst[0], dst[1], dst[2] = float64(both)/v.cells(), float64(first)/v.cells(), float64(v.Ones)/v.cells()
}

// Derived implements Deriver.
func (autocorrelation) Derived(Setting) []Derived {
	return []Derived{{"autocorrelation", []string{"overlap", "first_density", "now_density"}, func(m []float64) float64 {
		spread := func(p float64) float64 { return p - float64(p*p) }
		return (m[0] - float64(m[1]*m[2])) / math.Sqrt(float64(spread(m[1])*spread(m[2])))
	}}}
}
