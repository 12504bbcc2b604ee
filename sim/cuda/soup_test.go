package cuda

import (
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// A soup that the devices make is equal to the host's soup, and it replaces all cells.
func TestSoups(t *testing.T) {
	for _, c := range []struct {
		rule, topology string
		open           func(sim.Config) (sim.Engine, error)
	}{
		{"B3/S23", "T257,33", openHost},
		{"B3/S23", "T1024,20", openHost},
		{"345/2/7", "P100,40", openHost},
		{"B3/S23", "T130,90", openThree},
		{"B3/S23", "T130,90", openEight},
	} {
		r, err := rule.Parse(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		top, err := topology.Parse(c.topology)
		if err != nil {
			t.Fatal(err)
		}
		e, err := c.open(sim.Config{Rule: r, Topology: top})
		if err != nil {
			t.Fatal(err)
		}
		for plane := range e.Planes() {
			grid.InMemory(e.WriteRow([]uint64{^uint64(0)}, plane, 3, 5, 64))
		}
		if _, made := e.(soup.Filler); !made {
			t.Fatal("the engine makes no soups")
		}
		want, err := grid.New(top.W, top.H, e.Planes())
		if err != nil {
			t.Fatal(err)
		}
		for _, sink := range []grid.Sink{e, want} {
			if err := soup.Fill(t.Context(), sink, top.W, top.H, 77, 0.3, 1, nil); err != nil {
				t.Fatal(err)
			}
		}
		if x, y, differ := gridtest.Difference(t, e, want); differ {
			t.Errorf("%s on %s: cell (%d,%d) differs", c.rule, c.topology, x, y)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}
