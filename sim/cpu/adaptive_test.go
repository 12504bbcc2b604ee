package cpu

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/topology"
)

// A torus that settles, and is stirred up again, has the same cells in bands alone.
func TestAdaptiveIsInvisible(t *testing.T) {
	if codegen.Fastest() == codegen.Portable {
		t.Skip("tiles are only used with machine code")
	}
	for _, c := range []struct {
		rule string
		w, h int
	}{
		{"B3/S23", 1024, 1024},
		{"B3/S23", 1111, 990},
		{"Langtons-Loops", 256, 512},
		{"Langtons-Loops", 300, 190},
		{"Evoloop", 257, 130}, // its oscillators have period 4
		{"WireWorld", 1024, 1024},
	} {
		t.Run(fmt.Sprintf("%s:T%d,%d", c.rule, c.w, c.h), func(t *testing.T) { testAdaptive(t, c.rule, c.w, c.h) })
	}
}

func testAdaptive(t *testing.T, notation string, w, h int) {
	t.Helper()
	torus, err := topology.New(topology.Torus, w, h)
	if err != nil {
		t.Fatal(err)
	}
	r, err := rule.Parse(notation)
	if err != nil {
		t.Fatal(err)
	}
	var engines [2]sim.Engine
	for i, plan := range []string{"", "bands,depth=6"} {
		if engines[i], err = open(sim.Config{Rule: r, Topology: torus, Plan: plan, Threads: 1}); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[bool]int{}
	for round, step := range []uint64{1, 702, 2004, 1500, 3, 97, 1200} {
		for _, e := range engines {
			if round == 0 || round == 3 { // a patch, later a full soup
				side := []int{0: w / 5, 3: w}[round]
				fill(t, e.(grid.Sink), r.States, side, min(side, h), uint64(round))
			}
			if _, err := e.Step(t.Context(), step); err != nil {
				t.Fatal(err)
			}
		}
		seen[engines[0].(*adaptive).tiles != nil]++
		if x, y, differ := gridtest.Difference(t, engines[0], engines[1]); differ {
			t.Fatalf("cell (%d,%d) differs in generation %d", x, y, engines[0].Generation())
		}
		if gridtest.Population(t, engines[0]) != gridtest.Population(t, engines[1]) ||
			engines[0].Generation() != engines[1].Generation() {
			t.Fatalf("population or generation differ after %d generations", engines[1].Generation())
		}
	}
	if seen[false] == 0 || seen[true] == 0 {
		t.Errorf("tiles were in use at %d ends of steps, bands at %d: both must be seen", seen[true], seen[false])
	}
}

// fill makes the cells of a rectangle random: of all states if their number is a power of two, else of the lower ones.
func fill(t *testing.T, sink grid.Sink, states, w, h int, seed uint64) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 0))
	row := make([]uint64, (w+63)/64)
	for y := range h {
		for k := range bits.Len(uint(states)) - 1 {
			for i := range row {
				row[i] = random.Uint64()
			}
			if err := sink.WriteRow(row, k, 0, y, w); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestTilesComeBackAfterAShortStep takes the tiles of a settled torus away by a step of one generation. They
// have been worth their moves by then, so the next long step uses them again.
func TestTilesComeBackAfterAShortStep(t *testing.T) {
	if codegen.Fastest() == codegen.Portable {
		t.Skip("tiles are only used with machine code")
	}
	torus, err := topology.New(topology.Torus, 1024, 1024)
	if err != nil {
		t.Fatal(err)
	}
	life, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	e, err := open(sim.Config{Rule: life, Topology: torus, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	a := e.(*adaptive)
	fill(t, a, 2, 200, 200, 1)
	for _, step := range []struct {
		generations uint64
		tiles       bool
	}{{60_000, true}, {1, false}, {1200, true}, {1, false}, {1200, false}} { // at last they have held too short
		if _, err := a.Step(t.Context(), step.generations); err != nil {
			t.Fatal(err)
		}
		if got := a.tiles != nil; got != step.tiles {
			t.Fatalf("tiles are in use: %v after a step of %d generations, want %v", got, step.generations, step.tiles)
		}
	}
}
