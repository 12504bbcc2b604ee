package census

import (
	"context"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/census/internal/apgcode"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/topology"
)

// someCells draws cells of a rule with a number of states, in a square.
func someCells(t *rapid.T, states, side int) []Cell {
	return sorted(rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) Cell {
		return Cell{
			X: rapid.IntRange(0, side-1).Draw(t, "x"), Y: rapid.IntRange(0, side-1).Draw(t, "y"),
			Age: uint8(rapid.IntRange(0, states-2).Draw(t, "age")),
		}
	}), 1, 30, func(c Cell) Cell { return Cell{X: c.X, Y: c.Y} }).Draw(t, "cells"))
}

// TestEncodeGenerations writes phases with dying cells and reads them again.
func TestEncodeGenerations(t *testing.T) {
	for _, test := range []struct {
		states int
		cells  []Cell
		text   string
	}{
		{3, []Cell{{X: 1, Y: 0}, {X: 1, Y: 1}, {X: 0, Y: 0, Age: 1}, {X: 0, Y: 1, Age: 1}}, "03_3"},
		{4, []Cell{{X: 0, Y: 0}, {X: 1, Y: 0, Age: 1}, {X: 2, Y: 0, Age: 2}}, "1_011_01"},
		{4, []Cell{{X: 0, Y: 0, Age: 2}}, "0_1"},
		{9, []Cell{{X: 0, Y: 0, Age: 1}}, "0_1_0_1_1"},
		{3, []Cell{{X: 0, Y: 0}, {X: 0, Y: 5, Age: 1}}, "1_z1"},
		{3, []Cell{{X: 0, Y: 0, Age: 1}, {X: 0, Y: 12}}, "zz4_1"},
	} {
		cells := sorted(test.cells)
		got, err := apgcode.Decode(test.text, test.states)
		if apgcode.Encode(cells, test.states) != test.text || err != nil || !slices.Equal(got, cells) {
			t.Errorf("%v is written %s, and %s read as %v (%v)", cells, apgcode.Encode(cells, test.states), test.text, got, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		states := rapid.SampledFrom([]int{3, 4, 5, 9, 256}).Draw(t, "states")
		cells := someCells(t, states, rapid.SampledFrom([]int{4, 12, 70}).Draw(t, "side"))
		box, text := apgcode.BoxOf(cells), apgcode.Encode(cells, states)
		if got, err := apgcode.Decode(text, states); err != nil || !slices.Equal(got, moved(cells, -box.X, -box.Y)) {
			t.Fatalf("%v → %q → %v, %v", cells, text, got, err)
		}
	})
}

// generationsCodes are objects of some rules.
var generationsCodes = []struct {
	rule, code string
	object     Object
}{
	{"/2/3", "xq1_03_3", Object{Kind: Spaceship, Period: 1}},
	{"/2/3", "xq4_20a_144", Object{Kind: Spaceship, Period: 4}},
	{"345/2/4", "xq1_11_66_22", Object{Kind: Spaceship, Period: 1}},
	{"345/2/4", "xq1_4114_o66o_8228", Object{Kind: Spaceship, Period: 1}},
	{"23/3/3", "xs4_33", Object{Kind: StillLife, Period: 1}},
	{"23/3/3", "xp3_318c", Object{Kind: Oscillator, Period: 3}},
	{"12/34/3", "xp6_136", Object{Kind: Oscillator, Period: 6}},
	{"12/34/3", "xq5_699", Object{Kind: Spaceship, Period: 5}},
	{"12/2-a/3", "xq6_17", Object{Kind: Spaceship, Period: 6}},
	{"B2/S34H", "xp2_3", Object{Kind: Oscillator, Period: 2}},
	{"B2/S013V", "xp2_13", Object{Kind: Oscillator, Period: 2}},
}

// TestGenerationsObjects runs objects on the reference engine, where they must come back as their code says. They
// must have the same code at any place, in any orientation and in any phase, also beside another object.
func TestGenerationsObjects(t *testing.T) {
	counter := counters(t)
	rapid.Check(t, func(t *rapid.T) {
		test := rapid.SampledFrom(generationsCodes).Draw(t, "object")
		c := counter(test.rule)
		code, err := ParseCode(test.code, c.rule.States)
		if err != nil {
			t.Fatal(err)
		}
		cells := code.Cells
		for range rapid.IntRange(0, 12).Draw(t, "phase") {
			cells = c.local.After(cells, 0)
		}
		cells = apgcode.Turned(cells, rapid.SampledFrom(c.symmetries).Draw(t, "turned"))
		cells = moved(sorted(cells), rapid.IntRange(-300, 300).Draw(t, "x"), rapid.IntRange(-300, 300).Draw(t, "y"))
		o := c.Identify(rapid.Permutation(cells).Draw(t, "order"))
		if o.Code != test.code || o.Kind != test.object.Kind || o.Period != test.object.Period {
			t.Fatalf("%s of %s is identified as %+v", test.code, test.rule, o)
		}
		later := afterOnReference(t, parseRule(t, test.rule), cells, 0, o.Period)
		if !slices.Equal(later, moved(cells, o.DX, o.DY)) {
			t.Fatalf("%s of %s is %v, and after a period %v", test.code, test.rule, cells, later)
		}
		beside := moved(cells, 0, apgcode.BoxOf(cells).H+4)
		if o.DX != 0 {
			beside = moved(cells, 4*-o.DX, apgcode.BoxOf(cells).H+4)
		}
		if got := c.Count(slices.Concat(cells, beside)); got.Endless ||
			!maps.Equal(got.Objects, map[string]int{test.code: 2}) {
			t.Fatalf("%s of %s, twice, is %v", test.code, test.rule, got)
		}
	})
}

// test is a test, or one with random input.
type test interface {
	Context() context.Context
	Fatal(...any)
}

// afterOnReference returns cells of a generation some generations later, in order.
func afterOnReference(t test, r rule.Rule, cells []Cell, generation, generations int) []Cell {
	e, err := reference.Open(t.Context(), sim.Config{Rule: r, Topology: topology.Topology{Kind: topology.Unbounded}})
	if err != nil {
		t.Fatal(err)
	}
	from, err := grid.NewTiles(r.Planes())
	if err != nil {
		t.Fatal(err)
	}
	for _, cell := range cells {
		from.Set(cell.X, cell.Y, cell.Age+1)
	}
	box := from.Bounds()
	grid.InMemory(grid.Copy(e, from, box, box.X, box.Y))
	e.SetGeneration(uint64(generation))
	if _, err := e.Step(t.Context(), uint64(generations)); err != nil {
		t.Fatal(err)
	}
	later, err := CellsOf(e)
	if err != nil {
		t.Fatal(err)
	}
	return later
}

// TestAfter holds the cell by cell evolution of the separation to the reference engine.
func TestAfter(t *testing.T) {
	counter := counters(t)
	rapid.Check(t, func(t *rapid.T) {
		rules := []string{"B3/S23", "/2/3", "345/2/4", "2/13/21", "34/2/3H", "2/13/3V", "12/2-a/9"}
		text := rapid.SampledFrom(slices.Concat(rules, wideRules, rulesWithB0)).Draw(t, "rule")
		c, r := counter(text), parseRule(t, text)
		cells, generation := someCells(t, r.States, 6), rapid.IntRange(0, 3).Draw(t, "generation")
		got, want := sorted(c.local.After(cells, generation)), afterOnReference(t, r, cells, generation, 1)
		if !slices.Equal(got, want) {
			t.Fatalf("%s: %v of generation %d becomes %v, want %v", text, cells, generation, got, want)
		}
	})
}
