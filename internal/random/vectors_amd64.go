package random

import (
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/internal/jit"
)

// lanes is how many words of 64 bits there are vectors for: 8 with AVX-512, 4 with AVX2, else 0.
var lanes = func() int {
	switch {
	case jit.HasAVX512():
		return 8
	case jit.HasAVX2():
		return 4
	}
	return 0
}()

// beginning is what blocks begin with.
type beginning struct {
	n       [8]uint64 // numbers of the first blocks
	counter [3]uint64
	keys    [Rounds][2]uint64
}

// ladders8 makes the words of as many blocks at a time as a vector of AVX-512 has, for one probability, or for two where second is not nil. ones and
// ones2 have the bits of the probabilities, from the highest in bit 0 on. ladders4 does so by AVX2, two vectors at a time.
//
//go:noescape
func ladders8(dst, second *uint64, vectors, levels int, from *beginning, ones, ones2 uint64)

//go:noescape
func ladders4(dst, second *uint64, vectors, levels int, from *beginning, ones, ones2 uint64)

// climb is the start of Row, a vector of words at a time. It returns how many it has made.
func (s *Stream) climb(dst [][]uint64, thresholds []uint64, n int) (words int) {
	if lanes == 0 || thresholds[0] == 0 || thresholds[len(thresholds)-1] >= One {
		return 0
	}
	vectors := (n + 63) / 64 / lanes
	if vectors == 0 {
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
		levels, ones, ones2 := digits(thresholds[first:])
		var second *uint64
		if first+1 < len(dst) {
			second = &dst[first+1][0]
		}
		if lanes == 8 { // by their names, so that the compiler sees that nothing escapes
			ladders8(&dst[first][0], second, vectors, levels, &from, ones, ones2)
		} else {
			ladders4(&dst[first][0], second, vectors, levels, &from, ones, ones2)
		}
	}
	return vectors * lanes
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

// keyed8 makes eight words by AVX2 as ladders4 does, each of a block, row and seed of its own.
//
//go:noescape
func keyed8(dst, second *[8]uint64, levels int, from *streams, ones, ones2 uint64)

// climbSeeds is the start of Rows, eight words at a time, by AVX2 also where there is AVX-512. It returns how many it has made.
func (s *Stream) climbSeeds(dst [][]uint64, seeds, thresholds []uint64, words int) (made int) {
	if lanes == 0 || thresholds[0] == 0 || thresholds[len(thresholds)-1] >= One {
		return 0
	}
	from := streams{generation: [2]uint32{s.counter[1], s.counter[2]}}
	for all := len(seeds) * words; made < all; made += 8 {
		n := min(8, all-made)
		for i := range n {
			seed := seeds[(made+i)/words]
			from.number[i], from.row[i], from.low[i], from.high[i] = uint32((made+i)%words), s.counter[0], uint32(seed), uint32(seed>>32)
		}
		for first := 0; first < len(thresholds); first += 2 {
			var one, other [8]uint64
			second := &other
			if first+1 == len(thresholds) {
				second = nil
			}
			levels, ones, ones2 := digits(thresholds[first:])
			keyed8(&one, second, levels, &from, ones, ones2)
			copy(dst[first][made:made+n], one[:])
			if second != nil {
				copy(dst[first+1][made:made+n], other[:])
			}
		}
	}
	return len(seeds) * words
}

// quads4 makes pairs of vectors by AVX2. changes and changes2 have the digits that differ from those before them.
//
//go:noescape
func quads4(dst, second *uint64, pairs, levels int, from *begun, keys *quadKeys, ones, changes, ones2, changes2 uint64)

// climb draws what Draw does.
func (q *Quads) climb(dst [][]uint64, thresholds []uint64) {
	for first := 0; first < len(thresholds); first += 2 {
		levels, ones, ones2 := digits(thresholds[first:])
		var second *uint64
		if first+1 < len(dst) {
			second = &dst[first+1][0]
		}
		quads4(&dst[first][0], second, len(q.begun)/2, levels, &q.begun[0], &q.keys, ones, ones^ones<<1, ones2, ones2^ones2<<1)
	}
}

// points8 stores how many points each of eight segments has, and then their words, of which it makes as many for each segment as the one with most
// points has. more is the table of Points. points4 does so for four segments by AVX2.
//
//go:noescape
func points8(words *Point, counts *[8]uint64, from *streams, more *uint64)

//go:noescape
func points4(words *Point, counts *[8]uint64, from *streams, more *uint64)

// several draws the segments that wait.
func (d *Drawing) several() {
	most := lanes * len(d.more)
	list := slices.Grow(d.List, 2*most)
	words := list[len(list)+most : len(list)+2*most] // behind where they belong
	var counts [8]uint64
	if lanes == 8 {
		points8(&words[0], &counts, &d.lanes, &d.more[0])
	} else {
		points4(&words[0], &counts, &d.lanes, &d.more[0])
	}
	for i, n := range counts[:d.waiting] {
		for j := range int(n) {
			list = append(list, words[j*lanes+i])
		}
		d.Ends = append(d.Ends, len(list))
	}
	d.List, d.waiting = list, 0
}
