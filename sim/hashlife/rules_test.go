package hashlife

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/internal/background"
	"github.com/gosper-life/gosper/internal/rulefiletest"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/pattern/builtin"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/sim/simtest"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// kinds are rules that the engine runs in different ways. They differ in grid, number of planes, size of leaves
// and background. Some are rules of blocks, and some take turns in two to nine generations.
var kinds = []string{
	"B3/S23", "B36/S245", "B2-a/S12", "B3/S23H", "345/2/4", "12/34/9", "B2/S/25", "B0123478/S01234678", "B02/S", "B03/S23",
	"B0/S1/3", "B02/S8/3", "B03/S2/7", "B0/S|B3/S8", "/2/3|345/02/3", "R2,C4,M0,S3..8,B0..2,NM",
	"R2,C3,M0,S3..12,B0..2,NN|B2/S/3", "B013/S45/40", "B3/S|B0/S|B3/S", "M15,14,13,3,11,5,6,1,7,9,10,2,12,4,8,0",
	"M1,14,13,3,11,5,6,1,7,9,10,2,12,4,8,0",
	"R2,C0,M1,S3..8,B5..9,NM", "R2,C4,M0,S3..8,B5..9,NN", "R3,C0,M1,S14..23,B14..18,NM", "R7,C0,M1,S65..114,B65..95,NM",
	"R17,C0,M1,S400..700,B400..600,NM", "R2,C2,M0,S5..12,B0..3,NM",
	"M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15", "M0,2,8,3,1,5,6,7,4,9,10,11,12,13,14,15",
	"B3/S23|B36/S125", "B3/S23|B36/S125|B2-a/S12", "/2/3|345/2/3|12/34/3", "B3/S23|B2/S|B36/S23|B3/S12|B3/S1234",
	"B3/S23|B36/S23|B3/S23|B3/S12|B3/S125|B3/S23|B3/S1234|B36/S125|B3/S23",
	"B3/S23|M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15", "B3/S23|B36/S23|M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15",
	"R2,C0,M1,S3..8,B5..9,NM|B3/S23|R2,C0,M0,S3..8,B5..9,NN",
}

// universes are all kinds of universes that the engine runs.
var universes = []topology.Topology{
	{},
	{Kind: topology.Torus, W: 128, H: 128},
	{Kind: topology.Plane, W: 61, H: 45},
	{Kind: topology.Plane, H: 45},
	{Kind: topology.Plane, W: 61},
}

// TestRules compares soups of every kind of rule with the reference after random steps. It uses a few soups of
// each kind, or a hundred of most kinds if GOSPER_LONG is set.
func TestRules(t *testing.T) {
	for _, text := range kinds {
		t.Run(text, func(t *testing.T) {
			r, err := rule.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			for _, on := range universes {
				cfg := sim.Config{Rule: r, Topology: on, Threads: 2}
				if _, ok := background.Of(r); !on.Bounded() && (!ok || r.BirthOnEmpty() && on.Kind == topology.Plane) {
					continue
				}
				most, soups := 40, 2
				if os.Getenv("GOSPER_LONG") != "" {
					soups = 100
				}
				if r.Radius() > 3 {
					most, soups = 4, max(1, soups/10)
				}
				for seed := range uint64(soups) {
					random := rand.New(rand.NewPCG(seed, 1))
					steps := make([]int, 1+seed%3)
					for i := range steps {
						steps[i] = 1 + random.IntN(most)
					}
					compare(t, cfg, seed, steps)
				}
			}
		})
	}
}

