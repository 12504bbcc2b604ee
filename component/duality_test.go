package component

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
)

// TestMertensZiff holds clusters and windings to an exact relation of every configuration on every torus of at
// least 3×3 cells (S. Mertens and R. Ziff, "Percolation in finite matching lattices", Phys. Rev. E 94 (2016),
// arXiv:1603.07289). Live cells, the edges where two of them touch, and the faces that those enclose have
// Euler's characteristic χ. The dead cells are joined as on the matching lattice: over corners where live cells
// are not. Then
//
//	clusters of live cells − clusters of dead cells = χ + w
//
// where w is 1 if no dead cluster winds around the torus, −1 if no live one does, and 0 if both do. The
// triangular lattice matches itself.
func TestMertensZiff(t *testing.T) {
	seen := map[int]int{}
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(3, 70).Draw(t, "w"), rapid.IntRange(3, 20).Draw(t, "h")
		live, dead := newGrid(t, w, h, 1), newGrid(t, w, h, 1)
		fill(t, live, rapid.Uint64().Draw(t, "seed"), rapid.SampledFrom([]float64{0, 0.3, 0.4, 0.5, 0.6, 1}).
			Draw(t, "density"))
		for y := range h {
			for x := range w {
				dead.Set(x, y, 1-live.Get(x, y))
			}
		}
		torus := topology.Topology{Kind: topology.Torus, W: w, H: h}
		for _, lattice := range []struct{ live, dead Connectivity }{{Four, Eight}, {Six, Six}, {Eight, Four}} {
			a, err := Label(live, torus, lattice.live)
			if err != nil {
				t.Fatal(err)
			}
			b, err := Label(dead, torus, lattice.dead)
			if err != nil {
				t.Fatal(err)
			}
			term := 0
			switch {
			case b.Span == SpanNone:
				term = 1
			case a.Span == SpanNone:
				term = -1
			}
			if a.Span == SpanNone && b.Span == SpanNone {
				t.Fatalf("%v: neither live nor dead cells wind around the torus", lattice.live)
			}
			seen[term]++
			var chi int
			switch lattice.live {
			case Eight: // the same relation the other way round
				chi = -characteristic(dead, Four)
			default:
				chi = characteristic(live, lattice.live)
			}
			if got := int(a.Sizes.Count()) - int(b.Sizes.Count()); got != chi+term {
				t.Fatalf("%s neighbours on %d×%d: live minus dead clusters are %d, want %d%+d", lattice.live, w, h, got, chi, term)
			}
		}
	})
	if len(seen) != 3 {
		t.Errorf("of the terms only %v were seen", seen)
	}
}

// characteristic is Euler's: cells in state 1, minus edges between them, plus squares (Four) or triangles (Six)
// of them.
func characteristic(g *grid.Grid, c Connectivity) int {
	chi := 0
	for y := range g.H() {
		for x := range g.W() {
			right, below := (x+1)%g.W(), (y+1)%g.H()
			here, e, s, se := int(g.Get(x, y)), int(g.Get(right, y)), int(g.Get(x, below)), int(g.Get(right, below))
			chi += here - here*e - here*s
			if c == Six {
				chi += -here*se + here*e*se + here*s*se
			} else {
				chi += here * e * s * se
			}
		}
	}
	return chi
}
