package synth

import (
	"math/bits"
	"slices"
)

// query asks for a lookup table over three signals that equals target wherever care is 1.
//
// Take any point where the target is 1 and any point where it is 0. A table exists exactly if, for every such
// pair, one of the three signals differs between the two points: it tells them apart. A sample of pairs is a
// fast filter. A signal becomes the set of pairs that it tells apart, and three signals pass if their sets
// cover the sample. If a triple passes but no table exists, a pair that proves this joins the sample.
type query struct {
	target, care truth
	ones, zeros  []uint16 // the points of care by the target's value
	pairs        [128][2]uint16
	sampled      int // pairs in the first half, fixed
	learned      int // pairs put into the second half, where the newest replaces the oldest
	random       uint64
	sorted       []candidate // buffer of find
}

// pairSet is a set of the query's pairs.
type pairSet [2]uint64

// reset makes q a new query and reuses its memory.
func (q *query) reset(target, care truth) {
	q.target, q.care, q.random = target, care, 0x9E3779B97F4A7C15
	q.ones, q.zeros, q.sampled, q.learned = q.ones[:0], q.zeros[:0], 0, 0
	for w := range target {
		for m := care[w]; m != 0; m &= m - 1 {
			point := uint16(w<<6 | bits.TrailingZeros64(m))
			if target.at(int(point)) {
				q.ones = append(q.ones, point)
			} else {
				q.zeros = append(q.zeros, point)
			}
		}
	}
	if len(q.ones) == 0 || len(q.zeros) == 0 {
		return
	}
	if len(q.ones)*len(q.zeros) <= 64 {
		for _, x := range q.ones {
			for _, y := range q.zeros {
				q.pairs[q.sampled] = [2]uint16{x, y}
				q.sampled++
			}
		}
		return
	}
	for ; q.sampled < 64; q.sampled++ { // similar blocks are the hardest to tell apart
		x := q.ones[q.below(len(q.ones))]
		nearest := q.zeros[q.below(len(q.zeros))]
		for range 3 {
			if y := q.zeros[q.below(len(q.zeros))]; bits.OnesCount16(x^y) < bits.OnesCount16(x^nearest) {
				nearest = y
			}
		}
		q.pairs[q.sampled] = [2]uint16{x, nearest}
	}
}

// below returns a pseudo-random number less than n, by xorshift. It is the same in every run, so a rule always
// gets the same network.
func (q *query) below(n int) int {
	q.random ^= q.random << 13
	q.random ^= q.random >> 7
	q.random ^= q.random << 17
	return int(q.random >> 33 % uint64(n))
}

// apart returns the sampled pairs that v tells apart.
func (q *query) apart(v *truth) (s uint64) {
	for i := range q.sampled {
		s |= differ(v, q.pairs[i]) << i
	}
	return s
}

// differ returns 1 if v has different values at the two points.
func differ(v *truth, pair [2]uint16) uint64 {
	x, y := pair[0], pair[1]
	return (v[x>>6&7]>>(x&63) ^ v[y>>6&7]>>(y&63)) & 1
}

// fit returns the lookup table over a, b and c, or a pair of points that they do not tell apart.
func (q *query) fit(a, b, c *truth) (imm uint8, clash [2]uint16, ok bool) {
	for index := range 8 {
		// An f is all ones if its signal must be 0, so m has the points at which a, b and c are the digits of index. The
		// table has one value for all of them.
		fa, fb, fc := uint64(index>>2&1)-1, uint64(index>>1&1)-1, uint64(index&1)-1
		one, zero := -1, -1
		for w := range q.care {
			m := (a[w] ^ fa) & (b[w] ^ fb) & (c[w] ^ fc) & q.care[w]
			if t := m & q.target[w]; t != 0 && one < 0 {
				one = w<<6 | bits.TrailingZeros64(t)
			}
			if t := m &^ q.target[w]; t != 0 && zero < 0 {
				zero = w<<6 | bits.TrailingZeros64(t)
			}
		}
		if one >= 0 && zero >= 0 {
			return 0, [2]uint16{uint16(one), uint16(zero)}, false
		}
		if one >= 0 {
			imm |= 1 << index
		}
	}
	return imm, clash, true
}

// candidate is a signal that a table may read.
type candidate struct {
	signal int32
	apart  pairSet
	count  int // size of apart
}

// find returns a table over three of the candidates. It tries those that tell most pairs apart first. A signal
// may come twice.
func (q *query) find(values []truth, candidates []candidate) (imm uint8, operands [3]int32, ok bool) {
	candidates = q.sort(values, candidates)
	q.learned = 0
	all := pairSet{^uint64(0) >> (64 - q.sampled)}
	for i := range candidates {
		first := &candidates[i]
		// The candidates are in falling order, so neither of the other two tells more pairs apart than the first one.
		// Three of them could not cover the sample.
		if 3*first.count < q.sampled {
			break
		}
		for j := i; j < len(candidates); j++ {
			second := &candidates[j]
			if first.count+2*second.count < q.sampled {
				break
			}
			lacking := all[0] &^ (first.apart[0] | second.apart[0])
			needed := bits.OnesCount64(lacking)
			for k := j; k < len(candidates) && candidates[k].count >= needed; k++ {
				third := &candidates[k]
				if lacking&^third.apart[0] != 0 || all[1]&^(first.apart[1]|second.apart[1]|third.apart[1]) != 0 {
					continue
				}
				imm, clash, ok := q.fit(&values[first.signal], &values[second.signal], &values[third.signal])
				if ok {
					return imm, [3]int32{first.signal, second.signal, third.signal}, true
				}
				// The sample was covered, but these two points need different outputs from the same inputs. From now on, they
				// are a pair of the second half.
				place := q.learned % 64
				q.learned++
				q.pairs[64+place] = clash
				all[1] |= 1 << place
				for n := range candidates {
					c := &candidates[n]
					c.apart[1] = c.apart[1]&^(1<<place) | differ(&values[c.signal], clash)<<place
				}
			}
		}
	}
	return 0, operands, false
}

// sort fills in the pairs that each candidate tells apart. It returns the candidates in falling order of their
// number, by counting sort.
func (q *query) sort(values []truth, candidates []candidate) []candidate {
	var start [66]int // of the candidates with size 64-i
	for i := range candidates {
		c := &candidates[i]
		c.apart = pairSet{q.apart(&values[c.signal]), 0}
		c.count = bits.OnesCount64(c.apart[0])
		start[65-c.count]++
	}
	for i := range 65 {
		start[i+1] += start[i]
	}
	q.sorted = slices.Grow(q.sorted[:0], len(candidates))[:len(candidates)]
	for _, c := range candidates {
		q.sorted[start[64-c.count]] = c
		start[64-c.count]++
	}
	return q.sorted
}
