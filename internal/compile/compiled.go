package compile

import (
	"sync"

	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/code"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/topology"
)

// Compiled is a rule with its programs for processors. Each program is made once, when it is first asked for. A Compiled may be used by
// several goroutines.
type Compiled struct {
	Rule    rule.Rule
	Rows    func() *rowprog.Program // for executors that run one op after the other, each over a whole row
	Columns func() *rowprog.Program // for executors that run all ops on one vector of columns, then on the next
	NEON    func() *rowprog.Program // Columns for NEON
	// Transposed is Columns for a universe with rows and columns exchanged, and TransposedNEON is NEON for such a one.
	Transposed, TransposedNEON func() *rowprog.Program
}

// New returns a rule whose programs are not made yet.
func New(r rule.Rule) *Compiled { return compiled(r, circuit.Of) }

// Masked is New for cells with one more plane, a mask: see circuit.Masked.
func Masked(r rule.Rule) *Compiled {
	return compiled(r, func(r rule.Rule) *circuit.Circuit { return circuit.Masked(circuit.Of(r)) })
}

// Exchanged is New for cells that are held with state 0 and another exchanged: before in the cells, and after in their next state.
func Exchanged(r rule.Rule, before, after uint8) *Compiled {
	return compiled(r, func(r rule.Rule) *circuit.Circuit { return exchanged(circuit.Of(r), before, after) })
}

// Chosen is New for all outer-totalistic rules of the neighbourhood of r: see code.Chosen. It returns false if there is no such circuit.
func Chosen(r rule.Rule) (*Compiled, bool) {
	c, ok := code.Chosen(r)
	return compiled(r, func(rule.Rule) *circuit.Circuit { return c }), ok
}

func compiled(r rule.Rule, circuitOf func(rule.Rule) *circuit.Circuit) *Compiled {
	of := sync.OnceValue(func() *circuit.Circuit { return circuitOf(r) })
	made := func(program func(*circuit.Circuit) *rowprog.Program) func() *rowprog.Program {
		return sync.OnceValue(func() *rowprog.Program { return program(of()) })
	}
	c := &Compiled{Rule: r, Rows: made(Rows), Columns: made(Columns), NEON: made(NEON)}
	// Circuits share sums of columns, not of rows. So a rule that is its own transpose keeps its circuit.
	transposed := func(as func() *rowprog.Program, program func(*circuit.Circuit) *rowprog.Program) func() *rowprog.Program {
		return sync.OnceValue(func() *rowprog.Program {
			if r.Invariant(topology.Transpose) {
				return as()
			}
			return program(of().Transposed())
		})
	}
	c.Transposed, c.TransposedNEON = transposed(c.Columns, Columns), transposed(c.NEON, NEON)
	return c
}
