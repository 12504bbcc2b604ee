package random

import (
	"math/bits"

	"github.com/gosper-life/gosper/internal/jit"
)

var vectors = jit.HasAVX512()

// beginning is what blocks begin with.
type beginning struct {
	n       [8]uint64 // numbers of the first eight blocks
	counter [3]uint64
	keys    [Rounds][2]uint64
}

// ladders makes the words of eight blocks at a time, for one probability, or for two where second is not nil. ones and ones2 have the bits of the
// probabilities, from the highest in bit 0 on.
//
//go:noescape
func ladders(dst, second *uint64, eights, levels int, from *beginning, ones, ones2 uint64)

// climb is the start of Row, eight words at a time. It returns how many it has made.
func (s *Stream) climb(dst [][]uint64, thresholds []uint64, n int) (words int) {
	eights := (n + 63) >> 9
	if !vectors || eights == 0 || thresholds[0] == 0 || thresholds[len(thresholds)-1] >= One {
		return 0
	}
	var from beginning
	for i := range from.n {
		from.n[i] = uint64(i)
	}
	for i, c := range s.counter {
		from.counter[i] = uint64(c)
	}
	k0, k1 := uint32(s.seed), uint32(s.seed>>32)
	for i := range from.keys {
		from.keys[i] = [2]uint64{uint64(k0), uint64(k1)}
		k0 += Increase0
		k1 += Increase1
	}
	for first := 0; first < len(thresholds); first += 2 {
		t := thresholds[first]
		levels, ones, ones2 := 32-bits.TrailingZeros64(t), bits.Reverse64(t)>>32, uint64(0)
		var second *uint64
		if first+1 < len(thresholds) {
			t = thresholds[first+1]
			levels, ones2, second = max(levels, 32-bits.TrailingZeros64(t)), bits.Reverse64(t)>>32, &dst[first+1][0]
		}
		ladders(&dst[first][0], second, eights, levels, &from, ones, ones2)
	}
	return 8 * eights
}
