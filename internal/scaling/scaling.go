// Package scaling finds critical points and exponents in measurements of finite systems, with errors: where
// curves of different sizes cross or reach a value, and powers of time or of size.
//
// Start with [Crossings] and [Series.Power]. Errors are standard errors; those that go in are taken as right,
// and chi squared says whether they can be.
package scaling

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"
)

// Number is a measured number with its standard error.
type Number struct{ Value, Error float64 }

// Point is a measurement at a value of a parameter. Points are independent of each other.
type Point struct {
	X float64
	Y Number
}

// Curve is the measurements of one system at several values of a parameter.
type Curve struct {
	Name   string
	Points []Point
}

// Crossing is the point at which two curves cross, or at which one reaches a value.
type Crossing struct {
	Names  []string
	X, Y   Number  // their errors are those of the polynomials, widened
	Degree int     // of the polynomials
	Chi2   float64 // of the polynomials through the points, together
	Excess int     // number of points minus number of coefficients; Chi2 should be about as large
	Wider  float64 // by which the errors were multiplied because the polynomials miss the points: √(Chi2/Excess), else 1
}

// likely is the least probability of a chi squared as large as that of polynomials which go through their
// points. One in a hundred that do has less.
const likely = 0.01

// goThrough reports whether polynomials miss their points by no more than errors explain.
func goThrough(chi2 float64, excess int) bool {
	return excess == 0 || mathext.GammaIncRegComp(float64(excess)/2, chi2/2) >= likely
}

// polynomial is a fit by weighted least squares in u = (x - centre)/scale.
type polynomial struct {
	name          string
	centre, scale float64
	coefficients  []float64
	covariance    *mat.SymDense
	low, high     float64 // of the points
	chi2          float64
	excess        int
}

// fit puts a polynomial through the points of a curve. Several curves use the same centre and scale.
func fit(c Curve, degree int, centre, scale float64) (polynomial, error) {
	p := polynomial{
		name: c.Name, centre: centre, scale: scale, excess: len(c.Points) - degree - 1, low: math.Inf(1),
		high: math.Inf(-1),
	}
	if p.excess < 0 {
		return p, fmt.Errorf("%s has %d points: a polynomial of degree %d needs %d", c.Name, len(c.Points), degree, degree+1)
	}
	a, b := mat.NewDense(len(c.Points), degree+1, nil), mat.NewVecDense(len(c.Points), nil)
	for i, point := range c.Points {
		if !(point.Y.Error > 0) {
			return p, fmt.Errorf("%s has no error at %v: nothing varies there, or there is one universe", c.Name, point.X)
		}
		p.low, p.high = min(p.low, point.X), max(p.high, point.X)
		b.SetVec(i, point.Y.Value/point.Y.Error)
		for k, power := range p.powers(point.X) {
			if k <= degree {
				a.Set(i, k, power/point.Y.Error)
			}
		}
	}
	var normal mat.SymDense
	normal.SymOuterK(1, a.T())
	var factors mat.Cholesky
	p.covariance = mat.NewSymDense(degree+1, nil)
	if !factors.Factorize(&normal) {
		return p, fmt.Errorf("%s: no polynomial of degree %d goes through its points", c.Name, degree)
	}
	if err := factors.InverseTo(p.covariance); err != nil {
		return p, fmt.Errorf("%s: %w", c.Name, err)
	}
	var right, solution, rest mat.VecDense
	right.MulVec(a.T(), b)
	if err := factors.SolveVecTo(&solution, &right); err != nil {
		return p, fmt.Errorf("%s: %w", c.Name, err)
	}
	p.coefficients = slices.Clone(solution.RawVector().Data)
	rest.MulVec(a, &solution)
	rest.SubVec(&rest, b)
	p.chi2 = mat.Dot(&rest, &rest)
	return p, nil
}

// mostDegree is that of the highest polynomial.
const mostDegree = 4

// powers are 1, u, u², …
func (p *polynomial) powers(x float64) [mostDegree + 1]float64 {
	u, all := (x-p.centre)/p.scale, [mostDegree + 1]float64{1}
	for k := 1; k <= mostDegree; k++ {
		all[k] = all[k-1] * u
	}
	return all
}

// at is the value of the polynomial.
func (p *polynomial) at(x float64) float64 {
	sum, powers := 0.0, p.powers(x)
	for k, c := range p.coefficients {
		sum += c * powers[k]
	}
	return sum
}

// slope is the derivative by x.
func (p *polynomial) slope(x float64) float64 {
	sum, powers := 0.0, p.powers(x)
	for k := 1; k < len(p.coefficients); k++ {
		sum += p.coefficients[k] * float64(k) * powers[k-1]
	}
	return sum / p.scale
}

// variance is that of the value at x.
func (p *polynomial) variance(x float64) float64 {
	powers := p.powers(x)
	v := mat.NewVecDense(len(p.coefficients), powers[:len(p.coefficients)])
	return mat.Inner(v, p.covariance, v)
}

