package scaling

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Sized is the curve of a system of a size.
type Sized struct {
	Curve
	Size float64 // L, the side of the system
}

// The numbers of a collapse: measurements y of systems of size L at x are on one curve, y = L^-b f((x − c) L^a).
const (
	Critical = iota // c, the critical point
	InverseNu
	BetaOverNu // b: β/ν of an order parameter, −γ/ν of a susceptibility, 0 of a cumulant
	collapsing
)

// Collapse is the scaling of systems of several sizes that puts their measurements on one curve.
type Collapse struct {
	At      [collapsing]Number // in the order of the constants; the errors of given numbers are 0
	Quality float64            // S: about 1 where points are off the common curve by their errors
	Terms   int                // points that were compared with those of other sizes
	// of these points, by size; the mean of their squares is Quality
	Residuals []Residual
}

// Residual is the distance of a point from the line of the other sizes.
type Residual struct {
	Size   float64
	X      float64 // of the point, not scaled
	Scaled float64 // (x − c) L^a
	Value  float64 // (y − Y) / √(dy² + dY²)
}

// samples is the number of times a collapse is repeated with other noise, for its errors.
const samples = 100

// Collapsed finds the collapse with the least S, where given numbers (nil if not given) are held. S is that of
// J. Houdayer and A. K. Hartmann, Phys. Rev. B 70, 014418 (2004), after N. Kawashima and N. Ito, J. Phys. Soc.
// Jpn. 62, 435 (1993): the mean over all points of (y − Y)²/(dy² + dY²), where Y ± dY is the straight line at x
// through the two neighbours of x in each other size, by weighted least squares. Points that lie between no two
// points of another size do not count, but at least half of all must count.
//
// Errors are those of the parametric bootstrap: standard deviations over repetitions with each point drawn from the
// normal distribution of its error. As a result, the errors of points must be those of independent measurements, and
// mean nothing where S is far above 1. They are too large rather than too small, because points have noise already
// before they are drawn.
func Collapsed(curves []Sized, given [collapsing]*float64) (Collapse, error) {
	c, err := newCollapser(curves, given)
	if err != nil {
		return Collapse{}, err
	}
	free := c.start()
	if free == nil {
		return Collapse{}, errors.New(
			"no critical point and exponents put half of the points beside those of other sizes: give numbers, or more points")
	}
	best := c.settle(free)
	found := Collapse{At: c.numbers(best)}
	c.residual = func(r Residual) { found.Residuals = append(found.Residuals, r) }
	found.Quality, found.Terms = c.quality(best)
	c.residual = nil
	c.errors(&found, best)
	return found, nil
}

// collapser is a collapse in progress.
type collapser struct {
	curves []Sized
	given  [collapsing]*float64
	free   []int               // the numbers that are looked for
	step   [collapsing]float64 // how far each is varied at first
	points int
	sets   [][]Point // scaled, by size; of the present numbers

	residual func(r Residual) // gets those that quality finds; nil if nobody wants them
}

