package component_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
)

// flood finds the clusters of a volume cell by cell. It walks from each cell over copies of the universe side
// by side: a cell that it reaches in two copies closes a path around the universe.
func flood(g *grid.Grid, t topology.Topology, neighbours int) (sizes map[uint64]uint64, span component.Span) {
	type place struct{ x, y, z int } // of a cell, or of a copy of the universe
	w, h, d := t.W, t.LayerRows(), t.D
	live := func(c place) bool { return g.Get(c.x, c.y+c.z*h) == 1 }
	over := func(v, n int) int { return (v+n)/n - 1 } // -1, 0 or 1
	copies := map[place]place{}
	sizes = map[uint64]uint64{}
	for i := range w * h * d {
		start := place{i % w, i / w % h, i / w / h}
		if _, seen := copies[start]; seen || !live(start) {
			continue
		}
		copies[start] = place{}
		queue, faces := []place{start}, [6]bool{}
		for n := 0; n < len(queue); n++ {
			c := queue[n]
			for k, at := range []bool{c.x == 0, c.x == w-1, c.y == 0, c.y == h-1, c.z == 0, c.z == d-1} {
				faces[k] = faces[k] || at
			}
			for o := range 27 {
				dx, dy, dz := o%3-1, o/3%3-1, o/9-1
				if far := dx*dx + dy*dy + dz*dz; far == 0 || far > map[int]int{6: 1, 18: 2, 26: 3}[neighbours] {
					continue
				}
				to := place{c.x + dx, c.y + dy, c.z + dz}
				crossed := place{over(to.x, w), over(to.y, h), over(to.z, d)}
				if t.Kind == topology.Plane && crossed != (place{}) {
					continue
				}
				to = place{to.x - crossed.x*w, to.y - crossed.y*h, to.z - crossed.z*d}
				if !live(to) {
					continue
				}
				in := place{copies[c].x + crossed.x, copies[c].y + crossed.y, copies[c].z + crossed.z}
				was, seen := copies[to]
				if !seen {
					copies[to] = in
					queue = append(queue, to)
					continue
				}
				for k, differs := range []bool{was.x != in.x, was.y != in.y, was.z != in.z} {
					if differs {
						span |= component.SpanX << k
					}
				}
			}
		}
		for k := range 3 {
			if t.Kind == topology.Plane && faces[2*k] && faces[2*k+1] {
				span |= component.SpanX << k
			}
		}
		sizes[uint64(len(queue))]++
	}
	return sizes, span
}

func TestVolumes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]topology.Kind{topology.Torus, topology.Plane}).Draw(t, "kind")
		w := rapid.SampledFrom([]int{1, 2, 3, 5, 8, 64, 65, 70}).Draw(t, "w")
		top, err := topology.NewVolume(kind, w, rapid.IntRange(1, 6).Draw(t, "h"), rapid.IntRange(1, 6).Draw(t, "d"))
		if err != nil {
			t.Fatal(err)
		}
		g, err := grid.New(top.W, top.H, 1)
		if err != nil {
			t.Fatal(err)
		}
		percent := rapid.SampledFrom([]int{5, 12, 20, 31, 50, 90, 100}).Draw(t, "percent")
		seed := rapid.Uint64().Draw(t, "seed")
		for i := range top.W * top.H {
			seed = seed*6364136223846793005 + 1442695040888963407
			if seed>>33%100 < uint64(percent) {
				g.Set(i%top.W, i/top.W, 1)
			}
		}
		for _, c := range []component.Connectivity{component.Six, component.Eighteen, component.TwentySix} {
			sizes, span := flood(g, top, c.Neighbours())
			found, err := component.Label(g, top, c)
			if err != nil {
				t.Fatal(err)
			}
			got := map[uint64]uint64{}
			for size, n := range found.Sizes.All() {
				got[size] = n
			}
			if fmt.Sprint(got) != fmt.Sprint(sizes) || found.Span != span {
				t.Fatalf("%v with %v neighbours: sizes %v spanning %v, want %v spanning %v", top, c, got, found.Span, sizes, span)
			}
		}
	})
}

func TestVolumesRefused(t *testing.T) {
	volume, err := topology.NewVolume(topology.Torus, 4, 4, 4)
	if err != nil {
		t.Fatal(err)
	}
	flat, err := topology.New(topology.Torus, 4, 4)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		c    component.Connectivity
		t    topology.Topology
		fits bool
	}{
		{component.Eight, volume, false},
		{component.Four, volume, false},
		{component.Six, volume, true},
		{component.Eighteen, volume, true},
		{component.TwentySix, volume, true},
		{component.Eighteen, flat, false},
		{component.TwentySix, flat, false},
		{component.Six, flat, true},
	} {
		if err := test.c.Fits(test.t); (err == nil) != test.fits {
			t.Errorf("%v neighbours on %v: %v", test.c, test.t, err)
		}
	}
	if _, err := component.NewJoiner(volume, component.Six); err == nil {
		t.Error("parts of a volume are joined")
	}
	if got := fmt.Sprint(component.SpanZ, component.SpanX|component.SpanZ, component.SpanAll, component.SpanBoth); got !=
		"z xz all both" {
		t.Errorf("spans are printed as %s", got)
	}
}
