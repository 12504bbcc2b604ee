package warpprog

import (
	"slices"

	"github.com/gosper-life/gosper/internal/compile/dataflow"
)

// A program of a large radius remembers sums of rows until they leave its window, 2·radius+1 rows later. Shared
// memory cannot hold that many rows. The universe that the pass reads still has the old rows, so the program can
// recompute the sums:
//
//	row e                ──▶ sum of row e              ──▶ added
//	row e - 2·radius - 1 ──▶ sum of that row, again    ──▶ subtracted

// mostReread is the greatest number of old rows that a kernel reads along with each new one.
const mostReread = 3

// Recomputed returns the program that reads old rows again. It returns false if the rows that the program remembers
// depend on more than mostReread old rows, or on parities.
func (p *Program) Recomputed() (*Program, bool) {
	if len(p.Given()) > 0 { // old parities are no rows of the universe
		return nil, false
	}
	q := p.clone()
	c := &recomputing{g: &q.Graph, longest: len(q.Nodes), again: map[made]int{}}
	for i := range q.Nodes[:c.longest] {
		for k := range q.Nodes[i].N {
			in := c.replace(q.Nodes[i].In[k])
			q.Nodes[i].In[k] = in
		}
	}
	for k := range q.Out {
		q.Out[k] = c.replace(q.Out[k])
	}
	if c.failed {
		return nil, false
	}
	q.Order()
	dataflow.Sweep.Run(&q.Graph)
	var old []int
	for i := range q.Nodes {
		if ago := q.Nodes[i].Ago; ago > 0 && !slices.Contains(old, ago) {
			old = append(old, ago)
		}
	}
	return From(&q.Graph, q.Radius, q.Lead), len(old) > 0 && len(old) <= mostReread
}

// recomputing adds copies of nodes as they were some rows before.
type recomputing struct {
	g       *dataflow.Graph
	longest int // the longest chain of different nodes
	again   map[made]int
	depth   int
	failed  bool
}

// made is a node as it was some rows before.
type made struct{ node, ago int }

// replace returns a reference with the same value and without a long delay.
func (c *recomputing) replace(r dataflow.Ref) dataflow.Ref {
	if r.Delay > LongestInRegisters {
		return dataflow.Ref{Node: c.old(made{r.Node, r.Delay}), DX: r.DX}
	}
	return r
}

// old returns a node whose value is that of another some rows before.
func (c *recomputing) old(m made) int {
	if id, ok := c.again[m]; ok {
		return id
	}
	if c.depth > c.longest { // the search is in a cycle: the node depends on its own past
		c.failed = true
	}
	if c.failed {
		return m.node
	}
	c.depth++
	defer func() { c.depth-- }()
	n := c.g.Nodes[m.node]
	if n.Kind == dataflow.Input {
		n.Ago += m.ago
	}
	for k, r := range n.Inputs() {
		n.In[k] = dataflow.Ref{Node: c.old(made{r.Node, m.ago + r.Delay}), DX: r.DX}
	}
	c.g.Nodes = append(c.g.Nodes, n)
	c.again[m] = len(c.g.Nodes) - 1
	return c.again[m]
}
