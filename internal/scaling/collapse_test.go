package scaling

import (
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// synthetic are curves of systems whose scaling is known exactly, with noise.
func synthetic(random *rand.Rand, critical, a, b, noise float64) (curves []Sized) {
	for _, size := range []float64{64, 16, 32} {
		c := Sized{Curve{Name: "size"}, size}
		for i := -7; i <= 7; i++ {
			u := float64(i) / 4 * (1 + size/1000) // scaled x, not at the same places
			y := math.Pow(size, -b) / (1 + math.Exp(u))
			e := noise * math.Pow(size, -b)
			c.Points = append(c.Points, Point{critical + u*math.Pow(size, -a), Number{y + e*random.NormFloat64(), e}})
		}
		curves = append(curves, c)
	}
	return curves
}

// TestCollapsed: critical point and exponents of synthetic systems come back, as exactly as they say.
func TestCollapsed(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	const critical, a, b = 2.269, 1.0, 0.125
	var pulls [collapsing][]float64
	quality := 0.0
	const trials = 6
	for range trials {
		found, err := Collapsed(synthetic(random, critical, a, b, 0.01), [collapsing]*float64{})
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range []float64{critical, a, b} {
			pulls[k] = append(pulls[k], (found.At[k].Value-want)/found.At[k].Error)
		}
		quality += found.Quality / trials
	}
	// the bootstrap draws around points that have noise already: its errors are a fifth too large
	for k, all := range pulls {
		sum, squares := 0.0, 0.0
		for _, p := range all {
			sum, squares = sum+p/trials, squares+p*p/trials
		}
		if math.Abs(sum) > 4/math.Sqrt(trials) || squares < 0.05 || squares > 2.5 {
			t.Errorf("number %d: in %d trials differences are %.2f errors in the mean, and their mean square is %.2f", k, trials,
				sum, squares)
		}
	}
	if math.Abs(quality-1) > 0.4 {
		t.Errorf("S is %.3f in the mean: want about 1", quality)
	}
}

// TestIntervalsOfCollapses: how often 1.96 errors to either side hold the right numbers. GOSPER_PHYSICS=1 runs
// it, for some minutes.
func TestIntervalsOfCollapses(t *testing.T) {
	if os.Getenv("GOSPER_PHYSICS") == "" {
		t.Skip("some minutes: GOSPER_PHYSICS=1 runs it")
	}
	random := rand.New(rand.NewPCG(13, 14))
	right := [collapsing]float64{2.269, 1, 0.125}
	var held [collapsing]float64
	const trials = 200
	for range trials {
		found, err := Collapsed(synthetic(random, right[Critical], right[InverseNu], right[BetaOverNu], 0.01),
			[collapsing]*float64{})
		if err != nil {
			t.Fatal(err)
		}
		for k, n := range found.At {
			if math.Abs(n.Value-right[k]) <= 1.96*n.Error {
				held[k] += 1. / trials
			}
		}
	}
	for k, name := range []string{"the critical point", "1/ν", "β/ν"} {
		t.Logf("%s: %.3f ± %.3f of intervals hold it", name, held[k], math.Sqrt(held[k]*(1-held[k])/trials))
		if held[k] < 0.90 || held[k] > 0.99 {
			t.Errorf("%s: %.3f of intervals hold it, want about 0.95", name, held[k])
		}
	}
}

// TestCollapsedGiven: given numbers are held, and wrong ones give a large S.
func TestCollapsedGiven(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	curves := synthetic(random, 0.5927, 0.75, 0, 0.005)
	critical, a, b := 0.5927, 0.75, 0.0
	all, err := Collapsed(curves, [collapsing]*float64{&critical, &a, &b})
	if err != nil || all.At != [collapsing]Number{{critical, 0}, {a, 0}, {b, 0}} || all.Quality > 1.7 || all.Terms < 40 {
		t.Errorf("%+v, %v", all, err)
	}
	point, err := Collapsed(curves, [collapsing]*float64{nil, &a, &b})
	if err != nil || math.Abs(point.At[Critical].Value-critical) > 4*point.At[Critical].Error ||
		point.At[Critical].Error > 0.001 || point.At[InverseNu].Error != 0 {
		t.Errorf("%+v, %v", point, err)
	}
	wrong := 1.1
	if off, err := Collapsed(curves, [collapsing]*float64{nil, &wrong, &b}); err != nil || off.Quality < 5 {
		t.Errorf("1/ν of 1.1: %+v, %v", off, err)
	}
	scaled := all.Scaled(Point{critical + 0.1, Number{2, 0.5}}, 16)
	if scaled != (Point{(critical + 0.1 - critical) * 8, Number{2, 0.5}}) {
		t.Errorf("scaled to %+v", scaled)
	}
}

func TestCollapsedRefuses(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	good := synthetic(random, 1, 1, 0, 0.01)
	with := func(change func(c *Sized)) []Sized {
		curves := synthetic(random, 1, 1, 0, 0.01)
		change(&curves[1])
		return curves
	}
	far := 50.0
	for _, test := range []struct {
		curves []Sized
		given  [collapsing]*float64
		want   string
	}{
		{good[:1], [collapsing]*float64{}, "1 sizes"},
		{with(func(c *Sized) { c.Size = 32 }), [collapsing]*float64{}, "the same size"},
		{with(func(c *Sized) { c.Points = c.Points[:1] }), [collapsing]*float64{}, "has 1 points"},
		{with(func(c *Sized) { c.Points[3].Y.Error = 0 }), [collapsing]*float64{}, "has no error at"},
		{good, [collapsing]*float64{&far}, "put half of the points beside"},
	} {
		if _, err := Collapsed(test.curves, test.given); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %q", err, test.want)
		}
	}
}

