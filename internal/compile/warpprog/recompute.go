package warpprog

import (
	"slices"

	"github.com/gosper-life/gosper/internal/compile/dataflow"
)

// A program of a large radius remembers sums of rows until they leave its window, 2·radius+1 rows later. That is more than shared memory holds.
// Such a program can recompute the sums instead, because the universe that the pass reads still has the old rows:
//
//	row e                ──▶ sum of row e              ──▶ added
//	row e - 2·radius - 1 ──▶ sum of that row, again    ──▶ taken away

// mostReread is how many old rows a kernel reads along with each new one.
const mostReread = 3

// Recomputed is the program with old rows read again. It returns false where what the program remembers depends on more than a few old rows.
func (p *Program) Recomputed() (*Program, bool) {
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

// recomputing makes nodes again as they were some rows before.
type recomputing struct {
	g       *dataflow.Graph
	longest int // the longest chain of different nodes
	again   map[made]int
	depth   int
	failed  bool
}

// made is a node as it was some rows before.
type made struct{ node, ago int }

// replace is a reference without a long delay.
func (c *recomputing) replace(r dataflow.Ref) dataflow.Ref {
	if r.Delay > LongestInRegisters {
		return dataflow.Ref{Node: c.old(made{r.Node, r.Delay}), DX: r.DX}
	}
	return r
}

// old is a node that is what another was some rows before.
func (c *recomputing) old(m made) int {
	if id, ok := c.again[m]; ok {
		return id
	}
	if c.depth > c.longest { // it came back to where it began: the node depends on its own past
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
