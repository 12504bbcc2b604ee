package islands

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// TestOf compares islands with a search of all pairs of cells. The phases need not be those of a rule.
func TestOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		offset, place := rapid.IntRange(-4, 4), rapid.IntRange(-12, 12)
		dx, dy, radius := offset.Draw(t, "dx"), offset.Draw(t, "dy"), rapid.IntRange(1, 3).Draw(t, "radius")
		phases := make([][]sparse.Cell, rapid.IntRange(1, 4).Draw(t, "period"))
		for i := range phases {
			for range rapid.IntRange(0, 20).Draw(t, "cells") {
				phases[i] = append(phases[i], sparse.Cell{X: place.Draw(t, "x"), Y: place.Draw(t, "y")})
			}
			slices.SortFunc(phases[i], sparse.ByRow)
			phases[i] = slices.Compact(phases[i])
		}
		got := Of(phases, dx, dy, radius)
		if want := allPairs(phases, dx, dy, radius); !reflect.DeepEqual(got, want) {
			t.Errorf("%v, moved by (%d, %d), radius %d: %v; want %v", phases, dx, dy, radius, got, want)
		}
	})
}

// allPairs is Of, cell by cell. Of two cells that see each other, both get the lower number, until no two of them
// differ.
func allPairs(phases [][]sparse.Cell, dx, dy, radius int) []Island {
	number := make([][]int, len(phases))
	cells := 0
	for t := range phases {
		for range phases[t] {
			number[t] = append(number[t], cells)
			cells++
		}
	}
	for changed := true; changed; {
		changed = false
		for t, cells := range phases {
			for i, a := range cells {
				for _, later := range []int{t, t + 1} {
					x, y := a.X, a.Y
					if later == len(phases) {
						later, x, y = 0, x-dx, y-dy
					}
					for j, b := range phases[later] {
						m, n := &number[t][i], &number[later][j]
						if max(b.X-x, x-b.X, b.Y-y, y-b.Y) <= radius && *m != *n {
							*m, *n = min(*m, *n), min(*m, *n)
							changed = true
						}
					}
				}
			}
		}
	}
	var islands []Island
	for n := range cells {
		island, any := make(Island, len(phases)), false
		for t, cells := range phases {
			for i, c := range cells {
				if number[t][i] == n {
					island[t], any = append(island[t], c), true
				}
			}
		}
		if any {
			islands = append(islands, island)
		}
	}
	return islands
}
