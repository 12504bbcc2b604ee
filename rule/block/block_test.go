package block_test

import (
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/rule/block"
	"github.com/gosper-life/gosper/topology"
)

const bbm = "M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15"

func mustParse(t *testing.T, text string) block.Rule {
	t.Helper()
	r, at, err := block.Parse(text)
	if err != nil {
		t.Fatalf("%s, character %d: %v", text, at, err)
	}
	return r
}

func TestParse(t *testing.T) {
	for _, text := range []string{
		bbm, "m0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15",
		"MS,D0;8;4;3;2;5;9;7; 1;6;10;11;12;13;14;15",
	} {
		if got := mustParse(t, text).String(); got != bbm {
			t.Errorf("%s: %s", text, got)
		}
	}
	for text, want := range map[string]int{
		"":                                       0,
		"B3/S23":                                 0,
		"M":                                      1,
		"M0,8,4":                                 6,
		bbm + ",0":                               len(bbm) + 1,
		"M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,16": 36,
		"M0,8,x,3,2,5,9,7,1,6,10,11,12,13,14,15": 5,
		"M0,+8,4,3,2,5,9,7,1,6,10,11,12,13,14,15":   3,
		"MS,D0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15": 4,
	} {
		if r, at, err := block.Parse(text); err == nil || at != want {
			t.Errorf("%q: %v at %d, %v, want an error at %d", text, r, at, err, want)
		}
	}
}

// FuzzParse checks that String and Parse are inverse, and that positions of errors are in the text.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		bbm, "MS,D0;8;4;3;2;5;9;7; 1;6;10;11;12;13;14;15", "M", "MS,D", "M0,,",
		"M99999999999999999999",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, at, err := block.Parse(text)
		if err != nil {
			if at < 0 || at > len(text) {
				t.Errorf("%q: error at %d", text, at)
			}
			return
		}
		if again, _, err := block.Parse(r.String()); err != nil || again != r {
			t.Errorf("%q: %v reads as %v, %v", text, r, again, err)
		}
	})
}

func draw(t *rapid.T) (r block.Rule) {
	for i := range r {
		r[i] = uint8(rapid.IntRange(0, block.Full).Draw(t, "next"))
	}
	return r
}

func TestInverse(t *testing.T) {
	for text, reversible := range map[string]bool{
		bbm:                                      true,
		"M15,1,2,3,4,5,6,7,8,9,10,11,12,13,14,0": true,
		"M0,4,8,12,4,12,12,13,8,12,12,14,12,13,14,15":      false,
		"M15,14,13,3,11,5,6,1,7,9,10,2,12,4,8,0":           true,
		"M0,0,2,3,4,5,6,7,8,9,10,11,12,13,14,15":           false,
		"M15,15,15,15,15,15,15,15,15,15,15,15,15,15,15,15": false,
	} {
		r := mustParse(t, text)
		inverse, merged, ok := r.Inverse()
		if ok != reversible {
			t.Errorf("%s: reversible %t", text, ok)
		}
		for i := range r {
			if ok && int(inverse[r[i]]) != i {
				t.Errorf("%s: block %d comes back as %d", text, i, inverse[r[i]])
			}
		}
		if !ok && (merged[0] == merged[1] || r[merged[0]] != r[merged[1]]) {
			t.Errorf("%s: blocks %v are reported to merge", text, merged)
		}
	}
}

func TestConserves(t *testing.T) {
	for text, want := range map[string]bool{
		bbm: true, "M15,14,13,3,11,5,6,1,7,9,10,2,12,4,8,0": false, "M0,4,8,12,4,12,12,13,8,12,12,14,12,13,14,15": true,
		"M0,8,4,12,2,10,9,14,1,6,5,13,3,11,7,15": true,
	} {
		if got := mustParse(t, text).Conserves(); got != want {
			t.Errorf("%s conserves cells: %t", text, got)
		}
	}
}

// The billiard ball machine has all symmetries of the square; falling sand has only that of left and right.
func TestInvariant(t *testing.T) {
	sand := mustParse(t, "M0,4,8,12,4,12,12,13,8,12,12,14,12,13,14,15")
	balls := mustParse(t, bbm)
	for _, s := range topology.Symmetries {
		if !balls.Invariant(s) {
			t.Errorf("billiard balls change under the %v", s)
		}
		x, y := s.Apply(1, 2)
		if want := x == 1 && y == 2 || x == -1 && y == 2; sand.Invariant(s) != want {
			t.Errorf("sand under the %v: %t", s, !want)
		}
	}
}

func TestComplement(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := draw(t)
		for i := range r {
			if got := r.Complement(true, true)[i^block.Full] ^ block.Full; got != r[i] {
				t.Fatalf("%v: block %d", r, i)
			}
			if r.Complement(true, false)[i^block.Full] != r[i] || r.Complement(false, true)[i] != r[i]^block.Full {
				t.Fatalf("%v: block %d", r, i)
			}
		}
		for state := range uint8(2) {
			next, ok := r.Uniform(state)
			to := r[block.Full*state]
			if n := bits.OnesCount8(to); ok != (n == 0 || n == block.Cells) || ok && int(next) != n/block.Cells {
				t.Fatalf("%v: cells in state %d go to %d, %t", r, state, next, ok)
			}
		}
	})
}

// TestCorner checks corners also for negative positions, and that blocks move by one cell.
func TestCorner(t *testing.T) {
	for g := range uint64(4) {
		for y := -4; y < 4; y++ {
			for x := -4; x < 4; x++ {
				c := block.Corner(x, y, g)
				left, top := x-c&1, y-c>>1
				if (left+int(g))%2 != 0 || (top+int(g))%2 != 0 || left > x || left < x-1 || top > y || top < y-1 {
					t.Errorf("cell (%d,%d) of generation %d is corner %d", x, y, g, c)
				}
			}
		}
	}
}
