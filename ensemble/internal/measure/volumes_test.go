package measure

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
)

// solid is a volume as a list of cells by (x, y, z), and the definitions of measures in it.
type solid struct {
	View
	w, h, d int
}

type spot [3]int

// each yields all cells.
func (s solid) each(yield func(spot) bool) {
	for z := range s.d {
		for y := range s.h {
			for x := range s.w {
				if !yield(spot{x, y, z}) {
					return
				}
			}
		}
	}
}

func (s solid) get(g *grid.Grid, at spot) int { return int(g.Get(at[0], at[1]+s.h*at[2])) }

// at returns the cell that is some cells further on along an axis.
func (s solid) at(from spot, axis, by int) (to spot, inside bool) {
	from[axis] += by
	x, row, inside := s.Topology.FoldVolume(from[0], from[1], from[2])
	return spot{x, row % s.h, row / s.h}, inside
}

func (s solid) beside(from spot) (all []spot) {
	for axis := range 3 {
		for _, by := range []int{-1, 1} {
			if to, inside := s.at(from, axis, by); inside {
				all = append(all, to)
			}
		}
	}
	return all
}

// TestInstrumentsOfVolumes compares the numbers of instruments in three dimensions with their definitions, cell by
// cell.
func TestInstrumentsOfVolumes(t *testing.T) {
	seen := map[string]bool{}
	rapid.Check(t, func(t *rapid.T) {
		side := func(name string) int { return rapid.SampledFrom([]int{1, 2, 3, 5, 6}).Draw(t, name) }
		kind := rapid.SampledFrom([]topology.Kind{topology.Torus, topology.Plane}).Draw(t, "kind")
		w, h, d := rapid.SampledFrom([]int{1, 3, 8, 65}).Draw(t, "w"), side("h"), side("d")
		on, err := topology.NewVolume(kind, w, h, d)
		if err != nil {
			t.Fatal(err)
		}
		s := solid{View{
			Setting: Setting{Topology: on, Distance: max(1, min(w, h, d)/2)},
			Cells:   cellsOf(t, w, h*d, "cells"), Twin: cellsOf(t, w, h*d, "twin"),
			Waiting: []*grid.Grid{cellsOf(t, w, h*d, "waiting")},
			Seed:    rapid.Uint64().Draw(t, "seed"),
		}, w, h, d}
		s.Setting.Waiting, s.RuleStates = []uint64{7}, 12
		if s.States, err = grid.New(w, h*d, 4); err != nil {
			t.Fatal(err)
		}
		heights := heightsOf(t, w, h*d)
		for at := range s.each {
			height := (s.get(heights, at)*3 + at[0]) % s.RuleStates
			s.States.Set(at[0], at[1]+h*at[2], uint8(height))
		}
		s.Ones, s.Bonds = s.Cells.Population(), BondsOf(s.Cells, on)
		want := map[string]float64{}
		s.energies(want)
		s.distances(want)
		s.pairs(want)
		s.spectra(want)
		s.fires(want)
		if kind == topology.Plane {
			s.avalanches(want)
		}
		for _, k := range Kinds {
			if k.Straight && kind != topology.Torus || k.Name == "avalanches" && kind != topology.Plane || !k.Volumes ||
				k.Needs&First != 0 || slices.Contains([]string{"magnetisation", "bits", "states"}, k.Name) {
				continue // the last three do not look where cells are
			}
			names := k.Instrument.Quantities(s.Setting)
			got := make([]float64, len(names))
			k.Instrument.Measure(got, s.View)
			for i, name := range names {
				value, known := want[name]
				if !known && (k.Name == "potts" && name[:5] == "order" || k.Name == "twotime" && name != "two_time_overlap 7") {
					continue
				}
				seen[name] = true
				if !known || math.Abs(got[i]-value) > 2e-9*max(1, math.Abs(value)) {
					t.Fatalf("%s on %v: got %v, want %v (%v)", name, on, got[i], value, known)
				}
			}
		}
	})
	if len(seen) < 60 {
		t.Errorf("only %d quantities were compared", len(seen))
	}
}

