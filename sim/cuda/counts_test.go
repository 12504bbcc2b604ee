package cuda

import (
	"slices"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
	"pgregory.net/rapid"
)

// countRows computes the expected result of Counts, cell by cell.
func countRows(t gridtest.T, e sim.Engine, area grid.Rect, scale int) []uint64 {
	counts := make([]uint64, area.W>>scale*(area.H>>scale))
	row, plane := make([]uint64, (area.W+63)/64), make([]uint64, (area.W+63)/64)
	box := gridtest.Extent(t, e)
	for y := max(area.Y, box.Y); y < min(area.Y+area.H, box.Y+box.H); y++ {
		clear(row)
		for k := range e.Planes() {
			grid.InMemory(e.ReadRow(plane, k, area.X, y, area.W))
			for i := range row {
				row[i] |= plane[i]
			}
		}
		for x := range area.W {
			counts[(y-area.Y)>>scale*(area.W>>scale)+x>>scale] += row[x/64] >> (x % 64) & 1
		}
	}
	return counts
}

func TestCounts(t *testing.T) {
	countsOn(t, []func(sim.Config) (sim.Engine, error){openHost, openThree, openEight})
}

func countsOn(t *testing.T, openers []func(sim.Config) (sim.Engine, error)) {
	universes := []struct{ rule, topology string }{
		{"B3/S23", "T257,33"},
		{"B3/S23", "T1024,70"},
		{"B3/S23", "T4096,9"},
		{"345/2/7", "P200,40"},
		{"B3/S23", "T0"},
		{"345/2/7", "T40,0"},
		{"B0123478/S01234678", "T0"},
	}
	rapid.Check(t, func(t *rapid.T) {
		open := rapid.SampledFrom(openers).Draw(t, "devices")
		u := rapid.SampledFrom(universes).Draw(t, "universe")
		r, err := rule.Parse(u.rule)
		if err != nil {
			t.Fatal(err)
		}
		top, err := topology.Parse(u.topology)
		if err != nil {
			t.Fatal(err)
		}
		e, err := open(sim.Config{Rule: r, Topology: top})
		if err != nil {
			return // several devices take bounded universes only
		}
		defer e.Close()
		for range 20 {
			x, y := rapid.IntRange(-20, 300).Draw(t, "x"), rapid.IntRange(-10, 80).Draw(t, "y")
			grid.InMemory(e.WriteRow([]uint64{rapid.Uint64().Draw(t, "cells")}, rapid.IntRange(0, e.Planes()-1).Draw(t, "plane"),
				x, y, 64))
		}
		scale := rapid.IntRange(0, 10).Draw(t, "scale")
		corner := rapid.IntRange(-3, 3)
		side := rapid.IntRange(1, max(1, 700>>scale))
		area := grid.Rect{
			X: corner.Draw(t, "left") << scale, Y: corner.Draw(t, "top") << scale,
			W: side.Draw(t, "w") << scale, H: side.Draw(t, "h") << scale,
		}
		want := countRows(t, e, area, scale)
		got := make([]uint64, len(want))
		if counted, err := e.(sim.Counter).Counts(got, area, scale); !counted || !slices.Equal(got, want) {
			t.Fatalf("%v at scale %d: %d, %v, want %d", area, scale, got, err, want)
		}
	})
}

// countedBy reports whether a counter could count.
func countedBy(t *testing.T, c sim.Counter, dst []uint64, area grid.Rect, scale int) bool {
	t.Helper()
	counted, err := c.Counts(dst, area, scale)
	if err != nil {
		t.Fatal(err)
	}
	return counted
}

func TestCountsRefuse(t *testing.T) {
	e, err := openHost(lifeOn("T64,64"))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	c, dst := e.(sim.Counter), make([]uint64, 4)
	if far := (grid.Rect{X: -1 << 60, Y: 1 << 60, W: 8, H: 8}); !countedBy(t, c, dst, far, 2) {
		t.Error("what is far away is not empty")
	}
	for _, bad := range []grid.Rect{{X: 1, W: 8, H: 8}, {W: 7, H: 8}, {W: 8, H: 12}, {}} {
		if countedBy(t, c, dst, bad, 2) {
			t.Errorf("%v was counted", bad)
		}
	}
	if countedBy(t, c, make([]uint64, 1), grid.Rect{W: 1 << 40, H: 1 << 40}, 40) {
		t.Error("scale 40 was counted")
	}
}
