package component

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
)

// partOf labels rows of a universe by themselves.
func partOf(t interface{ Fatal(...any) }, g *grid.Grid, top, rows int, c Connectivity) *Part {
	some := newGrid(t, g.W(), rows, g.Planes())
	grid.InMemory(grid.Copy(some, g, grid.Rect{Y: top, W: g.W(), H: rows}, 0, 0))
	p, err := new(Labeller).Part(some, c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestJoiner cuts universes into parts of any heights.
func TestJoiner(t *testing.T) {
	spans := map[Span]int{}
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.SampledFrom([]int{1, 2, 3, 5, 31, 64, 65}).Draw(t, "w")
		h := rapid.SampledFrom([]int{1, 2, 3, 5, 8, 31}).Draw(t, "h")
		if rapid.Bool().Draw(t, "square") {
			h = min(w, 31)
			w = h
		}
		g := newGrid(t, w, h, 1)
		fill(t, g, rapid.Uint64().Draw(t, "seed"), rapid.SampledFrom([]float64{0.03, 0.2, 0.41, 0.6, 1}).Draw(t, "density"))
		for _, topo := range topologies(w, h)[1:] {
			for _, c := range []Connectivity{Eight, Four, Six} {
				if c.Fits(topo) != nil {
					continue
				}
				want, err := Label(g, topo, c)
				if err != nil {
					t.Fatal(err)
				}
				j, err := NewJoiner(topo, c)
				if err != nil {
					t.Fatal(err)
				}
				for y := 0; y < h; {
					rows := rapid.IntRange(1, h-y).Draw(t, "rows")
					if err := j.Add(partOf(t, g, y, rows, c)); err != nil {
						t.Fatal(err)
					}
					y += rows
				}
				got, err := j.Clusters()
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want.sizes(), got.sizes()); diff != "" || want.Span != got.Span {
					t.Fatalf("%v %s-connected: span %v, want %v; sizes (-want +got): %s", topo, c, got.Span, want.Span, diff)
				}
				spans[got.Span]++
			}
		}
	})
	if len(spans) != 4 && !testing.Short() { // a fifth of the universes, which -short draws, may lack one
		t.Errorf("of the spans only %v were seen", spans)
	}
}

func TestJoinerRefuses(t *testing.T) {
	for _, topo := range []topology.Topology{{}, {Kind: topology.Torus, W: 4}, {Kind: topology.Sphere, W: 4, H: 3}} {
		if _, err := NewJoiner(topo, Eight); err == nil {
			t.Errorf("%v is put together of parts", topo)
		}
	}
	j, err := NewJoiner(topology.Topology{Kind: topology.Torus, W: 4, H: 3}, Eight)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.Clusters(); err == nil {
		t.Error("a universe without rows is closed")
	}
	for _, size := range [][2]int{{5, 3}, {4, 4}} {
		if j.Add(partOf(t, newGrid(t, size[0], size[1], 1), 0, size[1], Eight)) == nil {
			t.Errorf("a part of %v is added to 4×3", size)
		}
	}
}