// TestRandomRules compares soups of random rules of every family, including tables, with the reference. It
// draws 24 rules, or 400 if GOSPER_LONG is set.
func TestRandomRules(t *testing.T) {
	rules := 24
	if os.Getenv("GOSPER_LONG") != "" {
		rules = 400
	}
	refused := 0
	for seed := range uint64(rules) {
		random := rand.New(rand.NewPCG(seed, 2))
		c := simtest.RandomCase(func(_ string, lo, hi int) int { return lo + random.IntN(hi-lo+1) })
		t.Run(fmt.Sprint(seed, c.Rule), func(t *testing.T) {
			if err := rulefiletest.Define(c.Rule); err != nil {
				t.Fatal(err)
			}
			r, err := rule.Parse(c.Rule)
			if err != nil {
				t.Fatal(err)
			}
			cfg := sim.Config{Rule: r, Threads: 1 + int(seed%2)}
			switch seed % 5 {
			case 0:
				cfg.Topology = topology.Topology{Kind: topology.Torus, W: 64, H: 64}
			case 1:
				cfg.Topology = topology.Topology{Kind: topology.Plane, W: 60, H: 70}
			}
			most := 30
			if r.Radius() > 3 || r.States > 16 {
				most = 3
			}
			e, err := Open(t.Context(), cfg)
			if err != nil {
				if !r.Triangles() { // which always are
					refused++
				}
				t.Skip(err)
			}
			e.Close()
			compare(t, cfg, seed, []int{1 + random.IntN(most), 1 + random.IntN(most)})
		})
	}
	if refused > rules/4 {
		t.Errorf("%d rules of %d are refused", refused, rules)
	}
}

