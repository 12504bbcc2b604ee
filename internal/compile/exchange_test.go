package compile

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/internal/background"
	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/rule"
)

// TestExchanged checks that a circuit for held cells does with them what the rule does with the cells as they are.
func TestExchanged(t *testing.T) {
	for _, text := range []string{
		"B0/S/3", "B03/S23/6", "R2,C3,M0,S3..8,B5..9,NM", "R1,C4,S2,4,B0,3,NW111101111,0121",
		"B03/S2/4L", "WireWorld",
	} {
		r, err := rule.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		plain := circuit.Of(r)
		rapid.Check(t, func(t *rapid.T) {
			state := rapid.IntRange(0, r.States-1)
			cells := rapid.SliceOfN(state, 25, 25).Draw(t, "cells")
			before, after := uint8(state.Draw(t, "before")), uint8(state.Draw(t, "after"))
			cell := func(empty uint8) func(plane, x, y int) bool {
				return func(plane, x, y int) bool { return background.Exchange(uint8(cells[5*(y+2)+x+2]), empty)>>plane&1 == 1 }
			}
			want := background.Exchange(plain.Eval(cell(0), 0, 0, 0), after)
			if got := exchanged(plain, before, after).Eval(cell(before), 0, 0, 0); got != want {
				t.Fatalf("%s: %d, want %d", text, got, want)
			}
		})
	}
}
