// Package fourier transforms planes and volumes of real numbers.
//
// Start with [Transform].
package fourier

import (
	"math/cmplx"

	"gonum.org/v1/gonum/dsp/fourier"
)

// Modes are the Fourier modes of a plane of W×H real numbers f(x, y),
//
//	F(p, q) = Σ f(x, y) exp(-2πi (p·x/W + q·y/H))
//
// for p from 0 to W/2: the others are conjugates of these.
type Modes struct {
	W, H   int
	values []complex128 // row by row
	column [2][]complex128
	across *fourier.CmplxFFT
	down   *fourier.CmplxFFT
}

// Transform returns the modes of a plane. It gets the rows of the plane from row, which stores row y in dst.
func Transform(w, h int, row func(dst []float64, y int)) *Modes {
	m := &Modes{
		W: w, H: h, values: make([]complex128, (w/2+1)*h), across: fourier.NewCmplxFFT(w),
		down: fourier.NewCmplxFFT(h),
	}
	m.column = [2][]complex128{make([]complex128, h), make([]complex128, h)}
	values, pair := make([]float64, w), make([]complex128, w)
	for y := 0; y < h; y += 2 {
		row(values, y)
		for x, v := range values {
			pair[x] = complex(v, 0)
		}
		if y+1 < h {
			row(values, y+1)
			for x, v := range values {
				pair[x] += complex(0, v)
			}
		}
		m.across.Coefficients(pair, pair)
		m.split(pair, y)
	}
	for p := range m.Across() {
		m.setColumn(p, m.down.Coefficients(m.column[1], m.Column(p)))
	}
	return m
}

// Across is the number of columns of modes, W/2 + 1.
func (m *Modes) Across() int { return m.W/2 + 1 }

func (m *Modes) row(y int) []complex128 { return m.values[y*m.Across() : (y+1)*m.Across()] }

// Column returns F(p, q) for all q from 0 to H-1, until it is called again.
func (m *Modes) Column(p int) []complex128 {
	for q := range m.column[0] {
		m.column[0][q] = m.values[q*m.Across()+p]
	}
	return m.column[0]
}

func (m *Modes) setColumn(p int, values []complex128) {
	for q, v := range values {
		m.values[q*m.Across()+p] = v
	}
}

// Invert passes the rows of the plane whose modes are those of m times weight(p, q) to row, one after the
// other. The weight must be that of the mode with which a real plane shares its value: weight(p, q) = weight(p,
// H-q). It overwrites m.
func (m *Modes) Invert(weight func(p, q int) float64, row func(values []float64, y int)) {
	cells := float64(m.W) * float64(m.H)
	for p := range m.Across() {
		column := m.Column(p)
		for q := range column {
			column[q] *= complex(weight(p, q)/cells, 0)
		}
		m.setColumn(p, m.down.Sequence(m.column[1], column))
	}
	values, pair := make([]float64, m.W), make([]complex128, m.W)
	for y := 0; y < m.H; y += 2 {
		m.join(pair, y)
		m.across.Sequence(pair, pair)
		for x, v := range pair {
			values[x] = real(v)
		}
		row(values, y)
		if y+1 == m.H {
			break
		}
		for x, v := range pair {
			values[x] = imag(v)
		}
		row(values, y+1)
	}
}

// split takes the modes of row y and of the next one out of those of a pair, of which the first row is the real part
// and the second the imaginary part. Two real rows so take one complex transform, and no other kind is needed.
func (m *Modes) split(pair []complex128, y int) {
	for p := range m.Across() {
		a, b := pair[p], cmplx.Conj(pair[(m.W-p)%m.W])
		m.row(y)[p] = (a + b) / 2
		if y+1 < m.H {
			m.row(y + 1)[p] = (a - b) / 2i
		}
	}
}

// join makes a pair from the modes of row y and the next one, as split takes it apart. Real rows have real modes at
// frequency 0 and at the highest of an even width.
func (m *Modes) join(pair []complex128, y int) {
	for p := range m.Across() {
		a, b := m.row(y)[p], complex128(0)
		if y+1 < m.H {
			b = m.row(y + 1)[p]
		}
		mirror := (m.W - p) % m.W
		if p == mirror {
			a, b = complex(real(a), 0), complex(real(b), 0)
		}
		pair[mirror] = cmplx.Conj(a) + 1i*cmplx.Conj(b)
		pair[p] = a + 1i*b
	}
}

// Volume has the Fourier modes F(p, q, r) of W×H×D real numbers, as Modes has those of a plane.
type Volume struct{ layers []*Modes }

// TransformVolume returns the modes of a volume of d layers of h rows. row stores row y + h·z, of layer z, in dst.
func TransformVolume(w, h, d int, row func(dst []float64, y int)) *Volume {
	v := &Volume{}
	for z := range d {
		v.layers = append(v.layers, Transform(w, h, func(dst []float64, y int) { row(dst, z*h+y) }))
	}
	if d == 1 {
		return v
	}
	deep := fourier.NewCmplxFFT(d)
	values, modes := make([]complex128, d), make([]complex128, d)
	for i := range v.layers[0].values {
		for z, layer := range v.layers {
			values[z] = layer.values[i]
		}
		for r, mode := range deep.Coefficients(modes, values) {
			v.layers[r].values[i] = mode
		}
	}
	return v
}

// At returns F(p, q, r), for p from 0 to W/2.
func (v *Volume) At(p, q, r int) complex128 { return v.layers[r].row(q)[p] }
