package bands

import (
	"fmt"
	"testing"

	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
	"github.com/gosper-life/gosper/topology"
)

// TestRuns holds runs to the index map, cell by cell, along all lines in and around small universes of every kind.
func TestRuns(t *testing.T) {
	for _, format := range []string{
		"T%d,%d", "T%d,%d+1", "T%d,%d-2", "T%d+1,%d", "T%d-2,%d", "K%d*,%d", "K%d,%d*", "K%d*+1,%d", "K%d,%d*+1", "C%d,%d",
		"S%d",
	} {
		for w := 1; w <= 9; w++ {
			for h := 1; h <= 9; h++ {
				suffix := fmt.Sprintf(format, w, h)
				if format == "S%d" {
					suffix, h = fmt.Sprintf(format, w), 9
				}
				top, err := topology.Parse(suffix)
				if err != nil {
					continue // not every size can be glued so
				}
				checkRuns(t, newUniverse(top, 1, layout.New(top.W, top.H, 1, 1, 1), 0, 0))
			}
		}
	}
}

func checkRuns(t *testing.T, u *universe) {
	t.Helper()
	const around = 5
	for _, direction := range [][2]int{{1, 0}, {0, 1}} {
		dx, dy := direction[0], direction[1]
		for k := -around; k < max(u.W, u.H)+around; k++ {
			x, y, n := k, -2, u.H+around // the last slab may hold padding
			if dx == 1 {
				x, y, n = 0, k, u.W
			}
			next := 0
			for r := range u.runs(x, y, dx, dy, n) {
				if r.first != next || r.n < 1 {
					t.Fatalf("%v: a run of %d cells begins at cell %d, want %d", u.topology, r.n, r.first, next)
				}
				next += r.n
				for j := range r.n {
					xx, yy, _ := u.topology.Fold(x+(r.first+j)*dx, y+(r.first+j)*dy)
					if xx != r.x+j*r.dx || yy != r.y+j*r.dy {
						t.Fatalf("%v: cell %d from (%d, %d) on in direction %v is (%d, %d), not as in run %+v", u.topology, r.first+j, x,
							y, direction, xx, yy, r)
					}
				}
			}
			if next != n {
				t.Fatalf("%v: runs of %d cells, want %d", u.topology, next, n)
			}
		}
	}
}
