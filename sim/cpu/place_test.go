package cpu_test

import (
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// TestPlace: a band of a universe that is told its place has the random bits of its rows there.
func TestPlace(t *testing.T) {
	const w, h, first, rows = 300, 60, -7, 20 // rows -7 to 12 of a torus of 60 rows
	for _, notation := range []string{"B/S~flip=0.3,seed=5", "B/S~flip=0.001,seed=5"} {
		r, err := rule.Parse(notation)
		if err != nil {
			t.Fatal(err)
		}
		cells := func(height int, place bool) *grid.Grid {
			top, err := topology.New(topology.Torus, w, height)
			if err != nil {
				t.Fatal(err)
			}
			e, err := sim.Open(t.Context(), "cpu", sim.Config{Rule: r, Topology: top, Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			if place {
				e.(sim.Placer).Place(first, h)
			}
			if _, err := e.Step(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
			g, err := grid.New(w, height, 1)
			if err != nil {
				t.Fatal(err)
			}
			if err := grid.Copy(g, e, grid.Rect{W: w, H: height}, 0, 0); err != nil {
				t.Fatal(err)
			}
			return g
		}
		whole, band := cells(h, false), cells(rows, true)
		some := false
		for y := range rows {
			for x := range w {
				want := whole.Get(x, (y+first+h)%h)
				if some = some || want != 0; band.Get(x, y) != want {
					t.Fatalf("%s: cell %d,%d is %d, want %d", notation, x, y, band.Get(x, y), want)
				}
			}
		}
		if !some {
			t.Errorf("%s: no cell is alive", notation)
		}
	}
}
