package rule_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/topology"
)

// corners are those of the triangle in column x and row y. Triangles are two wide and one high, and overlap half.
func corners(x, y int) [3][2]int {
	if (x+y)%2 == 0 { // points down
		return [3][2]int{{x, y}, {x + 2, y}, {x + 1, y + 1}}
	}
	return [3][2]int{{x + 1, y}, {x, y + 1}, {x + 2, y + 1}}
}

// common returns the number of corners that two triangles have in common, and whether they are each other's
// mirror image at a corner.
func common(a, b [3][2]int) (n int, opposite bool) {
	for _, p := range a {
		if !slices.Contains(b[:], p) {
			continue
		}
		n++
		mirrored := 0
		for _, q := range a {
			if slices.Contains(b[:], [2]int{2*p[0] - q[0], 2*p[1] - q[1]}) {
				mirrored++
			}
		}
		opposite = opposite || mirrored == 3
	}
	return n, opposite
}

// TestTrianglesHaveCornersInCommon compares the seven neighbourhoods with triangles made of corners.
func TestTrianglesHaveCornersInCommon(t *testing.T) {
	for suffix, in := range map[string]func(n int, opposite bool) bool{
		"L":  func(n int, _ bool) bool { return n > 0 },
		"LE": func(n int, _ bool) bool { return n == 2 },
		"LV": func(n int, _ bool) bool { return n == 1 },
		"LI": func(n int, opposite bool) bool { return n == 2 || opposite },
		"LO": func(n int, opposite bool) bool { return n == 1 && !opposite },
		"LB": func(n int, opposite bool) bool { return n == 2 || n == 1 && !opposite },
		"LR": func(n int, opposite bool) bool { return n == 1 && opposite },
	} {
		r, err := rule.Parse("B2/S13" + suffix)
		if err != nil {
			t.Fatal(err)
		}
		for column, offsets := range [][]rule.Offset{r.Neighbourhood.Offsets(), upsideDown(r.Neighbourhood)} {
			for dx := -3; dx <= 3; dx++ {
				for dy := -3; dy <= 3; dy++ {
					want := (dx != 0 || dy != 0) && in(common(corners(column, 0), corners(column+dx, dy)))
					if got := slices.Contains(offsets, rule.Offset{DX: dx, DY: dy, Weight: 1}); got != want {
						t.Errorf("%s: the triangle in column %d has that at (%d,%d): %v, want %v", suffix, column, dx, dy, got, want)
					}
				}
			}
		}
		if again, err := rule.Parse(r.String()); err != nil || r.String() != "B2/S13"+suffix || !again.Equal(r) {
			t.Errorf("%s prints as %v", suffix, r)
		}
	}
}

// TestWiderTriangles checks that the triangles within a radius touch those within the radius before.
func TestWiderTriangles(t *testing.T) {
	within := map[[2]int]bool{{0, 0}: true}
	for radius := 1; radius <= 6; radius++ {
		wider := map[[2]int]bool{}
		for cell := range within {
			for dx := -2; dx <= 2; dx++ {
				for dy := -1; dy <= 1; dy++ {
					x, y := cell[0]+dx, cell[1]+dy
					if n, _ := common(corners(cell[0], cell[1]), corners(x, y)); n > 0 {
						wider[[2]int{x, y}] = true
					}
				}
			}
		}
		within = wider
		n, err := rule.NewNeighbourhood('L', radius)
		if err != nil {
			t.Fatal(err)
		}
		if n.Size() != len(within)-1 {
			t.Errorf("radius %d: %d neighbours, want %d", radius, n.Size(), len(within)-1)
		}
		for _, o := range n.Offsets() {
			if !within[[2]int{o.DX, o.DY}] || o.Weight != 1 {
				t.Errorf("radius %d: (%d,%d) does not lie within it", radius, o.DX, o.DY)
			}
		}
	}
}

// TestTrianglesFit checks that triangles fit a topology exactly if each is a neighbour of its neighbours, as often.
func TestTrianglesFit(t *testing.T) {
	r, err := rule.Parse("B4/S35L")
	if err != nil {
		t.Fatal(err)
	}
	fit := 0
	for _, form := range []string{
		"T%d,%d", "P%d,%d", "T%d+1,%d", "T%d,%d-1", "T%d,%d+2", "K%d*,%d", "K%d,%d*",
		"K%d*+1,%d", "K%d,%d*+1", "C%d,%d", "S%d",
	} {
		for w := 3; w <= 8; w++ {
			for h := 3; h <= 8; h++ {
				suffix := fmt.Sprintf(":"+form, w, h)
				if form == "S%d" {
					suffix = fmt.Sprintf(":"+form, w)
				}
				at, err := topology.Parse(suffix)
				if err != nil {
					continue // no such shift
				}
				mutual := neighboursAreMutual(r, at)
				if err := r.Fits(at); (err == nil) != mutual {
					t.Errorf("%s: %v, but neighbours are mutual: %v", suffix, err, mutual)
				}
				if mutual {
					fit++
				}
			}
		}
	}
	if fit < 50 {
		t.Errorf("only %d fit", fit)
	}
}

func neighboursAreMutual(r rule.Rule, at topology.Topology) bool {
	pairs := map[[4]int]int{}
	for y := range at.H {
		for x := range at.W {
			offsets := r.Neighbourhood.Offsets()
			if (x+y)%2 != 0 {
				offsets = upsideDown(r.Neighbourhood)
			}
			for _, o := range offsets {
				if fx, fy, inside := at.Fold(x+o.DX, y+o.DY); inside {
					pairs[[4]int{x, y, fx, fy}]++
				}
			}
		}
	}
	for p, n := range pairs {
		if pairs[[4]int{p[2], p[3], p[0], p[1]}] != n {
			return false
		}
	}
	return true
}

// upsideDown is the neighbourhood of triangles that point up.
func upsideDown(n rule.Neighbourhood) []rule.Offset {
	offsets := n.Offsets()
	for i := range offsets {
		offsets[i].DY = -offsets[i].DY
	}
	return offsets
}
