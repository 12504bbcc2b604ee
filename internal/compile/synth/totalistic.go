package synth

import (
	"math/bits"

	"github.com/gosper-life/gosper/internal/compile/synth/internal/tail"
)

// OuterTotalistic returns a network of the Moore-neighbourhood rule B/S: bit n of birth is set when a dead cell
// with n live neighbours is born, bit n of survival when a live one stays. Bits above 8 are ignored.
func OuterTotalistic(birth, survival uint16) Network {
	r := tail.NewRule(birth, survival)
	n := fromTails(r)
	if named, ok := fromNamed(r); ok && named.Cost() < n.Cost() {
		return named
	}
	return n
}

// fromTails builds the network of a rule from its orbit's tail: two tables for each column, four gates that add
// them up, and at most five gates more.
func fromTails(r tail.Rule) Network {
	number, output, cells := r.Orbit()
	f := tail.Representative(number).Function()
	base, gates, ok := hint(number).Gates(f)
	if !ok {
		panic("synth: orbit without a tail") // cannot happen: a test builds all of them
	}
	b := newBuilder()
	var p, q [3]ref
	for x := range 3 {
		p[x] = b.column(immXor3, Source(x))
		q[x] = b.column(immMaj3, Source(x))
	}
	signals := []ref{
		b.lut(base.P[0], p[0], p[1], p[2]), b.lut(base.P[1], p[0], p[1], p[2]),
		b.lut(base.Q[0], q[0], q[1], q[2]), b.lut(base.Q[1], q[0], q[1], q[2]), b.cell[4],
	}
	for _, g := range gates {
		signals = append(signals, b.lut(g.Imm, signals[g.A], signals[g.B], signals[g.C]))
	}
	out := signals[len(signals)-1]
	if output {
		out = out.not()
	}
	n := b.network(out)
	if cells {
		n = n.dual()
	}
	return n
}

// dual returns the network whose output for complemented cells is the output of n for the cells. Every table T
// becomes T'(x) = ¬T(¬x), so complemented cells give a complemented output. The last gate complements it once
// more.
func (n Network) dual() Network {
	for i, imm := range n.Columns {
		n.Columns[i] = ^bits.Reverse8(imm)
	}
	for i := range n.Gates {
		n.Gates[i].Imm = ^bits.Reverse8(n.Gates[i].Imm)
	}
	n.Gates[len(n.Gates)-1].Imm ^= 0xFF
	return n
}
