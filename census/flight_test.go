package census

import (
	"testing"

	"github.com/gosper-life/gosper/sim/cpu/sparse"
	"pgregory.net/rapid"
)

// TestMeets holds boxes in flight to stepping them on, one unit of time after the other.
func TestMeets(t *testing.T) {
	met := 0
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.Custom(func(t *rapid.T) mover {
			x, y := rapid.IntRange(-12, 12).Draw(t, "x"), rapid.IntRange(-12, 12).Draw(t, "y")
			return mover{
				sparse.Box{
					Left: x, Top: y, Right: x + rapid.IntRange(0, 5).Draw(t, "w"),
					Bottom: y + rapid.IntRange(0, 5).Draw(t, "h"),
				},
				rapid.IntRange(-3, 3).Draw(t, "dx"), rapid.IntRange(-3, 3).Draw(t, "dy"),
				rapid.SampledFrom([]int{1, 2, 3}).Draw(t, "period"),
			}
		})
		a, b := some.Draw(t, "a"), some.Draw(t, "b")
		radius := rapid.IntRange(1, 3).Draw(t, "radius")
		apart := 2 * radius
		vx, vy := a.DX*b.Period-b.DX*a.Period, a.DY*b.Period-b.DY*a.Period
		want := false
		const fine = 64 // parts of a unit of time
		for step := range 200 * fine {
			x, y := a.Left*fine+vx*step, a.Top*fine+vy*step
			if vx == 0 && vy == 0 {
				break
			}
			if x <= (b.Right+apart)*fine && x+(a.Right-a.Left)*fine >= (b.Left-apart)*fine &&
				y <= (b.Bottom+apart)*fine && y+(a.Bottom-a.Top)*fine >= (b.Top-apart)*fine {
				want = true
				break
			}
		}
		got := a.Meets(b, radius)
		if want {
			met++
		}
		// A touch of corners may fall between two steps.
		if want && !got || got != b.Meets(a, radius) {
			t.Fatalf("%v meets %v: %v, and the other way round %v; want %v", a, b, got, b.Meets(a, radius), want)
		}
		if got && !want {
			a.Left, a.Top, a.Right, a.Bottom = a.Left-1, a.Top-1, a.Right+1, a.Bottom+1
			if !a.Meets(b, radius) {
				t.Fatal("larger boxes do not meet")
			}
		}
	})
	if met == 0 {
		t.Error("no boxes met")
	}
}

func TestGlidersMeet(t *testing.T) {
	right, left := sparse.Glider{DX: 1, DY: 1, X: -22, Y: 118, Generation: 300},
		sparse.Glider{DX: -1, DY: 1, X: 32, Y: 118, Generation: 300}
	later, far := left, left
	later.Generation = 360 // it is behind
	far.Y = 180
	for _, test := range []struct {
		name    string
		gliders []sparse.Glider
		want    bool
	}{
		{"none", nil, false},
		{"one", []sparse.Glider{right}, false},
		{"crossing", []sparse.Glider{right, left}, true},
		{"crossing, one later", []sparse.Glider{right, later}, false},
		{"one behind", []sparse.Glider{far, right}, false},
		{"abreast", []sparse.Glider{right, right}, false},
		{"of three", []sparse.Glider{far, right, left}, true},
	} {
		if got := glidersMeet(test.gliders); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}
