package model_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gosper-life/gosper/papers/internal/cat/authors"
	"github.com/gosper-life/gosper/papers/internal/cat/model"
)

// expensiveIsLast says whether the expensive transition is the slowest scenario at radius 16.
func expensiveIsLast(c model.Costs) bool {
	s := c.Scenarios()
	slowest := slices.MinFunc(s, func(a, b model.Scenario) int { return cmp.Compare(a.Speedup(16), b.Speedup(16)) })
	return slowest.Name == "Expensive f"
}

// The paper's statements about its Table II are true for every pair of costs that agrees with the one printed number.
func TestScenarios(t *testing.T) {
	pairs := model.Pairs()
	if n := len(pairs); n != 48 || !slices.Contains(pairs, model.GH100) {
		t.Errorf("%d pairs: %v", n, pairs)
	}
	last := 0
	for _, c := range pairs {
		t.Run(fmt.Sprint(c.Global, c.Transition), func(t *testing.T) { checkScenarios(t, c) })
		if expensiveIsLast(c) {
			last++
		}
	}
	// "Becoming less favorable at high radius": not for a cheap transition.
	if last != 41 || !expensiveIsLast(model.GH100) {
		t.Errorf("an expensive transition is the slowest scenario at radius 16 for %d pairs", last)
	}
}

func checkScenarios(t *testing.T, c model.Costs) {
	s := map[string]model.Scenario{}
	for _, one := range c.Scenarios() {
		s[one.Name] = one
	}
	speedup := func(name string, radius int) float64 { return s[name].Speedup(radius) }
	if got := speedup("GH100 Chip", 16); math.Abs(got/101-1) > 0.05 {
		t.Errorf("the chip's speed-up at radius 16 is %.4g, want about 101", got)
	}
	for _, radius := range []int{1, 4, 8, 16} {
		chip := speedup("GH100 Chip", radius)
		if speedup("More TC Units", radius) <= chip || speedup("Faster TC Units", radius) <= chip {
			t.Errorf("radius %d: better tensor cores do not help", radius)
		}
		if speedup("More FP Units", radius) >= chip {
			t.Errorf("radius %d: more regular cores help CAT more than REF", radius)
		}
		if radius > 1 && chip <= 1 {
			t.Errorf("radius %d: CAT is slower than REF", radius)
		}
	}
	if speedup("More FP Units", 1) >= 1 {
		t.Error("radius 1: with more regular cores CAT is not slower than REF")
	}
	for name := range s {
		if name != "Regular Tiles" && speedup(name, 4) <= 1 {
			t.Errorf("radius 4: CAT is slower than REF in %s", name)
		}
	}
	if got := speedup("Regular Tiles", 4); got <= 1 {
		t.Errorf("radius 4: regular tiles have %.3g, no favourable speed-up", got)
	}
	// "To the point of being the slowest scenario for CAT": the smallest radius.
	for name := range s {
		if name != "Regular Tiles" && speedup(name, 1) <= speedup("Regular Tiles", 1) {
			t.Errorf("radius 1: %s is slower than regular tiles", name)
		}
	}
}

// The times are those of the authors' script, written down here once more from its description.
func TestModelIsTheScript(t *testing.T) {
	c := model.Costs{Global: 3, Product: 8, Transition: 5, RegularCores: 128, TensorCores: 4, Processors: 132}
	for _, n := range []int{1024, 16384, 60416, 1000} {
		for _, radius := range []int{1, 7, 16} {
			for _, tile := range [][2]float64{{1, 13}, {2, 5}} {
				w, h := tile[0], tile[1]
				e := authors.Efficiency(int(w), int(h))
				qh := math.Ceil(w*(h+2)/4) * (3*3 + 4 + 3*8)
				qr := math.Ceil(w*h/4) * (3 + 6 + 3*8)
				f := math.Ceil(w*h*256/128) * (3*3 + 5)
				tiles := math.Ceil(math.Ceil(math.Ceil(float64(n)/16)/h) * math.Ceil(math.Ceil(float64(n)/16)/w) / 132)
				if got, want := c.CAT(n, radius, int(w), int(h), e),
					tiles*(e*(qh+qr+f)+3*math.Ceil(256/128.0)); math.Abs(got/want-1) > 1e-12 {
					t.Errorf("CAT of %d² cells, tile %v: %v, want %v", n, tile, got, want)
				}
			}
			k := float64((1 + 2*radius) * (1 + 2*radius))
			if got, want := c.REF(n, radius), math.Ceil(float64(n)*float64(n)/(132*128))*(k*3+k-1+5+3); got != want {
				t.Errorf("REF of %d² cells: %v, want %v", n, got, want)
			}
		}
	}
	// Without rounding to whole rounds the ratio of the times is the speed-up.
	const n = 16 * 13 * 132
	if got, want := c.REF(n, 5)/c.CAT(n, 5, 1, 13, 1.2), c.Speedup(5, 1, 13, 1.2); math.Abs(got/want-1) > 1e-6 {
		t.Errorf("speed-up %v of times, %v by itself", got, want)
	}
}

