package fujita

import (
	"errors"
	"math"
)

// Model is the paper's cost of T generations of n cells in blocks of d×d cells, t generations a launch:
//
//	nT(t + c)/(t(d − 2t)²)
//
// in units of the time of one generation of a block. c is the cost of a launch for a block: dispatching it, and
// reading and writing its cells. In seconds the cost is nT(Unit·t + Launch)/(t(d − 2t)²), which is also
// meaningful if generations cost nothing compared with launches.
type Model struct {
	Block        int     // d
	Unit, Launch float64 // seconds, 0 or more
}

// C returns the cost of a launch for a block in units. It is infinite if a generation costs nothing.
func (m Model) C() float64 { return m.Launch / m.Unit }

// Seconds is the model's time of T generations of n cells at t generations a launch.
func (m Model) Seconds(n, generations, t float64) float64 {
	return n * generations * (m.Unit*t + m.Launch) / (t * m.clean(t))
}

// clean is the number of cells of a block that a launch makes right.
func (m Model) clean(t float64) float64 {
	side := float64(m.Block) - 2*t
	return side * side
}

// Best returns the t at which the cost is least, a real number. The derivative of (t + c)/(t(d − 2t)²) vanishes
// where 4t² + 6ct − dc = 0, so
//
//	t = (√(9c² + 4dc) − 3c)/4,
//
// which grows with c from 0 to d/6. (The paper prints the denominator as 4d².)
func (m Model) Best() float64 {
	// Rewritten so that the difference of two similar numbers loses no digits, with c as Launch/Unit.
	d, u, l := float64(m.Block), m.Unit, m.Launch
	if l == 0 {
		return 0
	}
	return d * l / (math.Sqrt(9*l*l+4*d*l*u) + 3*l)
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
	// seconds·t·clean/n = Unit·t + Launch is a line in t. The weights make the deviations relative.
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
	m.Launch = (wy - m.Unit*wt) / w
	switch {
	case m.Unit < 0:
		m.Unit, m.Launch = 0, wy/w
	case m.Launch < 0:
		m.Unit, m.Launch = wty/wtt, 0
	}
	return m, nil
}
