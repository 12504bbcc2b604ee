package compile

import (
	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/dataflow"
	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/internal/compile/lut/neon"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/topology"
)

// A target is a kind of machine: the recipes that it can carry out, the passes that prepare a graph for it, and
// the cost of a graph.
type target struct {
	recipes []dataflow.Recipe
	shorten []dataflow.Pass // run in turn until the graph stops shrinking; nil for shorten
	passes  []dataflow.Pass // run after these
	cost    costModel
}

// costModel returns the cost of a graph on a machine. The unit is the machine's: only ratios matter.
type costModel interface {
	Cost(*dataflow.Graph) int
}

// tables is the cost model of machines on which all neighbours are whole vectors. Nothing has to be moved, so
// only lookup tables count.
type tables struct{}

// Cost is the number of tables made for every column.
func (tables) Cost(g *dataflow.Graph) int { return g.Tables() }

// shorten lists the passes for every machine that has all tables. They run in turn until the graph stops shrinking.
var shorten = []dataflow.Pass{
	dataflow.Fold,
	dataflow.Share,
	dataflow.Merge,
	dataflow.Sweep,
}

// operations is the cost model of processors for which some tables are several operations.
type operations func(table uint8) int

// Cost is the number of operations made for every column.
func (of operations) Cost(g *dataflow.Graph) (n int) {
	for i := range g.Nodes {
		if node := &g.Nodes[i]; node.Kind == dataflow.Table && !node.Once {
			n += of(node.Imm)
		}
	}
	return n
}

// neonOperations is the number of NEON operations that make a table, at least one (a copy), on a processor with the
// instructions of SHA-3. A table that takes fewer operations there never takes more on other processors.
func neonOperations(table uint8) int { return max(1, len(neon.Chain(table, true))) }

// everywhere lists the recipes that every machine can carry out.
var everywhere = []dataflow.Recipe{dataflow.Window, dataflow.Pyramid, dataflow.Edges, dataflow.Rows}

// rows is the target of executors that run one node after the other, each over a whole row: loops over words.
func rows() target { return target{recipes: everywhere, cost: tables{}} }

// columns is the target of executors that run all nodes on one vector of columns, then on the next: machine
// code. Sums can run along the row.
func columns() target { return target{recipes: with(dataflow.Columns), cost: tables{}} }

// pairs is columns for machines whose operations have two inputs.
func pairs() target {
	return target{
		recipes: columns().recipes,
		shorten: []dataflow.Pass{dataflow.Fold, dataflow.Share, dataflow.MergeCheaper(lut.Operations), dataflow.Sweep},
		passes:  []dataflow.Pass{dataflow.Halves},
		cost:    operations(lut.Operations),
	}
}

// neonColumns is columns for NEON.
func neonColumns() target {
	return target{
		recipes: columns().recipes, passes: []dataflow.Pass{dataflow.Complement(neonOperations)},
		cost: operations(neonOperations),
	}
}

// words is a target for rows that are the bits of words.
func (t target) words() target {
	t.recipes = []dataflow.Recipe{dataflow.Words}
	return t
}

// warps is the target of GPUs, for lanes of the given number of words. With a lead, a lane reads only the lanes
// to its right.
//
// Registers remember rows, so a node that is made once may serve many rows. Moving a word to another lane costs half
// a table or more. Cells outside a strip count as dead, so rows of the past may drift. Retiming gives the fewest
// tables, but not always the fewest moves, so warpOf tries both ways.
func warps(words, radius, lead int, retimed bool) target {
	cost := warpCost(words)
	t := target{recipes: with(dataflow.Diamond), passes: []dataflow.Pass{dataflow.Enter}, cost: cost}
	if retimed {
		t.passes = append(t.passes, dataflow.Retime)
	}
	t.passes = append(t.passes, warpprog.Place(cost, radius, lead), warpprog.Remember, dataflow.Sweep)
	return t
}

// warpCost counts in half instructions of a GPU's logic pipe. A shuffle uses another pipe and counts half as much.
func warpCost(words int) warpprog.CostModel {
	return warpprog.CostModel{Words: words, Table: 2, Shift: 2, Shuffle: 1}
}

// WarpTables returns the work of a warp program for one row of one word, in lookup tables.
func WarpTables(p *warpprog.Program, words int) float64 {
	c := warpCost(words)
	return float64(c.Cost(&p.Graph)) / float64(c.Words*c.Table)
}

