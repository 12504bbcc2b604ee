package scaling

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// within checks that standard errors say how far results scatter: the mean of the differences in standard errors is 0
// and their mean square 1, as for a normal distribution, within four of their own errors.
func within(t *testing.T, what string, pulls []float64) {
	t.Helper()
	n, sum, squares := float64(len(pulls)), 0.0, 0.0
	for _, p := range pulls {
		sum, squares = sum+p/n, squares+p*p/n
	}
	if math.Abs(sum) > 4/math.Sqrt(n) || math.Abs(squares-1) > 4*math.Sqrt(2/n)+0.05 {
		t.Errorf("%s: in %v trials differences are %.3f errors in the mean, and their mean square is %.3f", what, n, sum,
			squares)
	}
}

// TestCrossings: curves with errors cross where they should, as exactly as they say.
func TestCrossings(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const at, height, sigma = 2.269, 0.61, 0.001
	var pulls, heights, reached, chi []float64
	for range 600 {
		var curves []Curve
		for _, slope := range []float64{-1, -2.5} {
			c := Curve{Name: "curve"}
			for _, x := range []float64{2.25, 2.26, 2.27, 2.28, 2.29} {
				y := height + slope*(x-at) + 3*slope*(x-at)*(x-at)
				c.Points = append(c.Points, Point{x, Number{y + sigma*random.NormFloat64(), sigma}})
			}
			curves = append(curves, c)
		}
		found, err := Crossings(curves, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		f := found[0]
		pulls, heights = append(pulls, (f.X.Value-at)/f.X.Error), append(heights, (f.Y.Value-height)/f.Y.Error)
		chi = append(chi, (f.Chi2-float64(f.Excess))/math.Sqrt(2*float64(f.Excess)))
		level := height
		if found, err = Crossings(curves, 2, &level); err != nil || len(found) != 2 {
			t.Fatal(found, err)
		}
		reached = append(reached, (found[1].X.Value-at)/found[1].X.Error)
	}
	within(t, "where curves cross", pulls)
	within(t, "the value there", heights)
	within(t, "where a curve reaches a value", reached)
	within(t, "chi squared", chi)
}

// TestCrossingsOfBentCurves: cumulants bend from one value in order to another in disorder, the more the larger
// the system. Parabolas miss their points, cross elsewhere, and get wider errors for it. Polynomials that fit
// cross where the curves do.
func TestCrossingsOfBentCurves(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const at, sigma = 0.0755, 0.0006
	var pulls []float64
	widened, bent := 0, 0
	const trials = 400
	for range trials {
		var curves []Curve
		for _, size := range []float64{16, 32} {
			c := Curve{Name: "curve"}
			for i := range 9 {
				x := 0.07 + 0.00125*float64(i)
				y := 0.33 + 0.33*math.Tanh(0.5-size*(x-at)*5)
				c.Points = append(c.Points, Point{x, Number{y + sigma*random.NormFloat64(), sigma}})
			}
			curves = append(curves, c)
		}
		parabolas, err := Crossings(curves, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		if f := parabolas[0]; f.Wider > 1 {
			widened++
		}
		found, err := Crossings(curves, Fitting, nil)
		if err != nil {
			t.Fatal(err)
		}
		if found[0].Degree > 2 {
			bent++
		}
		pulls = append(pulls, (found[0].X.Value-at)/found[0].X.Error)
	}
	within(t, "where bent curves cross", pulls)
	if widened != trials || bent != trials {
		t.Errorf("parabolas had wider errors in %d of %d trials, other polynomials were found in %d", widened, trials, bent)
	}
}

// TestFitting: most parabolas are recognised, and few points limit the degree.
func TestFitting(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	level, higher := 0.5, 0
	const trials = 1000
	for range trials {
		c := Curve{Name: "parabola"}
		for i := range 7 {
			x := float64(i) / 6
			c.Points = append(c.Points, Point{x, Number{x*x + 0.01*random.NormFloat64(), 0.01}})
		}
		found, err := Crossings([]Curve{c}, Fitting, &level)
		if err != nil {
			t.Fatal(err)
		}
		if found[0].Degree != 2 {
			higher++
		}
	}
	if higher > 250 { // chi squared of one degree of freedom is above 2 in 16 of a hundred
		t.Errorf("%d of %d parabolas got another degree", higher, trials)
	}
	for points, want := range map[int]int{2: 1, 3: 2, 4: 2, 5: 3, 9: 4} {
		c := Curve{Name: "step"}
		for i := range points {
			x := float64(i) / float64(points-1)
			c.Points = append(c.Points, Point{x, Number{math.Tanh(40 * (x - 0.4)), 1e-6}})
		}
		zero := 0.0
		found, err := Crossings([]Curve{c}, Fitting, &zero)
		if err != nil {
			t.Fatal(err)
		}
		if f := found[0]; f.Degree != want || f.Excess != points-want-1 || (f.Wider > 1) != (f.Excess > 0) {
			t.Errorf("%d points: %+v, want degree %d", points, f, want)
		}
	}
}

func TestCrossingsRefuse(t *testing.T) {
	flat := func(level float64) Curve {
		c := Curve{Name: "flat"}
		for x := range 4 {
			c.Points = append(c.Points, Point{float64(x), Number{level, 0.1}})
		}
		return c
	}
	exact := flat(1)
	exact.Points[2].Y.Error = 0
	high := 5.0
	for _, test := range []struct {
		curves []Curve
		degree int
		value  *float64
		want   string
	}{
		{[]Curve{flat(1), flat(2)}, 1, nil, "no crossing from 0 to 3"},
		{[]Curve{flat(1)}, 1, nil, "1 curves"},
		{[]Curve{flat(1)}, 1, &high, "does not reach 5"},
		{[]Curve{flat(1), flat(2)}, 4, nil, "needs 5"},
		{[]Curve{flat(1), flat(2)}, -1, nil, "degree -1"},
		{[]Curve{exact, flat(2)}, 1, nil, "no error at 2"},
		{
			[]Curve{{Name: "point", Points: flat(1).Points[:1]}, {Name: "point", Points: flat(1).Points[:1]}},
			1, nil,
			"all points are at 0",
		},
	} {
		if _, err := Crossings(test.curves, test.degree, test.value); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %q", err, test.want)
		}
	}
}

// TestPower: the power of time has the error that the jackknife says, although values of a universe depend on
// each other, also for a ratio.
func TestPower(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, ratio := range []bool{false, true} {
		var pulls []float64
		for range 300 {
			s := Series{X: []float64{10, 20, 40, 80}}
			for range 40 {
				whole := math.Exp(0.3 * random.NormFloat64()) // of the universe, at all times
				var over, under []float64
				for _, x := range s.X {
					v := whole * (1 + 0.2*random.NormFloat64())
					over, under = append(over, v*math.Pow(x, -0.4505)), append(under, 3*v)
				}
				s.Over = append(s.Over, over)
				if ratio {
					s.Under = append(s.Under, under)
					over[0] *= 1 + 0.1*random.NormFloat64()
				}
			}
			n, err := s.Power()
			if err != nil {
				t.Fatal(err)
			}
			pulls = append(pulls, (n.Value+0.4505)/n.Error)
		}
		within(t, "a power of time", pulls)
	}
	if _, err := (Series{X: []float64{1, 2}, Over: [][]float64{{1, 0}, {1, 0}}}).Power(); err == nil {
		t.Error("the logarithm of 0 was taken")
	}
	if _, err := (Series{X: []float64{1, 2}, Over: [][]float64{{1, 2}}}).Power(); err == nil {
		t.Error("one universe has an error")
	}
}

// TestTail: sizes drawn from a power law between two sizes give back its exponent.
func TestTail(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const low, high, tau = 10, 300, 2.05
	var shares []float64
	sum := 0.0
	for s := low; s <= high; s++ {
		sum += math.Pow(float64(s), -tau)
		shares = append(shares, sum)
	}
	var pulls []float64
	for range 150 {
		numbers := make([]float64, len(shares))
		for range 600 {
			u := random.Float64() * sum
			i := 0
			for shares[i] < u {
				i++
			}
			numbers[i]++
		}
		counts := []Count{{5, 1e6, 1e6}, {1000, 1e6, 1e6}} // outside
		for i, n := range numbers {
			counts = append(counts, Count{float64(low + i), n, n})
		}
		found, err := Tail(counts, low, high)
		if err != nil {
			t.Fatal(err)
		}
		pulls = append(pulls, (found.Value-tau)/found.Error)
	}
	within(t, "the exponent of a tail", pulls)
	if _, err := Tail(nil, 1, 10); err == nil {
		t.Error("no sizes have an exponent")
	}
}
