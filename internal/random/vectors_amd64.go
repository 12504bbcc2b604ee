package random

import (
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/internal/jit"
)

// lanes is the number of words of 64 bits a vector has: 8 with AVX-512, 4 with AVX2, else 0.
var lanes = func() int {
	switch {
	case jit.HasAVX512():
		return 8
	case jit.HasAVX2():
		return 4
	}
	return 0
}()

// beginning is the first state of the generators of eight sequences. The assembly reads it.
type beginning struct {
	n       [8]uint64 // numbers of the first sequences
	counter [3]uint64
	keys    [Rounds][2]uint64
}

// group is the number of words the machine code makes at least: with AVX-512 four ladders go side by side, with
// AVX2 two.
func group() int { return lanes * lanes / 2 }

// ladders8 makes words of consecutive sequences with AVX-512, for one probability, or for two if second is not nil.
// eights is the number of vectors of eight words, a multiple of four. ones and ones2 have the bits of the
// probabilities, from the highest in bit 0 on. The numbers in from are lost. ladders4 does the same with AVX2, for
// any number of eights.
//
//go:noescape
func ladders8(dst, second *uint64, eights, levels int, from *beginning, ones, ones2 uint64)

//go:noescape
func ladders4(dst, second *uint64, eights, levels int, from *beginning, ones, ones2 uint64)

// climb is Row, except for the columns beyond the last. It returns false where it cannot.
func (s *Stream) climb(dst [][]uint64, thresholds []uint64, words int) bool {
	if lanes == 0 || !between(thresholds) {
		return false
	}
	var from beginning
	for i, c := range s.counter {
		from.counter[i] = uint64(c)
	}
	for i := range from.keys {
		k0, k1 := key(s.seed, i)
		from.keys[i] = [2]uint64{uint64(k0), uint64(k1)}
	}
	whole := words - words%group()
	for first := 0; first < len(thresholds); first += 2 {
		levels, ones, ones2 := digits(thresholds[first:])
		if whole > 0 {
			ladders(&dst[first][0], other(dst, first), 0, whole/8, levels, &from, ones, ones2)
		}
		if whole < words {
			var room [2][32]uint64
			var second *uint64
			if first+1 < len(dst) {
				second = &room[1][0]
			}
			ladders(&room[0][0], second, whole, group()/8, levels, &from, ones, ones2)
			for k, row := range dst[first:min(first+2, len(dst))] {
				copy(row[whole:words], room[k][:])
			}
		}
	}
	return true
}

// ladders makes words from a sequence on.
func ladders(dst, second *uint64, sequence, eights, levels int, from *beginning, ones, ones2 uint64) {
	for i := range from.n {
		from.n[i] = uint64(sequence + i)
	}
	if lanes == 8 { // by their names, so that the compiler sees that nothing escapes
		ladders8(dst, second, eights, levels, from, ones, ones2)
	} else {
		ladders4(dst, second, eights, levels, from, ones, ones2)
	}
}

// other returns the address of the words for the probability after the first one, or nil if first is the last
// probability.
func other(dst [][]uint64, first int) *uint64 {
	if first+1 < len(dst) {
		return &dst[first+1][0]
	}
	return nil
}

// digits are those of one probability or of two, and how many levels they need.
func digits(thresholds []uint64) (levels int, ones, ones2 uint64) {
	t := thresholds[0]
	levels, ones = 32-bits.TrailingZeros64(t), bits.Reverse64(t)>>32
	if len(thresholds) > 1 {
		t = thresholds[1]
		levels, ones2 = max(levels, 32-bits.TrailingZeros64(t)), bits.Reverse64(t)>>32
	}
	return levels, ones, ones2
}

// keyed8 makes the words of four eights by AVX-512 as ladders8 does, each of a sequence, row and seed of its own;
// keyed4 those of one eight by AVX2.
//
//go:noescape
func keyed8(dst, second *[32]uint64, levels int, from *[4]streams, ones, ones2 uint64)

//go:noescape
func keyed4(dst, second *[32]uint64, levels int, from *[4]streams, ones, ones2 uint64)

