package compile

import (
	"sync"

	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/code"
	"github.com/gosper-life/gosper/internal/compile/dataflow"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/topology"
)

// Compiled is a rule with its programs for processors. Each program is made once, at its first use. A Compiled may
// be used by several goroutines.
type Compiled struct {
	Rule    rule.Rule
	Rows    func() *rowprog.Program // for executors that run one op after the other, each over a whole row
	Columns func() *rowprog.Program // for executors that run all ops on one vector of columns, then on the next
	Pairs   func() *rowprog.Program // Columns for machines whose operations have two inputs: AVX2 and WebAssembly
	NEON    func() *rowprog.Program // Columns for NEON
	// Transposed is Columns for a universe with rows and columns exchanged, and the others are Pairs and NEON for
	// such a one.
	Transposed, TransposedPairs, TransposedNEON func() *rowprog.Program
	// Words, WordPairs and WordNEON are these for rows that are the bits of words: no sum is kept from row to row.
	Words, WordPairs, WordNEON func() *rowprog.Program
}

// New returns a rule whose programs are not made yet.
func New(r rule.Rule) *Compiled { return compiled(r, circuit.Of, forPairs) }

// Masked is New for cells with one more plane, a mask: see circuit.Masked.
func Masked(r rule.Rule) *Compiled {
	return of(r, func() *circuit.Circuit { return circuit.Masked(circuit.Of(r)) })
}

// Exchanged is New for cells that are held with state 0 and another exchanged: before in the cells, and after
// in their next state.
func Exchanged(r rule.Rule, before, after uint8) *Compiled {
	if before == 0 && after == 0 {
		return New(r)
	}
	return of(r, func() *circuit.Circuit { return exchanged(circuit.Of(r), before, after) })
}

// Chosen is New for all outer-totalistic rules of the neighbourhood of r: see code.Chosen. It returns false if
// there is no such circuit.
func Chosen(r rule.Rule) (*Compiled, bool) {
	c, ok := code.Chosen(r)
	return of(r, func() *circuit.Circuit { return c }), ok
}

// of returns a rule with the programs of a circuit, which is the same for all machines.
func of(r rule.Rule, c func() *circuit.Circuit) *Compiled {
	same := func(rule.Rule) *circuit.Circuit { return c() }
	return compiled(r, same, same)
}

// compiled returns a rule with the programs of its circuit, and with those of another circuit for machines
// whose operations have two inputs.
func compiled(r rule.Rule, circuitOf, pairsOf func(rule.Rule) *circuit.Circuit) *Compiled {
	c := &Compiled{Rule: r}
	tables := sync.OnceValue(func() *circuit.Circuit { return circuitOf(r) })
	program := func(of func(*circuit.Circuit) *rowprog.Program) func() *rowprog.Program {
		return sync.OnceValue(func() *rowprog.Program { return of(tables()) })
	}
	recipe := sync.OnceValues(func() (dataflow.Recipe, *rowprog.Program) { // tried once, for Columns and for Pairs
		recipe, g := columns().shortest(tables())
		return recipe, rowprog.From(g)
	})
	c.Rows, c.NEON = program(Rows), program(NEON)
	c.Columns = func() *rowprog.Program {
		_, p := recipe()
		return p
	}
	c.Pairs = sync.OnceValue(func() *rowprog.Program {
		recipe, _ := recipe()
		return rowprog.From(pairs().by(recipe, pairsOf(r)))
	})
	// Circuits share sums of columns, not of rows, so a rule that is its own transpose keeps its circuit.
	transposed := func(as func() *rowprog.Program, of func(*circuit.Circuit) *rowprog.Program) func() *rowprog.Program {
		return sync.OnceValue(func() *rowprog.Program {
			if r.Invariant(topology.Transpose) {
				return as()
			}
			return of(tables().Transposed())
		})
	}
	c.Transposed, c.TransposedPairs, c.TransposedNEON = transposed(c.Columns, Columns), transposed(c.Pairs, Pairs),
		transposed(c.NEON, NEON)
	// Circuits without a sum have one recipe.
	words := func(as func() *rowprog.Program, of func(*circuit.Circuit) *rowprog.Program) func() *rowprog.Program {
		return sync.OnceValue(func() *rowprog.Program {
			if tables().Sum() == nil {
				return as()
			}
			return of(tables().Transposed())
		})
	}
	c.Words, c.WordPairs, c.WordNEON = words(c.Transposed, Words), words(c.TransposedPairs, WordPairs),
		words(c.TransposedNEON, WordNEON)
	return c
}
