package tables

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/internal/ensembletest"
)

// spins is an ensemble of a model with averages over time.
func spins(t *testing.T) *ensemble.Study {
	t.Helper()
	warmup := uint64(10)
	p, err := ensemble.Spec{
		Rules: []string{"Ising~T=2.6"}, Sizes: []string{"8", "P6,4"}, Universes: 9, PerJob: 4, Generations: 30, Every: 5,
		Warmup:   &warmup,
		Measures: []string{"magnetisation", "energy", "percolation", "activity", "correlation"},
	}.Check()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestDerivedAndAverages computes averages over time, Binder's cumulant and its jackknife error again, from the
// table of values.
func TestDerivedAndAverages(t *testing.T) {
	p := spins(t)
	dir := t.TempDir()
	if _, err := Merge(t.Context(), p, ensembletest.RunAll(t, p), false, Output{Dir: dir, Ext: ".csv"}); err != nil {
		t.Fatal(err)
	}
	type at struct {
		place      ensemble.Place
		generation uint64
		index      uint64
		quantity   string
	}
	values := map[at]float64{}
	for _, v := range ensembletest.Rows[ensemble.Value](t, dir, "values.csv") {
		values[at{v.Place, v.Generation, v.Index, v.Quantity}] = v.Value
	}
	// over returns a quantity of a universe, averaged over times.
	over := func(place ensemble.Place, index uint64, quantity string, times []uint64) float64 {
		sum := 0.0
		for _, g := range times {
			v, known := values[at{place, g, index, quantity}]
			if !known {
				t.Fatalf("no %s of universe %d at generation %d", quantity, index, g)
			}
			sum += v
		}
		return sum / float64(len(times))
	}
	binder := func(place ensemble.Place, times []uint64, without int) float64 {
		var two, four float64
		for i := range p.Spec.Universes {
			if i != without {
				two += over(place, uint64(i), "magnetisation_2", times)
				four += over(place, uint64(i), "magnetisation_4", times)
			}
		}
		n := float64(p.Spec.Universes)
		if without >= 0 {
			n--
		}
		return 1 - four/n/(3*two/n*two/n)
	}
	check := func(what string, place ensemble.Place, times []uint64, mean float64, err *float64, low, high float64) {
		t.Helper()
		n := float64(p.Spec.Universes)
		value, left, squares := binder(place, times, -1), 0.0, 0.0
		for i := range p.Spec.Universes {
			left += binder(place, times, i) / n
		}
		for i := range p.Spec.Universes {
			squares += math.Pow(binder(place, times, i)-left, 2)
		}
		value -= (n - 1) * (left - value)
		if e := math.Sqrt(squares * (n - 1) / n); math.Abs(mean-value) > 1e-12 || err == nil || math.Abs(*err-e) > 1e-12 ||
			low > mean || high < mean {
			t.Errorf("%s: %v (%v) in [%v, %v], want %v ± %v", what, mean, *err, low, high, value, e)
		}
	}
	checked := 0
	for _, s := range ensembletest.Rows[ensemble.Summary](t, dir, "summary.csv") {
		if s.Quantity == "binder" {
			check(fmt.Sprint(s.Place, s.Generation), s.Place, []uint64{s.Generation}, s.Mean, s.Error, s.Low, s.High)
			checked++
		}
	}
	late := []uint64{10, 15, 20, 25, 30}
	for _, a := range ensembletest.Rows[ensemble.Average](t, dir, "averages.csv") {
		if a.First != 10 || a.Last != 30 || a.Samples != 5 || a.Universes != 9 {
			t.Fatalf("%+v", a)
		}
		switch a.Quantity {
		case "binder":
			check("average of "+a.Topology, a.Place, late, a.Mean, a.Error, a.Low, a.High)
			checked++
		case "energy":
			want := 0.0
			for i := range p.Spec.Universes {
				want += over(a.Place, uint64(i), "energy", late) / 9
			}
			if math.Abs(a.Mean-want) > 1e-12 {
				t.Errorf("energy %v, want %v", a.Mean, want)
			}
			checked++
		}
	}
	if checked != 2*7+4 {
		t.Errorf("%d numbers were checked", checked)
	}
}

// jackknife is the result of a function of the means of some quantities, whose values in universes are known.
func jackknife(values [][]float64, of func(means []float64) float64) (value float64, err *float64, low, high float64) {
	d := derivation{of: of}
	g := divide(len(values[0]), 1, 1)
	for _, v := range values {
		m := &mean{}
		m.add(v, 0, g)
		finish([]*mean{m}, g)
		d.from = append(d.from, m)
	}
	d.leaveOut(g)
	return d.result()
}

// TestJackknifeOfMean: the jackknife of a mean is the mean with its standard error. Its interval is Student's
// where nothing is skewed, and reaches farther to the side of rare values where something is.
func TestJackknifeOfMean(t *testing.T) {
	first := func(means []float64) float64 { return means[0] }
	value, err, low, high := jackknife([][]float64{{1, 2, 3, 4, 5}}, first)
	want := student(4) * math.Sqrt(0.5) // kurtosis 1.7 would leave more degrees of freedom than the sample has
	if math.Abs(value-3) > 1e-12 || math.Abs(*err-math.Sqrt(0.5)) > 1e-12 || math.Abs(high-3-want) > 1e-9 ||
		math.Abs(3-low-want) > 1e-9 {
		t.Errorf("%v ± %v in [%v, %v], want 3 ± 0.707 in 3 ± %v", value, *err, low, high, want)
	}
	value, _, low, high = jackknife([][]float64{{1, 1, 1, 2, 9}}, first)
	if !(high-value > 2*(value-low)) {
		t.Errorf("%v in [%v, %v], although large values are rare", value, low, high)
	}
	value, _, low, high = jackknife([][]float64{{-1, -1, -1, -2, -9}}, first)
	if !(value-low > 2*(high-value)) {
		t.Errorf("%v in [%v, %v], although small values are rare", value, low, high)
	}
	if value, err, low, high := jackknife([][]float64{{0.5, 0.5, 0.5}}, first); value != 0.5 || *err != 0 ||
		low != value || high != value {
		t.Errorf("of equal values: %v ± %v in [%v, %v]", value, *err, low, high)
	}
}

// TestJackknifeTakesAwayBias: a variance of n values about their own mean is too small by (n−1)/n, and its
// jackknife is the usual unbiased one, exactly.
func TestJackknifeTakesAwayBias(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-3, 3), 2, 40).Draw(t, "x")
		squares := make([]float64, len(x))
		for i, v := range x {
			squares[i] = v * v
		}
		value, err, low, high := jackknife([][]float64{x, squares}, func(m []float64) float64 { return m[1] - m[0]*m[0] })
		if want := stat.Variance(x, nil); math.Abs(value-want) > 1e-10 || !(low <= value && value <= high) || err == nil {
			t.Fatalf("%v in [%v, %v], want %v", value, low, high, want)
		}
	})
}

