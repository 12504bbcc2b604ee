package blockcount

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestAdd counts bit by bit.
func TestAdd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := rapid.IntRange(0, 9).Draw(t, "scale")
		first := rapid.IntRange(0, 5).Draw(t, "first") << min(scale, 6)
		row := rapid.SliceOfN(rapid.Uint64(), 0, 5).Draw(t, "row")
		got, want := make([]uint32, (first+64*len(row))>>scale+1), make([]uint32, (first+64*len(row))>>scale+1)
		weight := rapid.Uint32Range(1, 8).Draw(t, "weight")
		some := false
		for i := range 64 * len(row) {
			if row[i/64]>>(i%64)&1 != 0 {
				want[(first+i)>>scale] += weight
				some = true
			}
		}
		if found := Add(got, row, first, scale, weight); !slices.Equal(got, want) || found != some {
			t.Fatalf("%v, %v, want %v", got, found, want)
		}
	})
	full := []uint32{^uint32(0) - 3}
	if Add(full, []uint64{^uint64(0)}, 0, 6, 1); full[0] != ^uint32(0) {
		t.Errorf("a full count becomes %d", full[0])
	}
}
