package cpu

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/topology"
)

// Creatures that fly, grow until they are handed to tiles, shrink until they come back, and die. Among them are
// rules with B0, whose background takes turns, and rules that take turns. They live on planes without edges, on
// planes with edges and on tori, some of them smaller than the creature.
func TestCreatures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counted := func(most int) string {
			from := rapid.IntRange(1, most).Draw(t, "from")
			return fmt.Sprintf("%d..%d", from, rapid.IntRange(from, most).Draw(t, "to"))
		}
		text := rapid.SampledFrom([]string{
			"B3/S23", "B013568/S01", "B0123478/S01234678", "B37/S12345", "/2/3", "345/2/4",
			"B3/S23|B36/S125", "B02/S4/3", "",
		}).Draw(t, "rule")
		if text == "" {
			radius := rapid.IntRange(1, 3).Draw(t, "radius")
			most := (2*radius+1)*(2*radius+1) - 1
			text = fmt.Sprintf("R%d,C%d,M0,S%s,B%s,NM", radius, rapid.SampledFrom([]int{0, 3, 6}).Draw(t, "states"),
				counted(most), counted(most/2))
		}
		r, err := rule.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		cfg, steps := sim.Config{Rule: r, Threads: 1}, []uint64{1, 2, 9}
		if kind := rapid.SampledFrom([]topology.Kind{topology.Unbounded, topology.Torus, topology.Plane}).
			Draw(t, "kind"); kind != topology.Unbounded {
			sizes := rapid.OneOf(rapid.IntRange(2, 30), rapid.IntRange(30, 50))
			steps = []uint64{leastAlone, 1}
			cfg.Topology = topology.Topology{Kind: kind, W: sizes.Draw(t, "columns"), H: sizes.Draw(t, "rows")}
		}
		want, err := reference.Open(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Open(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		w, h := rapid.IntRange(1, 40).Draw(t, "w"), rapid.IntRange(1, 20).Draw(t, "h")
		x, y := rapid.IntRange(-300, 300).Draw(t, "x"), rapid.IntRange(-300, 300).Draw(t, "y")
		if cfg.Topology.Bounded() {
			w, h = min(w, cfg.Topology.W), min(h, cfg.Topology.H)
			x, y = rapid.IntRange(0, cfg.Topology.W-w).Draw(t, "left"), rapid.IntRange(0, cfg.Topology.H-h).Draw(t, "top")
		}
		start := rapid.Uint64Range(0, 5).Draw(t, "start")
		for row := range h {
			cells := rapid.Uint64().Draw(t, "cells") & (1<<w - 1)
			for _, e := range []sim.Engine{want, got} {
				grid.InMemory(e.WriteRow([]uint64{cells}, 0, x, y+row, w))
				e.SetGeneration(start)
			}
		}
		for _, n := range steps {
			for _, e := range []sim.Engine{want, got} {
				if _, err := e.Step(t.Context(), n); err != nil {
					t.Fatal(err)
				}
			}
			if x, y, differ, err := grid.FirstDifference(got, want); err != nil || differ ||
				got.Generation() != want.Generation() {
				t.Fatalf("%v, generation %d: cell (%d,%d) differs (%v)", text, got.Generation(), x, y, err)
			}
			a, _ := want.Population()
			if b, _ := got.Population(); a != b {
				t.Fatalf("%v, generation %d: %d cells, want %d", text, got.Generation(), b, a)
			}
		}
	})
}

// TestGlidersMeetEdges flies gliders around tori, and into the walls of planes.
func TestGlidersMeetEdges(t *testing.T) {
	r, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	for i, on := range []topology.Topology{
		{Kind: topology.Torus, W: 50, H: 37},
		{Kind: topology.Torus, W: 7, H: 90},
		{Kind: topology.Torus, W: 131, H: 130},
		{Kind: topology.Plane, W: 50, H: 37},
		{Kind: topology.Plane, W: 131, H: 40},
	} {
		cfg := sim.Config{Rule: r, Topology: on, Threads: 1}
		want, err := reference.Open(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Open(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []sim.Engine{want, got} {
			for y, row := range []uint64{0b010, 0b100, 0b111} {
				grid.InMemory(e.WriteRow([]uint64{row}, 0, 1+i, 20+y, 3))
			}
		}
		for _, n := range []uint64{100, 64, 3, 200, 77} {
			for _, e := range []sim.Engine{want, got} {
				if _, err := e.Step(t.Context(), n); err != nil {
					t.Fatal(err)
				}
			}
			if x, y, differ, err := grid.FirstDifference(got, want); err != nil || differ {
				t.Fatalf("%v, generation %d: cell (%d,%d) differs (%v)", on, got.Generation(), x, y, err)
			}
		}
	}
}

// The plan says that a creature was advanced alone. The same plan asked for does so again, and leads to the same cells.
func TestPlanOfCreatures(t *testing.T) {
	const far = 1 << 40 // generations that no other way of advancing a glider reaches
	for _, c := range []struct {
		rule, on string
		alone    bool
	}{
		{"B3/S23", "T0", true},
		{"B3/S23", "T200,300", true},
		{"B3/S23H", "T0", false},
		{"B3/S23H", "T200,300", false},
	} {
		r, on, err := rule.ParseApart(c.rule + ":" + c.on)
		if err != nil {
			t.Fatal(err)
		}
		cfg := sim.Config{Rule: r, Topology: *on, Threads: 1}
		n := uint64(300)
		if c.alone {
			n = far
		}
		run := func() (sim.Engine, string) {
			e, err := Open(t.Context(), cfg)
			if err != nil {
				t.Fatalf("%s on %s, plan %q: %v", c.rule, c.on, cfg.Plan, err)
			}
			for i, row := range []uint64{0b010, 0b100, 0b111} {
				if err := e.WriteRow([]uint64{row}, 0, 100, 100+i, 3); err != nil {
					t.Fatal(err)
				}
			}
			before := e.Info().Plan
			if done, err := e.Step(t.Context(), n); done != n || err != nil {
				t.Fatal(done, err)
			}
			return e, before
		}
		first, before := run()
		plan := first.Info().Plan
		if strings.HasSuffix(before, ",alone") || c.alone != strings.HasSuffix(plan, ",alone") {
			t.Errorf("%s on %s: plan %q, then %q", c.rule, c.on, before, plan)
		}
		cfg.Plan = plan
		again, _ := run()
		if got := again.Info().Plan; got != plan {
			t.Errorf("%s on %s: asked for %q, got %q", c.rule, c.on, plan, got)
		}
		if x, y, differ, err := grid.FirstDifference(first, again); differ || err != nil {
			t.Errorf("%s on %s: cell %d,%d differs: %v", c.rule, c.on, x, y, err)
		}
	}
	for _, c := range [][2]string{
		{"B3/S23H:T0", "alone"},
		{"B3/S23H:T64,64", "alone"},
		{"B3/S23:T64,64", "tiles,alone"},
		{"B3/S23:K64*,64", "alone"},
		{"3D4,5/5:T8,8,8", "alone"},
	} {
		r, on, err := rule.ParseApart(c[0])
		if err != nil {
			t.Fatal(err)
		}
		_, err = Open(t.Context(), sim.Config{Rule: r, Topology: *on, Plan: c[1]})
		if unsupported := new(sim.Unsupported); !errors.As(err, &unsupported) {
			t.Errorf("%s, plan %s: %v, want a refusal", c[0], c[1], err)
		}
	}
}
