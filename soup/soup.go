package soup

import (
	"fmt"
	"math/bits"
)

const (
	increment = 0x9E3779B97F4A7C15 // 2^64 divided by the golden ratio, odd
	multiply1 = 0xBF58476D1CE4E5B9
	multiply2 = 0x94D049BB133111EB
)

// Soup is the endless sequence of cells for one seed and density.
type Soup struct {
	seed      uint64
	threshold uint64
}

// New returns the soup of a seed and a density, the expected share of live cells, from 0 to 1.
func New(seed uint64, density float64) (Soup, error) {
	if !(density >= 0 && density <= 1) { // written so that NaN fails
		return Soup{}, fmt.Errorf("soup density %v: must be from 0 to 1", density)
	}
	return Soup{seed, uint64(density * (1 << 53))}, nil
}

// Seed is the seed of the soup.
func (s Soup) Seed() uint64 { return s.seed }

// Threshold is ⌊density·2^53⌋, 0 to 2^53. With it and the seed an engine can make the same cells on its own device.
func (s Soup) Threshold() uint64 { return s.threshold }

// SeedFrom returns the seed of the soup whose cell 0 is the cell of the given index in the soup of seed. Parts of a
// universe can therefore be made apart from each other.
func SeedFrom(seed, index uint64) uint64 { return seed + index*increment }

// Alive reports whether the cell of the given index, y·W + x, is alive.
func (s Soup) Alive(index uint64) bool {
	return mix(s.seed+(index+1)*increment)>>11 < s.threshold
}

// Row stores n consecutive cells from the given index on in dst, packed as for grid.Sink: ⌈n/64⌉ words, bit i
// of word w is the cell index+64·w+i, and spare bits are zero. The part of row y from column x on starts at
// index y·W + x.
func (s Soup) Row(dst []uint64, index uint64, n int) {
	if n <= 0 {
		return
	}
	dst = dst[:(n+63)>>6]
	spare := uint(-n) & 63
	if s.threshold == 1<<53 { // its limit below would be 2^64
		for w := range dst {
			dst[w] = ^uint64(0)
		}
	} else {
		words(dst, s.seed+index*increment, s.threshold<<11)
	}
	dst[len(dst)-1] = dst[len(dst)-1] << spare >> spare
}

// portable makes words of 64 cells; the first cell follows state z.
func portable(dst []uint64, z, limit uint64) {
	for w := range dst {
		dst[w] = word(z, limit)
		z += increment << 6 & (1<<64 - 1)
	}
}

// word makes 64 cells; the first follows state z. z>>11 < threshold is equivalent to z < threshold<<11, which is the
// borrow of a subtraction, so there are no branches, and four cells are computed at the same time.
func word(z, limit uint64) uint64 {
	var cells uint64
	for i := 0; i < 64; i += 4 {
		_, a := bits.Sub64(mix(z+increment), limit, 0)
		_, b := bits.Sub64(mix(z+2*increment&(1<<64-1)), limit, 0)
		_, c := bits.Sub64(mix(z+3*increment&(1<<64-1)), limit, 0)
		z += 4 * increment & (1<<64 - 1)
		_, d := bits.Sub64(mix(z), limit, 0)
		cells = cells>>4 | (a|b<<1|c<<2|d<<3)<<60
	}
	return cells
}

// mix is SplitMix64's output function.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * multiply1
	z = (z ^ z>>27) * multiply2
	return z ^ z>>31
}
