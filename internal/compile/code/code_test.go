package code_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/internal/compile/code"
	"github.com/gosper-life/gosper/rule"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		rule string
		code uint64
		ok   bool
	}{
		{"B3/S23", 224, true}, // the number that Packard and Wolfram give Conway's rule
		{"B/S", 0, true},
		{"B0/S", 1, true},
		{"B012345678/S012345678", 1<<18 - 1, true},
		{"B/S4V", 1 << 9, true},
		{"B/S6H", 1 << 13, true},
		{"345/2/4", 0, false},
		{"B2-a/S12", 0, false},
		{"R2,C0,M1,S7..10,B7..11,NM", 0, false},
		{"B3/S23~flip=0.1", 0, false},
		{"B3/S23|B36/S23", 0, false},
		{"B4/S456L", 0, false},
		{"bbm", 0, false},
	} {
		r, err := rule.Parse(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		if c.ok && !code.Rule(r, c.code).Equal(r) {
			t.Errorf("code %d with the neighbours of %s is %v", c.code, c.rule, code.Rule(r, c.code))
		}
		if number, ok := code.Of(r); number != c.code || ok != c.ok {
			t.Errorf("%s: %d, %v; want %d, %v", c.rule, number, ok, c.code, c.ok)
		}
	}
}

// TestChosen checks that one circuit (code.Chosen) does what each rule of its neighbourhood does, by the bits
// of that rule.
func TestChosen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		suffix := rapid.SampledFrom([]string{"", "V", "H"}).Draw(t, "neighbourhood")
		most := map[string]int{"": 8, "V": 4, "H": 6}[suffix]
		counts := func(label string) string {
			var b strings.Builder
			for n := range most + 1 {
				if rapid.Bool().Draw(t, label) {
					b.WriteByte(byte('0' + n))
				}
			}
			return b.String()
		}
		r, err := rule.Parse("B" + counts("birth") + "/S" + counts("survival") + suffix)
		if err != nil {
			t.Fatal(err)
		}
		number, ok := code.Of(r)
		shared, ok2 := code.Chosen(r)
		if !ok || !ok2 {
			t.Fatalf("%v has no choice", r)
		}
		own := *shared
		own.Code = number
		block := rapid.IntRange(0, 511).Draw(t, "block")
		count, state := 0, uint8(block>>4&1)
		for _, o := range r.Neighbourhood.Offsets() {
			count += block >> (3*(o.DY+1) + o.DX + 1) & 1
		}
		got := own.Eval(func(_, x, y int) bool { return block>>(3*(y+1)+x+1)&1 == 1 }, 0, 0, 0)
		if want := r.Next(state, count); got != want {
			t.Fatalf("%v: state %d with %d neighbours becomes %d, want %d\n%v", r, state, count, got, want, shared)
		}
	})
}
