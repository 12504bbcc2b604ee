package random

import (
	"math/big"
	"slices"
	"sync"
	"sync/atomic"
)

// Points fall on segments of a row.
const (
	segmentBits = 12
	Segment     = 1 << segmentBits // columns
)

// Points finds the cells of rows that are picked with small probabilities.
type Points struct {
	most   uint64
	more   []uint64 // by n: how likely more than n points fall on a segment, in units of 2^-64; the last one is 0
	limits sync.Map // of probabilities that were asked for
}

// recent are points that were made before, each in a place that follows from the probability.
var recent [256]atomic.Pointer[Points]

// NewPoints returns the points that pick cells with probability most, from 1 to Rare, in units of 2^-32.
func NewPoints(most uint64) *Points {
	place := &recent[most*Increase0>>24&0xFF]
	if p := place.Load(); p != nil && p.most == most {
		return p
	}
	p := &Points{most: most}
	one, mean := big.NewFloat(1), rate(most)
	mean.Mul(mean, big.NewFloat(Segment))
	// The probability of no point at all is that of picking no cell: (1-most)^Segment.
	term := exact().Sub(one, share(most))
	for range segmentBits {
		term.Mul(term, term)
	}
	left := exact().Set(one)
	for n := int64(1); len(p.more) == 0 || p.more[len(p.more)-1] > 0; n++ {
		left.Sub(left, term)
		units, _ := exact().SetMantExp(left, 64).Uint64()
		p.more = append(p.more, units)
		term.Mul(term, mean).Quo(term, exact().SetInt64(n))
	}
	place.Store(p)
	return p
}

// exact is 0, with more digits than count.
func exact() *big.Float { return new(big.Float).SetPrec(192) }

// share is a probability in units of 2^-32 as a number.
func share(p uint64) *big.Float { return exact().SetMantExp(exact().SetUint64(p), -32) }

// rate is how many points fall on a cell that is picked with probability p: -log(1-p) = p + p²/2 + p³/3 + …
func rate(p uint64) *big.Float {
	x, sum := share(p), exact()
	for i, power := int64(1), exact().Set(x); i <= 32; i++ {
		sum.Add(sum, exact().Quo(power, exact().SetInt64(i)))
		power.Mul(power, x)
	}
	return sum
}

// Table lists, for n from 0 on, how likely more than n points fall on a segment, in units of 2^-64. The last one is 0.
func (p *Points) Table() []uint64 { return p.more }

// Limit is what the marks of points must be below to pick cells with probability t, at most the greatest one: 2^32 for that.
func (p *Points) Limit(t uint64) uint64 {
	if l, ok := p.limits.Load(t); ok {
		return l.(uint64)
	}
	part := exact().Quo(rate(t), rate(p.most))
	limit, _ := part.Add(part.SetMantExp(part, 32), big.NewFloat(0.5)).Uint64()
	p.limits.Store(t, limit)
	return limit
}

// Point is the word of a point.
type Point uint64

// Column is the point's column in its segment.
func (p Point) Column() int { return int(uint32(p) >> (32 - segmentBits)) }

// Mark is uniform from 0 to 2^32-1.
func (p Point) Mark() uint64 { return uint64(p >> 32) }

// Drawing finds the points of segments that belong to one generation and use.
type Drawing struct {
	*Points
	List []Point // of all segments
	Ends []int   // where each segment's points end in List

	of      Stream // of row 0
	waiting int    // segments that are to be drawn together
	lanes   streams
}

// streams says which blocks several segments begin with, side by side: the words of Philox's counters and keys.
type streams struct {
	number, row, low, high [8]uint32
	generation             [2]uint32
}

// Begin begins anew.
func (d *Drawing) Begin(generation uint64, use uint8) {
	d.List, d.Ends, d.waiting = d.List[:0], d.Ends[:0], 0
	d.of = At(0, generation).Row(0, use)
	d.lanes.generation = [2]uint32{d.of.counter[1], d.of.counter[2]}
}

// Add adds a segment, by its number, of a row of a universe with a seed.
func (d *Drawing) Add(seed uint64, row, number int) {
	if lanes == 0 {
		s := d.of
		s.seed, s.counter[0] = seed, uint32(row)
		d.List = d.one(d.List, s, number)
		d.Ends = append(d.Ends, len(d.List))
		return
	}
	l, i := &d.lanes, d.waiting&7
	l.number[i], l.row[i], l.low[i], l.high[i] = uint32(number), uint32(row), uint32(seed), uint32(seed>>32)
	if d.waiting++; d.waiting == lanes {
		d.several()
	}
}

// Finish draws what was added last. List and Ends are complete then.
func (d *Drawing) Finish() {
	if d.waiting > 0 {
		d.several()
	}
}

// one appends the points of a segment.
func (p *Points) one(list []Point, s Stream, number int) []Point {
	b := s.block(uint32(number))
	v := b.word()
	n, _ := slices.BinarySearchFunc(p.more, v, func(more, v uint64) int {
		if more > v {
			return -1
		}
		return 1
	})
	for range n {
		list = append(list, Point(b.word()))
	}
	return list
}
