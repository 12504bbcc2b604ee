package circuit_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/rule"
)

// TestMasked checks that cells of the mask do what the rule says, that the others are in state 0, and that the
// mask stays.
func TestMasked(t *testing.T) {
	for _, text := range []string{
		"B3/S23", "B0/S/3", "345/2/4", "R2,C0,M1,S3..8,B5..9,NM",
		"M15,14,13,3,11,5,6,1,7,9,10,2,12,4,8,0",
	} {
		r, err := rule.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		plain := circuit.Of(r)
		masked := circuit.Masked(plain)
		rapid.Check(t, func(t *rapid.T) {
			cells := rapid.SliceOfN(rapid.IntRange(0, r.States-1), 25, 25).Draw(t, "cells")
			exists := rapid.Bool().Draw(t, "the cell exists")
			cell := func(plane, x, y int) bool {
				if plane == plain.Planes {
					return exists
				}
				return cells[5*(y+2)+x+2]>>plane&1 == 1
			}
			want := uint8(0)
			if exists {
				want = plain.Eval(cell, 0, 0, 0) | 1<<plain.Planes
			}
			if got := masked.Eval(cell, 0, 0, 0); got != want {
				t.Fatalf("%s: %b, want %b", text, got, want)
			}
		})
	}
}
