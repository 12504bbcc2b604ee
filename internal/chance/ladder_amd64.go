package chance

import (
	"math/bits"

	"github.com/gosper-life/gosper/internal/jit"
)

var vectors = jit.HasAVX512()

// ladders makes blocks of eight words of one row, or of two where second is not nil. keys are what the first eight words begin with, then the second
// key, 8·increment and the constant other. up has a word for each level of each probability: all ones where it has a one.
//
//go:noescape
func ladders(dst, second *uint64, blocks, levels int, keys *[12]uint64, up *[2][32]uint64)

// climb is the start of Row, several words at a time. It returns how many it has made.
func (s Stream) climb(dst [][]uint64, thresholds []uint64, n int) (words int) {
	blocks := (n + 63) >> 9
	if !vectors || blocks == 0 || thresholds[0] == 0 || thresholds[len(thresholds)-1] >= One {
		return 0
	}
	var keys [12]uint64
	for i := range uint64(8) {
		keys[i] = s.a + i*increment
	}
	step, more := uint64(increment), uint64(other)
	keys[8], keys[9], keys[10] = s.b, 8*step, more
	for first := 0; first < len(thresholds); first += 2 {
		var up [2][32]uint64
		var second *uint64
		levels := 0
		for k, t := range thresholds[first:min(first+2, len(thresholds))] {
			levels = max(levels, 32-bits.TrailingZeros64(t))
			for level := range up[k] {
				up[k][level] = -(t >> (31 - level) & 1)
			}
			if k == 1 {
				second = &dst[first+1][0]
			}
		}
		ladders(&dst[first][0], second, blocks, levels, &keys, &up)
	}
	return 8 * blocks
}