// newCollapser sorts curves by size and their points by the parameter. It refuses curves that say
// nothing: of one size, of one point, or without errors.
func newCollapser(curves []Sized, given [collapsing]*float64) (*collapser, error) {
	c := &collapser{given: given, sets: make([][]Point, len(curves))}
	if len(curves) < 2 {
		return nil, fmt.Errorf("%d sizes: want two at least", len(curves))
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, curve := range curves {
		curve.Points = slices.Clone(curve.Points)
		curve.Sort()
		c.curves = append(c.curves, curve)
		c.points += len(curve.Points)
		if len(curve.Points) < 2 {
			return nil, fmt.Errorf("%s has %d points with errors: want two at least", curve.Name, len(curve.Points))
		}
		for _, p := range curve.Points {
			if !(p.Y.Error > 0) {
				return nil, fmt.Errorf("%s has no error at %v: nothing varies there, or there is one universe", curve.Name, p.X)
			}
			low, high = min(low, p.X), max(high, p.X)
		}
	}
	slices.SortStableFunc(c.curves, func(a, b Sized) int { return cmp.Compare(a.Size, b.Size) })
	for i := 1; i < len(c.curves); i++ {
		if c.curves[i].Size == c.curves[i-1].Size {
			return nil, fmt.Errorf("%s and %s have the same size: choose one", c.curves[i-1].Name, c.curves[i].Name)
		}
	}
	for i, curve := range c.curves {
		c.sets[i] = make([]Point, len(curve.Points))
	}
	for k, g := range given {
		if g == nil {
			c.free = append(c.free, k)
		}
	}
	c.step = [collapsing]float64{(high - low) / 10, 0.1, 0.05}
	if free := len(c.free); c.points <= free {
		return nil, fmt.Errorf("%d points and %d numbers to find: want more points", c.points, free)
	}
	return c, nil
}

// numbers are all numbers, from those that are free.
func (c *collapser) numbers(free []float64) (all [collapsing]Number) {
	for k, g := range c.given {
		if g != nil {
			all[k].Value = *g
		}
	}
	for i, k := range c.free {
		all[k].Value = free[i]
	}
	return all
}

// quality is S, and how many points count: infinity if too few do.
func (c *collapser) quality(free []float64) (s float64, terms int) {
	at := c.numbers(free)
	for i, curve := range c.curves {
		xs, ys := math.Pow(curve.Size, at[InverseNu].Value), math.Pow(curve.Size, at[BetaOverNu].Value)
		for j, p := range curve.Points {
			c.sets[i][j] = Point{(p.X - at[Critical].Value) * xs, Number{p.Y.Value * ys, p.Y.Error * ys}}
		}
	}
	for i, set := range c.sets {
		next := make([]int, len(c.sets)) // the first point of each other size that is to the right
		for j, p := range set {
			var line lineFit
			for k, other := range c.sets {
				for next[k] < len(other) && other[next[k]].X < p.X {
					next[k]++
				}
				if k != i && next[k] < len(other) && (next[k] > 0 || other[0].X == p.X) {
					right := max(next[k], 1)
					line.add(other[right-1])
					line.add(other[right])
				}
			}
			if y, variance, ok := line.at(p.X); ok {
				d := p.Y.Value - y
				square := p.Y.Error*p.Y.Error + variance
				s, terms = s+d*d/square, terms+1
				if c.residual != nil {
					c.residual(Residual{c.curves[i].Size, c.curves[i].Points[j].X, p.X, d / math.Sqrt(square)})
				}
			}
		}
	}
	if 2*terms < c.points || math.IsNaN(s) {
		return math.Inf(1), terms
	}
	return s / float64(terms), terms
}

// lineFit is a straight line by weighted least squares.
type lineFit struct{ w, x, y, xx, xy float64 }

func (l *lineFit) add(p Point) {
	w := 1 / (p.Y.Error * p.Y.Error)
	l.w, l.x, l.y, l.xx, l.xy = l.w+w, l.x+w*p.X, l.y+w*p.Y.Value, l.xx+w*p.X*p.X, l.xy+w*p.X*p.Y.Value
}

// at is the value at x and its variance.
func (l *lineFit) at(x float64) (y, variance float64, ok bool) {
	d := l.w*l.xx - l.x*l.x
	if !(d > 1e-12*l.w*l.xx) { // all points at one place, or no points
		return 0, 0, false
	}
	return (l.xx*l.y - l.x*l.xy + x*(l.w*l.xy-l.x*l.y)) / d, (l.xx - 2*x*l.x + x*x*l.w) / d, true
}

// start looks for numbers to start from, on a grid.
func (c *collapser) start() []float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for _, curve := range c.curves {
		low, high = min(low, curve.Points[0].X), max(high, curve.Points[len(curve.Points)-1].X)
	}
	grid := [collapsing][]float64{}
	for i := range 41 {
		grid[Critical] = append(grid[Critical], low+(high-low)*float64(i)/40)
	}
	for a := 0.25; a <= 3; a += 0.25 {
		grid[InverseNu] = append(grid[InverseNu], a)
	}
	for b := -2.0; b <= 2; b += 0.25 {
		grid[BetaOverNu] = append(grid[BetaOverNu], b)
	}
	var best []float64 // nil if too few points count anywhere
	least := math.Inf(1)
	var search func(free []float64)
	search = func(free []float64) {
		if len(free) < len(c.free) {
			for _, v := range grid[c.free[len(free)]] {
				search(append(free, v))
			}
			return
		}
		if s, _ := c.quality(free); s < least {
			least, best = s, append([]float64{}, free...)
		}
	}
	search(nil)
	return best
}

