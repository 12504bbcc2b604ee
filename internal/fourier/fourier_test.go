package fourier

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"
)

// The modes are the sums that define them, and the plane comes back from them.
func TestTransform(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {1, 6}, {7, 1}, {2, 2}, {8, 6}, {9, 5}, {6, 7}} {
		w, h := size[0], size[1]
		random := rand.New(rand.NewPCG(uint64(w), uint64(h)))
		plane := make([]float64, w*h)
		for i := range plane {
			plane[i] = random.NormFloat64()
		}
		m := Transform(w, h, func(dst []float64, y int) { copy(dst, plane[y*w:]) })
		for p := range m.Across() {
			for q, got := range m.Column(p) {
				var want complex128
				for i, v := range plane {
					turn := float64(p*(i%w))/float64(w) + float64(q*(i/w))/float64(h)
					want += complex(v, 0) * cmplx.Exp(complex(0, -2*math.Pi*turn))
				}
				if cmplx.Abs(got-want) > 1e-12*float64(w*h) {
					t.Errorf("%d×%d: mode %d, %d is %v, want %v", w, h, p, q, got, want)
				}
			}
		}
		m.Invert(func(int, int) float64 { return 2 }, func(values []float64, y int) {
			for x, v := range values {
				if want := 2 * plane[y*w+x]; math.Abs(v-want) > 1e-12 {
					t.Errorf("%d×%d: cell %d, %d is %v, want %v", w, h, x, y, v, want)
				}
			}
		})
	}
}

// A weight of one wave vector leaves its waves.
func TestInvertWeights(t *testing.T) {
	const w, h = 8, 6
	m := Transform(w, h, func(dst []float64, y int) {
		for x := range dst {
			dst[x] = 1 + math.Cos(2*math.Pi*(2*float64(x)/w+float64(y)/h)) + math.Cos(2*math.Pi*3*float64(x)/w)
		}
	})
	weight := func(p, q int) float64 {
		if p == 2 && (q == 1 || q == h-1) {
			return 3
		}
		return 0
	}
	m.Invert(weight, func(values []float64, y int) {
		for x, v := range values {
			if want := 3 * math.Cos(2*math.Pi*(2*float64(x)/w+float64(y)/h)); math.Abs(v-want) > 1e-12 {
				t.Errorf("cell %d, %d is %v, want %v", x, y, v, want)
			}
		}
	})
}
