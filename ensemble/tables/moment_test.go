package tables

import (
	"fmt"
	"math"
	"testing"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/internal/ensembletest"
)

// spins is an ensemble of a model with averages over time.
func spins(t *testing.T) *ensemble.Study {
	t.Helper()
	warmup := uint64(10)
	p, err := ensemble.Spec{
		Rules: []string{"Ising~T=2.6"}, Sizes: []string{"8", "P6,4"}, Universes: 9, PerJob: 4, Generations: 30, Every: 5, Warmup: &warmup,
		Measures: []string{"magnetisation", "energy", "percolation", "activity", "correlation"},
	}.Check()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestDerivedAndAverages computes averages over time, Binder's cumulant and its jackknife error again, from the table of values.
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
		if e := math.Sqrt(squares * (n - 1) / n); math.Abs(mean-value) > 1e-12 || err == nil || math.Abs(*err-e) > 1e-12 || low > mean || high < mean {
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

// TestJackknifeOfMean: the jackknife of a mean is its standard error, and a derivation that is nowhere finite has no error.
func TestJackknifeOfMean(t *testing.T) {
	values := [][]float64{{0.5, 2.5, 3, -1, 0.25}}
	d := newDraws("x", ensemble.Place{}, 5)
	d.move(0)
	var m mean
	m.add(values[0], d, 0)
	m.spread(values[0])
	same := derivation{of: func(means []float64) float64 { return means[0] }, from: []*mean{&m}}
	same.leaveOut(values)
	value, err, low, high := same.result()
	wantLow, wantHigh := m.interval()
	if value != m.value() || math.Abs(*err-*m.err()) > 1e-15 || low != wantLow || high != wantHigh {
		t.Errorf("%v ± %v in [%v, %v], want %v ± %v in [%v, %v]", value, *err, low, high, m.value(), *m.err(), wantLow, wantHigh)
	}
	never := derivation{of: func([]float64) float64 { return math.NaN() }, from: []*mean{&m}}
	never.leaveOut(values)
	if _, err, _, _ := never.result(); err != nil {
		t.Errorf("an error of %v", *err)
	}
}
