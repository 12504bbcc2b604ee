package compile

import (
	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/dataflow"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/topology"
)

// A target is a kind of machine: which recipes for neighbour sums it can carry out, which passes suit a graph to it, and what a graph then
// costs there.
type target struct {
	recipes []dataflow.Recipe
	passes  []dataflow.Pass // after shorten
	cost    costModel
}

// costModel says what a graph costs on a machine. The unit is the machine's: only ratios matter.
type costModel interface {
	Cost(*dataflow.Graph) int
}

// tables is the cost model of machines on which all neighbours are whole vectors: nothing has to be moved, so lookup tables are all that
// counts.
type tables struct{}

// Cost is the number of tables made for every column.
func (tables) Cost(g *dataflow.Graph) int { return g.Tables() }

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
func rows() target { return target{recipes: everywhere, cost: tables{}} }

// columns is the target of executors that do column after column, each with all nodes: machine code over vectors. Sums can run along the
// row.
func columns() target { return target{recipes: with(dataflow.Columns), cost: tables{}} }

// warps is the target of GPUs: lanes of some words, which look to the right only where there is a lead.
//
// Rows are remembered in registers, so a node that is made once may serve many rows. Moving a word to another lane costs half a table and
// more. Beyond the sides of a strip all cells count as dead, so rows of the past may drift. Retiming makes the fewest tables, but not always
// the fewest moves: warpOf takes the better one.
func warps(words, radius, lead int, retimed bool) target {
	cost := warpCost(words)
	t := target{recipes: with(dataflow.Diamond), passes: []dataflow.Pass{dataflow.Enter}, cost: cost}
	if retimed {
		t.passes = append(t.passes, dataflow.Retime)
	}
	t.passes = append(t.passes, warpprog.Place(cost, radius, lead), warpprog.Remember, dataflow.Sweep)
	return t
}

// warpCost counts half instructions of a GPU's logic pipe. A shuffle has a pipe of its own, so it costs half as much.
func warpCost(words int) warpprog.CostModel {
	return warpprog.CostModel{Words: words, Table: 2, Shift: 2, Shuffle: 1}
}

// WarpTables is the work of a warp program for one row of a word, in lookup tables.
func WarpTables(p *warpprog.Program, words int) float64 {
	c := warpCost(words)
	return float64(c.Cost(&p.Graph)) / float64(c.Words*c.Table)
}

func with(r dataflow.Recipe) []dataflow.Recipe {
	return append(everywhere[:len(everywhere):len(everywhere)], r)
}

// graph makes the graph of a circuit by the recipe that takes the fewest tables.
func (t target) graph(c *circuit.Circuit) *dataflow.Graph {
	_, g := t.shortest(c)
	for _, p := range t.passes {
		p.Run(g)
	}
	return g
}

// shortest is the recipe that takes the fewest tables, and the graph that it makes of a circuit, shortened. Nodes are not placed yet, so
// moves cannot be counted.
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

// CountRows is the program that adds up n rows of cells, each of some planes; see dataflow.Count.
func CountRows(n, planes int) *rowprog.Program {
	g := dataflow.Count(n, planes)
	g.Shorten(shorten, func(dataflow.Pass, *dataflow.Graph) {})
	return rowprog.From(g)
}

// Warp compiles a rule for warps whose lanes have some words. With a lead the program looks to the right only, where that can be done.
func Warp(r rule.Rule, words int, lead bool) *warpprog.Program {
	_, p := warpOf(warpCircuit(r, words, lead), r.Radius(), words, lead)
	return p
}

// warpCircuit is the circuit of a rule, or its transpose. A rule that does not tell rows from columns can have its 3×3 block summed along
// the rows first. Three rows then share each sum, which costs a lane nothing. Sums of columns would have to be moved to the lanes beside.
func warpCircuit(r rule.Rule, words int, lead bool) *circuit.Circuit {
	c := circuit.Of(r)
	if _, ok := r.AsTable(); !ok || !r.Invariant(topology.Transpose) {
		return c
	}
	cost := func(c *circuit.Circuit) int {
		t, p := warpOf(c, r.Radius(), words, lead)
		return t.cost.Cost(&p.Graph)
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
		if best == nil || t.cost.Cost(g) < t.cost.Cost(best) {
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
