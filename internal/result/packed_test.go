package result

import (
	"bytes"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestPack packs columns of any length and values, and reads them back.
func TestPack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 300).Draw(t, "rows")
		most := rapid.SampledFrom([]uint64{0, 1, 100, math.MaxUint64}).Draw(t, "most")
		c := Packed{
			Whole: map[string][]uint64{
				"a": rapid.SliceOfN(rapid.Uint64Range(0, most), n, n).Draw(t, "a"),
				"b": rapid.SliceOfN(rapid.Uint64Range(most/2, most), n, n).Draw(t, "b"),
			},
			Real:  map[string][]float64{"c": rapid.SliceOfN(rapid.Float64(), n, n).Draw(t, "c")},
			Bytes: map[string][][]byte{"d": rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 1, 20), n, n).Draw(t, "d")},
		}
		packed, err := c.Pack()
		if err != nil {
			t.Fatal(err)
		}
		again, err := c.Pack()
		if err != nil || !bytes.Equal(packed, again) {
			t.Errorf("the same columns give other files: %v", err)
		}
		got, err := Unpack(packed)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return
		}
		if diff := cmp.Diff(&c, got); diff != "" {
			t.Error(diff)
		}
	})
}

// TestPackRefuses checks that columns of different lengths are refused.
func TestPackRefuses(t *testing.T) {
	c := Packed{Whole: map[string][]uint64{"a": {1}, "b": {1, 2}}}
	if _, err := c.Pack(); err == nil || err.Error() != "column b has 2 rows, another one 1" {
		t.Errorf("got %v", err)
	}
}

// BenchmarkPack packs and reads the samples of a job: 1,000 universes at 101 times, with five quantities.
func BenchmarkPack(b *testing.B) {
	c := Packed{Whole: map[string][]uint64{}}
	state := uint64(1)
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		column := make([]uint64, 101_000)
		for i := range column {
			state = state*6364136223846793005 + 1442695040888963407
			column[i] = 1000 + state>>54
		}
		c.Whole[name] = column
	}
	packed, err := c.Pack()
	if err != nil {
		b.Fatal(err)
	}
	b.Run("pack", func(b *testing.B) {
		b.SetBytes(5 * 8 * 101_000)
		for b.Loop() {
			if _, err := c.Pack(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("unpack", func(b *testing.B) {
		b.SetBytes(5 * 8 * 101_000)
		for b.Loop() {
			if _, err := Unpack(packed); err != nil {
				b.Fatal(err)
			}
		}
	})
}