// energies are those of the Ising and the Potts model.
func (s solid) energies(want map[string]float64) {
	ising, potts, overlap := 0.0, 0.0, 0.0
	for at := range s.each {
		overlap += float64(s.get(s.Cells, at)*s.get(s.View.Waiting[0], at)) / s.cells()
		for _, to := range s.beside(at) {
			ising -= float64((2*s.get(s.Cells, at)-1)*(2*s.get(s.Cells, to)-1)) / 2 / s.cells()
			if s.get(s.States, at) == s.get(s.States, to) {
				potts -= 1 / s.cells() / 2
			}
		}
	}
	want["energy"], want["energy_2"] = ising, ising*ising
	want["potts_energy"], want["potts_energy_2"] = potts, potts*potts
	want["two_time_overlap 7"] = overlap
}

// distances are those of live cells, and of cells that differ from the twin, from the middle.
func (s solid) distances(want map[string]float64) {
	around := func(live func(at spot) bool, names ...string) {
		alive, cells, squares, extent := 0.0, 0.0, 0.0, 0.0
		for at := range s.each {
			if !live(at) {
				continue
			}
			alive, cells = 1, cells+1
			for axis, n := range []int{s.w, s.h, s.d} {
				by := math.Abs(float64(at[axis] - n/2))
				if s.Topology.Kind == topology.Torus {
					by = min(by, float64(n)-by)
				}
				squares, extent = squares+by*by, max(extent, by)
			}
		}
		for i, value := range []float64{alive, cells, squares, extent} {
			want[names[i]] = value
		}
	}
	around(func(at spot) bool { return s.get(s.Cells, at) == 1 }, "alive", "live", "squares", "extent")
	around(func(at spot) bool { return s.get(s.Cells, at) != s.get(s.Twin, at) }, "damaged", "damage", "damage_squares",
		"damage_extent")
	want["damage"] /= s.cells()
}

// pairs are those of cells at a distance along the axes of a torus.
func (s solid) pairs(want map[string]float64) {
	for r := 1; r <= s.Distance; r++ {
		joint, single := map[[2]int]float64{}, map[int]float64{}
		for at := range s.each {
			one := s.get(s.States, at)
			single[one] += 1 / s.cells()
			for axis := range 3 {
				if to, inside := s.at(at, axis, r); inside {
					joint[[2]int{one, s.get(s.States, to)}] += 1 / (3 * s.cells())
				}
			}
		}
		bits := -math.Pow(float64(len(single)-1), 2) / (6 * s.cells() * math.Ln2)
		same := 0.0
		for pair, p := range joint {
			bits += p * math.Log2(p/single[pair[0]]/single[pair[1]])
			if pair[0] == pair[1] {
				same += p
			}
		}
		want[fmt.Sprintf("mutual %d", r)], want[fmt.Sprintf("agreement %d", r)] = bits, same
		for state := range s.RuleStates {
			want[fmt.Sprintf("share %d", state)] = single[state]
		}
	}
}