func with(r dataflow.Recipe) []dataflow.Recipe {
	return append(everywhere[:len(everywhere):len(everywhere)], r)
}

// graph makes the graph of a circuit by the recipe that gives the fewest tables.
func (t target) graph(c *circuit.Circuit) *dataflow.Graph {
	recipe, g := t.shortest(c)
	if t.shorten != nil {
		return t.by(recipe, c)
	}
	for _, p := range t.passes {
		p.Run(g)
	}
	return g
}

// by makes the graph of a circuit by a recipe that fits it.
func (t target) by(recipe dataflow.Recipe, c *circuit.Circuit) *dataflow.Graph {
	g, _ := t.step(c, recipe, func(dataflow.Pass, *dataflow.Graph) {})
	return g
}

// shortest returns the recipe that gives the fewest tables, and the shortened graph that it makes of a circuit.
// Moves are not counted, because the nodes have no columns yet.
func (t target) shortest(c *circuit.Circuit) (dataflow.Recipe, *dataflow.Graph) {
	var taken dataflow.Recipe
	var best *dataflow.Graph
	recipes := t.recipes
	if s := c.Sum(); s != nil && s.Layers() > 0 {
		recipes = dataflow.Volumes
	}
	for _, recipe := range recipes {
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

// Rows compiles a circuit for executors that run one op after the other, each over a whole row.
func Rows(c *circuit.Circuit) *rowprog.Program { return rowprog.From(rows().graph(c)) }

// Columns compiles a circuit for executors that run all ops on one vector of columns, then on the next.
func Columns(c *circuit.Circuit) *rowprog.Program { return rowprog.From(columns().graph(c)) }

// Pairs is Columns for machines whose operations have two inputs: AVX2 and WebAssembly.
func Pairs(c *circuit.Circuit) *rowprog.Program { return rowprog.From(pairs().graph(c)) }

// NEON is Columns for NEON.
func NEON(c *circuit.Circuit) *rowprog.Program { return rowprog.From(neonColumns().graph(c)) }

// Words is Columns for rows that are the bits of words: no sum is kept from row to row.
func Words(c *circuit.Circuit) *rowprog.Program { return rowprog.From(columns().words().graph(c)) }

// WordPairs is Words for machines whose operations have two inputs.
func WordPairs(c *circuit.Circuit) *rowprog.Program { return rowprog.From(pairs().words().graph(c)) }

// WordNEON is Words for NEON.
func WordNEON(c *circuit.Circuit) *rowprog.Program {
	return rowprog.From(neonColumns().words().graph(c))
}

// CountRows returns the program that counts the live cells of n rows, each of the given number of planes. See
// dataflow.Count.
func CountRows(n, planes int) *rowprog.Program {
	g := dataflow.Count(n, planes)
	g.Shorten(shorten, func(dataflow.Pass, *dataflow.Graph) {})
	return rowprog.From(g)
}

// Warp compiles a rule for warps with the given number of words in a lane. With a lead, the program reads only
// to the right, if that is possible.
func Warp(r rule.Rule, words int, lead bool) *warpprog.Program {
	_, p := warpOf(warpCircuit(r, words, lead), r.Radius(), words, lead)
	return p
}

// warpCircuit returns the circuit of a rule, or its transpose. A rule that treats rows and columns alike can
// sum its 3×3 block along the rows first. Three rows then share each sum, and a lane already has it. Sums of
// columns would have to be moved to the neighbouring lanes.
//
// In a volume a warp goes from layer to layer and stays at its row. Its program therefore has layers in place of rows,
// and rows in place of layers.
func warpCircuit(r rule.Rule, words int, lead bool) *circuit.Circuit {
	c := circuit.Of(r)
	if r.Volume() {
		return circuit.RowsAsLayers(c)
	}
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

// warpOf returns the program of a circuit, and the target that it was made for.
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
		if lead && (g.Drifts || warpprog.LooksLeft(g)) { // it must read both sides
			continue
		}
		if best == nil || t.cost.Cost(g) < t.cost.Cost(best) {
			taken, best = t, g
		}
		// a circuit without a sum would remember nothing, and a graph that recurs is never retimed
		if c.Sum() == nil || g.Recurs() {
			break
		}
	}
	if best == nil {
		return warpOf(c, radius, words, false)
	}
	return taken, warpprog.From(best, radius, columns)
}
