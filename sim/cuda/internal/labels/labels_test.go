//go:build linux

package labels

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/cudagen/cudatest"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/gpu/gputest"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// newHost is a machine that runs the kernels on the host, and a device of it.
func newHost(t testing.TB) (*cudatest.Host, *gpu.Device) {
	h := cudatest.Open(t, "testdata/host.cpp")
	return h, (&gputest.Driver{Machine: h}).Device(t)
}

type fataler interface{ Fatal(...any) }

// patterns fill a plane of a grid.
var patterns = map[string]func(t fataler, g *grid.Grid, plane int){
	"dead": func(fataler, *grid.Grid, int) {},
	"3 %":  soupOf(0.03), "20 %": soupOf(0.2), "40.7 %": soupOf(0.407), "59.3 %": soupOf(0.593), "90 %": soupOf(0.9),
	"alive": soupOf(1),
	// Four cells around the corners of tiles.
	"corners": where(func(x, y, _, _ int) bool { return (x+1)%256 < 2 && (y+1)%128 < 2 }),
	"board":   where(func(x, y, _, _ int) bool { return (x+y)%2 == 0 }),
	"dots":    where(func(x, y, _, _ int) bool { return x%2 == 0 && y%2 == 0 }),
	"comb":    where(func(x, y, _, h int) bool { return x%2 == 0 || y == h-1 }),
	"rows": where(func(x, y, w, _ int) bool {
		return y%2 == 0 || y%4 == 1 && x == w-1 || y%4 == 3 && x == 0
	}), // a snake
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

// parts labels a universe, the given number of rows at a time, with columns interleaved by 1, 2 or 4 words.
func parts(t fataler, dev *gpu.Device, g *grid.Grid, rows, words int,
	c component.Connectivity,
) (all []*component.Part) {
	err := dev.Do(func() (err error) {
		all, err = partsOf(dev, g, rows, words, c)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func partsOf(dev *gpu.Device, g *grid.Grid, rows, words int, c component.Connectivity) (all []*component.Part,
	err error,
) {
	group := 32 * words
	stride := (g.W() + group - 1) / group * 4 * words
	plane := uint64(stride * rows)
	at, err := dev.Alloc(plane * uint64(g.Planes()))
	if err != nil {
		return nil, err
	}
	defer dev.Free(at)
	l, err := New(dev, g.W(), rows, c)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	for top := 0; top < g.H(); top += rows {
		n := min(rows, g.H()-top)
		for k := range g.Planes() {
			cells := bytes.Repeat([]byte{0xFF}, n*stride) // what lies beyond the last column must not be looked at
			for y := range n {
				row := g.Row(k, top+y)
				for x := range g.W() {
					if row[x/64]>>(x%64)&1 == 0 {
						at := 32*words*(x/group) + x%words*32 + x%group/words // the bit
						cells[y*stride+at/8] &^= 1 << (at % 8)
					}
				}
			}
			if err := dev.Write(at+uint64(k)*plane, cells); err != nil {
				return nil, err
			}
		}
		p, err := l.Label(Rows{
			Address: at, Stride: stride, Planes: g.Planes(), Plane: plane, Interleaved: words, W: g.W(),
			H: n,
		})
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// check compares with package component for every topology.
func check(t fataler, dev *gpu.Device, g *grid.Grid, rows, words int, c component.Connectivity, what string) {
	labelled := parts(t, dev, g, rows, words, c)
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

// checkPatterns labels patterns that are hard in one way or another, in one area and in several.
func checkPatterns(t testing.TB, dev *gpu.Device, sizes [][2]int) {
	for name, fill := range patterns {
		for _, size := range sizes {
			g, err := grid.New(size[0], size[1], 1)
			if err != nil {
				t.Fatal(err)
			}
			fill(t, g, 0)
			for _, c := range []component.Connectivity{component.Eight, component.Four} {
				check(t, dev, g, size[1], 4, c, name)
				if size[1] > 256 {
					check(t, dev, g, size[1]/2-1, 1, c, name)
				}
			}
		}
	}
}

func TestPatterns(t *testing.T) {
	_, dev := newHost(t)
	checkPatterns(t, dev, [][2]int{{1, 1}, {300, 200}, {257, 521}})
}

// checkAnySize labels soups of any size in areas of any height.
func checkAnySize(t testing.TB, dev *gpu.Device, most int, before func(t *rapid.T)) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, most).Draw(t, "w"), rapid.IntRange(1, most).Draw(t, "h")
		g, err := grid.New(w, h, rapid.IntRange(1, 2).Draw(t, "planes"))
		if err != nil {
			t.Fatal(err)
		}
		name := rapid.SampledFrom([]string{"3 %", "20 %", "40.7 %", "59.3 %", "90 %", "comb", "rows"}).Draw(t, "cells")
		for k := range g.Planes() {
			patterns[name](t, g, k)
		}
		before(t)
		c := component.Connectivity(rapid.IntRange(0, 1).Draw(t, "four"))
		check(t, dev, g, rapid.IntRange(max(1, h/3), h).Draw(t, "rows"), rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "words"),
			c, name)
	})
}

// TestAnySize lets threads go in any order.
func TestAnySize(t *testing.T) {
	h, dev := newHost(t)
	checkAnySize(t, dev, 300, func(t *rapid.T) {
		h.GiveWay, h.Seed = rapid.SampledFrom([]uint64{0, 3, 50}).Draw(t, "give way"), rapid.Uint64().Draw(t, "seed")
	})
}

// The rows that fit some memory take no more of it, and one row of tiles more would.
func TestFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 1<<20).Draw(t, "w"), rapid.IntRange(1, 1<<20).Draw(t, "h")
		c := component.Connectivity(rapid.IntRange(0, 1).Draw(t, "four"))
		memory := rapid.Uint64Range(1<<27, 1<<33).Draw(t, "memory")
		rows := Fit(w, h, c, memory)
		if rows < 1 || rows > h {
			t.Fatalf("%d of %d rows", rows, h)
		}
		need := func(rows int) uint64 { return Bytes(w, rows, c) }
		tall := newShape(w, h, c).tall
		if need(rows) > memory && rows > tall {
			t.Errorf("%d rows take %d of %d bytes", rows, need(rows), memory)
		}
		if s := newShape(w, rows+tall, c); rows < h && s.tiles() <= mostTiles && need(rows+tall) < memory-memory/64 {
			t.Errorf("%d rows more than %d would take %d of %d bytes", tall, rows, need(rows+tall), memory)
		}
	})
}

