package playne

import (
	"fmt"
	"math"
)

// Point is a measured time.
type Point struct {
	L       float64
	Seconds float64
	Error   float64 // standard error; 0: not known
}

// Fit is a power law: Seconds = Factor·L^Exponent.
type Fit struct {
	Factor, Exponent float64
	Error            float64 // standard error of the exponent
}

// leastError is the least relative error of a point. Timers and clocks are no better, and no point may outweigh
// all others.
const leastError = 0.002

// FitPower fits a power law to points as the paper does: a straight line through the logarithms by least
// squares, each point weighted by the inverse of its squared relative error. The error of the exponent comes
// from the errors of the points. If the points scatter more than their errors explain, it is multiplied by
// √(χ²/(n − 2)). It reports false for fewer than two different sides.
func FitPower(points []Point) (Fit, bool) {
	var sw, sx, sy, sxx, sxy float64
	for _, p := range points {
		relative := max(p.Error/p.Seconds, leastError)
		w, x, y := 1/(relative*relative), math.Log(p.L), math.Log(p.Seconds)
		sw += w
		sx += w * x
		sy += w * y
		sxx += w * x * x
		sxy += w * x * y
	}
	d := sw*sxx - sx*sx
	if len(points) < 2 || d <= 1e-9*sw*sxx {
		return Fit{}, false
	}
	slope := (sw*sxy - sx*sy) / d
	f := Fit{Factor: math.Exp((sy - slope*sx) / sw), Exponent: slope, Error: math.Sqrt(sw / d)}
	chi := 0.0
	for _, p := range points {
		off := math.Log(p.Seconds/f.At(p.L)) / max(p.Error/p.Seconds, leastError)
		chi += off * off
	}
	if n := float64(len(points)); chi > n-2 && n > 2 {
		f.Error *= math.Sqrt(chi / (n - 2))
	}
	return f, true
}

func (f Fit) String() string { return fmt.Sprintf("%.2f ± %.2f", f.Exponent, f.Error) }

// At returns the time of the power law for a side.
func (f Fit) At(l float64) float64 { return f.Factor * math.Pow(l, f.Exponent) }
