package cpu

import (
	"errors"
	"math"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/batch"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

func mustParse(t *testing.T, notation string) rule.Rule {
	t.Helper()
	r, err := rule.Parse(notation)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// On a torus of 4×4 spins all 65,536 states can be weighed. Magnetisation and energy of many small universes
// are distributed by Boltzmann's weights: chi-square of both, with seeds that are always the same.
func TestIsingIsBoltzmann(t *testing.T) {
	const side, cells, temperature, universes, generations = 4, 16, 3.0, 2048, 100
	of := func(state int) (k spins) {
		at := func(x, y int) int { return state >> (y%side*side + x%side) & 1 }
		for y := range side {
			for x := range side {
				k.up += at(x, y)
				k.energy += (at(x, y) ^ at(x+1, y)) + (at(x, y) ^ at(x, y+1))
			}
		}
		return k
	}
	weights := boltzmann(cells, temperature, of)
	for _, name := range []string{"Ising~T=3", "Glauber~T=3"} {
		b, err := openBatch(t.Context(), batch.Config{
			Rule: mustParse(t, name), Topology: topology.Topology{Kind: topology.Torus, W: side, H: side}, Universes: universes,
			Threads: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		soups := make([]batch.Soup, universes)
		for i := range soups {
			soups[i] = batch.Soup{Seed: uint64(i), Density: 0.5}
		}
		if err := b.Fill(t.Context(), soups); err != nil {
			t.Fatal(err)
		}
		if err := b.Step(t.Context(), generations); err != nil {
			t.Fatal(err)
		}
		seen := map[spins]float64{}
		g, err := grid.New(side, side, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i := range universes {
			if err := b.Read(i, g); err != nil {
				t.Fatal(err)
			}
			state := 0
			for y := range side {
				for x := range side {
					state |= int(g.Get(x, y)) << (y*side + x)
				}
			}
			seen[of(state)]++
		}
		checkChi(t, name, seen, weights)
	}
}

// spins are the spins up of a universe, and the bonds against each other.
type spins struct{ up, energy int }

// boltzmann returns the weights of spins at a temperature, in a universe whose states are numbers.
func boltzmann(cells int, temperature float64, of func(state int) spins) map[spins]float64 {
	weights := map[spins]float64{}
	for state := range 1 << cells {
		k := of(state)
		weights[k] += math.Exp(-2 * float64(k.energy) / temperature)
	}
	return weights
}

// The same in three dimensions, with 4×2×2 spins. Along a side of two, the neighbours on both sides are the same spin.
func TestIsingOfVolumeIsBoltzmann(t *testing.T) {
	const w, h, d, universes, generations = 4, 2, 2, 2048, 100
	on, err := topology.NewVolume(topology.Torus, w, h, d)
	if err != nil {
		t.Fatal(err)
	}
	of := func(state int) (k spins) {
		at := func(x, y, z int) int { return state >> (z%d*w*h + y%h*w + x%w) & 1 }
		for i := range w * h * d {
			x, y, z := i%w, i/w%h, i/w/h
			k.up += at(x, y, z)
			k.energy += (at(x, y, z) ^ at(x+1, y, z)) + (at(x, y, z) ^ at(x, y+1, z)) + (at(x, y, z) ^ at(x, y, z+1))
		}
		return k
	}
	weights := boltzmann(w*h*d, 5, of)
	for _, name := range []string{"3DIsing~T=5", "3DGlauber~T=5"} {
		e, err := open(sim.Config{Rule: mustParse(t, name), Topology: on})
		if err != nil {
			t.Fatal(err)
		}
		seen, row := map[spins]float64{}, make([]uint64, 1)
		for seed := range uint64(universes) {
			e.SetGeneration(0)
			if err := errors.Join(
				soup.Fill(t.Context(), e, w, h*d, seed, 0.5, 1, nil), e.(sim.Seeder).Reseed(seed),
			); err != nil {
				t.Fatal(err)
			}
			if _, err := e.Step(t.Context(), generations); err != nil {
				t.Fatal(err)
			}
			state := 0
			for y := range h * d {
				if err := e.ReadRow(row, 0, 0, y, w); err != nil {
					t.Fatal(err)
				}
				state |= int(row[0]) << (w * y)
			}
			seen[of(state)]++
		}
		checkChi(t, name, seen, weights)
	}
}

// After one step from random cells, the share of cells that go on agrees with the probability, for each state and
// number of neighbours. The neighbours are counted here again.
func TestTransitionsAreAsLikely(t *testing.T) {
	const w, h = 512, 256
	near := map[byte][][2]int{'N': {{0, -1}, {-1, 0}, {1, 0}, {0, 1}}, '@': {{-1, 0}, {1, 0}}}
	for name, counted := range map[string]uint8{
		"Ising~T=2.5": 1, "Glauber~T=2.5": 1, "MajorityVote~q=0.1": 1, "Voter": 1, "DomanyKinzel~p1=0.6,p2=0.8": 1,
		"Contact~lambda=2,dt=0.1":              1,
		"SIRS~infect=0.3,recover=0.2,wane=0.1": 1, "ForestFire~p=0.02,f=0.001": 2, "NoisyGH~f=0.01": 1,
	} {
		separator := ","
		if name == "Voter" {
			separator = "~"
		}
		r := mustParse(t, name+separator+"seed=11")
		e, err := open(sim.Config{Rule: r, Topology: topology.Topology{Kind: topology.Torus, W: w, H: h}})
		if err != nil {
			t.Fatal(err)
		}
		before, err := grid.New(w, h, e.Planes())
		if err != nil {
			t.Fatal(err)
		}
		random := uint64(5)
		for y := range h {
			for x := range w {
				random = random*6364136223846793005 + 1442695040888963407
				before.Set(x, y, uint8(random>>33%uint64(r.States)))
			}
		}
		if err := grid.Copy(e, before, before.Bounds(), 0, 0); err != nil {
			t.Fatal(err)
		}
		mustStep(t, e, 1)
		after, err := grid.New(w, h, e.Planes())
		if err == nil {
			err = grid.Copy(after, e, after.Bounds(), 0, 0)
		}
		if err != nil {
			t.Fatal(err)
		}
		var cells, went [16][9]float64
		for y := range h {
			for x := range w {
				from, to := before.Get(x, y), after.Get(x, y)
				if r.Chance.Checkerboard && (x+y)%2 == 1 {
					if from != to {
						t.Fatalf("%s: a white cell changed", name)
					}
					continue
				}
				n := 0
				for _, d := range near[r.Neighbourhood.Letter] {
					if before.Get((x+d[0]+w)%w, (y+d[1]+h)%h) == counted {
						n++
					}
				}
				cells[from][n]++
				switch {
				case int(to) == (int(from)+1)%r.States:
					went[from][n]++
				case to != from:
					t.Fatalf("%s: %d became %d", name, from, to)
				}
			}
		}
		for s := range r.States {
			for n := range r.Neighbourhood.Size() + 1 {
				p, k := r.Chance.Probability(uint8(s), n).Float(), cells[s][n]
				if far := math.Abs(went[s][n]-k*p) / math.Sqrt(k*p*(1-p)+1e-9); k > 0 && far > 4.5 {
					t.Errorf("%s: state %d with %d neighbours: %v of %v went on, %.1f standard deviations from %.4g", name, s, n,
						went[s][n], k, far, p)
				}
			}
		}
	}
}

func mustStep(t *testing.T, e sim.Engine, n uint64) {
	t.Helper()
	if _, err := e.Step(t.Context(), n); err != nil {
		t.Fatal(err)
	}
}
