package measure

import (
	"math"
	"math/cmplx"

	"github.com/gosper-life/gosper/internal/fourier"
)

// spectrum is the structure factor of the states of cells at all wave vectors of the plane, averaged over those of
// about the same length. The q states are the corners of a simplex around 0, at distance 1 from it. With two states
// these are the spins 2n − 1.
type spectrum struct{}

// Quantities implements Instrument.
func (spectrum) Quantities(s Setting) []string { return numbered("spectrum", 0, s.Distance) }

// Measure implements Instrument. It looks at the half of the modes that the other half follows from.
func (spectrum) Measure(dst []float64, v View) {
	w, h, cells := v.Topology.W, v.Topology.H, v.cells()
	power, n := make([]float64, len(dst)), make([]float64, len(dst))
	add := func(weight float64, values func(dst []float64, y int)) {
		modes := fourier.Transform(w, h, values)
		for x := range modes.Across() {
			twice := weight // the mode and that of the opposite wave vector
			if x > 0 && 2*x < w {
				twice *= 2
			}
			for y, mode := range modes.Column(x) {
				if q := shell(v.Setting, x, min(y, h-y)); q < len(dst) {
					size := cmplx.Abs(mode)
					power[q] += float64(twice * float64(size*size))
				}
			}
		}
	}
	for x := range w/2 + 1 {
		for y := range h {
			if q := shell(v.Setting, x, min(y, h-y)); q < len(dst) {
				n[q]++
				if x > 0 && 2*x < w {
					n[q]++
				}
			}
		}
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

// shell is the length of the wave vector (2πx/W, 2πy/H) in units of 2π by the shorter side, rounded.
func shell(s Setting, x, y int) int {
	side := float64(min(s.Topology.W, s.Topology.H))
	dx, dy := float64(x)*side/float64(s.Topology.W), float64(y)*side/float64(s.Topology.H)
	return int(math.Sqrt(float64(dx*dx)+float64(dy*dy)) + 0.5)
}