func TestRefusals(t *testing.T) {
	_, dev := newHost(t)
	err := dev.Do(func() error { return refusals(t, dev) })
	if err != nil {
		t.Fatal(err)
	}
}

func refusals(t *testing.T, dev *gpu.Device) error {
	if _, err := New(dev, 1, 1<<40, component.Eight); err == nil {
		t.Error("a labeller of 2^40 rows is made")
	}
	l, err := New(dev, 100, 10, component.Eight)
	if err != nil {
		return err
	}
	defer l.Close()
	for _, r := range []Rows{
		{Stride: 16, W: 99, H: 10, Planes: 1, Interleaved: 1},
		{Stride: 16, W: 100, H: 11, Planes: 1, Interleaved: 1},
		{Stride: 16, W: 100, Planes: 1, Interleaved: 1},
		{Stride: 12, W: 100, H: 10, Planes: 1, Interleaved: 1},
		{Stride: 18, W: 100, H: 10, Planes: 1, Interleaved: 1},
		{Stride: 16, W: 100, H: 10, Planes: 1, Interleaved: 3},
		{Stride: 24, W: 100, H: 10, Planes: 1, Interleaved: 4},
		{Address: 8, Stride: 16, W: 100, H: 10, Planes: 1, Interleaved: 4},
		{Stride: 16, W: 100, H: 10, Interleaved: 1},
	} {
		if _, err := l.Label(r); err == nil {
			t.Errorf("%+v is labelled", r)
		}
	}
	return nil
}
