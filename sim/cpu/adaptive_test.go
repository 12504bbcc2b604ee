package cpu

import (
	"testing"

	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// A torus that settles, and is stirred up again, has the same cells in bands alone.
func TestAdaptiveIsInvisible(t *testing.T) {
	if codegen.Fastest() == codegen.Portable {
		t.Skip("tiles are only used with machine code")
	}
	for _, size := range [][2]int{{1024, 1024}, {1111, 990}} {
		testAdaptive(t, size[0], size[1])
	}
}

func testAdaptive(t *testing.T, w, h int) {
	t.Helper()
	torus, err := topology.New(topology.Torus, w, h)
	if err != nil {
		t.Fatal(err)
	}
	r, err := rule.Parse("B3/S23")
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
				side := []int{0: 200, 3: w}[round]
				if err := soup.Fill(t.Context(), e, side, min(side, h), uint64(round), 0.5, 1, nil); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := e.Step(t.Context(), step); err != nil {
				t.Fatal(err)
			}
		}
		seen[engines[0].(*adaptive).tiles != nil]++
		if x, y, differ := gridtest.Difference(t, engines[0], engines[1]); differ {
			t.Fatalf("cell (%d,%d) differs in generation %d", x, y, engines[0].Generation())
		}
		if gridtest.Population(t, engines[0]) != gridtest.Population(t, engines[1]) || engines[0].Generation() != engines[1].Generation() {
			t.Fatalf("population or generation differ after %d generations", engines[1].Generation())
		}
	}
	if seen[false] == 0 || seen[true] == 0 {
		t.Errorf("tiles were in use at %d ends of steps, bands at %d: both must be seen", seen[true], seen[false])
	}
}
