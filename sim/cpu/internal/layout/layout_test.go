package layout

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestPack checks that Pack stores every cell at its Place, that Unpack reads it from there, and that neither touches
// the halo.
func TestPack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lanes := rapid.SampledFrom([]int{1, 2, 4, 8}).Draw(t, "lanes")
		slabs := 1 << rapid.IntRange(0, map[int]int{1: 0, 2: 1, 4: 2, 8: 3}[lanes]).Draw(t, "slabs")
		// some whose strips are a power of two
		w := rapid.OneOf(rapid.IntRange(1, 70), rapid.IntRange(1, 9000),
			rapid.SampledFrom([]int{128, 126, 256, 250, 384, 512, 1024, 1020, 2048, 4096, 4095, 8192, 8150})).Draw(t, "w")
		halo := rapid.IntRange(0, 3).Draw(t, "halo")
		l := New(w, 2*slabs, lanes, slabs, halo)
		row := AlignedWords(l.Stride)
		cells := make([][]uint64, slabs)
		for s := range cells {
			cells[s] = make([]uint64, (w+63)/64)
			for i := range cells[s] {
				cells[s][i] = rand.Uint64()
			}
			cells[s][len(cells[s])-1] &= ^uint64(0) >> (uint(-w) & 63)
			l.Pack(row, s, cells[s])
		}
		back := make([]uint64, (w+63)/64)
		for s := range cells {
			for x := range w {
				word, bit := l.Place(x, s)
				if row[word]>>bit&1 != cells[s][x/64]>>(x%64)&1 {
					t.Fatalf("%+v: column %d of slab %d is not where Place says", l, x, s)
				}
			}
			if l.Unpack(back, row, s); !slices.Equal(back, cells[s]) {
				t.Fatalf("%+v: slab %d comes back changed", l, s)
			}
		}
		for j := range halo {
			for _, v := range append(l.Vector(row, -1-j), l.Vector(row, l.Vectors+j)...) {
				if v != 0 {
					t.Fatalf("%+v: Pack has written into the halo", l)
				}
			}
		}
	})
}

// TestPackPart checks that parts of a row are packed and unpacked as in the whole of it.
func TestPackPart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.IntRange(1, 3000).Draw(t, "w")
		l := New(w, 2, rapid.SampledFrom([]int{1, 4, 8}).Draw(t, "lanes"), 1, 1)
		x := rapid.IntRange(0, w-1).Draw(t, "x")
		n := rapid.IntRange(1, w-x).Draw(t, "n")
		first := rapid.IntRange(0, 70).Draw(t, "first")
		random := func(n int) []uint64 {
			cells := make([]uint64, (n+63)/64)
			for i := range cells {
				cells[i] = rand.Uint64()
			}
			return cells
		}
		row, before, part := AlignedWords(l.Stride), random(w), random(first+n)
		l.Pack(row, 0, before)
		l.PackPart(row, 0, x, n, part, first)
		after, back := make([]uint64, len(before)), make([]uint64, len(part))
		l.Unpack(after, row, 0)
		l.UnpackPart(back, first, row, 0, x, n)
		for i := range w {
			want := Load(before, i, 1)
			if x <= i && i < x+n {
				want = Load(part, first+i-x, 1)
				if got := Load(back, first+i-x, 1); got != want {
					t.Fatalf("column %d comes back as %d, want %d", i, got, want)
				}
			}
			if got := Load(after, i, 1); got != want {
				t.Fatalf("column %d is %d, want %d", i, got, want)
			}
		}
	})
}

// TestPackedRows holds Load, Store and Replace against single bits.
func TestPackedRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.SliceOfN(rapid.Uint64(), 3, 3).Draw(t, "cells")
		n := rapid.IntRange(1, 64).Draw(t, "n")
		x := rapid.IntRange(0, 192-n).Draw(t, "x")
		v := rapid.Uint64().Draw(t, "v")
		stored, replaced := slices.Clone(cells), slices.Clone(cells)
		Store(stored, x, v, n)
		Replace(replaced, x, v, n)
		bit := func(words []uint64, i int) uint64 { return words[i/64] >> (i % 64) & 1 }
		for i := range 192 {
			inside := x <= i && i < x+n
			var fresh uint64
			if inside {
				fresh = v >> (i - x) & 1
				if got := Load(cells, x, n) >> (i - x) & 1; got != bit(cells, i) {
					t.Fatalf("Load gives %d for bit %d", got, i)
				}
			}
			if want := bit(cells, i) | fresh; bit(stored, i) != want {
				t.Fatalf("bit %d is %d after Store, want %d", i, bit(stored, i), want)
			}
			if !inside {
				fresh = bit(cells, i)
			}
			if bit(replaced, i) != fresh {
				t.Fatalf("bit %d is %d after Replace, want %d", i, bit(replaced, i), fresh)
			}
		}
		if n < 64 && Load(cells, x, n)>>n != 0 {
			t.Fatal("Load gives more bits than asked for")
		}
	})
}
