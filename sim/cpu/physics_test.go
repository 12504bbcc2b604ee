package cpu

import (
	"math"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/batch"
	"github.com/gosper-life/gosper/topology"
)

// ends are the states of many small universes after some generations from soups.
func ends(t *testing.T, notation string, top topology.Topology, universes int, generations uint64) []*grid.Grid {
	t.Helper()
	r := mustParse(t, notation)
	b, err := openBatch(t.Context(), batch.Config{Rule: r, Topology: top, Universes: universes, Threads: 1})
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
	all := make([]*grid.Grid, universes)
	for i := range all {
		if all[i], err = grid.New(top.W, top.H, grid.PlanesOf(r.States)); err != nil {
			t.Fatal(err)
		}
		if err := b.Read(i, all[i]); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// checkChi compares how often classes were seen with how likely they are. Rare classes count as one.
func checkChi[K comparable](t *testing.T, name string, seen map[K]float64, weights map[K]float64) {
	t.Helper()
	total, universes := 0.0, 0.0
	for _, w := range weights {
		total += w
	}
	for k, n := range seen {
		universes += n
		if weights[k] == 0 {
			t.Errorf("%s: %v was seen, which cannot be", name, k)
		}
	}
	chi, classes, rest, restSeen := 0.0, 0, 0.0, 0.0
	for k, w := range weights {
		if want := universes * w / total; want >= 5 {
			chi += (seen[k] - want) * (seen[k] - want) / want
			classes++
		} else {
			rest, restSeen = rest+want, restSeen+seen[k]
		}
	}
	if rest > 0 {
		chi += (restSeen - rest) * (restSeen - rest) / rest
	}
	if far := (chi - float64(classes)) / math.Sqrt(2*float64(classes)); math.Abs(far) > 4 {
		t.Errorf("%s: chi-square %.1f of %d degrees of freedom", name, chi, classes)
	}
}

// On a torus of 4×2 spins all states of the Potts model can be weighed. A torus two cells high has two bonds
// between cells above each other.
func TestPottsIsBoltzmann(t *testing.T) {
	const w, h, temperature = 4, 2, 1.5
	for name, q := range map[string]int{"Potts~q=3,T=1.5": 3, "Potts~q=2,T=1.5": 2, "Potts~q=4,T=1.5": 4} {
		type kind struct{ energy, ones int } // bonds between unlike spins, spins in state 1
		of := func(at func(x, y int) int) (k kind) {
			for y := range h {
				for x := range w {
					if at(x, y) == 1 {
						k.ones++
					}
					for _, d := range [][2]int{{1, 0}, {0, 1}} {
						if at(x, y) != at((x+d[0])%w, (y+d[1])%h) {
							k.energy++
						}
					}
				}
			}
			return k
		}
		weights := map[kind]float64{}
		for state := range int(math.Pow(float64(q), w*h)) {
			var spins [w * h]int
			for i, rest := 0, state; i < w*h; i, rest = i+1, rest/q {
				spins[i] = rest % q
			}
			k := of(func(x, y int) int { return spins[y*w+x] })
			weights[k] += math.Exp(-float64(k.energy) / temperature)
		}
		seen := map[kind]float64{}
		for _, g := range ends(t, name, topology.Topology{Kind: topology.Torus, W: w, H: h}, 1024, 60) {
			seen[of(func(x, y int) int { return int(g.Get(x, y)) })]++
		}
		checkChi(t, name, seen, weights)
	}
}

// A proposal takes any other state equally often, and is accepted as often as it should be.
func TestPottsTransitions(t *testing.T) {
	const w, h, q, temperature = 512, 256, 5, 0.8
	r := mustParse(t, "Potts~q=5,T=0.8,seed=12")
	before, after := stepped(t, sim.Config{Rule: r, Topology: topology.Topology{Kind: topology.Torus, W: w, H: h}})
	// by how many fewer neighbours have the new state; each cell counts once for each other state
	cells, went := map[int]float64{}, map[int]float64{}
	for y := range h {
		for x := range w {
			from, to := before.Get(x, y), after.Get(x, y)
			if (x+y)%2 == 1 {
				if from != to {
					t.Fatal("a white cell changed")
				}
				continue
			}
			var near [q]int
			for _, d := range [][2]int{{0, -1}, {-1, 0}, {1, 0}, {0, 1}} {
				near[before.Get((x+d[0]+w)%w, (y+d[1]+h)%h)]++
			}
			for s := range uint8(q) {
				if s != from {
					cells[near[from]-near[s]]++
				}
			}
			if to != from {
				went[near[from]-near[to]]++
			}
		}
	}
	for fewer, n := range cells {
		p := math.Exp(-math.Max(0, float64(fewer))/temperature) / (q - 1)
		if far := math.Abs(went[fewer]-n*p) / math.Sqrt(n*p*(1-p)+1e-9); far > 4.5 {
			t.Errorf("%d fewer neighbours: %v of %v, %.1f standard deviations from %.4g", fewer, went[fewer], n, far, p)
		}
	}
	if len(cells) != 9 {
		t.Errorf("differences %v: want -4 to 4", cells)
	}
}

// stepped is a random universe before and after a step.
func stepped(t *testing.T, cfg sim.Config) (before, after *grid.Grid) {
	t.Helper()
	e, err := open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	before, err = grid.New(cfg.Topology.W, cfg.Topology.H, e.Planes())
	if err != nil {
		t.Fatal(err)
	}
	random := uint64(5)
	for y := range cfg.Topology.H {
		for x := range cfg.Topology.W {
			random = random*6364136223846793005 + 1442695040888963407
			before.Set(x, y, uint8(random>>33%uint64(cfg.Rule.States)))
		}
	}
	if err := grid.Copy(e, before, before.Bounds(), 0, 0); err != nil {
		t.Fatal(err)
	}
	mustStep(t, e, 1)
	after, err = grid.New(cfg.Topology.W, cfg.Topology.H, e.Planes())
	if err == nil {
		err = grid.Copy(after, e, after.Bounds(), 0, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return before, after
}

// A sandpile of 2×2 cells on which grains fall visits all its 192 recurrent states equally often, looked at when it
// rests. Their number is the determinant of the toppling matrix (D. Dhar, Phys. Rev. Lett. 64 (1990)). How grains and
// topplings follow each other does not matter.
func TestSandpileIsUniformOnRecurrentStates(t *testing.T) {
	weights := map[[4]int]float64{}
	for n := range 256 {
		heights := [4]int{n & 3, n >> 2 & 3, n >> 4 & 3, n >> 6}
		// Dhar's burning test: on top of what topples by the edges alone, every cell topples once.
		burning := heights
		for i := range burning {
			burning[i] += 2 // each corner has two sides without neighbours
		}
		if topplings := relax(&burning); topplings == [4]int{1, 1, 1, 1} && burning == heights {
			weights[heights] = 1
		}
	}
	if len(weights) != 192 {
		t.Fatalf("%d recurrent states, want 192", len(weights))
	}
	seen := map[[4]int]float64{}
	for _, g := range ends(t, "Sandpile~p=0.02", topology.Topology{Kind: topology.Plane, W: 2, H: 2}, 4096, 2000) {
		heights := [4]int{int(g.Get(0, 0)), int(g.Get(1, 0)), int(g.Get(0, 1)), int(g.Get(1, 1))}
		relax(&heights)
		seen[heights]++
	}
	checkChi(t, "Sandpile", seen, weights)
}

// relax topples cells one by one until no cell has four grains. It counts the topplings of each cell.
func relax(heights *[4]int) (topplings [4]int) {
	for again := true; again; {
		again = false
		for i := range heights {
			if heights[i] >= 4 {
				heights[i] -= 4
				heights[i^1]++
				heights[i^2]++
				topplings[i]++
				again = true
			}
		}
	}
	return topplings
}

// Lattice gases keep their particles and their momentum on a torus. Two that meet head-on go either way equally often.
func TestLatticeGases(t *testing.T) {
	const w, h = 128, 96
	directions := [6][2]int{{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}}
	total := func(g *grid.Grid, planes int) (particles, x, y int) {
		for row := range h {
			for column := range w {
				s := int(g.Get(column, row))
				for i := range planes {
					particles += s >> i & 1
					if i < 6 && s>>i&1 == 1 {
						x, y = x+directions[i][0], y+directions[i][1]
					}
				}
			}
		}
		return particles, x, y
	}
	for name, planes := range map[string]int{"FHP~seed=3": 6, "FHP2~seed=3": 7} {
		r := mustParse(t, name)
		e, err := open(sim.Config{Rule: r, Topology: topology.Topology{Kind: topology.Torus, W: w, H: h}})
		if err != nil {
			t.Fatal(err)
		}
		g, err := grid.New(w, h, e.Planes())
		if err != nil {
			t.Fatal(err)
		}
		random := uint64(9)
		for y := range h {
			for x := range w {
				random = random*6364136223846793005 + 1442695040888963407
				g.Set(x, y, uint8(random>>33)&uint8(random>>43)&uint8(1<<planes-1))
			}
		}
		n, px, py := total(g, planes)
		if err := grid.Copy(e, g, g.Bounds(), 0, 0); err != nil {
			t.Fatal(err)
		}
		mustStep(t, e, 100)
		if err := grid.Copy(g, e, g.Bounds(), 0, 0); err != nil {
			t.Fatal(err)
		}
		if m, qx, qy := total(g, planes); m != n || qx != px || qy != py {
			t.Errorf("%s: %d particles with momentum %d,%d became %d with %d,%d", name, n, px, py, m, qx, qy)
		}
	}
	// Every cell has a pair that moves E and W, so in one step every cell has a head-on collision.
	e, err := open(sim.Config{
		Rule:     mustParse(t, "FHP~seed=5"),
		Topology: topology.Topology{Kind: topology.Torus, W: w, H: h},
	})
	if err != nil {
		t.Fatal(err)
	}
	g, err := grid.New(w, h, e.Planes())
	if err != nil {
		t.Fatal(err)
	}
	for y := range h {
		for x := range w {
			g.Set(x, y, 0b001001)
		}
	}
	if err := grid.Copy(e, g, g.Bounds(), 0, 0); err != nil {
		t.Fatal(err)
	}
	mustStep(t, e, 1)
	if err := grid.Copy(g, e, g.Bounds(), 0, 0); err != nil {
		t.Fatal(err)
	}
	seen := map[uint8]float64{}
	for y := range h {
		for x := range w {
			seen[g.Get(x, y)]++
		}
	}
	checkChi(t, "FHP", seen, map[uint8]float64{0b010010: 1, 0b100100: 1})
}
