package fujita

import (
	"errors"
	"math"
)

// Model is the paper's cost of T generations of n cells in blocks of d×d cells, t generations a launch:
//
//	seconds = Unit · nT(t + C) / (t·(d − 2t)²)
//
// The unit is what one generation of a block takes of the device's time; C is the cost, in units, of what a launch adds for a block:
// dispatching it, reading and writing its cells.
type Model struct {
	Block int     // d
	Unit  float64 // seconds
	C     float64 // in units, 0 or more
}

// Seconds is the model's time of T generations of n cells at t generations a launch.
func (m Model) Seconds(n, generations, t float64) float64 {
	return m.Unit * n * generations * (t + m.C) / (t * m.clean(t))
}

// clean is the number of cells of a block that a launch makes right.
func (m Model) clean(t float64) float64 {
	side := float64(m.Block) - 2*t
	return side * side
}

// Best is the t at which the cost is least, a real number. The derivative of (t + c)/(t(d − 2t)²) vanishes where
// 4t² + 6ct − dc = 0, so
//
//	t = (√(9c² + 4dc) − 3c)/4,
//
// which grows with c from 0 to d/6. (The paper prints the denominator as 4d².)
func (m Model) Best() float64 {
	d, c := float64(m.Block), m.C
	if c == 0 {
		return 0
	}
	// The difference of two numbers that grow alike, written so that no digits are lost for large c.
	return d * c / (math.Sqrt(9*c*c+4*d*c) + 3*c)
}

// Point is a measured time.
type Point struct {
	T       int // generations a launch
	Seconds float64
	Cells   float64 // generations times cells that it is the time of
}

// Fit is the model of a method's measured times at two or more t, by least squares of their relative deviations.
func Fit(block int, points []Point) (Model, error) {
	m := Model{Block: block}
	// seconds·t·clean/n = Unit·t + Unit·C is a line in t; each point is weighted by what it is relative to.
	var w, wt, wtt, wy, wty float64
	seen := map[int]bool{}
	for _, p := range points {
		t := float64(p.T)
		if p.Seconds <= 0 || m.Block <= 2*p.T {
			return m, errors.New("a time that is not positive, or a block without clean cells")
		}
		seen[p.T] = true
		y := p.Seconds * t * m.clean(t) / p.Cells
		weight := 1 / (y * y)
		w, wt, wtt, wy, wty = w+weight, wt+weight*t, wtt+weight*t*t, wy+weight*y, wty+weight*t*y
	}
	if len(seen) < 2 {
		return m, errors.New("times at one t only")
	}
	m.Unit = (w*wty - wt*wy) / (w*wtt - wt*wt)
	m.C = (wy - m.Unit*wt) / (w * m.Unit)
	if m.C < 0 || m.Unit <= 0 {
		// The launch costs nothing that can be told from the times.
		m.Unit, m.C = wty/wtt, 0
	}
	return m, nil
}