// spectra are the structure factors of spins along the axes, and of states at all wave vectors.
func (s solid) spectra(want map[string]float64) {
	turn := func(at spot, k [3]int) complex128 {
		sum := float64(k[0]*at[0])/float64(s.w) + float64(k[1]*at[1])/float64(s.h) + float64(k[2]*at[2])/float64(s.d)
		return cmplx.Exp(complex(0, 2*math.Pi*sum))
	}
	for q := range s.Distance + 1 {
		sum := 0.0
		for axis := range 3 {
			var k [3]int
			k[axis] = q
			var mode complex128
			for at := range s.each {
				mode += complex(float64(2*s.get(s.Cells, at)-1), 0) * turn(at, k)
			}
			sum += real(mode*cmplx.Conj(mode)) / 3 / s.cells()
		}
		want[fmt.Sprintf("structure %d", q)] = sum
	}
	want["spin"] = 2*float64(s.Ones)/s.cells() - 1
	sums, n := make([]float64, s.Distance+1), make([]float64, s.Distance+1)
	states, short := float64(s.RuleStates), float64(min(s.w, s.h, s.d))
	for k := range s.each {
		square := 0.0
		for axis, n := range []int{s.w, s.h, s.d} {
			square += math.Pow(short*float64(min(k[axis], n-k[axis]))/float64(n), 2)
		}
		q := int(math.Floor(math.Sqrt(square) + 0.5))
		if q >= len(sums) {
			continue
		}
		n[q]++
		modes := make([]complex128, s.RuleStates)
		var all complex128
		for at := range s.each {
			one := turn(at, k)
			modes[s.get(s.States, at)] += one
			all += one
		}
		for _, mode := range modes {
			mode -= all / complex(states, 0)
			sums[q] += real(mode*cmplx.Conj(mode)) * states / (states - 1) / s.cells()
		}
	}
	for q := range sums {
		want[fmt.Sprintf("spectrum %d", q)] = sums[q] / max(n[q], 1)
	}
}

// fires burn from the tree that was struck, by distances.
func (s solid) fires(want map[string]float64) {
	random := s.chance()
	var sizes, durations []int
	for range (s.w*s.h*s.d + 15) / 16 {
		x, row := random.IntN(s.w), random.IntN(s.h*s.d)
		size, duration := s.burns(spot{x, row % s.h, row / s.h})
		sizes, durations = append(sizes, size), append(durations, duration)
	}
	want["fire_size"], want["fire_duration"] = mean(sizes), mean(durations)
	octave(want, "fire_size", sizes, s.cells())
	octave(want, "fire_duration", durations, s.cells())
}

// burns finds how many trees are joined to a cell, and the longest of the shortest ways to them.
func (s solid) burns(from spot) (size, longest int) {
	distance := map[spot]int{}
	if s.get(s.Cells, from) == 1 {
		distance[from] = 1
	}
	for changed := true; changed; {
		changed = false
		for at, way := range distance {
			for _, to := range s.beside(at) {
				if known := distance[to]; s.get(s.Cells, to) == 1 && (known == 0 || known > way+1) {
					distance[to], changed = way+1, true
				}
			}
		}
	}
	for _, way := range distance {
		longest = max(longest, way)
	}
	return len(distance), longest
}

// avalanches topple whole piles at once, from a copy of all heights in each generation.
func (s solid) avalanches(want map[string]float64) {
	pile := map[spot]int{}
	for at := range s.each {
		pile[at] = s.get(s.States, at)
	}
	rest := func() (size, area, duration int) {
		toppled := map[spot]bool{}
		for {
			next, n := map[spot]int{}, 0
			for at, grains := range pile {
				next[at] += grains
				if grains >= 6 {
					n++
					toppled[at] = true
					next[at] -= 6
					for _, to := range s.beside(at) {
						next[to]++
					}
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
		middle := true
		for axis, n := range []int{s.w, s.h, s.d} {
			middle = middle && at[axis] >= n/4 && at[axis] < n-n/4
		}
		if middle {
			inside, cells = inside+grains, cells+1
		}
	}
	want["height"], want["height_inside"] = float64(sum)/s.cells(), float64(inside)/float64(cells)
	random := s.chance()
	var sizes, areas, durations []int
	for range (s.w*s.h*s.d + 15) / 16 {
		i := random.IntN(s.w * s.h * s.d)
		pile[spot{i % s.w, i / s.w % s.h, i / s.w / s.h}]++
		size, area, duration := rest()
		sizes, areas, durations = append(sizes, size), append(areas, area), append(durations, duration)
	}
	want["avalanche_size"], want["avalanche_area"], want["avalanche_duration"] = mean(sizes), mean(areas), mean(durations)
	octave(want, "avalanche_size", sizes, s.cells()*s.cells())
	octave(want, "avalanche_duration", durations, s.cells()*s.cells())
}
