package soup

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/fourier"
)

// mostModes is the number of cells a field has at most: 8 GiB of numbers.
const mostModes = 1 << 29

// mostPrime is the greatest prime factor of a field's sides: the time of a transform grows with it.
const mostPrime = 1024

// gauss makes the cells alive in which a Gaussian random field of variance 1 is below the threshold that a
// share density of it is below. The field is white noise, a normal number for each cell, whose Fourier modes
// are multiplied by the root of the spectrum. It goes on across opposite edges.
//
// With a length L the correlation of two cells r apart is exp(-r²/2L²), summed over the images of a torus. With
// a power A the spectrum is k^-A, k > 0.
func (s Start) gauss(in Setting) (func() rowMaker, error) {
	if !(in.Density >= 0 && in.Density <= 1) {
		return nil, fmt.Errorf("density %v: must be from 0 to 1", in.Density)
	}
	if err := grid.Fits(grid.Product(16, uint64(in.W/2+1), uint64(in.H))); err != nil {
		return nil, fmt.Errorf("start %v of %d×%d cells: %w", s, in.W, in.H, err)
	}
	g, err := grid.New(in.W, in.H, 1)
	if err != nil {
		return nil, err
	}
	seed := derived(in.Seed, useField)
	modes := fourier.Transform(in.W, in.H, func(dst []float64, y int) { normal(dst, rand.NewPCG(seed, uint64(y))) })
	root := s.spectrum(in.W, in.H)
	below := math.Sqrt2 * math.Erfinv(2*in.Density-1)
	modes.Invert(root, func(values []float64, y int) {
		row := g.Row(0, y)
		for x, v := range values {
			if v < below {
				row[x>>6] |= 1 << (x & 63)
			}
		}
	})
	return copied(g, 0, 0), nil
}

// normal makes independent normal numbers (Box and Muller 1958), two at a time.
func normal(dst []float64, random *rand.PCG) {
	unit := func() float64 { return (float64(random.Uint64()>>11) + 0.5) / (1 << 53) } // above 0, below 1
	for x := 0; x < len(dst); x += 2 {
		radius := math.Sqrt(-2 * math.Log(unit()))
		sin, cos := math.Sincos(2 * math.Pi * unit())
		dst[x] = radius * cos
		if x+1 < len(dst) {
			dst[x+1] = radius * sin
		}
	}
}

// spectrum is the root of the spectrum by mode, so that the field has variance 1.
func (s Start) spectrum(w, h int) func(p, q int) float64 {
	across, down := make([]float64, w/2+1), make([]float64, h) // of length; with a power, wave vectors squared
	for p := range across {
		across[p] = s.line(p, w)
	}
	for q := range down {
		down[q] = s.line(min(q, h-q), h)
	}
	power := func(p, q int) float64 {
		switch {
		case s.length > 0:
			return across[p] * down[q]
		case p == 0 && q == 0:
			return 0 // the field's mean, which the density says
		}
		return math.Pow(across[p]+down[q], -s.power/2)
	}
	total := 0.0
	for p := range across {
		twice := 2.0
		if p == 0 || 2*p == w {
			twice = 1
		}
		for q := range down {
			total += twice * power(p, q)
		}
	}
	if total == 0 { // a single cell has no other mode
		return func(int, int) float64 { return 1 }
	}
	scale := float64(w) * float64(h) / total
	return func(p, q int) float64 { return math.Sqrt(power(p, q) * scale) }
}

// line is the factor of a wave vector's component 2πp/n in the spectrum of a length: the sum over the component's
// aliases on a lattice. For a power law, it is the component squared.
func (s Start) line(p, n int) float64 {
	k := 2 * math.Pi * float64(p) / float64(n)
	if s.length == 0 {
		return k * k
	}
	aliases := int(math.Ceil(9/(2*math.Pi*s.length))) + 1
	sum := 0.0
	for j := -aliases; j <= aliases; j++ {
		x := (k + 2*math.Pi*float64(j)) * s.length
		sum += math.Exp(-x * x / 2)
	}
	return sum
}
