package circuit_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/block"
)

// TestBlocks checks that the circuit of a block rule does to each cell what the rule does to its block, for
// each corner of the block.
func TestBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b block.Rule
		for i := range b {
			b[i] = uint8(rapid.IntRange(0, block.Full).Draw(t, "next"))
		}
		r, err := rule.Parse(b.String())
		if err != nil {
			t.Fatal(err)
		}
		c := circuit.Of(r)
		x, y, g := rapid.IntRange(-9, 9).Draw(t, "x"), rapid.IntRange(-9, 9).Draw(t, "y"),
			rapid.Uint64().Draw(t, "generation")
		corner := block.Corner(x, y, g)
		cells := rapid.IntRange(0, block.Full).Draw(t, "block")
		left, top := x-corner&1, y-corner>>1
		got := c.Eval(func(_, cx, cy int) bool {
			if dx, dy := cx-left, cy-top; 0 <= dx && dx < 2 && 0 <= dy && dy < 2 {
				return cells>>(dx+2*dy)&1 == 1
			}
			return rapid.Bool().Draw(t, "cell of another block")
		}, x, y, g)
		if want := b[cells] >> corner & 1; got != want {
			t.Fatalf("%v: corner %d of block %d becomes %d, want %d\n%v", b, corner, cells, got, want, c)
		}
	})
}

// TestPhases checks that an alternating rule applies each of its rules in its own generations.
func TestPhases(t *testing.T) {
	parse := func(s string) rule.Rule {
		r, err := rule.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	all := []string{"B3/S23", "B2/S", "B36/S125", "B1357/S02468", "M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15"}
	for n := 1; n <= len(all); n++ {
		notation := all[0]
		for _, s := range all[1:n] {
			notation += "|" + s
		}
		together := circuit.Of(parse(notation))
		for g := range uint64(2 * n) {
			alone := circuit.Of(parse(all[g%uint64(n)]))
			for cells := range 512 {
				is := func(_, x, y int) bool { return cells>>(3*y+x)&1 == 1 }
				if got, want := together.Eval(is, 1, 1, g), alone.Eval(is, 1, 1, g); got != want {
					t.Fatalf("%s in generation %d: %d, want %d", notation, g, got, want)
				}
			}
		}
	}
}
