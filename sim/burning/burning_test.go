package burning_test

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	_ "github.com/gosper-life/gosper/sim/burning"
	_ "github.com/gosper-life/gosper/sim/bytewise"
	"github.com/gosper-life/gosper/sim/cpu"
	"github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// TestFiresBurnAtOnce compares engines for a forest with fires that burn at once with an oracle. The oracle computes
// the rest of the rule, and after each generation trees beside fires catch fire until no more do.
func TestFiresBurnAtOnce(t *testing.T) {
	burnt := 0
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.SampledFrom([]int{1, 5, 64, 70}).Draw(t, "w"), rapid.SampledFrom([]int{1, 4, 9}).Draw(t, "h")
		on, err := topology.Parse(
			fmt.Sprintf(rapid.SampledFrom([]string{
				"T%d,%d", "P%d,%d", "K%d*,%d", "C%d,%d", "T%d+1,%d", "T%d,%d,3", "P%d,%d,5",
			}).Draw(t, "topology"), w, h))
		if err != nil {
			t.Skip()
		}
		solid := ""
		if h = on.H; on.Volume() {
			solid = "3D"
		}
		seed := rapid.Uint64Range(0, 1000).Draw(t, "seed")
		const p, f = 0.2, 0.01
		parse := func(format string) rule.Rule {
			r, err := rule.Parse(solid + fmt.Sprintf(format, p, f, seed))
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		ctx := context.Background()
		e, err := sim.Open(ctx, rapid.SampledFrom([]string{"", "cpu", "reference"}).Draw(t, "engine"), sim.Config{
			Rule: parse("InstantForestFire~p=%v,f=%v,seed=%d"), Topology: on, Threads: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		oracle, err := reference.Open(ctx, sim.Config{Rule: parse("PN/%v/%v/1~seed=%d"), Topology: on})
		if err != nil {
			t.Fatal(err)
		}
		cells, err := grid.New(w, h, 2)
		if err != nil {
			t.Fatal(err)
		}
		if err := soup.Fill(ctx, cells, w, h, seed, rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "trees"), 1,
			nil); err != nil {
			t.Fatal(err)
		}
		grid.InMemory(grid.Copy(e, cells, cells.Bounds(), 0, 0))
		for g := range 2 * rapid.IntRange(1, 10).Draw(t, "half the generations") {
			grid.InMemory(grid.Copy(oracle, cells, cells.Bounds(), 0, 0))
			if _, err := oracle.Step(ctx, 1); err != nil {
				t.Fatal(err)
			}
			grid.InMemory(grid.Copy(cells, oracle, cells.Bounds(), 0, 0))
			for caught := true; caught; {
				caught = false
				for y := range h {
					for x := range w {
						for _, d := range [6][3]int{{0, 1, 0}, {1, 0, 0}, {0, -1, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}} {
							if fx, fy, inside := near(on, x, y, d); inside && cells.Get(x, y) == 1 && cells.Get(fx, fy) == 2 {
								cells.Set(x, y, 2)
								caught = true
								burnt++
							}
						}
					}
				}
			}
			if g%2 == 0 {
				continue // so that steps of two generations are held to the oracle
			}
			if done, err := e.Step(ctx, 2); done != 2 || err != nil {
				t.Fatal(done, err)
			}
			now, err := cells.Copy()
			if err != nil {
				t.Fatal(err)
			}
			grid.InMemory(grid.Copy(now, e, now.Bounds(), 0, 0))
			for y := range h {
				for x := range w {
					if got := now.Get(x, y); got != cells.Get(x, y) {
						t.Fatalf("generation %d on %v: cell %d,%d is %d, want %d", g+1, on, x, y, got, cells.Get(x, y))
					}
				}
			}
		}
	})
	if burnt < 100 {
		t.Errorf("only %d trees caught fire from others", burnt)
	}
	r, err := rule.Parse("InstantForestFire")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sim.Open(context.Background(), "", sim.Config{
		Rule:     r,
		Topology: topology.Topology{Kind: topology.Unbounded},
	}); err == nil {
		t.Error("an unbounded forest was opened")
	}
	for name, open := range map[string]sim.Opener{"reference": reference.Open, "cpu": cpu.Open, "lookup": lookup} {
		if _, err := open(context.Background(), sim.Config{
			Rule:     r,
			Topology: topology.Topology{Kind: topology.Torus, W: 8, H: 8},
		}); err == nil {
			t.Errorf("%s alone would leave out fires", name)
		}
	}
}

// near is the cell in a direction, in columns, rows and layers.
func near(on topology.Topology, x, y int, d [3]int) (fx, fy int, inside bool) {
	if on.Volume() {
		return on.FoldVolume(x+d[0], y%on.LayerRows()+d[1], y/on.LayerRows()+d[2])
	}
	fx, fy, inside = on.Fold(x+d[0], y+d[1])
	return fx, fy, inside && d[2] == 0
}

// lookup opens the engine of that name.
func lookup(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
	return sim.Open(ctx, "lookup", cfg)
}