// Fitting, given as a degree, lets the fit choose the degree: from 2 on, the one with the least sum of chi squared
// and twice the number of coefficients (Akaike, IEEE Trans. Autom. Control 19 (1974)). For a curve of more than three
// points the polynomial has fewer coefficients than points, so that chi squared has a meaning.
const Fitting = 0

// Crossings finds where each curve crosses the next one, by polynomials of a degree, or where each reaches a value if
// there is one. If the polynomials do not go through the points, the curves have another shape or the errors are too
// small. In that case it widens the errors by √(chi squared/excess), as is usual for measurements that disagree.
func Crossings(curves []Curve, degree int, value *float64) ([]Crossing, error) {
	if degree != Fitting && (degree < 1 || degree > mostDegree) {
		return nil, fmt.Errorf("degree %d: want 1 to %d", degree, mostDegree)
	}
	if len(curves) == 0 || value == nil && len(curves) < 2 {
		return nil, fmt.Errorf("%d curves: want two that can cross, or one and a value that it reaches", len(curves))
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, c := range curves {
		for _, point := range c.Points {
			low, high = min(low, point.X), max(high, point.X)
		}
	}
	if !(low < high) {
		return nil, fmt.Errorf("all points are at %v: want several values", low)
	}
	together := 2
	if value != nil {
		together = 1
	}
	var all []Crossing
	for i := range len(curves) - together + 1 {
		fits, degree, err := fitAll(curves[i:i+together], degree, (low+high)/2, (high-low)/2)
		if err != nil {
			return nil, err
		}
		p := &fits[0]
		var found Crossing
		if value != nil {
			level := polynomial{
				centre: p.centre, scale: p.scale, coefficients: []float64{*value},
				covariance: mat.NewSymDense(1, nil), low: p.low, high: p.high,
			}
			if found, err = cross(p, &level); err != nil {
				return nil, fmt.Errorf("%s does not reach %v from %v to %v", p.name, *value, p.low, p.high)
			}
			found.Names, found.Y = []string{p.name}, Number{Value: *value}
		} else if found, err = cross(p, &fits[1]); err != nil {
			return nil, fmt.Errorf("%s and %s: %w", p.name, fits[1].name, err)
		}
		found.Degree, found.Wider = degree, 1
		if !goThrough(found.Chi2, found.Excess) {
			found.Wider = math.Sqrt(found.Chi2 / float64(found.Excess))
		}
		found.X.Error *= found.Wider
		found.Y.Error *= found.Wider
		all = append(all, found)
	}
	return all, nil
}

// fitAll puts polynomials of one degree through curves. It returns the degree, which it may have to find.
func fitAll(curves []Curve, degree int, centre, scale float64) ([]polynomial, int, error) {
	most := degree
	if degree == Fitting {
		points := len(curves[0].Points)
		for _, c := range curves {
			points = min(points, len(c.Points))
		}
		degree = max(1, min(2, points-1))
		most = max(degree, min(mostDegree, points-2))
	}
	var best []polynomial
	least, found := math.Inf(1), 0
	for ; degree <= most; degree++ {
		var fits []polynomial
		criterion := float64(2 * (degree + 1) * len(curves))
		for _, c := range curves {
			p, err := fit(c, degree, centre, scale)
			if err != nil {
				return nil, 0, err
			}
			fits = append(fits, p)
			criterion += p.chi2
		}
		if criterion < least {
			best, least, found = fits, criterion, degree
		}
	}
	return best, found, nil
}

// cross finds where two polynomials cross, next to the middle of their points. Errors are those of first order
// in the errors of the coefficients.
func cross(p, q *polynomial) (Crossing, error) {
	const steps = 4096
	low, high := max(p.low, q.low), min(p.high, q.high)
	differ := func(x float64) float64 { return p.at(x) - q.at(x) }
	best, found := 0.0, false
	for i := range steps {
		a, b := low+(high-low)*float64(i)/steps, low+(high-low)*float64(i+1)/steps
		if differ(a)*differ(b) > 0 {
			continue
		}
		for range 100 {
			if middle := (a + b) / 2; differ(a)*differ(middle) <= 0 {
				b = middle
			} else {
				a = middle
			}
		}
		if x := (a + b) / 2; !found || math.Abs(x-p.centre) < math.Abs(best-p.centre) {
			best, found = x, true
		}
	}
	if !found {
		return Crossing{}, fmt.Errorf("no crossing from %v to %v", low, high)
	}
	slope := p.slope(best) - q.slope(best)
	share := p.slope(best) / slope // of q's error in the value at the crossing; p has the rest
	return Crossing{
		Names: []string{p.name, q.name},
		X:     Number{best, math.Sqrt(p.variance(best)+q.variance(best)) / math.Abs(slope)},
		Y:     Number{p.at(best), math.Sqrt((1-share)*(1-share)*p.variance(best) + share*share*q.variance(best))},
		Chi2:  p.chi2 + q.chi2, Excess: p.excess + q.excess,
	}, nil
}

// Series is the values of some universes at some times. If Under is set, the values are divided by it: the series is
// that of a ratio of means.
type Series struct {
	X     []float64
	Over  [][]float64 // by universe, then by time
	Under [][]float64 // the same; nil if there is nothing to divide by
}

// Power finds the power of x that the means over universes follow: the slope of a straight line through their
// logarithms, all points with the same weight. Its error is that of the jackknife over universes, because
// values at different times depend on each other.
func (s Series) Power() (Number, error) {
	n := len(s.Over)
	if len(s.X) < 2 || n < 2 {
		return Number{}, fmt.Errorf("%d points and %d universes: want two of each at least", len(s.X), n)
	}
	sums := make([][2]float64, len(s.X))
	for u := range n {
		for t := range s.X {
			sums[t][0] += s.Over[u][t]
			if s.Under != nil {
				sums[t][1] += s.Under[u][t]
			}
		}
	}
	slope := func(without int) float64 {
		line := make([]Point, len(s.X))
		for t, x := range s.X {
			over, under := sums[t][0], sums[t][1]
			if without >= 0 {
				over -= s.Over[without][t]
				if s.Under != nil {
					under -= s.Under[without][t]
				}
			}
			if s.Under == nil {
				under = float64(n)
				if without >= 0 {
					under--
				}
			}
			line[t] = Point{math.Log(x), Number{Value: math.Log(over / under)}}
		}
		return slopeOf(line)
	}
	for t, x := range s.X {
		if !(sums[t][0] > 0) || s.Under != nil && !(sums[t][1] > 0) {
			return Number{}, fmt.Errorf("the mean at %v is not above 0, and has no logarithm: leave it out", x)
		}
	}
	all := slope(-1)
	sum, squares := 0.0, 0.0
	for u := range n {
		d := slope(u) - all
		sum, squares = sum+d, squares+d*d
	}
	if math.IsNaN(squares) || math.IsInf(squares, 0) {
		return Number{}, errors.New("a mean is above 0 because of one universe alone: take more universes, or leave it out")
	}
	return Number{all, math.Sqrt(max(0, squares-sum*sum/float64(n)) * float64(n-1) / float64(n))}, nil
}

// slopeOf is the slope of a straight line by least squares.
func slopeOf(points []Point) float64 {
	x, y := 0.0, 0.0
	for _, p := range points {
		x, y = x+p.X/float64(len(points)), y+p.Y.Value/float64(len(points))
	}
	xx, xy := 0.0, 0.0
	for _, p := range points {
		xx, xy = xx+(p.X-x)*(p.X-x), xy+(p.X-x)*(p.Y.Value-y)
	}
	return xy / xx
}

// Count is the number of times that a size occurs in some universes, and the variance of that number.
type Count struct{ Size, Number, Variance float64 }

// Tail finds the exponent τ of a distribution of sizes s from low to high that falls as s^-τ there: the value
// that makes the counts most likely (Clauset, Shalizi and Newman, SIAM Rev. 51 (2009), for a cut tail). Counts
// of different sizes are taken as independent.
func Tail(counts []Count, low, high float64) (Number, error) {
	var total, logs float64
	for _, c := range counts {
		if c.Size >= low && c.Size <= high {
			total, logs = total+c.Number, logs+c.Number*math.Log(c.Size)
		}
	}
	if total == 0 || high <= low {
		return Number{}, fmt.Errorf("no sizes from %v to %v", low, high)
	}
	moments := func(tau float64) (mean, variance float64) { // of the logarithm of a size
		var n, first, second float64
		for s := math.Ceil(low); s <= high; s++ {
			log := math.Log(s)
			p := math.Exp(-tau * (log - math.Log(low)))
			n, first, second = n+p, first+p*log, second+p*log*log
		}
		mean = first / n
		return mean, second/n - mean*mean
	}
	tau := 2.0
	for range 50 {
		mean, variance := moments(tau)
		step := (mean - logs/total) / variance
		tau += max(-0.5, min(0.5, step))
		if math.Abs(step) < 1e-12 {
			break
		}
	}
	mean, variance := moments(tau)
	spread := 0.0
	for _, c := range counts {
		if c.Size >= low && c.Size <= high {
			d := math.Log(c.Size) - mean
			spread += d * d * c.Variance
		}
	}
	if spread == 0 {
		return Number{}, fmt.Errorf("the numbers of clusters from %v to %v cells do not vary: too few universes or clusters",
			low, high)
	}
	return Number{tau, math.Sqrt(spread) / total / variance}, nil
}

// Sort brings points into the order of their parameter.
func (c Curve) Sort() {
	slices.SortFunc(c.Points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
}
