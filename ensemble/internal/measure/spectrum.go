package measure

import (
	"math"
	"math/cmplx"

	"github.com/gosper-life/gosper/internal/fourier"
)

// spectrum is the structure factor of the spins 2n − 1 at all wave vectors of the plane, averaged over those of
// about the same length.
type spectrum struct{}

// Quantities implements Instrument.
func (spectrum) Quantities(s Setting) []string { return numbered("spectrum", 0, s.Distance) }

// Measure implements Instrument. It looks at the half of the modes that the other half follows from.
func (spectrum) Measure(dst []float64, v View) {
	w, h := v.Topology.W, v.Topology.H
	modes := fourier.Transform(w, h, func(spins []float64, y int) {
		row := v.Cells.Row(0, y)
		for x := range spins {
			spins[x] = float64(2*int(row[x>>6]>>(x&63)&1) - 1)
		}
	})
	power, n := make([]float64, len(dst)), make([]float64, len(dst))
	for x := range modes.Across() {
		twice := 1.0 // the mode and that of the opposite wave vector
		if x > 0 && 2*x < w {
			twice = 2
		}
		for y, mode := range modes.Column(x) {
			if q := shell(v.Setting, x, min(y, h-y)); q < len(dst) {
				size := cmplx.Abs(mode)
				power[q] += twice * float64(size*size)
				n[q] += twice
			}
		}
	}
	for q := range dst {
		if n[q] > 0 {
			dst[q] = nine(power[q] / n[q] / v.cells())
		}
	}
}

// shell is the length of the wave vector (2πx/W, 2πy/H) in units of 2π by the shorter side, rounded.
func shell(s Setting, x, y int) int {
	side := float64(min(s.Topology.W, s.Topology.H))
	dx, dy := float64(x)*side/float64(s.Topology.W), float64(y)*side/float64(s.Topology.H)
	return int(math.Sqrt(float64(dx*dx)+float64(dy*dy)) + 0.5)
}
