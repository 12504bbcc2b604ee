package measure

import (
	"math"
	"math/cmplx"

	"github.com/gosper-life/gosper/internal/fourier"
)

// spectrum is the structure factor of the states of cells at all wave vectors of the universe, averaged over those of
// about the same length. The q states are the corners of a simplex around 0, at distance 1 from it. With two states
// these are the spins 2n − 1.
type spectrum struct{}

// Quantities implements Instrument.
func (spectrum) Quantities(s Setting) []string { return numbered("spectrum", 0, s.Distance) }

// Measure implements Instrument. It looks at the half of the modes that the other half follows from.
func (spectrum) Measure(dst []float64, v View) {
	w, h, d, cells := v.Topology.W, v.Topology.LayerRows(), max(v.Topology.D, 1), v.cells()
	power, n := make([]float64, len(dst)), make([]float64, len(dst))
	// visit calls do for all wave vectors that are short enough, with the place of their mode.
	visit := func(do func(q, x, y, z int, both float64)) {
		for x := range w/2 + 1 {
			both := 1.0 // the mode and that of the opposite wave vector
			if x > 0 && 2*x < w {
				both = 2
			}
			for z := range d {
				for y := range h {
					if q := shell(v.Setting, x, min(y, h-y), min(z, d-z)); q < len(dst) {
						do(q, x, y, z, both)
					}
				}
			}
		}
	}
	visit(func(q, _, _, _ int, both float64) { n[q] += both })
	add := func(weight float64, values func(dst []float64, y int)) {
		modes := fourier.TransformVolume(w, h, d, values)
		visit(func(q, x, y, z int, both float64) {
			size := cmplx.Abs(modes.At(x, y, z))
			power[q] += float64(weight * both * float64(size*size))
		})
	}
	if states := float64(v.RuleStates); v.States.Planes() == 1 {
		add(1, func(spins []float64, y int) {
			row := v.States.Row(0, y)
			for x := range spins {
				spins[x] = float64(2*int(row[x>>6]>>(x&63)&1) - 1)
			}
		})
	} else {
		line := make([]uint8, w)
		for state, count := range v.States.Counts()[:v.RuleStates] {
			if count == 0 { // then only the mean differs from 0
				power[0] += float64(cells * cells / (states * (states - 1)))
				continue
			}
			add(states/(states-1), func(parts []float64, y int) {
				StatesOf(line, v.States, y)
				for x := range parts {
					if parts[x] = -1 / states; int(line[x]) == state {
						parts[x]++
					}
				}
			})
		}
	}
	for q := range dst {
		if n[q] > 0 {
			dst[q] = nine(power[q] / n[q] / cells)
		}
	}
}

// shell is the length of the wave vector (2πx/W, 2πy/H, 2πz/D) in units of 2π by the shortest side, rounded.
func shell(s Setting, x, y, z int) int {
	w, h, d := float64(s.Topology.W), float64(s.Topology.LayerRows()), 1.0
	side := min(w, h)
	if s.Topology.Volume() {
		d = float64(s.Topology.D)
		side = min(side, d)
	}
	dx, dy, dz := float64(x)*side/w, float64(y)*side/h, float64(z)*side/d
	return int(math.Sqrt(float64(dx*dx)+float64(dy*dy)+float64(dz*dz)) + 0.5)
}
