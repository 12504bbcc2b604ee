package cuda

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// A column is where the layout's drawing says, and rows come back as they were.
func TestPackUnpack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "words")
		w := rapid.IntRange(1, 700).Draw(t, "width")
		l := newLayout(w, 1, 1, words, 1, 0, 0)
		cells := make([]uint64, (w+63)/64)
		for i := range cells {
			cells[i] = rapid.Uint64().Draw(t, "cells")
		}
		if spare := uint(-w) & 63; spare > 0 {
			cells[len(cells)-1] = cells[len(cells)-1] << spare >> spare
		}
		row := make([]uint32, l.groups*words)
		l.pack(row, cells)
		for x := range w {
			group, in := x/(32*words), x%(32*words)
			if got, want := row[group*words+in%words]>>(in/words)&1, uint32(cells[x/64]>>(x%64)&1); got != want {
				t.Fatalf("column %d of %d is %d, want %d", x, w, got, want)
			}
		}
		for i := range row { // what lies beyond the width is no cell
			if g, j := i/words, i%words; g == l.groups-1 {
				for b := range 32 {
					if g*32*words+b*words+j >= w {
						row[i] |= 1 << b
					}
				}
			}
		}
		back := make([]uint64, len(cells))
		l.unpack(back, row)
		if !slices.Equal(back, cells) {
			t.Fatalf("%x came back as %x", cells, back)
		}
	})
}

func TestCopyBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.SliceOfN(rapid.Uint64(), 4, 4).Draw(t, "src")
		dst := rapid.SliceOfN(rapid.Uint64(), 4, 4).Draw(t, "dst")
		d, s := rapid.IntRange(0, 255).Draw(t, "d"), rapid.IntRange(0, 255).Draw(t, "s")
		n := rapid.IntRange(0, 256-max(d, s)).Draw(t, "n")
		want := slices.Clone(dst)
		for i := range n {
			bit := src[(s+i)/64] >> ((s + i) % 64) & 1
			word := &want[(d+i)/64]
			*word = *word&^(1<<((d+i)%64)) | bit<<((d+i)%64)
		}
		copyBits(dst, d, src, s, n)
		if !slices.Equal(dst, want) {
			t.Fatalf("%x, want %x", dst, want)
		}
	})
}
