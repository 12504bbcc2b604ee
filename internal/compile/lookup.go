package compile

import (
	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/local"
)

// LongestProgram is the largest number of ops of a program that is compiled to machine code for a processor.
// Tempesti's loop has 11,400, which take a third of a second: a few generations by Go loops take as long. Rules with
// longer circuits are looked up cell by cell.
const LongestProgram = 12 << 10

// IsLong reports whether a rule's circuit has more tables than are compiled to machine code. Only rules of functions
// have such circuits. If such a rule has no circuit at all, IsLong returns false. The circuit of a rule file can take a
// tenth of a second to make.
func IsLong(r rule.Rule) bool {
	if r.Kind() != rule.KindFunction {
		return false
	}
	c := circuit.Of(r)
	return c != nil && len(c.Nodes) > LongestProgram
}

// leastLooked is the number of nodes from which on a decision diagram is looked up. Smaller ones have circuits that are
// computed sooner.
const leastLooked = 100

// LooksUp reports whether squares of a function's cells are looked up in its decision diagram and not computed by its
// circuit: if the diagram is large, and dead cells stay dead. f may be nil.
func LooksUp(f *local.Function) bool {
	return f != nil && f.Diagram() != nil && len(f.Outcomes) == 0 && f.Diagram().Size() >= leastLooked && f.Uniform(0) == 0
}