// minimise finds the least S near numbers: J. A. Nelder and R. Mead, Comput. J. 7, 308 (1965). scale is that of
// the first simplex.
func (c *collapser) minimise(from []float64, scale float64) []float64 {
	type corner struct {
		at []float64
		s  float64
	}
	of := func(at []float64) corner {
		s, _ := c.quality(at)
		return corner{at, s}
	}
	simplex := []corner{of(from)}
	for i, k := range c.free {
		at := slices.Clone(from)
		at[i] += scale * c.step[k]
		simplex = append(simplex, of(at))
	}
	last := len(simplex) - 1
	for range 400 {
		slices.SortStableFunc(simplex, func(a, b corner) int { return cmp.Compare(a.s, b.s) })
		wide := false
		for i, k := range c.free {
			wide = wide || math.Abs(simplex[last].at[i]-simplex[0].at[i]) > 1e-4*c.step[k]
		}
		if !wide {
			break
		}
		// away is as far beyond the middle of the others as the worst corner is before it, times t.
		away := func(t float64) corner {
			at := make([]float64, last)
			for i := range at {
				for _, other := range simplex[:last] {
					at[i] += other.at[i] / float64(last)
				}
				at[i] += t * (at[i] - simplex[last].at[i])
			}
			return of(at)
		}
		mirrored := away(1)
		switch {
		case mirrored.s < simplex[0].s:
			if further := away(2); further.s < mirrored.s {
				mirrored = further
			}
			simplex[last] = mirrored
		case mirrored.s < simplex[last-1].s:
			simplex[last] = mirrored
		default:
			nearer := away(-0.5)
			if mirrored.s < simplex[last].s {
				nearer = away(0.5)
			}
			if nearer.s < min(mirrored.s, simplex[last].s) {
				simplex[last] = nearer
				continue
			}
			for j := 1; j <= last; j++ {
				for i := range simplex[j].at {
					simplex[j].at[i] = (simplex[j].at[i] + simplex[0].at[i]) / 2
				}
				simplex[j] = of(simplex[j].at)
			}
		}
	}
	return slices.MinFunc(simplex, func(a, b corner) int { return cmp.Compare(a.s, b.s) }).at
}

// settle finds the least S from some beginnings around numbers: S has steps where points begin to count, at
// which a simplex may stay.
func (c *collapser) settle(from []float64) []float64 {
	best, least := from, math.Inf(1)
	for _, scale := range []float64{4, -2, 1, -0.5, 0.25} {
		at := c.minimise(best, scale)
		if s, _ := c.quality(at); s < least {
			best, least = at, s
		}
	}
	return best
}

// errors repeats the collapse with each point drawn again. The random numbers are the same each time.
func (c *collapser) errors(found *Collapse, best []float64) {
	random := rand.New(rand.NewPCG(1, 2004))
	var sums, squares [collapsing]float64
	again := *c
	again.curves = slices.Clone(c.curves)
	for range samples {
		for i, curve := range c.curves {
			points := slices.Clone(curve.Points)
			for j := range points {
				points[j].Y.Value += points[j].Y.Error * random.NormFloat64()
			}
			again.curves[i].Points = points
		}
		for k, n := range again.numbers(again.settle(best)) {
			d := n.Value - found.At[k].Value
			sums[k], squares[k] = sums[k]+d, squares[k]+d*d
		}
	}
	for _, k := range c.free {
		found.At[k].Error = math.Sqrt(max(0, squares[k]-sums[k]*sums[k]/samples) / (samples - 1))
	}
}

// Scaled returns a point as it lies on the common curve.
func (c *Collapse) Scaled(p Point, size float64) Point {
	xs, ys := math.Pow(size, c.At[InverseNu].Value), math.Pow(size, c.At[BetaOverNu].Value)
	return Point{(p.X - c.At[Critical].Value) * xs, Number{p.Y.Value * ys, p.Y.Error * ys}}
}
