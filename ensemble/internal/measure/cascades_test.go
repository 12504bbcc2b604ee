package measure

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
)

// heightsOf draws a pile of 0 to 7 grains in each cell.
func heightsOf(t *rapid.T, w, h int) *grid.Grid {
	g, err := grid.New(w, h, 3)
	if err != nil {
		t.Fatal(err)
	}
	for k := range 3 {
		plane := cellsOf(t, w, h, fmt.Sprintf("grains %d", k))
		for y := range h {
			copy(g.Row(k, y), plane.Row(0, y))
		}
	}
	return g
}

// spectrumByDefinition sums the vectors of the states at every wave vector, row by row.
func spectrumByDefinition(want map[string]float64, v View) {
	w, h := v.Topology.W, v.Topology.H
	sums, n := make([]float64, v.Distance+1), make([]float64, v.Distance+1)
	short := float64(min(w, h))
	states := float64(v.RuleStates)
	for qx := range w {
		for qy := range h {
			kx, ky := float64(min(qx, w-qx))/float64(w), float64(min(qy, h-qy))/float64(h)
			q := int(math.Floor(short*math.Hypot(kx, ky) + 0.5))
			if q >= len(sums) {
				continue
			}
			n[q]++
			modes := make([]complex128, v.RuleStates)
			for y := range h {
				for x := range w {
					turn := cmplx.Exp(complex(0, 2*math.Pi*(float64(qx*x)/float64(w)+float64(qy*y)/float64(h))))
					modes[v.States.Get(x, y)] += turn
					for k := range modes {
						modes[k] -= turn / complex(states, 0)
					}
				}
			}
			for _, mode := range modes {
				sums[q] += real(mode*cmplx.Conj(mode)) * states / (states - 1) / v.cells()
			}
		}
	}
	for q := range sums {
		want[fmt.Sprintf("spectrum %d", q)] = sums[q] / max(n[q], 1)
	}
}

// octave stores the shares of sizes or durations of at least 2^k.
func octave(want map[string]float64, name string, values []int, most float64) {
	for k := 0; math.Ldexp(1, k) <= most && k < 32; k++ {
		share := 0.0
		for _, n := range values {
			if float64(n) >= math.Ldexp(1, k) {
				share += 1 / float64(len(values))
			}
		}
		want[fmt.Sprintf("%s_from %d", name, k)] = share
	}
}

func mean(values []int) float64 {
	sum := 0
	for _, n := range values {
		sum += n
	}
	return float64(sum) / float64(len(values))
}

// firesByDefinition finds what burns by the distances from the tree that was struck, cell by cell until no
// distance changes.
func firesByDefinition(want map[string]float64, v View) {
	w, h := v.Topology.W, v.Topology.H
	random := v.chance()
	var sizes, durations []int
	for range (w*h + 15) / 16 {
		struck := [2]int{random.IntN(w), random.IntN(h)}
		distance := map[[2]int]int{}
		if v.Cells.Get(struck[0], struck[1]) == 1 {
			distance[struck] = 1
		}
		for changed := true; changed; {
			changed = false
			for at, d := range distance {
				for _, by := range [4][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}} {
					x, y, inside := v.Topology.Fold(at[0]+by[0], at[1]+by[1])
					if !inside || v.Cells.Get(x, y) == 0 {
						continue
					}
					if known := distance[[2]int{x, y}]; known == 0 || known > d+1 {
						distance[[2]int{x, y}], changed = d+1, true
					}
				}
			}
		}
		longest := 0
		for _, d := range distance {
			longest = max(longest, d)
		}
		sizes, durations = append(sizes, len(distance)), append(durations, longest)
	}
	want["fire_size"], want["fire_duration"] = mean(sizes), mean(durations)
	octave(want, "fire_size", sizes, v.cells())
	octave(want, "fire_duration", durations, v.cells())
}

