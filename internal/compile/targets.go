package compile

import (
	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/dataflow"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/topology"
)

// A target is what a kind of machine is good at: which recipes for neighbour sums it can carry out, and which passes suit a graph to it.
type target struct {
	recipes []dataflow.Recipe
	passes  []dataflow.Pass // after shorten
}

// shorten are the passes for every target. They are run one after the other until the graph stops shrinking.
var shorten = []dataflow.Pass{
	dataflow.Fold,
	dataflow.Share,
	dataflow.Merge,
	dataflow.Sweep,
}

// everywhere are the recipes that every machine can carry out.
var everywhere = []dataflow.Recipe{dataflow.Window, dataflow.Pyramid, dataflow.Edges, dataflow.Rows}

// rows is the target of executors that do node after node, each for a whole row: loops over words.
func rows() target { return target{recipes: everywhere} }

// columns is the target of executors that do column after column, each with all nodes: machine code over vectors. Sums can run along
// the row.
func columns() target { return target{recipes: with(dataflow.Columns)} }

// warps is the target of GPUs: lanes of so many words, which look to the right only where there is a lead. Rows are remembered in
// registers, so what is made once may serve many rows, while moving a word to another lane costs half a table and more. What lies
// beyond the sides of a strip is taken for zeros, so rows of the past may drift. Retiming makes the fewest tables, but not always the
// fewest moves: warpOf takes the better one.
func warps(words, radius, lead int, retimed bool) target {
	t := target{recipes: with(dataflow.Diamond), passes: []dataflow.Pass{dataflow.Enter}}
	if retimed {
		t.passes = append(t.passes, dataflow.Retime)
	}
	t.passes = append(t.passes, warpprog.Place(words, radius, lead), warpprog.Remember, dataflow.Sweep)
	return t
}

func with(r dataflow.Recipe) []dataflow.Recipe {
	return append(everywhere[:len(everywhere):len(everywhere)], r)
}

// graph makes the graph of a circuit, by the recipe that takes the fewest tables.
func (t target) graph(c *circuit.Circuit) *dataflow.Graph {
	_, g := t.shortest(c)
	for _, p := range t.passes {
		p.Run(g)
	}
	return g
}

// shortest is the graph of a circuit, shortened, by the recipe that takes the fewest tables.
func (t target) shortest(c *circuit.Circuit) (dataflow.Recipe, *dataflow.Graph) {
	var taken dataflow.Recipe
	var best *dataflow.Graph
	for _, recipe := range t.recipes {
		g, ok := dataflow.Build(c, recipe)
		if !ok {
			continue
		}
		g.Shorten(shorten, func(dataflow.Pass, *dataflow.Graph) {})
		if best == nil || g.Tables() < best.Tables() {
			taken, best = recipe, g
		}
		if c.Sum() == nil { // the recipe makes no difference
			break
		}
	}
	return taken, best
}

// Rows compiles a circuit for executors that do op after op, each for a whole row.
func Rows(c *circuit.Circuit) *rowprog.Program { return rowprog.From(rows().graph(c)) }

// Columns compiles a circuit for executors that do column after column, each with all ops.
func Columns(c *circuit.Circuit) *rowprog.Program { return rowprog.From(columns().graph(c)) }

// CountRows is the program that adds up n rows of cells of so many planes, see dataflow.Count.
func CountRows(n, planes int) *rowprog.Program {
	g := dataflow.Count(n, planes)
	g.Shorten(shorten, func(dataflow.Pass, *dataflow.Graph) {})
	return rowprog.From(g)
}

// Warp compiles a rule for warps of lanes of so many words. With a lead the program looks to the right only, where that can be done.
func Warp(r rule.Rule, words int, lead bool) *warpprog.Program {
	_, p := warpOf(warpCircuit(r, words, lead), r.Radius(), words, lead)
	return p
}

// warpCircuit is the circuit of a rule, or its transpose: rules that do not tell rows from columns can have their 3×3 block summed along
// the rows first. Then the sums are shared by the three rows they belong to, which costs a lane nothing, while sums of columns would
// have to be moved to the lanes beside it.
func warpCircuit(r rule.Rule, words int, lead bool) *circuit.Circuit {
	c := circuit.Of(r)
	if _, ok := r.AsTable(); !ok || !r.Invariant(topology.Transpose) {
		return c
	}
	cost := func(c *circuit.Circuit) int {
		_, p := warpOf(c, r.Radius(), words, lead)
		return warpprog.Cost(&p.Graph, words)
	}
	if t := c.Transposed(); cost(t) < cost(c) {
		return t
	}
	return c
}

// warpOf is the program of a circuit, and the target that it was made for.
func warpOf(c *circuit.Circuit, radius, words int, lead bool) (target, *warpprog.Program) {
	columns := 0
	if lead {
		columns = radius
	}
	var taken target
	var best *dataflow.Graph
	for _, retimed := range []bool{true, false} {
		t := warps(words, radius, columns, retimed)
		g := t.graph(c)
		if lead && (g.Drifts || warpprog.LooksLeft(g)) { // it has to look both ways
			continue
		}
		if best == nil || warpprog.Cost(g, words) < warpprog.Cost(best, words) {
			taken, best = t, g
		}
		if c.Sum() == nil || g.Recurs() { // without retiming the one would remember nothing; the other is not retimed
			break
		}
	}
	if best == nil {
		return warpOf(c, radius, words, false)
	}
	return taken, warpprog.From(best, radius, columns)
}
