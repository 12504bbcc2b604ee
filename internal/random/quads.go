package random

import "slices"

// Quads draws words of 64 bits four at a time, as vectors hold them: each of a block and a row of its own. A use has the same blocks in every row of a
// generation, and until the third round Philox makes the same of them but for few operations. So what it makes is kept.
type Quads struct {
	seed, generation uint64
	use              uint8
	begun            []begun // by vector
	keys             quadKeys
}

// begun is what the first rounds of Philox make of the numbers of four blocks:
//
//	counted   the fourth word after the first round, and the second after the second with the third round's first key, as the upper half
//	raised    the product that the third round makes of the first word, with its second key in the upper half
type begun struct{ counted, raised [4]uint64 }

// quadKeys is what all vectors of four rows have: what the second round makes of the rows (of the third word, and of the fourth as the upper half), and the
// keys of the rounds from the fourth on.
type quadKeys struct {
	third, fourth [4]uint64
	keys          [Rounds - 3][2][4]uint64
}

// HasQuads is whether there are vectors of four words for them.
func HasQuads() bool { return lanes > 0 }

// Begin prepares for the rows of a generation. Vector i has the blocks numbers[4i] to numbers[4i+3]; the number of vectors is even. It does nothing if that
// was prepared last; the numbers must be the same each time.
func (q *Quads) Begin(seed, generation uint64, use uint8, numbers []uint32) {
	if q.begun != nil && q.seed == seed && q.generation == generation && q.use == use {
		return
	}
	q.seed, q.generation, q.use = seed, generation, use
	q.begun = slices.Grow(q.begun[:0], len(numbers)/4)[:len(numbers)/4]
	s := At(seed, generation).Row(0, use)
	_, first := key(seed, 0)
	second, _ := key(seed, 1)
	third, after := key(seed, 2)
	b := uint32(uint64(s.counter[1]) * Multiply1)
	for i, n := range numbers {
		p := uint64(n) * Multiply0
		c := uint64(uint32(p>>32)^s.counter[2]^first) * Multiply1
		a := uint32(c>>32) ^ b ^ second
		q.begun[i/4].counted[i%4] = uint64(uint32(p)) | uint64(uint32(c)^third)<<32
		q.begun[i/4].raised[i%4] = uint64(a)*Multiply0 ^ uint64(after)<<32
	}
	for r := range q.keys.keys {
		k0, k1 := key(seed, r+3)
		for lane := range 4 {
			q.keys.keys[r][0][lane], q.keys.keys[r][1][lane] = uint64(k0), uint64(k1)
		}
	}
}

// key is the key of a round, from 0 on.
func key(seed uint64, round int) (k0, k1 uint32) {
	return uint32(seed) + uint32(round)*(Increase0&0xFFFFFFFF), uint32(seed>>32) + uint32(round)*(Increase1&0xFFFFFFFF)
}

// Draw stores what Stream.Row does of all vectors: word j of each is of row rows[j]. It returns false, and stores nothing, where it cannot: there are no
// vectors of this kind, or a probability is 0 or 1.
func (q *Quads) Draw(dst [][]uint64, rows [4]int, thresholds []uint64) bool {
	if !HasQuads() || thresholds[0] == 0 || thresholds[len(thresholds)-1] >= One {
		return false
	}
	k0, _ := key(q.seed, 0)
	_, k1 := key(q.seed, 1)
	head := uint32(uint64(uint32(q.generation)) * Multiply1 >> 32)
	for lane, row := range rows {
		p := uint64(head^uint32(row)^k0) * Multiply0
		q.keys.third[lane], q.keys.fourth[lane] = uint64(uint32(p>>32)^k1), p<<32
	}
	q.climb(dst, thresholds)
	return true
}
