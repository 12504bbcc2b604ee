package hashlife

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/rulefile/rulefiletest"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/sim/simtest"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// kinds are rules that the engine runs in different ways. They differ in grid, number of planes, size of leaves and background. Some are rules of
// blocks, and some take turns in two to six generations.
var kinds = []string{
	"B3/S23", "B36/S245", "B2-a/S12", "B3/S23H", "345/2/4", "12/34/9", "B2/S/25", "B0123478/S01234678", "B02/S", "B03/S23",
	"R2,C0,M1,S3..8,B5..9,NM", "R2,C4,M0,S3..8,B5..9,NN", "R3,C0,M1,S14..23,B14..18,NM", "R7,C0,M1,S65..114,B65..95,NM",
	"R17,C0,M1,S400..700,B400..600,NM", "R2,C2,M0,S5..12,B0..3,NM",
	"M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15", "M0,2,8,3,1,5,6,7,4,9,10,11,12,13,14,15",
	"B3/S23|B36/S125", "B3/S23|B36/S125|B2-a/S12", "/2/3|345/2/3|12/34/3", "B3/S23|B2/S|B36/S23|B3/S12|B3/S1234",
	"B3/S23|M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15", "B3/S23|B36/S23|M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15", "R2,C0,M1,S3..8,B5..9,NM|B3/S23|R2,C0,M0,S3..8,B5..9,NN",
}

// TestRules compares soups of every kind of rule with the reference after random steps. It uses a few soups of each kind, or a hundred of most kinds
// if GOSPER_LONG is set.
func TestRules(t *testing.T) {
	for _, text := range kinds {
		t.Run(text, func(t *testing.T) {
			r, err := rule.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			for _, torus := range []bool{false, true} {
				cfg := sim.Config{Rule: r, Threads: 2}
				most, soups := 40, 3
				if os.Getenv("GOSPER_LONG") != "" {
					soups = 100
				}
				if torus {
					cfg.Topology = topology.Topology{Kind: topology.Torus, W: 128, H: 128}
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

// TestRandomRules compares soups of random rules of every family, including tables, with the reference. It draws 24 rules, or 400 if GOSPER_LONG is set.
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
			if seed%3 == 0 {
				cfg.Topology = topology.Topology{Kind: topology.Torus, W: 64, H: 64}
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
		t.Fatalf("%d cells in %v, want %d in %v", gridtest.Population(t, e), gridtest.Extent(t, e), gridtest.Population(t, want), gridtest.Extent(t, want))
	}
}

// TestRefused checks the errors for universes and rules that the engine does not run.
func TestRefused(t *testing.T) {
	for text, why := range map[string]string{
		"B3/S23:P64,64":   "only the unbounded plane and tori are quadtrees",
		"B3/S23:T64,128":  "a torus must be a square of 2^6 cells a side or more, a power of two",
		"B3/S23:T0,64":    "a torus must be a square of 2^6 cells a side or more, a power of two",
		"B3/S23:T32,32":   "a torus must be a square of 2^6 cells a side or more, a power of two",
		"B0/S/3:T64,64":   "B0 needs two states",
		"B3/S23:T64+1,64": "a torus must be a square of 2^6 cells a side or more, a power of two",
	} {
		r, suffix, err := rule.ParseApart(text)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Open(t.Context(), sim.Config{Rule: r, Topology: *suffix})
		want := fmt.Sprintf("engine hashlife cannot run %v: %s", *suffix, why)
		if r.BirthOnEmpty() {
			want = fmt.Sprintf("engine hashlife cannot run %v: %s", r, why)
		}
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
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
		if err := grid.Copy(e, from, gridtest.Extent(t, from), gridtest.Extent(t, from).X, gridtest.Extent(t, from).Y); err != nil {
			t.Fatal(err)
		}
		step(t, e, 7919)
		if x, y, differ := gridtest.Difference(t, e, want); differ {
			t.Errorf("%d threads, %d bytes: cell (%d, %d) differs", c.threads, c.memory, x, y)
		}
	}
}

// TestRefusesLargeTables checks the error for a rule whose table is too large for a circuit.
func TestRefusesLargeTables(t *testing.T) {
	name := rulefiletest.Name("Moore", "rotate8", 32, 3)
	if err := rulefiletest.Define(name); err != nil {
		t.Fatal(err)
	}
	r, err := rule.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), sim.Config{Rule: r})
	var unsupported *sim.Unsupported
	if !errors.As(err, &unsupported) || !strings.Contains(err.Error(), "choices") {
		t.Errorf("%v, want a refusal that counts choices", err)
	}
}

// TestBlocksStayWhereTheyAre writes and reads cells as a tree, and compares the generations after that with the reference. In such a tree the cells
// lie a row lower than blocks need.
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
			t.Fatalf("%d generations on, cells written as a tree are right: %v, read as one: %v", n, hashes[0] == hashes[2], hashes[1] == hashes[2])
		}
	}
}
