package synth

import "github.com/gosper-life/gosper/internal/compile/synth/internal/tail"

// namedTail is a tail of a well-known rule that reads p and q of the columns directly. Signals by number: 0, 2,
// 4 are p = xor3 of the left, centre and right column, 1, 3, 5 are q = maj3 of them, 6 is the cell, 7 on are
// the gates.
type namedTail struct {
	name            string
	birth, survival uint16
	gates           []tail.Gate
}

//go:generate go run ./gen named ztails.go 60

// network builds the network of the rule: two tables for each column, and the gates.
func (t namedTail) network() Network {
	b := newBuilder()
	var signals []ref
	for x := range 3 {
		signals = append(signals, b.column(immXor3, Source(x)), b.column(immMaj3, Source(x)))
	}
	signals = append(signals, b.cell[4])
	for _, g := range t.gates {
		signals = append(signals, b.lut(g.Imm, signals[g.A], signals[g.B], signals[g.C]))
	}
	return b.network(signals[len(signals)-1])
}

// fromNamed returns the network of a named rule, or of a rule that becomes one if live and dead are exchanged
// in its inputs or in its output.
func fromNamed(r tail.Rule) (Network, bool) {
	number, output, cells := r.Orbit()
	for _, t := range namedTails {
		namedNumber, namedOutput, namedCells := tail.NewRule(t.birth, t.survival).Orbit()
		if namedNumber != number {
			continue
		}
		n := t.network()
		if cells != namedCells {
			n = n.dual()
		}
		if output != namedOutput {
			n.Gates[len(n.Gates)-1].Imm ^= 0xFF
		}
		return n, true
	}
	return Network{}, false
}
