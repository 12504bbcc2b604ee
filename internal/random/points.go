package random

import (
	"math/big"
	"math/bits"
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

// rate is the number of points that fall on a cell that is picked with probability p: -log(1-p) = p + p²/2 + p³/3 + …
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

// Limit returns the bound of marks for probability t: a point picks a cell if its mark is less. t is at most the
// greatest probability, whose limit is 2^32.
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

// Strips says where the columns of a row lie: column x is bit x mod Columns · Step + x div Columns. A row has
// less than 2^32 bits.
type Strips struct{ Columns, Step int }

// Span says which columns of a row a segment has.
type Span struct {
	First int // column
	Width int // how many columns there are at most
	Bit   int // the offset that is added to the bits of Strips
}

// Drop is a point that has found its bit, in the lower half. The upper half is its mark.
type Drop uint64

// Bit returns the bit on which the point falls.
func (d Drop) Bit() uint { return uint(uint32(d)) }

// Mark is uniform from 0 to 2^32-1.
func (d Drop) Mark() uint64 { return uint64(d >> 32) }

// Drawing finds the points of segments that belong to one generation and use.
type Drawing struct {
	*Points
	List []Drop // of all rows, without those beyond the last column
	Ends []int  // where each row's points end in List

	of      Stream // of row 0
	strips  strips
	waiting int    // segments to draw together
	rows    [8]int // whose they are
	lanes   streams
	spans   spans
	words   []Drop
}

// streams says which sequences several segments begin with, side by side: the words of Philox's counters and keys.
type streams struct {
	number, row, low, high [8]uint32
	generation             [2]uint32
}

// spans are those of several segments.
type spans struct{ first, width, bit [8]uint32 }

// strips are Strips as operands: x div Columns is x · inverse / 2^shift, for x below 2^31; less is what a
// column is less than Step times x, by x div Columns.
type strips struct{ inverse, shift, step, less uint64 }

// Begin resets the drawing for a new generation.
func (d *Drawing) Begin(generation uint64, use uint8, s Strips) {
	d.List, d.Ends, d.waiting = d.List[:0], d.Ends[:0], 0
	d.of = At(0, generation).Row(0, use)
	d.lanes.generation = [2]uint32{d.of.counter[1], d.of.counter[2]}
	shift := uint64(31 + bits.Len(uint(s.Columns-1))) // so that the inverse has 32 bits at most
	d.strips = strips{
		(1<<shift + uint64(s.Columns) - 1) / uint64(s.Columns), shift, uint64(s.Step),
		uint64(s.Columns*s.Step - 1),
	}
}

// Add adds a segment, by its number, of a row y of a universe with a seed. The points belong to a row of the drawing.
// Rows must not fall from one call to the next.
func (d *Drawing) Add(row int, seed uint64, y, number int, span Span) {
	l, i := &d.lanes, d.waiting&7
	l.number[i], l.row[i], l.low[i], l.high[i] = uint32(number), uint32(y), uint32(seed), uint32(seed>>32)
	d.spans.first[i], d.spans.width[i], d.spans.bit[i] = uint32(span.First), uint32(span.Width), uint32(span.Bit)
	d.rows[i] = row
	if d.waiting++; d.waiting >= lanes {
		d.finish()
	}
}

// Finish draws the segments that are still waiting. Afterwards List and Ends are complete for the given number of
// rows.
func (d *Drawing) Finish(rows int) {
	d.finish()
	d.begin(rows - 1)
}

// begin begins a row, and those before it that have no points.
func (d *Drawing) begin(row int) {
	for len(d.Ends) <= row {
		d.Ends = append(d.Ends, len(d.List))
	}
}

// finish draws the segments that wait for the next lanes, one by one if there are too few for vectors.
func (d *Drawing) finish() {
	if d.waiting > 0 && !d.several() {
		for i := range d.waiting {
			s := d.of
			s.seed, s.counter[0] = uint64(d.lanes.high[i])<<32|uint64(d.lanes.low[i]), d.lanes.row[i]
			d.begin(d.rows[i])
			for _, p := range d.one(nil, s, int(d.lanes.number[i])) {
				d.drop(p, i)
			}
			d.Ends[d.rows[i]] = len(d.List)
		}
	}
	d.waiting = 0
}

// drop appends a point of the i-th segment that waits.
func (d *Drawing) drop(p Point, i int) {
	if column := uint64(p.Column()); column < uint64(d.spans.width[i]) {
		x := uint64(d.spans.first[i]) + column
		bit := uint64(d.spans.bit[i]) + x*d.strips.step - x*d.strips.inverse>>d.strips.shift*d.strips.less
		d.List = append(d.List, Drop(p>>32<<32)|Drop(bit))
	}
}

// one appends the points of a segment.
func (p *Points) one(list []Point, s Stream, number int) []Point {
	b := s.sequence(uint32(number))
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