// avalanchesByDefinition topples whole piles at once, from a copy of all heights in each generation.
func avalanchesByDefinition(want map[string]float64, v View) {
	w, h := v.Topology.W, v.Topology.H
	height := func(pile map[[2]int]int, x, y int) int { return pile[[2]int{x, y}] }
	pile := map[[2]int]int{}
	for y := range h {
		for x := range w {
			pile[[2]int{x, y}] = int(v.States.Get(x, y))
		}
	}
	rest := func() (size, area, duration int) {
		toppled := map[[2]int]bool{}
		for {
			next := map[[2]int]int{}
			n := 0
			for y := range h {
				for x := range w {
					grains := height(pile, x, y) % 4
					if height(pile, x, y) >= 4 {
						n++
						toppled[[2]int{x, y}] = true
					}
					for _, by := range [4][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}} {
						if height(pile, x+by[0], y+by[1]) >= 4 {
							grains++
						}
					}
					next[[2]int{x, y}] = grains
				}
			}
			if n == 0 {
				return size, len(toppled), duration
			}
			pile, size, duration = next, size+n, duration+1
		}
	}
	rest()
	sum, inside, cells := 0, 0, 0
	for at, grains := range pile {
		sum += grains
		if at[0] >= w/4 && at[0] < w-w/4 && at[1] >= h/4 && at[1] < h-h/4 {
			inside, cells = inside+grains, cells+1
		}
	}
	want["height"], want["height_inside"] = float64(sum)/v.cells(), float64(inside)/float64(cells)
	random := v.chance()
	var sizes, areas, durations []int
	for range (w*h + 15) / 16 {
		at := random.IntN(w * h)
		pile[[2]int{at % w, at / w}]++
		size, area, duration := rest()
		sizes, areas, durations = append(sizes, size), append(areas, area), append(durations, duration)
	}
	want["avalanche_size"], want["avalanche_area"], want["avalanche_duration"] = mean(sizes), mean(areas), mean(durations)
	octave(want, "avalanche_size", sizes, v.cells()*v.cells())
	octave(want, "avalanche_duration", durations, v.cells()*v.cells())
}

// TestMeanAvalanche holds the mean number of topplings of a grain in a pile of 4×4 cells at rest in its
// stationary state to the exact one: the mean of the sums of the rows of the inverse of the toppling matrix (D.
// Dhar, Phys. Rev. Lett. 64 (1990)). A pile that has had many grains is in that state.
func TestMeanAvalanche(t *testing.T) {
	const side = 4
	want := 0.0
	// topplings of each cell by a grain on one cell, by iteration: 4n = grain + Σ n of neighbours
	for row := range side * side {
		n := make([]float64, side*side)
		for range 2000 {
			for at := range n {
				x, y := at%side, at/side
				sum := 0.0
				if at == row {
					sum = 1
				}
				for _, d := range [4][3]int{{-1, 0, -1}, {1, 0, 1}, {0, -1, -side}, {0, 1, side}} {
					if x+d[0] >= 0 && x+d[0] < side && y+d[1] >= 0 && y+d[1] < side {
						sum += n[at+d[2]]
					}
				}
				n[at] = sum / 4
			}
		}
		for _, topplings := range n {
			want += topplings / (side * side)
		}
	}
	on := topology.Topology{Kind: topology.Plane, W: side, H: side}
	g, err := grid.New(side, side, 3)
	if err != nil {
		t.Fatal(err)
	}
	p := newPile(g, on)
	random := View{Seed: 1}.chance()
	const grains, blocks = 2000, 100
	drop := func() float64 {
		at := random.IntN(side * side)
		p.heights[at]++
		p.wake(at)
		return float64(p.relax().size)
	}
	for range grains {
		drop()
	}
	var sum, squares float64
	for range blocks {
		block := 0.0
		for range grains {
			block += drop() / grains
		}
		sum, squares = sum+block, squares+block*block
	}
	got := sum / blocks
	deviation := math.Sqrt((squares/blocks - got*got) / (blocks - 1))
	if math.Abs(got-want) > 4*deviation {
		t.Errorf("a grain topples %.4f ± %.4f cells, want %.4f", got, deviation, want)
	}
}

// TestOctaves checks that the powers of two are those up to a number.
func TestOctaves(t *testing.T) {
	for most, want := range map[float64]int{0.5: 0, 1: 1, 2: 2, 3: 2, 1023: 10, 1024: 11, 1e30: mostOctaves} {
		if got := octaves(most); got != want {
			t.Errorf("up to %v there are %d powers of two, want %d", most, got, want)
		}
	}
}
