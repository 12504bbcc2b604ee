package topology_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/topology"
)

func TestSymmetriesAreDistinctAndNamed(t *testing.T) {
	images, names := map[[2]int]bool{}, map[string]bool{}
	for i, s := range topology.Symmetries {
		x, y := s.Apply(1, 2)
		images[[2]int{x, y}] = true
		names[s.String()] = true
		if int(s) != i {
			t.Errorf("%s stands at %d", s, i)
		}
	}
	if len(images) != 8 || len(names) != 8 {
		t.Errorf("%d images and %d names of 8 symmetries", len(images), len(names))
	}
	if x, y := topology.QuarterTurn.Apply(1, 0); x != 0 || y != 1 {
		t.Errorf("a clockwise quarter turn takes right to (%d, %d), want down", x, y)
	}
}

// Near any coordinate, inside or out, the universe looks like the neighbourhood of its folded cell turned by one of
// Gluings.
func TestGluingsAreAllThereIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := drawTopology(t)
		x, y := rapid.IntRange(-40, 40).Draw(t, "x"), rapid.IntRange(-40, 40).Draw(t, "y")
		fx, fy, _ := top.Fold(x, y)
		matches := func(s topology.Symmetry) bool {
			for dy := -10; dy <= 10; dy++ {
				for dx := -10; dx <= 10; dx++ {
					gx, gy := s.Apply(dx, dy)
					ax, ay, _ := top.Fold(x+dx, y+dy)
					bx, by, _ := top.Fold(fx+gx, fy+gy)
					if ax != bx || ay != by {
						return false
					}
				}
			}
			return true
		}
		for _, s := range top.Gluings() {
			if matches(s) {
				return
			}
		}
		t.Fatalf("%s: the surroundings of (%d, %d) are none of %v of those of (%d, %d)", top, x, y, top.Gluings(), fx, fy)
	})
}
