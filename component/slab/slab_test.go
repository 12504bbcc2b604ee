//go:build linux

package slab

import (
	"encoding/binary"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// libraries is a folder for what tests compile.
var libraries string

func TestMain(m *testing.M) {
	var err error
	if libraries, err = os.MkdirTemp("", "slab"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	os.RemoveAll(libraries)
	os.Exit(status)
}

type fataler interface{ Fatal(...any) }

// patterns fill a plane of a grid.
var patterns = map[string]func(t fataler, g *grid.Grid, plane int){
	"dead": func(fataler, *grid.Grid, int) {},
	"3 %":  soupOf(0.03), "20 %": soupOf(0.2), "40.7 %": soupOf(0.407), "59.3 %": soupOf(0.593), "90 %": soupOf(0.9), "alive": soupOf(1),
	// Four cells around the corners of tiles.
	"corners": where(func(x, y, _, _ int) bool { return (x+1)%256 < 2 && (y+1)%128 < 2 }),
	"board":   where(func(x, y, _, _ int) bool { return (x+y)%2 == 0 }),
	"dots":    where(func(x, y, _, _ int) bool { return x%2 == 0 && y%2 == 0 }),
	"comb":    where(func(x, y, _, h int) bool { return x%2 == 0 || y == h-1 }),
	"rows":    where(func(x, y, w, _ int) bool { return y%2 == 0 || y%4 == 1 && x == w-1 || y%4 == 3 && x == 0 }), // a snake
	"spiral": where(func(x, y, w, h int) bool {
		d := min(x, y, w-1-x, h-1-y) // the ring that the cell is in
		gate := x == d && y == d+1   // where a ring leads into the next
		return d%2 == 0 && !gate || d%2 == 1 && x == d && y == d
	}),
}

func soupOf(density float64) func(t fataler, g *grid.Grid, plane int) {
	return func(t fataler, g *grid.Grid, plane int) {
		s, err := soup.New(uint64(g.W()*1000+g.H()+plane), density)
		if err != nil {
			t.Fatal(err)
		}
		for y := range g.H() {
			s.Row(g.Row(plane, y), uint64(y*g.W()), g.W())
		}
	}
}

func where(live func(x, y, w, h int) bool) func(t fataler, g *grid.Grid, plane int) {
	return func(_ fataler, g *grid.Grid, plane int) {
		for y := range g.H() {
			row := g.Row(plane, y)
			for x := range g.W() {
				if live(x, y, g.W(), g.H()) {
					row[x/64] |= 1 << (x % 64)
				}
			}
		}
	}
}

// topologies are ways to close w×h cells.
func topologies(t fataler, w, h int) []topology.Topology {
	var all []topology.Topology
	for _, text := range []string{"T%d,%d", "P%d,%d", "T%d+7,%d", "T%d,%d-3", "K%d*,%d", "K%d,%d*+1", "C%d,%d"} {
		if topo, err := topology.Parse(fmt.Sprintf(text, w, h)); err == nil {
			all = append(all, topo)
		}
	}
	if w == h {
		all = append(all, topology.Topology{Kind: topology.Sphere, W: w, H: h})
	}
	return all
}

// parts labels a universe on the host, so many rows at a time.
func parts(t fataler, h *host, g *grid.Grid, rows int, c component.Connectivity) []*component.Part {
	stride := (g.W() + 63) / 64 * 8
	plane := uint64(stride * rows)
	at, err := h.Alloc(plane * uint64(g.Planes()))
	if err != nil {
		t.Fatal(err)
	}
	defer h.Free(at)
	l, err := New(h, g.W(), rows, c)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var all []*component.Part
	for top := 0; top < g.H(); top += rows {
		n := min(rows, g.H()-top)
		for k := range g.Planes() {
			to := h.bytes(at+uint64(k)*plane, plane)
			for y := range n {
				for i, w := range g.Row(k, top+y) {
					binary.LittleEndian.PutUint64(to[y*stride+8*i:], w)
				}
			}
		}
		p, err := l.Label(Rows{Address: at, Stride: stride, Planes: g.Planes(), Plane: plane, W: g.W(), H: n})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// check compares with package component for every topology.
func check(t fataler, h *host, g *grid.Grid, rows int, c component.Connectivity, what string) {
	labelled := parts(t, h, g, rows, c)
	for _, topo := range topologies(t, g.W(), g.H()) {
		want, err := component.Label(g, topo, c)
		if err != nil {
			t.Fatal(err)
		}
		j, err := component.NewJoiner(topo, c)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range labelled {
			if err := j.Add(p); err != nil {
				t.Fatal(err)
			}
		}
		got, err := j.Clusters()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(sizes(&want), sizes(&got)); diff != "" || want.Span != got.Span {
			t.Fatal(fmt.Sprintf("%s on %v, %d rows at a time, %s-connected: span %v, want %v; sizes (-want +got): %s",
				what, topo, rows, c, got.Span, want.Span, diff))
		}
	}
}

func sizes(c *component.Clusters) map[uint64]uint64 {
	m := map[uint64]uint64{}
	for size, n := range c.Sizes.All() {
		m[size] = n
	}
	return m
}

// TestPatterns labels patterns that are hard in one way or another, in one slab and in several.
func TestPatterns(t *testing.T) {
	h := newHost(t)
	for name, fill := range patterns {
		for _, size := range [][2]int{{1, 1}, {300, 300}, {257, 521}, {600, 130}} {
			g, err := grid.New(size[0], size[1], 1)
			if err != nil {
				t.Fatal(err)
			}
			fill(t, g, 0)
			for _, c := range []component.Connectivity{component.Eight, component.Four} {
				check(t, h, g, size[1], c, name)
				if size[1] > 256 {
					check(t, h, g, 200, c, name)
				}
			}
		}
	}
}

// TestAnySize labels soups of any size in slabs of any height, while threads go in any order.
func TestAnySize(t *testing.T) {
	h := newHost(t)
	rapid.Check(t, func(t *rapid.T) {
		w, rows := rapid.IntRange(1, 520).Draw(t, "w"), rapid.IntRange(1, 300).Draw(t, "h")
		g, err := grid.New(w, rows, rapid.IntRange(1, 2).Draw(t, "planes"))
		if err != nil {
			t.Fatal(err)
		}
		name := rapid.SampledFrom([]string{"3 %", "20 %", "40.7 %", "59.3 %", "90 %", "comb", "rows"}).Draw(t, "cells")
		for k := range g.Planes() {
			patterns[name](t, g, k)
		}
		h.giveWay, h.seed = rapid.SampledFrom([]uint64{0, 3, 50}).Draw(t, "give way"), rapid.Uint64().Draw(t, "seed")
		c := component.Connectivity(rapid.IntRange(0, 1).Draw(t, "four"))
		check(t, h, g, rapid.IntRange(max(1, rows/3), rows).Draw(t, "rows"), c, name)
	})
}