// compare runs a soup on the engine and on the reference, and fails if their cells differ.
func compare(t *testing.T, cfg sim.Config, seed uint64, steps []int) {
	t.Helper()
	ctx := t.Context()
	e, err := Open(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	want, err := reference.Open(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []sim.Engine{e, want} {
		if err := soup.Fill(ctx, e, 50, 40, seed, 0.4, 1, nil); err != nil {
			t.Fatal(err)
		}
		for _, n := range steps {
			if _, err := e.Step(ctx, uint64(n)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if e.Info().Background != want.Info().Background {
		t.Fatalf("background %d, want %d", e.Info().Background, want.Info().Background)
	}
	if x, y, differ := gridtest.Difference(t, e, want); differ {
		t.Fatalf("%v: cell (%d, %d) differs after %v generations", cfg.Rule, x, y, steps)
	}
	if gridtest.Population(t, e) != gridtest.Population(t, want) || gridtest.Extent(t, e) != gridtest.Extent(t, want) {
		t.Fatalf("%d cells in %v, want %d in %v", gridtest.Population(t, e), gridtest.Extent(t, e),
			gridtest.Population(t, want), gridtest.Extent(t, want))
	}
	var hashes [2]grid.Digest
	for i, e := range []sim.Engine{e, want} {
		if hashes[i], err = grid.StateHash(ctx, e, cfg.Rule.States, !cfg.Topology.Bounded()); err != nil {
			t.Fatal(err)
		}
	}
	if hashes[0] != hashes[1] {
		t.Fatal("equal cells have different hashes")
	}
}

// TestEdges runs patterns into the edges of planes, and compares cells and populations of blocks with those of
// the cpu engine.
func TestEdges(t *testing.T) {
	for _, c := range []struct {
		pattern     string
		on          topology.Topology
		x, y        int
		generations uint64
	}{
		{"gosper-gun", topology.Topology{Kind: topology.Plane, W: 700, H: 500}, 20, 30, 12_345},
		{"acorn", topology.Topology{Kind: topology.Plane, W: 300, H: 200}, 100, 100, 5_001},
		{"gosper-gun", topology.Topology{Kind: topology.Plane, W: 0, H: 200}, 20, 30, 2_777},
		{"acorn", topology.Topology{Kind: topology.Plane, W: 150, H: 0}, 70, -100, 1_001},
	} {
		famous, _ := builtin.Lookup(c.pattern)
		p, err := pattern.Read(strings.NewReader(famous.RLE), c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		r, err := rule.Parse(p.Rule)
		if err != nil {
			t.Fatal(err)
		}
		var engines [2]sim.Engine
		for i, name := range []string{Name, "cpu"} {
			e, err := sim.Open(t.Context(), name, sim.Config{Rule: r, Topology: c.on, Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			grid.InMemory(grid.Copy(e, p.Cells, p.Cells.Bounds(), c.x, c.y))
			step(t, e, c.generations)
			engines[i] = e
		}
		if x, y, differ := gridtest.Difference(t, engines[0], engines[1]); differ || gridtest.Population(t, engines[0]) == 0 {
			t.Errorf("%v: cell (%d, %d) differs: %t, or there are none", c, x, y, differ)
		}
		if gridtest.Extent(t, engines[0]) != gridtest.Extent(t, engines[1]) ||
			gridtest.Population(t, engines[0]) != gridtest.Population(t, engines[1]) {
			t.Errorf("%v: %d cells in %v, want %d in %v", c, gridtest.Population(t, engines[0]), gridtest.Extent(t, engines[0]),
				gridtest.Population(t, engines[1]), gridtest.Extent(t, engines[1]))
		}
		area := grid.Rect{X: -512, Y: -512, W: 2048, H: 2048}
		got, want := make([]uint64, 32*32), make([]uint64, 32*32)
		if counted, err := engines[0].(sim.Counter).Counts(got, area, 6); !counted || err != nil {
			t.Fatalf("counted: %t, %v", counted, err)
		}
		row := make([]uint64, area.W/64)
		for y := range area.H {
			grid.InMemory(engines[1].ReadRow(row, 0, area.X, area.Y+y, area.W))
			for i, word := range row {
				want[y/64*32+i] += uint64(bits.OnesCount64(word))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v: the populations of blocks differ", c)
		}
	}
}

// TestEndlessPlane checks that a pattern on a plane that is infinite in one direction cannot come to where the
// mask ends.
func TestEndlessPlane(t *testing.T) {
	r, err := rule.Parse("B2/S")
	if err != nil {
		t.Fatal(err)
	}
	e, err := Open(t.Context(), sim.Config{Rule: r, Topology: topology.Topology{Kind: topology.Plane, H: 2}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	grid.InMemory(e.WriteRow([]uint64{1}, 0, 0, 0, 1))
	grid.InMemory(e.WriteRow([]uint64{1}, 0, 0, 1, 1))
	const far = 1 << 57
	step(t, e, far) // two cells go left and two go right
	if box, want := gridtest.Extent(t, e), (grid.Rect{X: -far, W: 2*far + 1, H: 2}); box != want {
		t.Errorf("cells in %v, want %v", box, want)
	}
	_, err = e.Step(t.Context(), far)
	if !errors.As(err, new(*sim.OutOfSpace)) || e.Generation() != far || gridtest.Population(t, e) != 4 {
		t.Errorf("generation %d: %v", e.Generation(), err)
	}
}

// TestRefused checks the errors for universes and rules that the engine does not run.
func TestRefused(t *testing.T) {
	for text, why := range map[string]string{
		"B3/S23:K64,64*":  "it does not run on the topology klein",
		"B3/S23:T64,128":  "a torus must be a square whose side is a power of two",
		"B3/S23:T0,64":    "a torus must be a square whose side is a power of two",
		"B3/S23:T16,16":   "a torus must have 2^5 cells a side or more",
		"B0/S/129":        "it does the same again only after 129 generations: up to 128 are allowed",
		"B03/S23:P0,64":   "B0 on an infinite universe needs empty cells that all do the same, and no edges",
		"B3/S23:T64+1,64": "a torus must be a square whose side is a power of two",
	} {
		r, suffix, err := rule.ParseApart(text)
		if err != nil {
			t.Fatal(err)
		}
		if suffix == nil {
			suffix = new(topology.Topology)
		}
		_, err = Open(t.Context(), sim.Config{Rule: r, Topology: *suffix})
		var unsupported *sim.Unsupported
		if !errors.As(err, &unsupported) || unsupported.Engine != Name || unsupported.What == "" || unsupported.Why != why {
			t.Errorf("%s: %v, want %s", text, err, why)
		}
	}
}

// TestThreads checks that the universe does not depend on the number of threads or the memory.
func TestThreads(t *testing.T) {
	want := loadIn(t, Name, "lidka", 0)
	step(t, want, 7919)
	for _, c := range []struct {
		threads int
		memory  uint64
	}{{2, 0}, {5, 0}, {3, 3 << 20}} {
		r, err := rule.Parse("B3/S23")
		if err != nil {
			t.Fatal(err)
		}
		e, err := Open(t.Context(), sim.Config{Rule: r, Threads: c.threads, Memory: c.memory})
		if err != nil {
			t.Fatal(err)
		}
		from := load(t, Name, "lidka")
		if err := grid.Copy(e, from, gridtest.Extent(t, from), gridtest.Extent(t, from).X,
			gridtest.Extent(t, from).Y); err != nil {
			t.Fatal(err)
		}
		step(t, e, 7919)
		if x, y, differ := gridtest.Difference(t, e, want); differ {
			t.Errorf("%d threads, %d bytes: cell (%d, %d) differs", c.threads, c.memory, x, y)
		}
	}
}

// TestRefusesLargeTables checks the error for a rule whose table is too large for a circuit, where edges need one.
func TestRefusesLargeTables(t *testing.T) {
	name := rulefiletest.Name("Moore", "rotate8", 32, 3)
	if err := rulefiletest.Define(name); err != nil {
		t.Fatal(err)
	}
	r, err := rule.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), sim.Config{Rule: r, Topology: topology.Topology{Kind: topology.Plane, W: 64, H: 64}})
	var unsupported *sim.Unsupported
	if !errors.As(err, &unsupported) || !strings.Contains(err.Error(), "choices") {
		t.Errorf("%v, want a refusal that counts choices", err)
	}
	e, err := Open(t.Context(), sim.Config{Rule: r})
	if err != nil {
		t.Fatalf("unbounded: %v", err)
	}
	e.Close()
}

// TestBlocksStayWhereTheyAre writes and reads cells as a tree, and compares the generations after that with the
// reference. In such a tree the cells lie a row lower than blocks need.
func TestBlocksStayWhereTheyAre(t *testing.T) {
	r, err := rule.Parse("M0,2,8,3,1,5,6,7,4,9,10,11,12,13,14,15")
	if err != nil {
		t.Fatal(err)
	}
	cfg, ctx := sim.Config{Rule: r, Threads: 1}, t.Context()
	var engines []sim.Engine
	for _, open := range []func(context.Context, sim.Config) (sim.Engine, error){Open, Open, reference.Open} {
		e, err := open(ctx, cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		engines = append(engines, e)
	}
	for _, e := range []sim.Engine{engines[0], engines[2]} {
		if err := soup.Fill(ctx, e, 50, 40, 1, 0.4, 1, nil); err != nil {
			t.Fatal(err)
		}
	}
	squares := slices.Collect(engines[0].(grid.Quadtree).Squares())
	if err := engines[1].(grid.QuadtreeSink).SetSquares(squares); err != nil {
		t.Fatal(err)
	}
	for _, n := range []uint64{3, 40, 1} {
		var hashes [3][32]byte
		for i, e := range engines {
			if _, err := e.Step(ctx, n); err != nil {
				t.Fatal(err)
			}
			if hashes[i], err = grid.StateHash(ctx, e, r.States, true); err != nil {
				t.Fatal(err)
			}
		}
		if hashes[0] != hashes[2] || hashes[1] != hashes[2] {
			t.Fatalf("%d generations on, cells written as a tree are right: %v, read as one: %v", n, hashes[0] == hashes[2],
				hashes[1] == hashes[2])
		}
	}
}
