package reference_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/soup"
)

// Results of Golly 3.3 (Debian package golly): command nextgen3d of its Lua function ovtable, which 3D.lua calls, on
// soups of package soup, with rule BusyBoxes. The hash is that of a byte for each cell. simtest has BusyBoxesW.
func TestSwapsInsideOfGolly(t *testing.T) {
	for _, c := range []struct {
		side        int
		seed        uint64
		density     float64
		generations uint64
		population  uint64
		hash        string
	}{
		{4, 1, 0.2, 20, 11, "7b85e59e3d208e1696959144831de221c661c893e8b63dab78f8db26543d674d"},
		{6, 2, 0.1, 5, 17, "b6cf7671d4b4b3c34f422b240f26e5664cec501b9c67a2c61e9a8977b12c5b69"},
		{8, 3, 0.1, 7, 54, "c6d944e94a59b73a70f559677d81fc70d66c3de98efdac638c22a17dc15ada00"},
		{10, 4, 0.05, 100, 55, "1a9b735b39fbc9cd3261e250da192cbf0f260423fb9b3bd9cdc325fd06f363f3"},
		{16, 5, 0.04, 500, 167, "2a73fdfaf35e480f20a3d0722b1afcb5aae956244d8fdf1653190a9609a400c6"},
		{30, 6, 0.05, 50, 1333, "ce818739677c99666ea618059abe1e2813889d3b1517b72512844e658a9cf76f"},
		{66, 7, 0.02, 7, 5756, "1dc0c7f50763a88619f20bdc3b15f6a99f31878642eeaf301f147980f40ea0d8"},
	} {
		e := mustOpen(t, "BusyBoxes", fmt.Sprintf(":T%d,%d,%d", c.side, c.side, c.side))
		if err := soup.Fill(t.Context(), e, c.side, c.side*c.side, c.seed, c.density, 1, nil); err != nil {
			t.Fatal(err)
		}
		mustStep(t, e, c.generations)
		population, err := e.Population()
		if err != nil {
			t.Fatal(err)
		}
		hash, err := grid.BytesHash(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", hash); got != c.hash || population != c.population {
			t.Errorf("side %d: population %d and hash %s, want %d and %s", c.side, population, got, c.population, c.hash)
		}
	}
}

// TestSwaps compares with a program that goes through live cells, as the first 3D.lua did. A cell moves to an empty one
// if a caller of the pair is live, and if none of the twelve cells that call another pair of either cell is live. The
// number of cells stays the same. As the callers of a step stay where they are, the same step undoes it, so that steps
// in reverse order lead back to the first cells.
func TestSwaps(t *testing.T) {
	type offset struct{ a, b int }
	// Counted from a cell that would move by (1, 1): cells that call the pair, and those that forbid it. The other three
	// directions are quarter turns.
	callers := []offset{{2, -1}, {-1, 2}}
	others := []offset{
		{1, 2}, {-2, -1}, {-2, 1}, {1, -2}, {2, 1}, {-1, -2}, {0, -1}, {3, 2}, {-1, 0}, {2, 3}, {3, 0}, {0, 3},
	}
	rapid.Check(t, func(rt *rapid.T) {
		var size [3]int
		for axis := range size {
			size[axis] = 2 * rapid.IntRange(1, 6).Draw(rt, "half a side")
		}
		inside := rapid.Bool().Draw(rt, "inside")
		name := "BusyBoxesW"
		if inside {
			name = "BusyBoxes"
		}
		percent := rapid.IntRange(1, 40).Draw(rt, "percent")
		e := mustOpen(t, name, fmt.Sprintf(":T%d,%d,%d", size[0], size[1], size[2]))
		live := map[[3]int]bool{}
		for z := range size[2] {
			for y := range size[1] {
				for x := range size[0] {
					if rapid.IntRange(0, 99).Draw(rt, "cell") < percent {
						live[[3]int{x, y, z}] = true
						grid.InMemory(e.WriteRow([]uint64{1}, 0, x, y+z*size[1], 1))
					}
				}
			}
		}
		began := live
		step := func(phase int) {
			axes := [3][2]int{{0, 1}, {1, 2}, {0, 2}}[phase%3]
			next := map[[3]int]bool{}
			for c := range live {
				to := c
				for turn := range 4 {
					// at is the cell at an offset, and whether it lies beyond an edge.
					at := func(o offset) (n [3]int, beyond bool) {
						for range turn {
							o = offset{-o.b, o.a}
						}
						n = c
						n[axes[0]] += o.a
						n[axes[1]] += o.b
						for axis, v := range n {
							n[axis] = (v + 4*size[axis]) % size[axis]
							beyond = beyond || n[axis] != v
						}
						return n, beyond
					}
					any := func(list []offset) bool {
						for _, o := range list {
							if n, _ := at(o); live[n] {
								return true
							}
						}
						return false
					}
					if n, beyond := at(offset{1, 1}); any(callers) && !any(others) && !live[n] && !(inside && beyond) {
						to = n
					}
				}
				if (c[0]+c[1]+c[2]+phase)%2 != 0 {
					to = c
				}
				next[to] = true
			}
			live = next
		}
		generations := rapid.IntRange(1, 13).Draw(rt, "generations")
		for g := range generations {
			step(g)
			mustStep(t, e, 1)
			compareSwaps(rt, e, size, live, len(began), g+1)
		}
		for g := range generations {
			phase := generations - 1 - g
			e.SetGeneration(uint64(phase))
			mustStep(t, e, 1)
		}
		compareSwaps(rt, e, size, began, len(began), 0)
	})
}

// compareSwaps fails if the live cells of an engine are not those of a set, as many as in the beginning.
func compareSwaps(t *rapid.T, e sim.Engine, size [3]int, live map[[3]int]bool, population, generation int) {
	if len(live) != population {
		t.Fatalf("generation %d: %d cells, not %d", generation, len(live), population)
	}
	for z := range size[2] {
		for y := range size[1] {
			for x := range size[0] {
				if got := state(e, x, y+z*size[1]) == 1; got != live[[3]int{x, y, z}] {
					t.Fatalf("generation %d: cell (%d, %d, %d) is %v", generation, x, y, z, got)
				}
			}
		}
	}
}
