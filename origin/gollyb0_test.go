package origin

import (
	"testing"

	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	_ "github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

var torus = topology.Topology{Kind: topology.Torus, W: 40, H: 31}

// filled returns an engine with a soup.
func filled(t *testing.T, notation string, golly bool) sim.Engine {
	t.Helper()
	r, err := rule.Parse(notation)
	if err != nil {
		t.Fatal(err)
	}
	open := sim.Open
	if golly {
		open = openGollyB0
	}
	e, err := open(t.Context(), "reference", sim.Config{Rule: r, Topology: torus})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	if err := soup.Fill(t.Context(), e, torus.W, torus.H, 99, 0.4, 1, nil); err != nil {
		t.Fatal(err)
	}
	return e
}

// TestGollyB0: with Smax the complemented rule runs on the given cells; without, even generations are true
// and odd ones complements.
func TestGollyB0(t *testing.T) {
	for _, c := range []struct {
		golly, truth string
		complements  bool
	}{
		{"B0123478/S01234678", "B3/S23", false},
		{"B03/S23", "B03/S23", true},
	} {
		golly, truth := filled(t, c.golly, true), filled(t, c.truth, false)
		for range 9 {
			n := 1 + golly.Generation()%3
			for _, e := range []sim.Engine{golly, truth} {
				if done, err := e.Step(t.Context(), n); done != n || err != nil {
					t.Fatal(done, err)
				}
			}
			g := golly.Generation()
			x, y, differ := gridtest.Difference(t, golly, truth)
			complement := gridtest.Population(t, golly)+gridtest.Population(t, truth) == uint64(torus.W*torus.H)
			if odd := c.complements && g%2 == 1; differ != odd || odd && !complement || g != truth.Generation() {
				t.Errorf("%s as in Golly, generation %d: cell %d,%d differs (%v) from %s, complement %v", c.golly, g, x, y, differ,
					c.truth, complement)
			}
		}
	}
}

func TestCheckGollyB0(t *testing.T) {
	for _, c := range []struct {
		rule    string
		t       topology.Topology
		allowed bool
	}{
		{"B03/S23", torus, true},
		{"B3/S23", torus, false},
		{"B03/S23", topology.Topology{}, false},
		{"B03/S23", topology.Topology{Kind: topology.Torus, W: 40}, false},
	} {
		r, err := rule.Parse(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkGollyB0(r, c.t); (err == nil) != c.allowed {
			t.Errorf("%s on %v: %v", c.rule, c.t, err)
		}
	}
}
