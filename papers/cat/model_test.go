package cat_test

import (
	"math"
	"testing"

	"github.com/gosper-life/gosper/papers/cat"
)

func whole(int, int) float64 { return 1 }

// What the paper says of its table in words.
func TestScenarios(t *testing.T) {
	s := map[string]cat.Scenario{}
	for _, one := range cat.Scenarios() {
		s[one.Name] = one
	}
	speedup := func(name string, radius int) float64 { return s[name].Speedup(radius, whole) }
	if got := speedup("GH100 chip", 16); math.Abs(got-101) > 2 {
		t.Errorf("the chip's speed-up at radius 16 is %.3g, want about 101", got)
	}
	for _, radius := range []int{1, 4, 8, 16} {
		chip := speedup("GH100 chip", radius)
		if speedup("More tensor cores", radius) <= chip || speedup("Faster tensor cores", radius) <= chip {
			t.Errorf("radius %d: better tensor cores do not help", radius)
		}
		if speedup("More regular cores", radius) >= chip {
			t.Errorf("radius %d: more regular cores help CAT more than REF", radius)
		}
		if radius > 1 && speedup("GH100 chip", radius) <= 1 {
			t.Errorf("radius %d: CAT is slower than REF", radius)
		}
	}
	if speedup("More regular cores", 1) >= 1 {
		t.Error("radius 1: with more regular cores CAT is not slower than REF")
	}
	if speedup("Expensive transition", 16) >= speedup("GH100 chip", 16) {
		t.Error("an expensive transition does not cost CAT its lead")
	}
}

// CAT's time does not change with the radius up to 16, and rises to another plateau beyond; REF's grows with the neighbourhood.
func TestPlateaus(t *testing.T) {
	at := func(radius int) float64 { return cat.GH100.CAT(radius, 1, 13, 1) }
	if at(1) != at(16) || at(17) != at(32) || at(17) <= at(16) {
		t.Errorf("times %v %v %v %v", at(1), at(16), at(17), at(32))
	}
	if r := cat.GH100.REF(16) / cat.GH100.REF(1); r < 50 || r > 121 {
		t.Errorf("REF at radius 16 takes %v times that at radius 1", r)
	}
}

func TestFitCosts(t *testing.T) {
	want := cat.GH100
	want.Global, want.Transition = 3.03, 10.05
	speedups := map[int]float64{}
	for radius := 1; radius <= 16; radius++ {
		speedups[radius] = want.REF(radius) / want.CAT(radius, 1, 13, 1)
	}
	got := cat.GH100.FitCosts(speedups)
	for radius, speedup := range speedups {
		if fit := got.REF(radius) / got.CAT(radius, 1, 13, 1); math.Abs(fit/speedup-1) > 0.05 {
			t.Errorf("radius %d: %v, want %v with %+v", radius, fit, speedup, got)
		}
	}
}

func TestSurface(t *testing.T) {
	of := func(a, b int) float64 {
		x, y := float64(a), float64(b)
		return 100 - (x-1)*(x-1) - (y-13)*(y-13)/4 + x*x*y*y/1e4
	}
	var shapes []cat.Shape
	for a := 1; a <= 16; a++ {
		for b := 1; b <= 16; b++ {
			if a*b <= 140 {
				shapes = append(shapes, cat.Shape{A: a, B: b, Speed: of(a, b)})
			}
		}
	}
	best := 0.0
	for _, s := range shapes {
		best = max(best, s.Speed)
	}
	s, err := cat.FitSurface(shapes)
	if err != nil {
		t.Fatal(err)
	}
	if s.Residual > 1e-9 {
		t.Errorf("residual %v", s.Residual)
	}
	for _, at := range [][2]int{{1, 13}, {16, 16}, {7, 3}} {
		if got, want := s.At(at[0], at[1]), of(at[0], at[1])/best; math.Abs(got-want) > 1e-9 {
			t.Errorf("E%v = %v, want %v", at, got, want)
		}
	}
	if _, err := cat.FitSurface(shapes[:40]); err == nil {
		t.Error("a surface of degree four is fitted to three widths of tiles")
	}
}
