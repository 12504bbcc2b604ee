package cpu

import (
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// TestTubeIsLongEnough sends a glider far beyond the first length of the bounded universe inside.
func TestTubeIsLongEnough(t *testing.T) {
	r, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	for _, notation := range []string{"T40,0", "T0,40"} {
		top, err := topology.Parse(notation)
		if err != nil {
			t.Fatal(err)
		}
		e, err := open(sim.Config{Rule: r, Topology: top})
		if err != nil {
			t.Fatal(err)
		}
		for y, row := range []uint64{0b010, 0b100, 0b111} { // flies right and down, a cell in 4 generations
			grid.InMemory(e.WriteRow([]uint64{row}, 0, 0, y, 3))
		}
		const period = 4 * 40 // back at the same place around the tube
		if done, err := e.Step(t.Context(), 100*period); done != 100*period || err != nil {
			t.Fatalf("%s: %d generations, %v", notation, done, err)
		}
		want := grid.Rect{X: 0, Y: 4000, W: 3, H: 3}
		if notation == "T0,40" {
			want.X, want.Y = want.Y, want.X
		}
		if got := gridtest.Extent(t, e); got != want || gridtest.Population(t, e) != 5 {
			t.Errorf("%s: %d cells in %v, want 5 in %v", notation, gridtest.Population(t, e), got, want)
		}
	}
}