// The authors' E is that of their own measurements where tiles are columns, as on their GPU's best shape.
func TestAuthorsEfficiency(t *testing.T) {
	best := 0.0
	for _, s := range authors.Tiles() {
		best = max(best, s.Speed)
	}
	for _, s := range authors.Tiles() {
		if s.A == 1 && s.B == 1 {
			if got := authors.Efficiency(1, 1); math.Abs(got/(best/s.Speed)-1) > 0.01 {
				t.Errorf("E(1, 1) = %v, measured %v", got, best/s.Speed)
			}
		}
	}
	if n := len(authors.Tiles()); n != 681 {
		t.Errorf("%d tiles", n)
	}
}

// CAT's time does not change with the radius up to 16, and rises to another plateau beyond; REF's grows with
// the neighbourhood.
func TestPlateaus(t *testing.T) {
	at := func(radius int) float64 { return model.GH100.CAT(60416, radius, 1, 13, 1) }
	if at(1) != at(16) || at(17) != at(32) || at(17) <= at(16) {
		t.Errorf("times %v %v %v %v", at(1), at(16), at(17), at(32))
	}
	if r := model.GH100.REF(60416, 16) / model.GH100.REF(60416, 1); r < 50 || r > 121 {
		t.Errorf("REF at radius 16 takes %v times that at radius 1", r)
	}
}

func TestFitCosts(t *testing.T) {
	want := model.GH100
	want.Global, want.Transition = 3.03, 10.05
	speedups := map[int]float64{}
	for radius := 1; radius <= 16; radius++ {
		speedups[radius] = want.Speedup(radius, 1, 13, 1)
	}
	got := model.GH100.FitCosts(speedups)
	for radius, speedup := range speedups {
		if fit := got.Speedup(radius, 1, 13, 1); math.Abs(fit/speedup-1) > 0.05 {
			t.Errorf("radius %d: %v, want %v with %+v", radius, fit, speedup, got)
		}
	}
}

func TestSurface(t *testing.T) {
	of := func(a, b int) float64 {
		x, y := float64(a), float64(b)
		return 100 + (x-1)*(x-1) + (y-13)*(y-13)/4 + x*x*y*y/1e4
	}
	var shapes []authors.Shape
	for a := 1; a <= 16; a++ {
		for b := 1; b <= 16; b++ {
			if a*b <= 140 {
				shapes = append(shapes, authors.Shape{A: a, B: b, Speed: 1 / of(a, b)})
			}
		}
	}
	best := 0.0
	for _, s := range shapes {
		best = max(best, s.Speed)
	}
	s, err := model.FitSurface(shapes)
	if err != nil {
		t.Fatal(err)
	}
	if s.Residual > 1e-9 {
		t.Errorf("residual %v", s.Residual)
	}
	for _, at := range [][2]int{{1, 13}, {16, 16}, {7, 3}} {
		if got, want := s.At(at[0], at[1]), of(at[0], at[1])*best; math.Abs(got-want) > 1e-9 {
			t.Errorf("E%v = %v, want %v", at, got, want)
		}
	}
	if _, err := model.FitSurface(shapes[:40]); err == nil {
		t.Error("a surface of degree four is fitted to three widths of tiles")
	}
}