// TestJackknifeOfWhatIsNotThere: a number that is not finite, or not finite without one of the universes, has no
// error, and its bounds are the value itself. The same holds for the value of one universe.
func TestJackknifeOfWhatIsNotThere(t *testing.T) {
	for name, test := range map[string]struct {
		values []float64
		of     func(m []float64) float64
	}{
		"nowhere":      {[]float64{1, 2, 3}, func([]float64) float64 { return math.NaN() }},
		"without one":  {[]float64{0, 0, 3}, func(m []float64) float64 { return 1 / m[0] }},
		"one universe": {[]float64{2}, func(m []float64) float64 { return m[0] }},
	} {
		value, err, low, high := jackknife([][]float64{test.values}, test.of)
		if err != nil || math.Float64bits(low) != math.Float64bits(value) ||
			math.Float64bits(high) != math.Float64bits(value) {
			t.Errorf("%s: %v ± %v in [%v, %v]", name, value, err, low, high)
		}
	}
}

// TestStudent compares with tables of Student's t.
func TestStudent(t *testing.T) {
	for freedom, want := range map[float64]float64{
		1: 12.7062, 2: 4.3027, 3: 3.1824, 5: 2.5706, 10: 2.2281, 31: 2.0395,
		1e6: 1.95997,
	} {
		if got := student(freedom); math.Abs(got-want) > 0.008*want {
			t.Errorf("%v degrees of freedom: %v, want %v", freedom, got, want)
		}
	}
	for _, x := range []float64{-2.4, -1, -1e-3, 1e-6, 0.5, 1, 7} {
		if got := cbrt(x); math.Abs(got-math.Cbrt(x)) > 1e-14 {
			t.Errorf("the cube root of %v: %v, want %v", x, got, math.Cbrt(x))
		}
	}
}
