package checkpoint_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/checkpoint"
	"github.com/gosper-life/gosper/sim/hashlife"
)

func openHashed(t testing.TB, notation string) sim.Engine {
	t.Helper()
	r, err := rule.Parse(notation)
	if err != nil {
		t.Fatal(err)
	}
	e, err := hashlife.Open(t.Context(), sim.Config{Rule: r, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestTrees takes checkpoints of trees, to engines that keep trees and to one that does not.
func TestTrees(t *testing.T) {
	for _, notation := range []string{"B3/S23", "345/2/4", "B0/S23", "R7,C0,M1,S65..114,B65..95,NM"} {
		e := openHashed(t, notation)
		scatter(t, e)
		data := encode(t, checkpoint.Header{Rule: notation, Topology: "T0", Generation: 4, Target: 9}, e)
		for name, again := range map[string]sim.Engine{
			"tree":  openHashed(t, notation),
			"cells": mustOpen(t, notation, "T0"),
		} {
			f, err := read(data)
			if err != nil {
				t.Fatal(err)
			}
			if squares, drawn := f.Tree(); squares == 0 || drawn == 0 {
				t.Errorf("%s: %d squares of %d bytes", notation, squares, drawn)
			}
			if err := f.Restore(again); err != nil {
				t.Fatalf("%s, %s: %v", notation, name, err)
			}
			if x, y, differ, err := grid.FirstDifference(e, again); differ || err != nil {
				t.Errorf("%s, %s: cell %d,%d differs, %v", notation, name, x, y, err)
			}
			if again.Generation() != 4 {
				t.Errorf("%s, %s: generation %d", notation, name, again.Generation())
			}
		}
	}
	f, err := read(encode(t, checkpoint.Header{Rule: "B3/S23", Topology: "T0"}, openHashed(t, "B3/S23")))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Restore(openHashed(t, "B3/S23")); err != nil {
		t.Errorf("a dead universe: %v", err)
	}
}

// TestFarTrees: a universe that would not fit any memory as cells takes a file of a few kilobytes.
func TestFarTrees(t *testing.T) {
	e := openHashed(t, "B1357/S1357") // every cell becomes a pattern of its own
	grid.InMemory(e.WriteRow([]uint64{1}, 0, -1<<50, 1<<50, 1))
	grid.InMemory(e.WriteRow([]uint64{1}, 0, 1<<40, -1<<40, 1))
	const far = 1<<19 - 1
	if _, err := e.Step(t.Context(), far); err != nil {
		t.Fatal(err)
	}
	data := encode(t, checkpoint.Header{Rule: "B1357/S1357", Topology: "T0", Generation: far, Target: far}, e)
	if len(data) > 64<<10 {
		t.Errorf("%d bytes", len(data))
	}
	f, err := read(data)
	if err != nil {
		t.Fatal(err)
	}
	again := openHashed(t, "B1357/S1357")
	if err := f.Restore(again); err != nil {
		t.Fatal(err)
	}
	if got, want := box(t, again), box(t, e); got != want {
		t.Errorf("cells in %v, want %v", got, want)
	}
	if err := f.Restore(mustOpen(t, "B1357/S1357", "T0")); err == nil ||
		!strings.Contains(err.Error(), "--engine hashlife") {
		t.Errorf("drawn: %v", err)
	}
}

func box(t *testing.T, e sim.Engine) grid.Rect {
	t.Helper()
	r, err := e.Extent()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRefusedTrees: data that is not a tree is refused.
func TestRefusedTrees(t *testing.T) {
	node := func(level byte, children ...byte) string {
		var b strings.Builder
		b.WriteByte(level)
		for _, c := range children {
			b.WriteByte(c)
			b.WriteString("\x00\x00\x00")
		}
		return b.String()
	}
	block := "\x83\x03\x03\x00\x00\x00\x00\x00\x00"
	for cells, why := range map[string]string{
		"\x84\x03\x03\x00\x00\x00\x00\x00\x00": "square 1: level 4",
		block + node(0, 0, 0, 0, 0):            "square 2: level 0",
		block + node(64, 0, 0, 0, 0):           "square 2: level 64",
		block + node(4, 0, 0, 2, 0):            "square 2: a child is not of level 3",
		block + node(5, 0, 0, 1, 0):            "square 2: a child is not of level 4",
		node(1, 0, 1, 2, 0):                    "square 1: a state above 1",
		block + "\x04\x00":                     "the last square is cut off",
	} {
		_, err := read(withCells(t, "T0", cells))
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v, want %s", cells, err, why)
		}
	}
	if _, err := read(withCells(t, "T64,64", block)); err == nil ||
		!strings.Contains(err.Error(), "a tree of the topology T64,64") {
		t.Errorf("a torus: %v", err)
	}
}

// withCells is a checkpoint of a tree whose cells are these bytes.
func withCells(t testing.TB, topology, cells string) []byte {
	t.Helper()
	h := checkpoint.Header{Rule: "B3/S23", Topology: topology, Tree: true, States: 2}
	if topology != "T0" {
		h.Bounds = grid.Rect{W: 64, H: 64}
	}
	header, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	data := append([]byte("GOSPERCP"), checkpoint.Version, 0, 0, 0, byte(len(header)), byte(len(header)>>8), 0, 0)
	data = append(append(data, header...), cells...)
	return seal(append(data, make([]byte, 32)...))
}
