package cuda

import (
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/topology"
)

// TestPlace: a band of a universe that is told its place has the random bits of its rows there: bits that
// passes draw, one by one and as rare ones, and bits in planes.
func TestPlace(t *testing.T) {
	const w, steps = 200, 5
	ways := map[string]bool{}
	for i, notation := range []string{
		"B/S~flip=0.3,seed=5", "B/S~flip=0.001,seed=5", "B/S~flip=0.02,set1=0.01,seed=5", "3DR1,C0,M0,S,B,NM~flip=0.1,seed=5",
	} {
		r, err := rule.Parse(notation)
		if err != nil {
			t.Fatal(err)
		}
		cells := func(open func(sim.Config) (sim.Engine, error), kind topology.Kind, rows int, place ...int) *grid.Grid {
			t.Helper()
			top, err := topology.New(kind, w, rows)
			if r.Volume() {
				top, err = topology.NewVolume(kind, w, 4, rows/4)
			}
			if err != nil {
				t.Fatal(err)
			}
			e, err := open(sim.Config{Rule: r, Topology: top})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			if place != nil {
				if err := e.(sim.Placer).Place(place[0], place[1]); err != nil {
					t.Fatal(err)
				}
				p := e.Info().Plan
				ways[strings.Join(slices.DeleteFunc(strings.Split(p, ","), func(s string) bool {
					return s != "stream" && s != "drawn"
				}), ",")] = true
			}
			for n := uint64(steps); n > 0; {
				done, err := e.Step(t.Context(), n)
				if err != nil {
					t.Fatal(err)
				}
				n -= done
			}
			g, err := grid.New(w, rows, 1)
			if err != nil {
				t.Fatal(err)
			}
			if err := grid.Copy(g, e, g.Bounds(), 0, 0); err != nil {
				t.Fatal(err)
			}
			return g
		}
		onReference := func(cfg sim.Config) (sim.Engine, error) { return reference.Open(t.Context(), cfg) }
		whole := cells(onReference, topology.Torus, 120)
		some := false
		for j, first := range []int{-8, 20, 100} {
			rows := 40
			if j == 2 {
				rows = 132 // all of it, with halos
			}
			kind := []topology.Kind{topology.Torus, topology.Plane}[(i+j)%2]
			open := openHost
			if j == 1 && !r.Volume() {
				open = openThree
			}
			band := cells(open, kind, rows, first, 120)
			for y := range rows {
				for x := range w {
					want := whole.Get(x, (y+first+120)%120)
					if some = some || want != 0; band.Get(x, y) != want {
						t.Fatalf("%s from row %d on: cell %d,%d is %d, want %d", notation, first, x, y, band.Get(x, y), want)
					}
				}
			}
		}
		if !some {
			t.Errorf("%s: no cell is alive", notation)
		}
	}
	if !ways["stream"] || !ways["stream,drawn"] {
		t.Errorf("random bits were made in these ways only: %v", ways)
	}
	r, err := rule.Parse("B/S~flip=0.3")
	if err != nil {
		t.Fatal(err)
	}
	e, err := openHost(sim.Config{Rule: r, Topology: topology.Topology{Kind: topology.Torus, W: 64, H: 40}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := e.(sim.Placer).Place(0, 1); err == nil || !strings.Contains(err.Error(), "a universe of 1 rows") {
		t.Error(err)
	}
}
