//go:build linux

package labels

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// checkMany compares what universes of any size span, one above the other in memory, with package component.
func checkMany(t testing.TB, dev *gpu.Device, widest, tallest int, before func(t *rapid.T)) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, widest).Draw(t, "w"), rapid.IntRange(1, tallest).Draw(t, "h")
		c := component.Connectivity(rapid.IntRange(0, 1).Draw(t, "four"))
		stride := (w + 31) / 32 * 4
		between := rapid.IntRange(0, 3).Draw(t, "rows between")
		apart := (h + between) * stride
		var universes []*grid.Grid
		var memory []byte
		for range rapid.IntRange(1, 3).Draw(t, "universes") {
			g, err := grid.New(w, h, 1)
			if err != nil {
				t.Fatal(err)
			}
			density := rapid.SampledFrom([]float64{0.03, 0.2, 0.407, 0.593, 0.9, 1}).Draw(t, "density")
			if err := soup.Fill(context.Background(), g, w, h, rapid.Uint64().Draw(t, "seed"), density, 1, nil); err != nil {
				t.Fatal(err)
			}
			universes = append(universes, g)
			rows := make([]byte, apart)
			for i := range rows {
				rows[i] = 0xFF // what lies beyond must not be looked at
			}
			for y := range h {
				for x := range w {
					if g.Row(0, y)[x/64]>>(x%64)&1 == 0 {
						rows[y*stride+x/8] &^= 1 << (x % 8)
					}
				}
			}
			memory = append(memory, rows...)
		}
		before(t)
		got, err := spans(t, dev, memory, universes, stride, apart, c)
		if err != nil {
			t.Fatal(err)
		}
		for i, g := range universes {
			for k, topo := range topologies(t, w, h) {
				want, err := component.Label(g, topo, c)
				if err != nil {
					t.Fatal(err)
				}
				if got[i][k] != want.Span {
					t.Fatalf("universe %d of %d, %v, %s-connected: %v, want %v", i, len(universes), topo, c, got[i][k], want.Span)
				}
			}
		}
	})
}

// spans labels universes, two at a time, and reports the spanning clusters of each one for each topology.
func spans(t fataler, dev *gpu.Device, memory []byte, universes []*grid.Grid, stride, apart int,
	c component.Connectivity,
) ([][]component.Span, error) {
	w, h := universes[0].W(), universes[0].H()
	var got [][]component.Span
	err := dev.Do(func() error {
		at, err := dev.Alloc(uint64(len(memory)))
		if err != nil {
			return err
		}
		defer dev.Free(at)
		if err := dev.Write(at, memory); err != nil {
			return err
		}
		m, err := NewMany(dev, 2, w, h, c)
		if err != nil {
			return err
		}
		defer m.Close()
		for first := 0; first < len(universes); first += m.Most() {
			n := min(m.Most(), len(universes)-first)
			r := Rows{Address: at + uint64(first*apart), Stride: stride, Planes: 1, Interleaved: 1, W: w, H: h}
			if err := m.Label(r, n, uint64(apart)); err != nil {
				return err
			}
			for i := range n {
				got = append(got, spansOf(t, m.Perimeter(i), topologies(t, w, h), c))
			}
		}
		return nil
	})
	return got, err
}

func spansOf(t fataler, p *component.Part, all []topology.Topology, c component.Connectivity) []component.Span {
	var got []component.Span
	for _, topo := range all {
		span, err := p.Span(topo, c)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, span)
	}
	return got
}

// TestMany lets threads go in any order.
func TestMany(t *testing.T) {
	h, dev := newHost(t)
	checkMany(t, dev, 280, 150, func(t *rapid.T) {
		h.GiveWay, h.Seed = rapid.SampledFrom([]uint64{0, 3, 50}).Draw(t, "give way"), rapid.Uint64().Draw(t, "seed")
	})
}

func TestGPUMany(t *testing.T) { checkMany(t, newGPU(t), 1100, 1100, func(*rapid.T) {}) }

func TestManyRefusals(t *testing.T) {
	_, dev := newHost(t)
	err := dev.Do(func() error {
		m, err := NewMany(dev, 3, 100, 10, component.Eight)
		if err != nil {
			return err
		}
		defer m.Close()
		fits := Rows{Stride: 16, W: 100, H: 10, Planes: 1, Interleaved: 1}
		narrow, split := fits, fits
		narrow.W, split.Stride = 99, 18
		for _, bad := range []struct {
			rows  Rows
			n     int
			apart uint64
		}{{fits, 4, 160}, {fits, 0, 160}, {fits, 2, 161}, {narrow, 2, 160}, {split, 2, 180}} {
			if err := m.Label(bad.rows, bad.n, bad.apart); err == nil {
				t.Errorf("%+v are labelled", bad)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
