package chance

import "math/bits"

const (
	increment = 0x9E3779B97F4A7C15 // 2^64 divided by the golden ratio, odd
	other     = 0xD1342543DE82EF95
	multiply1 = 0xBF58476D1CE4E5B9
	multiply2 = 0x94D049BB133111EB
)

// One is the probability 1 in units of 2^-32.
const One = 1 << 32

// Rare is the greatest probability, in units of 2^-32, whose cells are found by the gaps between them.
const Rare = One / 32

// Uses is how many uses of chance a rule can have.
const Uses = 16

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * multiply1
	z = (z ^ z>>27) * multiply2
	return z ^ z>>31
}

// Generation has the random bits of one generation.
type Generation struct{ a, b uint64 }

// At returns the random bits that lead from a generation to the next.
func At(seed, generation uint64) Generation {
	return Generation{
		mix((mix(seed+increment) ^ generation) + increment),
		mix((mix(seed+other) ^ generation) + other),
	}
}

// Stream has the random bits of a row for a use.
type Stream struct{ a, b uint64 }

// Row returns the stream of a row, which may be negative, for a use from 0 to Uses-1.
func (g Generation) Row(row int, use uint8) Stream {
	place := uint64(row)*Uses + uint64(use)
	return Stream{mix((g.a ^ place) + increment), mix((g.b ^ place) + other)}
}

// word is the random word of n and m.
func (s Stream) word(n, m uint64) uint64 {
	z := s.a + n*increment + m*other
	z = (z^z>>30)*multiply1 ^ s.b
	z = (z ^ z>>27) * multiply2
	return z ^ z>>31
}

// Below is whether cell x has U < t, where the greatest probability of the use is most; both in units of 2^-32. It follows the definition, bit by
// bit: Row and Gaps are fast.
func (s Stream) Below(x int, t, most uint64) bool {
	if t > most {
		panic("chance: a probability greater than the greatest of its use")
	}
	if t == 0 || t == One {
		return t == One
	}
	if most > Rare {
		var u uint64
		for level := range uint64(32) {
			u = u<<1 | s.word(uint64(x>>6), level)>>(x&63)&1
		}
		return u < t
	}
	segment := uint64(x >> segmentBits)
	for at, j := 0, uint64(0); ; at, j = at+1, j+1 {
		v := s.word(segment, 64+2*j)
		for left := keep(^uint64(0), most); v < left; at++ {
			if at > x&(segmentSize-1) {
				return false
			}
			left = keep(left, most)
		}
		if at >= x&(segmentSize-1) {
			u, _ := bits.Mul64(s.word(segment, 65+2*j), most)
			return at == x&(segmentSize-1) && u < t
		}
	}
}

// Row stores, for columns 0 ≤ x < n, whether U < t in bit x of dst[i] for each probability t = thresholds[i]. They are in units of 2^-32, and rise
// to the greatest one of the use, which must be more than Rare. Bits beyond column n-1 are zeros.
func (s Stream) Row(dst [][]uint64, thresholds []uint64, n int) {
	from := s.climb(dst, thresholds, n)
	if len(thresholds) == 1 {
		s.one(dst[0], thresholds[0], from, n)
	} else {
		s.several(dst, thresholds, from, n)
	}
	for _, row := range dst {
		if n&63 != 0 {
			row[n>>6] &= 1<<(n&63) - 1
		}
		clear(row[(n+63)>>6:])
	}
}

// one is Row for one probability, from a word on.
func (s Stream) one(dst []uint64, t uint64, from, n int) {
	dst = dst[from : (n+63)>>6]
	if t == 0 || t >= One {
		for i := range dst {
			dst[i] = -(t >> 32)
		}
		return
	}
	zeros := bits.TrailingZeros64(t) // below the last one, U = t so far means U ≥ t
	start := s.a + uint64(from)*increment
	for i := range dst {
		var less uint64
		undecided, z := ^uint64(0), start
		for bit := 31; bit >= zeros && undecided != 0; bit-- {
			w := (z^z>>30)*multiply1 ^ s.b
			w = (w ^ w>>27) * multiply2
			w ^= w >> 31
			z += other
			up := -(t >> bit & 1) // all ones where t has a one: cells with a zero are below t
			less |= undecided &^ w & up
			undecided &= w ^ ^up
		}
		dst[i] = less
		start += increment
	}
}

// several is Row for several probabilities, from a word on.
func (s Stream) several(dst [][]uint64, thresholds []uint64, from, n int) {
	undecided := make([]uint64, len(thresholds))
	for i := from; i < (n+63)>>6; i++ {
		for k, t := range thresholds {
			dst[k][i], undecided[k] = -(t >> 32), ^uint64(0)
			if t >= One {
				undecided[k] = 0
			}
		}
		left := ^uint64(0)
		for bit := 31; bit >= 0 && left != 0; bit-- {
			w := s.word(uint64(i), uint64(31-bit))
			left = 0
			for k, t := range thresholds {
				up := -(t >> bit & 1)
				dst[k][i] |= undecided[k] &^ w & up
				undecided[k] &= w ^ ^up
				if t&(1<<bit-1) != 0 {
					left |= undecided[k]
				}
			}
		}
	}
}
