package lattice

import (
	"math"
	"testing"

	"github.com/gosper-life/gosper/rule"
)

func TestOf(t *testing.T) {
	for notation, want := range map[string]Kind{
		"B3/S23": Squares, "B2/S34H": Hexagons, "B4/S35L": Triangles, "R2,C2,S2-3,B3,NH": Hexagons,
	} {
		r, err := rule.Parse(notation)
		if err != nil {
			t.Fatal(err)
		}
		if got := Of(r); got != want {
			t.Errorf("%s has %q, want %q", notation, got, want)
		}
	}
}

// TestPixels: all cells have the same area and are whole, and the picture ends where they do.
func TestPixels(t *testing.T) {
	const w, h, up = 7, 5, 40
	for kind, area := range map[Kind]float64{
		Squares: up * up, Hexagons: up * up * math.Sqrt(3) / 2, Triangles: up * up * math.Sqrt(3),
	} {
		for _, x := range []int{0, 1, -3} {
			width, height := kind.Size(w, h, up)
			pixels := kind.Pixels(x, 0, w, h, up)
			if len(pixels) != width*height {
				t.Fatalf("%q: %d pixels, want %d×%d", kind, len(pixels), width, height)
			}
			var count [w * h]int
			touched := [4]bool{} // the edges of the picture
			for p, cell := range pixels {
				if cell >= 0 {
					count[cell]++
					touched[0] = touched[0] || p%width <= 1
					touched[1] = touched[1] || p%width >= width-2
					touched[2] = touched[2] || p/width <= 1
					touched[3] = touched[3] || p/width >= height-2
				}
			}
			for cell, n := range count {
				if math.Abs(float64(n)/area-1) > 0.02 {
					t.Errorf("%q from column %d: cell %d has %d pixels, want about %.0f", kind, x, cell, n, area)
				}
			}
			if touched != [4]bool{true, true, true, true} {
				t.Errorf("%q: the picture is too large: %v", kind, touched)
			}
		}
	}
}

// TestNeighboursTouch: cells that have a side in common in the rule have one in the picture, and only those.
func TestNeighboursTouch(t *testing.T) {
	const w, h, up = 9, 9, 30
	for kind, sides := range map[Kind][][2]int{
		Squares:   {{1, 0}, {0, 1}},
		Hexagons:  {{1, 0}, {0, 1}, {1, 1}},
		Triangles: {{1, 0}, {0, 1}},
	} {
		width, _ := kind.Size(w, h, up)
		pixels := kind.Pixels(0, 0, w, h, up)
		common := map[[2]int]int{}
		for p, a := range pixels {
			for _, step := range []int{1, width} {
				if p+step >= len(pixels) || step == 1 && (p+1)%width == 0 {
					continue
				}
				if b := pixels[p+step]; a >= 0 && b >= 0 && a != b {
					common[[2]int{int(min(a, b)), int(max(a, b))}]++
				}
			}
		}
		for pair, n := range common {
			dx, dy := pair[1]%w-pair[0]%w, pair[1]/w-pair[0]/w
			side := false
			for _, s := range sides {
				side = side || s == [2]int{dx, dy}
			}
			if kind == Triangles && dy == 1 && (pair[0]%w+pair[0]/w)%2 == 0 {
				side = false // it points down, with a corner
			}
			if side != (n > 6) {
				t.Errorf("%q: the cells %v share %d pixels of their sides", kind, pair, n)
			}
		}
		if len(common) < len(sides)*w*h/3 {
			t.Errorf("%q: only %d pairs touch", kind, len(common))
		}
	}
}
