package random

// One is the probability 1 in units of 2^-32.
const One = 1 << 32

// Rare is the greatest probability, in units of 2^-32, whose cells are those that points fall on.
const Rare = One / 32

// Uses is the number of uses of chance a rule can have.
const Uses = 16

// Constants of Philox, and the multiplier of the levels. Machine code and kernels need them as well.
const (
	Multiply0 = 0xD2511F53
	Multiply1 = 0xCD9E8D57
	Increase0 = 0x9E3779B9 // of the first key, from round to round
	Increase1 = 0xBB67AE85
	Rounds    = 7
	Step      = 4294883355
)

// Generation has the random bits of one generation.
type Generation struct{ seed, generation uint64 }

// At returns the random bits that lead from a generation to the next.
func At(seed, generation uint64) Generation { return Generation{seed, generation} }

// Stream has the random bits of a row for a use.
type Stream struct {
	counter [3]uint32 // all but the first word: the row, the generation's low half, its upper half with the use
	seed    uint64
}

// Row returns the stream of a row, which may be negative, for a use from 0 to Uses-1.
func (g Generation) Row(row int, use uint8) Stream {
	counter := Counter(g.generation, use)
	return Stream{[3]uint32{uint32(row), uint32(counter), uint32(counter >> 32)}, g.seed}
}

// Counter is the upper half of a stream's counter: the generation and the use.
func Counter(generation uint64, use uint8) uint64 { return generation&(1<<60-1) | uint64(use)<<60 }

// philox is Philox4x32-7 of a sequence (Salmon et al., SC 2011). It turns four words of counter into four
// random words. A round multiplies two of them. The halves of the products change places, and the
// upper ones are mixed with the other two words and with the keys:
//
//	a ──× Multiply0──┬ upper ── ^ d ^ k1 ──> c
//	                 └ lower ──────────────> d
//	c ──× Multiply1──┬ upper ── ^ b ^ k0 ──> a
//	                 └ lower ──────────────> b
//
// The keys grow from round to round.
func (s *Stream) philox(n uint32) (a, b, c, d uint32) {
	a, b, c, d = n, s.counter[0], s.counter[1], s.counter[2]
	k0, k1 := uint32(s.seed), uint32(s.seed>>32)
	for range Rounds {
		p, q := uint64(a)*Multiply0, uint64(c)*Multiply1
		a, b, c, d = uint32(q>>32)^b^k0, uint32(q), uint32(p>>32)^d^k1, uint32(p)
		k0 += Increase0
		k1 += Increase1
	}
	return a, b, c, d
}

// sequence makes the words of a sequence one after the other.
type sequence struct{ low, high uint64 }

// sequence returns the sequence of a number.
func (s *Stream) sequence(n uint32) sequence {
	a, b, c, d := s.philox(n)
	return sequence{uint64(b)<<32 | uint64(a), uint64(d)<<32 | uint64(c)}
}

// word is the next word. The two halves are generators of their own, and each gives the exclusive or of its number and
// its carry.
func (b *sequence) word() uint64 {
	low, high := b.low, b.high
	b.low, b.high = step(low), step(high)
	return uint64(uint32(low)^uint32(low>>32)) | (high^high<<32)>>32<<32
}

// step is a generator by multiplication with carry: the lower half is the number, and the upper half
// is the carry.
func step(z uint64) uint64 { return uint64(uint32(z))*Step + z>>32 }

// Below reports whether cell x has U < t, if the greatest probability of the use is most; both in units of
// 2^-32. It follows the definition, bit by bit: Row and Points are fast.
func (s Stream) Below(x int, t, most uint64) bool {
	if t > most {
		panic("random: a probability greater than the greatest of its use")
	}
	if t == 0 || t == One {
		return t == One
	}
	if most > Rare {
		b := s.sequence(uint32(x >> 6))
		var u uint64
		for range 32 {
			u = u<<1 | b.word()>>(x&63)&1
		}
		return u < t
	}
	points := NewPoints(most)
	limit := points.Limit(t)
	for _, point := range points.one(nil, s, x>>segmentBits) {
		if point.Column() == x&(Segment-1) && point.Mark() < limit {
			return true
		}
	}
	return false
}

// Row stores, for columns 0 ≤ x < n, whether U < t in bit x of dst[i] for each probability t = thresholds[i].
// They are in units of 2^-32, and rise to the greatest one of the use, which must be more than Rare. Bits
// beyond column n-1 are zeros.
func (s Stream) Row(dst [][]uint64, thresholds []uint64, n int) {
	if words := (n + 63) >> 6; !s.climb(dst, thresholds, words) {
		for i := range words {
			s.ladder(dst, thresholds, i, uint32(i))
		}
	}
	for _, row := range dst {
		if n&63 != 0 {
			row[n>>6] &= 1<<(n&63) - 1
		}
		clear(row[(n+63)>>6:])
	}
}

// Rows stores the words of Row for a row of each of some seeds. The words of the i-th seed begin at i·⌈n/64⌉ in dst[k].
// If the processor has vectors, several rows of few words are made at once.
func Rows(dst [][]uint64, seeds []uint64, generation uint64, row int, use uint8, thresholds []uint64, n int) {
	words := (n + 63) >> 6
	if words >= 8 {
		var room [Uses][]uint64
		part := append(room[:0], dst...)
		for i, seed := range seeds {
			for k := range part {
				part[k] = dst[k][i*words : (i+1)*words]
			}
			At(seed, generation).Row(row, use).Row(part, thresholds, n)
		}
		return
	}
	s := At(0, generation).Row(row, use)
	if !s.climbSeeds(dst, seeds, thresholds, words) {
		for i := range len(seeds) * words {
			s.seed = seeds[i/words]
			s.ladder(dst, thresholds, i, uint32(i%words))
		}
	}
	if n&63 != 0 {
		for _, row := range dst {
			for i := range seeds {
				row[(i+1)*words-1] &= 1<<(n&63) - 1
			}
		}
	}
}

// ladder makes word i, of the sequence of a number. Cells of below are certainly below the probability,
// cells of most perhaps. Each level decides about half of the cells that are still undecided.
//
// A level compares a bit of U with the same bit of t, from the highest on. While all bits so far are
// equal, a cell is undecided. With t = 0.101 in binary, for example:
//
//	bit of t   a cell with bit 0 of U   a cell with bit 1
//	1          is below                 is undecided
//	0          is undecided             is not below
//	1          is below                 is undecided
//
// A cell that is undecided after the last bit has U = t, so it is not below.
func (s *Stream) ladder(dst [][]uint64, thresholds []uint64, i int, number uint32) {
	var room [Uses]uint64
	most, b := append(room[:0], thresholds...), s.sequence(number)
	for k, t := range thresholds {
		dst[k][i], most[k] = 0, ^uint64(0)
		if t == 0 {
			most[k] = 0
		} else if t >= One {
			dst[k][i] = ^uint64(0)
		}
	}
	for bit, open := 31, true; bit >= 0 && open; bit-- {
		w := b.word()
		open = false
		for k, t := range thresholds {
			below := &dst[k][i]
			if next := *below | most[k]&^w; t>>bit&1 == 1 {
				*below = next
			} else {
				most[k] = next
			}
			open = open || most[k] != *below && t&(1<<bit-1) != 0
		}
	}
}

// Place is the row of a larger universe that is row y of a band of it: see sim.Placer. It is y for the zero place.
func Place(y int, place [2]int) int {
	first, rows := place[0], place[1]
	if rows == 0 {
		return y
	}
	if y = (first + y) % rows; y < 0 {
		y += rows
	}
	return y
}
