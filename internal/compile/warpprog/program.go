// Package warpprog holds programs for machines that keep rows in registers: the warps of GPUs. Each warp goes
// down the rows of its strip once. It remembers earlier rows for as long as they are needed.
package warpprog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/dataflow"
)

// Program is a graph as a kernel runs it, one row in each iteration. Rows of cells enter one after the other.
// Every node is made once for each of them. It is remembered for as many iterations as later rows need it (its
// delay).
//
//	            enters         delay 0   1   2
//	row e     ──────────▶ s:         s   s'  s''
//	                      p = f(s):  p   p'  p''      a row sum is made once and used for three rows
//	row e-up  ◀────────── out = g(p, p', p'', s')
type Program struct {
	dataflow.Graph
	// bit x of the output row is column x+Lead. The lead is the radius if all nodes read only to the right, else 0
	Lead   int
	Radius int // of the neighbourhood
	// Recurrent programs have nodes that depend on their own past (running sums). These nodes start from zeros,
	// and must see zeros until the first row that counts.
	Recurrent bool
	Delay     []int // by node: the longest delay in use; 0 for parities, which are not remembered
}

// LongestInRegisters is the longest delay for which registers keep a row. Shared memory keeps rows with longer delays.
const LongestInRegisters = 6

// From returns the program of a graph after the passes Place and Remember.
func From(g *dataflow.Graph, radius, lead int) *Program {
	p := &Program{Graph: *g, Lead: lead, Radius: radius, Recurrent: g.Recurs(), Delay: make([]int, len(g.Nodes))}
	p.Refs(func(r *dataflow.Ref) {
		if !p.Follows(r.Node) {
			p.Delay[r.Node] = max(p.Delay[r.Node], r.Delay)
		}
	})
	return p
}

// Follows reports whether a node is a parity. Its rows follow from their place and generation, so each use computes
// them again.
func (p *Program) Follows(node int) bool { return p.Nodes[node].Kind == dataflow.Given }

// Entering is a row of cells that a program reads: of a plane, some layers further on.
type Entering struct{ Plane, Layer int }

// Entering returns the rows of cells that enter together, each once: the planes of the row's own layer in order, then
// rows of other layers.
func (p *Program) Entering() []Entering {
	var rows []Entering
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if e := (Entering{n.Plane, n.Layer}); n.Kind == dataflow.Input && !slices.Contains(rows, e) {
			rows = append(rows, e)
		}
	}
	return rows
}

// Given returns the parities that the program takes, each once.
func (p *Program) Given() []circuit.Parity {
	var given []circuit.Parity
	for i := range p.Nodes {
		if n := &p.Nodes[i]; n.Kind == dataflow.Given && !slices.Contains(given, n.Parity) {
			given = append(given, n.Parity)
		}
	}
	return given
}

// Chances returns the random bits that the program takes, each once.
func (p *Program) Chances() []circuit.Chance {
	var chances []circuit.Chance
	for i := range p.Nodes {
		if n := &p.Nodes[i]; n.Kind == dataflow.Random && !slices.Contains(chances, n.Chance) {
			chances = append(chances, n.Chance)
		}
	}
	return chances
}

// Remember adds nodes for rows that are moved both when they are new and when they are old.
var Remember = dataflow.Pass{
	Name: "remember", Why: "A row that is moved when it is new, and again when it is old, is moved once and remembered moved.", Run: rememberMoved,
}

// rememberMoved makes moved rows into nodes if they are read without a delay and again with one. The
// moved row is then remembered, instead of the row being moved again each time.
func rememberMoved(g *dataflow.Graph) {
	movers := map[dataflow.Ref]int{} // by moved row: the node that makes it; 0: none yet
	g.Refs(func(r *dataflow.Ref) {
		if r.DX != 0 && r.Delay == 0 && g.Nodes[r.Node].Kind != dataflow.Given {
			movers[*r] = 0
		}
	})
	var nodes []dataflow.Node
	g.Refs(func(r *dataflow.Ref) {
		fresh := dataflow.Ref{Node: r.Node, DX: r.DX}
		id, twice := movers[fresh]
		if r.Delay == 0 || !twice {
			return
		}
		if id == 0 {
			id = len(g.Nodes) + len(nodes)
			movers[fresh] = id
			nodes = append(nodes, dataflow.Node{Kind: dataflow.Moved, N: 1, In: [3]dataflow.Ref{fresh}})
		}
		*r = dataflow.Ref{Node: id, Delay: r.Delay}
	})
	g.Nodes = append(g.Nodes, nodes...)
}

// LooksLeft reports whether any reference moves a row to the right.
func LooksLeft(g *dataflow.Graph) bool {
	left := false
	g.Refs(func(r *dataflow.Ref) { left = left || r.DX < 0 && g.Nodes[r.Node].Kind != dataflow.Given })
	return left
}

// Split finds column c of a lane whose columns go to its words in turn. It returns the word, and the number of
// bits by which the word has to be moved.
func Split(c, words int) (word, bits int) {
	bits = FloorDiv(c, words)
	return c - bits*words, bits
}

// LanesOf splits q into lanes·32 + bits.
func LanesOf(q int) (lanes, bits int) {
	lanes = FloorDiv(q, 32)
	return lanes, q - 32*lanes
}

// FloorDiv returns a/b rounded down, for b > 0.
func FloorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// String lists the program, one node a line, with the number of rows for which each is remembered.
func (p *Program) String() string {
	var b strings.Builder
	for i := range p.Nodes {
		fmt.Fprintf(&b, "n%d = %s", i, &p.Nodes[i])
		if p.Delay[i] > 0 {
			fmt.Fprintf(&b, "    remembered for %d", p.Delay[i])
		}
		b.WriteByte('\n')
	}
	for k, r := range p.Out {
		fmt.Fprintf(&b, "out%d = %s\n", k, r)
	}
	return b.String()
}

// clone returns a copy. Changes of the copy do not reach the original.
func (p *Program) clone() *Program {
	c := *p
	c.Nodes, c.Out = slices.Clone(p.Nodes), slices.Clone(p.Out)
	return &c
}
