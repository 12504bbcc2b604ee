package grid

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestCopyBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.SliceOfN(rapid.Uint64(), 4, 4).Draw(t, "src")
		dst := rapid.SliceOfN(rapid.Uint64(), 4, 4).Draw(t, "dst")
		place := rapid.OneOf(rapid.IntRange(0, 255), rapid.SampledFrom([]int{0, 64, 128}))
		d, s := place.Draw(t, "d"), place.Draw(t, "s")
		n := rapid.IntRange(0, 256-max(d, s)).Draw(t, "n")
		want := slices.Clone(dst)
		for i := range n {
			bit := src[(s+i)/64] >> ((s + i) % 64) & 1
			word := &want[(d+i)/64]
			*word = *word&^(1<<((d+i)%64)) | bit<<((d+i)%64)
		}
		CopyBits(dst, d, src, s, n)
		if !slices.Equal(dst, want) {
			t.Fatalf("%x, want %x", dst, want)
		}
	})
}
