package patches_test

import (
	"testing"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cuda/internal/patches"
	"pgregory.net/rapid"
)

func program(t rapid.TB, notation string) *warpprog.Program {
	t.Helper()
	r, err := rule.Parse(notation)
	if err != nil {
		t.Fatal(err)
	}
	return compile.Warp(r, 2, false)
}

// Patches cover the universe. Each one holds the cells around it, which its neighbours provide.
func TestDivide(t *testing.T) {
	life := program(t, "B3/S23")
	rapid.Check(t, func(t *rapid.T) {
		s := patches.Plan{
			Depth: rapid.IntRange(1, 20).Draw(t, "depth"), Words: rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "words"),
			Rows: rapid.IntRange(1, 12).Draw(t, "rows"),
		}
		w, h := rapid.IntRange(1, 5000).Draw(t, "width"), rapid.IntRange(1, 5000).Draw(t, "height")
		g, ok := s.Divide(life, w, h)
		if !ok {
			return
		}
		if g.Bits*s.Words != w || g.Height != h || g.Patches() != g.Across*g.Down {
			t.Fatalf("%+v", g)
		}
		reach := s.Reach(life)
		for i := range g.Across {
			if n := s.Words * ((i+1)*g.Bits/g.Across - i*g.Bits/g.Across); n < reach || n+2*reach > 32*s.Words {
				t.Fatalf("%d columns", n)
			}
		}
		for i := range g.Down {
			if n := (i+1)*h/g.Down - i*h/g.Down; n < reach || n+2*reach > 32*s.Rows {
				t.Fatalf("%d rows", n)
			}
		}
	})
}

func TestDivideOne(t *testing.T) {
	life := program(t, "B3/S23")
	for _, c := range []struct {
		s    patches.Plan
		w, h int
		want patches.Grid // zero if there is none
	}{
		{
			patches.Plan{Depth: 8, Words: 4, Rows: 10},
			4096, 4096,
			patches.Grid{Bits: 1024, Height: 4096, Across: 37, Down: 14},
		},
		{patches.Plan{Depth: 16, Words: 2, Rows: 2}, 512, 512, patches.Grid{Bits: 256, Height: 512, Across: 16, Down: 16}},
		{patches.Plan{Depth: 8, Words: 2, Rows: 2}, 64, 64, patches.Grid{Bits: 32, Height: 64, Across: 2, Down: 2}},
		{patches.Plan{Depth: 8, Words: 4, Rows: 2}, 64, 64, patches.Grid{}},  // narrower than a patch
		{patches.Plan{Depth: 8, Words: 2, Rows: 2}, 71, 64, patches.Grid{}},  // half a group
		{patches.Plan{Depth: 9, Words: 2, Rows: 2}, 64, 64, patches.Grid{}},  // half a bit
		{patches.Plan{Depth: 17, Words: 1, Rows: 2}, 64, 64, patches.Grid{}}, // too far
		{patches.Plan{Depth: 16, Words: 2, Rows: 1}, 64, 64, patches.Grid{}}, // nothing but what is around
		{patches.Plan{Depth: 8, Words: 2, Rows: 2}, 64, 7, patches.Grid{}},   // lower than what is around
	} {
		if got, ok := c.s.Divide(life, c.w, c.h); got != c.want && ok || ok != (c.want != patches.Grid{}) {
			t.Errorf("%+v of %d×%d: %+v, %v", c.s, c.w, c.h, got, ok)
		}
	}
}

func TestExchanges(t *testing.T) {
	s := patches.Plan{Depth: 8}
	for n, want := range map[uint32]uint32{1: 0, 8: 0, 9: 1, 16: 1, 17: 2} {
		if got := s.Exchanges(n); got != want {
			t.Errorf("%d generations: %d, want %d", n, got, want)
		}
	}
}

func TestSuits(t *testing.T) {
	for notation, want := range map[string]bool{
		"B3/S23": true, "345/2/7": true, "R5,C0,M1,S34..58,B34..45,NM": false, "B3/S23|B36/S23": false,
		"R9,C0,M1,S34..58,B34..45,NN": false,
	} {
		if got := patches.Suits(program(t, notation)); got != want {
			t.Errorf("%s: %v", notation, got)
		}
	}
}
