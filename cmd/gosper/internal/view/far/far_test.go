package far_test

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/far"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	_ "github.com/gosper-life/gosper/sim/cpu"
	_ "github.com/gosper-life/gosper/sim/hashlife"
	_ "github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/topology"
)

// opened is an engine under Life on a torus, or on the plane if side is 0.
func opened(t testing.TB, name string, side int) sim.Engine {
	t.Helper()
	r, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	cfg := sim.Config{Rule: r, Threads: 1}
	if side > 0 {
		if cfg.Topology, err = topology.New(topology.Torus, side, side); err != nil {
			t.Fatal(err)
		}
	}
	e, err := sim.Open(context.Background(), name, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// draw writes rows of cells from (x, y) on.
func draw(t testing.TB, e sim.Engine, x, y int, rows ...uint64) {
	t.Helper()
	for i, row := range rows {
		if err := e.WriteRow([]uint64{row}, 0, x, y+i, 8); err != nil {
			t.Fatal(err)
		}
	}
}

// measure looks at what changes in six generations.
func measure(t testing.TB, m *far.Map, e sim.Engine) {
	t.Helper()
	if err := m.Begin(e); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Step(t.Context(), 6); err != nil {
		t.Fatal(err)
	}
	if err := m.End(e); err != nil {
		t.Fatal(err)
	}
}

// TestChannels: a glider is active, a block and a blinker are quiet and grow old; whether the engine counts or
// cells are compared.
func TestChannels(t *testing.T) {
	for _, name := range []string{"cpu", "reference"} {
		for _, side := range []int{256, 0} {
			e := opened(t, name, side)
			draw(t, e, 40, 40, 0b010, 0b100, 0b111)
			draw(t, e, 100, 200, 0b11, 0b11)
			draw(t, e, 201, 200, 0b111)
			var m far.Map
			r := scene.Region{X: 0, Y: 0, W: 16, H: 16, Scale: 4}
			for range 20 {
				measure(t, &m, e)
			}
			at := func(c far.Channel, x, y int) uint8 { return m.Levels(nil, c, r)[y>>4*16+x>>4] }
			// After 120 generations the glider is 30 cells further.
			if got := at(far.Activity, 72, 72); got != far.Brightest {
				t.Errorf("%s, side %d: the glider has activity %d", name, side, got)
			}
			if a, b := at(far.Activity, 100, 200), at(far.Activity, 201, 200); a != 0 || b != 0 {
				t.Errorf("%s, side %d: a block has activity %d, a blinker %d", name, side, a, b)
			}
			if now, before, never := at(far.Quiet, 72, 72), at(far.Quiet, 41, 41),
				at(far.Quiet, 100, 200); now != far.Brightest || before == 0 || before >= now || never != 0 {
				t.Errorf("%s, side %d: last changes %d where the glider is, %d where it was, %d at the block", name, side, now,
					before, never)
			}
			if young, old, dead := at(far.Age, 72, 72), at(far.Age, 100, 200), at(far.Age, 41, 41); young <= old ||
				old != far.Faintest || dead != 0 {
				t.Errorf("%s, side %d: ages %d of the glider, %d of the block, %d where nothing is", name, side, young, old, dead)
			}
			places := m.Places()
			if len(places) != 1 || places[0].Box.Intersect(grid.Rect{X: 66, Y: 66, W: 12, H: 12}).Empty() ||
				m.Generation() != 120 {
				t.Errorf("%s, side %d: active at %+v in generation %d", name, side, places, m.Generation())
			}
			close := m.Levels(nil, far.Activity, scene.Region{X: 64, Y: 64, W: 16, H: 16, Scale: 0})
			if slices.Max(close) == 0 {
				t.Errorf("%s, side %d: the activity is not seen nearer than its blocks", name, side)
			}
		}
	}
}

// TestMapGrows: what is known stays known when an unbounded universe outgrows its map.
func TestMapGrows(t *testing.T) {
	e := opened(t, "cpu", 0)
	draw(t, e, 0, 0, 0b010, 0b100, 0b111)
	draw(t, e, -30, -30, 0b11, 0b11)
	var m far.Map
	measure(t, &m, e)
	was := m.Levels(nil, far.Age, scene.Region{X: -64, Y: -64, W: 2, H: 2, Scale: 6})
	if _, err := e.Step(t.Context(), 40_000); err != nil {
		t.Fatal(err)
	}
	measure(t, &m, e)
	measure(t, &m, e)
	now := m.Levels(nil, far.Age, scene.Region{X: -64, Y: -64, W: 2, H: 2, Scale: 6})
	if was[0] == 0 || now[0] != far.Faintest {
		t.Errorf("the block has age level %d, then %d", was[0], now[0])
	}
	if p := m.Places(); len(p) != 1 || p[0].Box.X < 9_000 {
		t.Errorf("active at %+v, the glider is near 10,000", p)
	}
}

// TestHashlifeIsNotMeasured: an engine that neither counts changes nor is small has no channels, and no error.
func TestHashlifeIsNotMeasured(t *testing.T) {
	e := opened(t, "hashlife", 0)
	draw(t, e, 0, 0, 0b010, 0b100, 0b111)
	draw(t, e, 1<<40, 1<<40, 0b11, 0b11)
	var m far.Map
	measure(t, &m, e)
	if m.Generation() != 0 || len(m.Places()) != 0 {
		t.Errorf("measured at generation %d: %+v", m.Generation(), m.Places())
	}
}

// TestSizes: the largest cluster is that of package component, and each cell's block has a size.
func TestSizes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, h := rapid.IntRange(1, 200).Draw(rt, "w"), rapid.IntRange(1, 40).Draw(rt, "h")
		torus := rapid.Bool().Draw(rt, "torus")
		g, err := grid.New(w, h, 1)
		if err != nil {
			rt.Fatal(err)
		}
		dense := rapid.IntRange(1, 9).Draw(rt, "dense")
		for y := range h {
			for x := range w {
				if rapid.IntRange(0, 9).Draw(rt, "cell") < dense {
					g.Set(x, y, 1)
				}
			}
		}
		on := topology.Topology{Kind: topology.Plane, W: w, H: h}
		if torus {
			on.Kind = topology.Torus
		}
		clusters, err := component.Label(g, on, component.Eight)
		if err != nil {
			rt.Fatal(err)
		}
		sizes, err := far.SizesOf(g, g.Bounds(), torus)
		if err != nil {
			rt.Fatal(err)
		}
		if got, want := uint64(sizes.Largest()), clusters.Sizes.Largest(); got != want {
			rt.Fatalf("the largest has %d cells, want %d", got, want)
		}
		levels := sizes.Levels(nil, scene.Region{W: w, H: h})
		for y := range h {
			for x := range w {
				if g.Get(x, y) != 0 && levels[y*w+x] == 0 {
					rt.Fatalf("cell %d,%d is in no cluster", x, y)
				}
			}
		}
	})
	var nothing *far.Sizes
	if levels := nothing.Levels(nil, scene.Region{W: 3, H: 2}); len(levels) != 6 || slices.Max(levels) != 0 {
		t.Errorf("levels of no sizes: %v", levels)
	}
	if err := far.Sizeable(grid.Rect{W: 1 << 20, H: 1 << 20}); err == nil {
		t.Error("clusters of 2^40 cells are not refused")
	}
}
