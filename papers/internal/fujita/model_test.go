package fujita

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// The closed form is the minimum of the cost, and lies in [0, d/6].
func TestBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := math.Pow(10, rapid.Float64Range(-3, 6).Draw(t, "log c"))
		m := Model{Block: rapid.SampledFrom([]int{32, 64}).Draw(t, "d"), Unit: 1e-9, Launch: c * 1e-9}
		d := float64(m.Block)
		cost := func(t float64) float64 { return (t + c) / (t * (d - 2*t) * (d - 2*t)) }
		best := m.Best()
		if best <= 0 || best > d/6 {
			t.Fatalf("t = %v for d = %v, c = %v", best, d, c)
		}
		for _, other := range []float64{best * 0.99, min(best*1.01, d/2-1)} {
			if cost(other) < cost(best) {
				t.Fatalf("d = %v, c = %v: the cost at %v is less than at %v", d, c, other, best)
			}
		}
	})
	if got := (Model{Block: 64, Unit: 1}).Best(); got != 0 {
		t.Errorf("t = %v where launches cost nothing", got)
	}
	if got := (Model{Block: 60, Launch: 1}).Best(); got != 10 {
		t.Errorf("t = %v where generations cost nothing", got)
	}
}

// Times that follow the model give it back.
func TestFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := Model{
			Block: rapid.SampledFrom([]int{32, 64}).Draw(t, "d"),
			Unit:  rapid.Float64Range(1e-12, 1e-6).Draw(t, "unit"),
		}
		want.Launch = want.Unit * rapid.Float64Range(0.1, 50).Draw(t, "c")
		var points []Point
		for _, steps := range []int{2, 4, 8} {
			points = append(points, Point{steps, want.Seconds(1e6, 1, float64(steps)), 1e6})
		}
		got, err := Fit(want.Block, points)
		if err != nil || math.Abs(got.Unit/want.Unit-1) > 1e-6 || math.Abs(got.C()/want.C()-1) > 1e-6 {
			t.Fatalf("got %+v, %v, want %+v", got, err, want)
		}
	})
}

func TestFitRefuses(t *testing.T) {
	for name, points := range map[string][]Point{
		"one t":     {{2, 1, 1}, {2, 1.1, 1}},
		"no cells":  {{2, 1, 1}, {32, 1, 1}},
		"zero time": {{2, 0, 1}, {4, 1, 1}},
		"nothing":   nil,
	} {
		if m, err := Fit(64, points); err == nil {
			t.Errorf("%s: fitted %+v", name, m)
		}
	}
}

// Times that no model of positive costs explains are taken for those of the nearest one.
func TestFitStaysPositive(t *testing.T) {
	m, err := Fit(64, []Point{{2, 1e-3, 1}, {4, 2e-3, 1}, {8, 9e-3, 1}})
	if err != nil || m.Launch != 0 || m.Unit <= 0 {
		t.Errorf("got %+v, %v", m, err)
	}
	// A launch of a block takes the same time for any amount of work, or a little less for more work.
	m, err = Fit(32, []Point{{2, 1. / 2 / 784, 1}, {4, 0.99 / 4 / 576, 1}, {8, 0.98 / 8 / 256, 1}})
	if err != nil || m.Unit != 0 || math.Abs(m.Launch-0.99) > 0.01 || !math.IsInf(m.C(), 1) || m.Best() != 32./6 {
		t.Errorf("got %+v, %v", m, err)
	}
}

// The model explains the paper's own times: register, 64×64, DOUBLE-WORD.
func TestModelOfThePaper(t *testing.T) {
	method := Method{Place: Register, Block: 64, Words: DoubleWord}
	points := method.printedPoints()
	m, err := Fit(64, points)
	if err != nil || len(points) != 4 || m.Best() < 5 || m.Best() > 64.0/6 {
		t.Errorf("%+v, best t %v, %v", m, m.Best(), err)
	}
	for _, p := range points {
		if off := m.Seconds(p.Cells, 1, float64(p.T))/p.Seconds - 1; math.Abs(off) > 0.25 {
			t.Errorf("t = %d is off by %.0f %%", p.T, 100*off)
		}
	}
}
