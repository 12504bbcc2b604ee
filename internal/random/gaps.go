package random

import (
	"math"
	"math/bits"
)

// Rare cells are looked for in segments of a row.
const (
	segmentBits = 12
	segmentSize = Segment
)

// Segment is the number of columns of a segment.
const Segment = 1 << segmentBits

// keep is a probability in units of 2^-64 times 1-p, rounded downwards; p is in units of 2^-32.
func keep(left, p uint64) uint64 {
	high, _ := bits.Mul64(left, -(p << 32))
	return high
}

// Gaps finds the cells of rows that are picked with a small probability.
type Gaps struct {
	p     uint64
	left  []uint64 // by k ≤ segmentSize: (1-p)^k in units of 2^-64, that is, how likely a gap is k or more; left[0] stands for 1
	scale float64  // cells for a factor of 2: about -1/log2(1-p)
}

// NewGaps returns the gaps between cells that are picked with probability p from 1 to Rare, in units of 2^-32.
func NewGaps(p uint64) *Gaps {
	g := &Gaps{p: p, left: []uint64{^uint64(0)}}
	for range segmentSize {
		g.left = append(g.left, keep(g.left[len(g.left)-1], p))
	}
	g.scale = -math.Ln2 / math.Log1p(-float64(p)/One)
	return g
}

// Table lists, for k from 0 to the columns of a segment, how likely a gap is k or more, in units of 2^-64; the first one stands for 1.
func (g *Gaps) Table() []uint64 { return g.left }

// gap is the number of cells passed over: segmentSize for that and more, which is most gaps of the smallest probabilities. For the others a logarithm
// that is right to 2^-18 says where to look.
func (g *Gaps) gap(v uint64) int {
	if v < g.left[segmentSize] {
		return segmentSize
	}
	zeros := bits.LeadingZeros64(v | 1)
	m := v << zeros // 1+x, the point behind the first bit
	low, high := logs[m>>55&0xFF], logs[m>>55&0xFF+1]
	minus := float64(zeros+1) - low - (high-low)*float64(int64(m<<9>>32))*0x1p-32 // -log2 of V·2^-64
	k := int(min(minus*g.scale, segmentSize))
	for k < segmentSize && v < g.left[k+1] {
		k++
	}
	for k > 0 && v >= g.left[k] {
		k--
	}
	return k
}

// logs are log2(1 + i/256).
var logs = func() (t [257]float64) {
	for i := range t {
		t[i] = math.Log2(1 + float64(i)/256)
	}
	return t
}()

// Found is a cell with U below the greatest probability of its use.
type Found struct {
	X int
	U uint32 // in units of 2^-32
}

// Append appends the cells that are picked of columns 0 ≤ x < n of a row, in their order. U is only computed if it is wanted.
func (g *Gaps) Append(found []Found, s Stream, n int, wantU bool) []Found {
	for first := 0; first < n; first += segmentSize {
		b, end := s.block(uint32(first>>segmentBits)), min(segmentSize, n-first)
		for at := 0; ; at++ {
			if at += g.gap(b.word()); at >= end {
				break
			}
			f, w := Found{X: first + at}, b.word()
			if wantU {
				u, _ := bits.Mul64(w, g.p)
				f.U = uint32(u)
			}
			found = append(found, f)
		}
	}
	return found
}
