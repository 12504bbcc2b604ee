package chance

import (
	"math/bits"
	"sort"
)

// Rare cells are looked for in segments of a row.
const (
	segmentBits = 12
	segmentSize = 1 << segmentBits
)

// keep is a probability in units of 2^-64 times 1-p, rounded downwards; p is in units of 2^-32.
func keep(left, p uint64) uint64 {
	high, _ := bits.Mul64(left, -(p << 32))
	return high
}

// Gaps finds the cells of rows that are picked with a small probability.
type Gaps struct {
	p     uint64
	left  []uint64 // by k ≤ segmentSize: (1-p)^k in units of 2^-64, that is, how likely a gap is k or more; left[0] stands for 1
	guide []uint16 // by the upper bits of V: the least gap with such a V
}

// guideBits is how many bits of V the guide looks at.
const guideBits = 10

// NewGaps returns the gaps between cells that are picked with probability p from 1 to Rare, in units of 2^-32.
func NewGaps(p uint64) *Gaps {
	g := &Gaps{p: p, left: []uint64{^uint64(0)}}
	for range segmentSize {
		g.left = append(g.left, keep(g.left[len(g.left)-1], p))
	}
	for i := range uint64(1 << guideBits) {
		greatest := (i+1)<<(64-guideBits) - 1
		g.guide = append(g.guide, uint16(g.search(greatest, 0, segmentSize)))
	}
	return g
}

// search returns the greatest k from lo to hi with V < left[k]; k = lo fulfils it.
func (g *Gaps) search(v uint64, lo, hi int) int {
	return lo + sort.Search(hi-lo, func(i int) bool { return v >= g.left[lo+i+1] })
}

// gap is the number of cells passed over: segmentSize for that and more.
func (g *Gaps) gap(v uint64) int {
	at := v >> (64 - guideBits)
	lo, hi := int(g.guide[at]), segmentSize
	if at > 0 {
		hi = int(g.guide[at-1])
	}
	for hi-lo > 8 {
		middle := int(uint(lo+hi) >> 1)
		if v < g.left[middle] {
			lo = middle
		} else {
			hi = middle - 1
		}
	}
	for lo < hi && v < g.left[lo+1] {
		lo++
	}
	return lo
}

// Found is a cell with U below the greatest probability of its use.
type Found struct {
	X int
	U uint32 // in units of 2^-32
}

// Append appends the cells that are picked of columns 0 ≤ x < n of a row, in their order. U is only computed if it is wanted.
func (g *Gaps) Append(found []Found, s Stream, n int, wantU bool) []Found {
	for first := 0; first < n; first += segmentSize {
		start := s.a + uint64(first>>segmentBits)*increment
		draw := func(m uint64) uint64 {
			z := start + m*other
			z = (z^z>>30)*multiply1 ^ s.b
			z = (z ^ z>>27) * multiply2
			return z ^ z>>31
		}
		end := min(segmentSize, n-first)
		for at, m := 0, uint64(64); ; at, m = at+1, m+2 {
			if at += g.gap(draw(m)); at >= end {
				break
			}
			f := Found{X: first + at}
			if wantU {
				u, _ := bits.Mul64(draw(m+1), g.p)
				f.U = uint32(u)
			}
			found = append(found, f)
		}
	}
	return found
}