// climbSeeds is Rows, except for the columns beyond the last. It returns false where it cannot.
func (s *Stream) climbSeeds(dst [][]uint64, seeds, thresholds []uint64, words int) bool {
	if lanes == 0 || !between(thresholds) {
		return false
	}
	var from [4]streams
	for i := range from {
		from[i].generation = [2]uint32{s.counter[1], s.counter[2]}
		for lane := range 8 {
			from[i].row[lane] = s.counter[0]
		}
	}
	var room [2][32]uint64
	universe, word := 0, 0
	for made, all := 0, len(seeds)*words; made < all; made += group() {
		n := min(group(), all-made)
		for i := range n {
			seed, f := seeds[universe], &from[i>>3&3]
			f.number[i&7], f.low[i&7], f.high[i&7] = uint32(word), uint32(seed), uint32(seed>>32)
			if word++; word == words {
				universe, word = universe+1, 0
			}
		}
		for first := 0; first < len(thresholds); first += 2 {
			second := &room[1]
			if first+1 == len(thresholds) {
				second = nil
			}
			levels, ones, ones2 := digits(thresholds[first:])
			if lanes == 8 {
				keyed8(&room[0], second, levels, &from, ones, ones2)
			} else {
				keyed4(&room[0], second, levels, &from, ones, ones2)
			}
			for k, row := range dst[first:min(first+2, len(dst))] {
				copy(row[made:made+n], room[k][:])
			}
		}
	}
	return true
}

// eights8 makes words for Eights by AVX-512, eights4 by AVX2.
//
//go:noescape
func eights8(dst, second *uint64, eights, levels int, from *begun, keys *eightKeys, ones, ones2 uint64)

//go:noescape
func eights4(dst, second *uint64, eights, levels int, from *begun, keys *eightKeys, ones, ones2 uint64)

// climb draws for Draw, with vectors.
func (e *Eights) climb(dst [][]uint64, thresholds []uint64) {
	for first := 0; first < len(thresholds); first += 2 {
		levels, ones, ones2 := digits(thresholds[first:])
		if lanes == 8 {
			eights8(&dst[first][0], other(dst, first), len(e.begun), levels, &e.begun[0], &e.keys, ones, ones2)
		} else {
			eights4(&dst[first][0], other(dst, first), len(e.begun), levels, &e.begun[0], &e.keys, ones, ones2)
		}
	}
}

// points8 makes the points of eight segments, one of each at a time, and all ones where a segment has no more
// or the point is beyond its columns. It returns how many it has made of each. more is the table of Points.
//
//go:noescape
func points8(words *Drop, from *streams, spans *spans, strips *strips, more *uint64) (rounds int)

// gather8 stores the points of some segments one after the other, and returns their number. It overwrites up to eight
// words after them.
//
//go:noescape
func gather8(list, words *Drop, rounds, segments int) (n int)

// points4 stores the number of points of each of four segments, and then their words. It makes the same number of
// words for each segment: the number of points of the fullest one.
//
//go:noescape
func points4(words *Drop, counts *[4]uint64, from *streams, more *uint64)

// several draws the segments that wait. It returns false without vectors.
func (d *Drawing) several() bool {
	if lanes == 0 {
		return false
	}
	most := lanes * len(d.more)
	if len(d.words) < most {
		d.words = make([]Drop, most)
	}
	if lanes == 4 {
		var counts [4]uint64
		points4(&d.words[0], &counts, &d.lanes, &d.more[0])
		for i, n := range counts[:d.waiting] {
			d.begin(d.rows[i])
			for j := range int(n) {
				d.drop(Point(d.words[4*j+i]), i)
			}
			d.Ends[d.rows[i]] = len(d.List)
		}
		return true
	}
	rounds := points8(&d.words[0], &d.lanes, &d.spans, &d.strips, &d.more[0])
	d.List = slices.Grow(d.List, most+8)
	for first, last := 0, 1; first < d.waiting; first = last {
		row := d.rows[first]
		for last = first + 1; last < d.waiting && d.rows[last] == row; last++ {
		}
		d.begin(row)
		n := len(d.List)
		d.List = d.List[:n+gather8(&d.List[:n+1][n], &d.words[0], rounds, 1<<last-1<<first)]
		d.Ends[row] = len(d.List)
	}
	return true
}