// TestQuality: S of a few points is what its definition gives by hand.
func TestQuality(t *testing.T) {
	// At size 1 nothing scales. The line through (0, 0±1) and (2, 2±1) is at 1: 1, with the variance 1/2.
	curves := []Sized{
		{Curve{Points: []Point{{0, Number{0, 1}}, {2, Number{2, 1}}}}, 1},
		{Curve{Points: []Point{{1, Number{3, 1}}, {3, Number{9, 1}}}}, 1.0000000001},
	}
	zero, one := 0.0, 1.0
	c, err := newCollapser(curves, [collapsing]*float64{&zero, &one, nil})
	if err != nil {
		t.Fatal(err)
	}
	// (1, 3) is 2 off with the variance 1 + 1/2. (2, 2) lies between (1, 3) and (3, 9): 4 off, the same variance.
	// The others count not.
	if s, terms := c.quality([]float64{0}); terms != 2 || math.Abs(s-(4/1.5+16/1.5)/2) > 1e-6 {
		t.Errorf("S is %v of %d points", s, terms)
	}
}

// TestResiduals: points between two of another size are compared with the line through these, here by hand.
func TestResiduals(t *testing.T) {
	critical, a, b := 0.0, 1.0, 0.0
	curves := []Sized{
		{Curve{Name: "1", Points: []Point{{0, Number{0, 1}}, {2, Number{2, 1}}}}, 1},
		{Curve{Name: "2", Points: []Point{{0.5, Number{3, 1}}, {1.5, Number{5, 1}}}}, 2},
	}
	found, err := Collapsed(curves, [collapsing]*float64{&critical, &a, &b})
	if err != nil {
		t.Fatal(err)
	}
	// The lines are 1 at the scaled 1 and 4 at 2, both half way between two points, with variance 1/2.
	want := []Residual{{1, 2, 2, -2 / math.Sqrt(1.5)}, {2, 0.5, 1, 2 / math.Sqrt(1.5)}}
	if len(found.Residuals) != 2 || found.Terms != 2 || math.Abs(found.Quality-4/1.5) > 1e-12 {
		t.Fatalf("%+v", found)
	}
	for i, r := range found.Residuals {
		if r.Size != want[i].Size || r.X != want[i].X || r.Scaled != want[i].Scaled ||
			math.Abs(r.Value-want[i].Value) > 1e-12 {
			t.Errorf("residual %+v, want %+v", r, want[i])
		}
	}
}
