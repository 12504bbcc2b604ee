package circuit_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/rule"
)

// TestTurnsOfCounts checks that each of some counting rules of several states that take turns has its own sum.
func TestTurnsOfCounts(t *testing.T) {
	const text = "R2,C3,M0,S3..8,B5..9,NM|R1,C3,M0,S2..4,B0..3,NM|R2,C3,M1,S2..6,B4..9,NN"
	r, err := rule.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	all := circuit.Of(r)
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.SliceOfN(rapid.IntRange(0, r.States-1), 25, 25).Draw(t, "cells")
		cell := func(plane, x, y int) bool { return cells[5*(y+2)+x+2]>>plane&1 == 1 }
		for g, p := range r.Phases {
			if got, want := all.Eval(cell, 0, 0, uint64(g)), circuit.Of(p).Eval(cell, 0, 0, 0); got != want {
				t.Fatalf("%s in generation %d: %d, want %d", text, g, got, want)
			}
		}
	})
}
