package reference_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/grid"
)

// corners are those of the triangle in column x and row y. Triangles are two wide and one high, and overlap half.
func corners(x, y int) [][2]int {
	if (x+y)%2 == 0 { // points down
		return [][2]int{{x, y}, {x + 2, y}, {x + 1, y + 1}}
	}
	return [][2]int{{x + 1, y}, {x, y + 1}, {x + 2, y + 1}}
}

// TestTriangles compares rules of triangles with an evaluation that knows them by their corners alone.
func TestTriangles(t *testing.T) {
	const numerals = "0123456789XYZ"
	// How many corners neighbours have in common.
	kinds := map[string]struct{ least, greatest, neighbours int }{"L": {1, 2, 12}, "LE": {2, 2, 3}, "LV": {1, 1, 9}}
	suffixes := []string{"L", "LE", "LV"}
	rapid.Check(t, func(rt *rapid.T) {
		suffix := rapid.SampledFrom(suffixes).Draw(rt, "suffix")
		kind := kinds[suffix]
		w, h, edges := rapid.IntRange(1, 11).Draw(rt, "width"), rapid.IntRange(1, 11).Draw(rt, "height"),
			rapid.SampledFrom([]string{"T", "P"}).Draw(rt, "topology")
		if edges == "T" {
			w, h = 2*w, 2*h
		}
		states := rapid.IntRange(2, 4).Draw(rt, "states")
		counts := func(label string) (list []int, text string) {
			for n := range kind.neighbours + 1 {
				if rapid.Bool().Draw(rt, label) {
					list, text = append(list, n), text+numerals[n:n+1]
				}
			}
			return list, text
		}
		birth, b := counts("birth")
		survival, s := counts("survival")
		e := mustOpen(t, fmt.Sprintf("B%s/S%s/%d%s", b, s, states, suffix), fmt.Sprintf(":%s%d,%d", edges, w, h))
		cells := make([]int, w*h)
		at := func(x, y int) int {
			if edges == "T" {
				x, y = (x+3*w)%w, (y+3*h)%h
			}
			if x < 0 || x >= w || y < 0 || y >= h {
				return 0
			}
			return cells[y*w+x]
		}
		for y := range h {
			for x := range w {
				c := rapid.IntRange(0, states-1).Draw(rt, "cell")
				cells[y*w+x] = c
				for k := range e.Planes() {
					grid.InMemory(e.WriteRow([]uint64{uint64(c >> k & 1)}, k, x, y, 1))
				}
			}
		}
		for g := range 3 {
			next := make([]int, w*h)
			for y := range h {
				for x := range w {
					count := 0
					for ny := y - 2; ny <= y+2; ny++ {
						for nx := x - 3; nx <= x+3; nx++ {
							common := 0
							for _, p := range corners(nx+4, ny+4) { // not negative
								if slices.Contains(corners(x+4, y+4), p) {
									common++
								}
							}
							// A triangle has three corners in common with itself.
							if common >= kind.least && common <= kind.greatest && at(nx, ny) == 1 {
								count++
							}
						}
					}
					switch c := cells[y*w+x]; {
					case c == 0 && slices.Contains(birth, count), c == 1 && slices.Contains(survival, count):
						next[y*w+x] = 1
					case c > 0:
						next[y*w+x] = (c + 1) % states
					}
				}
			}
			cells = next
			mustStep(t, e, 1)
			var got, want strings.Builder
			for y := range h {
				for x := range w {
					fmt.Fprint(&got, state(e, x, y))
					fmt.Fprint(&want, cells[y*w+x])
				}
				got.WriteByte('\n')
				want.WriteByte('\n')
			}
			if got.String() != want.String() {
				rt.Fatalf("B%s/S%s/%d%s:%s%d,%d, generation %d: got\n%swant\n%s", b, s, states, suffix, edges, w, h, g+1, &got,
					&want)
			}
		}
	})
}
