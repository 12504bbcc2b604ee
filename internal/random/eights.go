package random

import "slices"

// Eights draws words of 64 bits, eight at a time. Each word has its own sequence and row. A use has the same
// sequences in every row of a generation, and the first three rounds of Philox depend on the row only in a few
// operations. Eights keeps the part that does not depend on the row.
type Eights struct {
	seed, generation uint64
	use              uint8
	begun            []begun
	keys             eightKeys
}

// begun holds the words that the first rounds of Philox compute from the numbers of eight sequences:
//
//	counted   the fourth word after the first round, and the second after the second with the third round's first key, as the upper half
//	raised    the product that the third round makes of the first word, with its second key in the upper half
type begun struct{ counted, raised [8]uint64 }

// eightKeys holds the part of the computation that all words of eight rows share. third is the second round's product
// of the rows for the third word; fourth is that for the fourth word, in the upper half. keys are the keys of the
// rounds from the fourth on.
type eightKeys struct {
	third, fourth [8]uint64
	keys          [Rounds - 3][2][8]uint64
}

// HasEights reports whether there are vectors for them.
func HasEights() bool { return lanes > 0 }

// Begin prepares for the rows of a generation: word i has sequence numbers[i]. Their number is a multiple of 32.
// It does nothing if that was prepared last; the numbers must be the same each time.
func (e *Eights) Begin(seed, generation uint64, use uint8, numbers []uint32) {
	if e.begun != nil && e.seed == seed && e.generation == generation && e.use == use {
		return
	}
	e.seed, e.generation, e.use = seed, generation, use
	e.begun = slices.Grow(e.begun[:0], len(numbers)/8)[:len(numbers)/8]
	s := At(seed, generation).Row(0, use)
	_, first := key(seed, 0)
	second, _ := key(seed, 1)
	third, after := key(seed, 2)
	b := uint32(uint64(s.counter[1]) * Multiply1)
	for i, n := range numbers {
		p := uint64(n) * Multiply0
		c := uint64(uint32(p>>32)^s.counter[2]^first) * Multiply1
		a := uint32(c>>32) ^ b ^ second
		e.begun[i/8].counted[i%8] = uint64(uint32(p)) | uint64(uint32(c)^third)<<32
		e.begun[i/8].raised[i%8] = uint64(a)*Multiply0 ^ uint64(after)<<32
	}
	for r := range e.keys.keys {
		k0, k1 := key(seed, r+3)
		for lane := range 8 {
			e.keys.keys[r][0][lane], e.keys.keys[r][1][lane] = uint64(k0), uint64(k1)
		}
	}
}

// key is the key of a round, from 0 on.
func key(seed uint64, round int) (k0, k1 uint32) {
	return uint32(seed) + uint32(round)*(Increase0&0xFFFFFFFF), uint32(seed>>32) + uint32(round)*(Increase1&0xFFFFFFFF)
}

// Draw stores the words of Stream.Row: word i is of row rows[i%8]. It returns false, and stores nothing, if the
// processor lacks vectors or a probability is 0 or 1.
func (e *Eights) Draw(dst [][]uint64, rows [8]int, thresholds []uint64) bool {
	if !HasEights() || !between(thresholds) {
		return false
	}
	k0, _ := key(e.seed, 0)
	_, k1 := key(e.seed, 1)
	head := uint32(uint64(uint32(e.generation)) * Multiply1 >> 32)
	for lane, row := range rows {
		p := uint64(head^uint32(row)^k0) * Multiply0
		e.keys.third[lane], e.keys.fourth[lane] = uint64(uint32(p>>32)^k1), p<<32
	}
	e.climb(dst, thresholds)
	return true
}

// between reports whether all probabilities are greater than 0 and less than 1. They are sorted.
func between(thresholds []uint64) bool {
	return thresholds[0] > 0 && thresholds[len(thresholds)-1] < One
}
