package flow

import (
	"slices"

	"github.com/gosper-life/gosper/logic"
)

// A flow of a large radius remembers sums of rows until they leave its window, 2·radius+1 rows later, which is more than shared memory
// holds. Such a flow can recall the rows themselves instead: they are still in the universe that the pass reads. What it would have
// remembered it then makes again, from the old row:
//
//	row e               ──▶ sum of row e              ──▶ added
//	row e - 2·radius - 1 ──▶ sum of that row, again    ──▶ taken away

// mostRecalled is how many old rows a kernel reads along with each new one.
const mostRecalled = 3

// Recalled is the flow with old rows read again; false where what it remembers depends on more than a few old rows.
func (f *Flow) Recalled() (*Flow, bool) {
	r := *f
	r.Nodes = make([]Node, len(f.Nodes))
	for i, n := range f.Nodes {
		n.In = slices.Clone(n.In)
		r.Nodes[i] = n
	}
	r.Out = slices.Clone(f.Out)
	c := &recalling{f: &r, again: map[Ref]int{}}
	n := len(r.Nodes)
	for i := range n {
		for k := range r.Nodes[i].In {
			in := c.replace(r.Nodes[i].In[k])
			r.Nodes[i].In[k] = in
		}
	}
	for k := range r.Out {
		r.Out[k] = c.replace(r.Out[k])
	}
	r.inOrder()
	r.sweep()
	var old []int
	for _, n := range r.Nodes {
		if n.Ago > 0 && !slices.Contains(old, n.Ago) {
			old = append(old, n.Ago)
		}
	}
	return &r, !c.failed && len(old) > 0 && len(old) <= mostRecalled
}

// recalling makes nodes again as they were some rows ago.
type recalling struct {
	f      *Flow
	again  map[Ref]int // by node and delay
	depth  int
	failed bool
}

// replace is a reference without a long delay.
func (c *recalling) replace(r Ref) Ref {
	if r.Delay > LongestInRegisters {
		return Ref{c.old(r.Node, r.Delay), r.DX, 0}
	}
	return r
}

// old is a node that is what another was so many rows ago.
func (c *recalling) old(n, ago int) int {
	key := Ref{Node: n, Delay: ago}
	if id, ok := c.again[key]; ok {
		return id
	}
	if c.depth > len(c.f.Nodes) { // it depends on its own past
		c.failed = true
		return n
	}
	c.depth++
	defer func() { c.depth-- }()
	made := c.f.Nodes[n]
	made.In = slices.Clone(made.In)
	if made.Kind == logic.Load {
		made.Ago += ago
	}
	for k, r := range made.In {
		made.In[k] = Ref{c.old(r.Node, ago+r.Delay), r.DX, 0}
		if c.failed {
			return n
		}
	}
	id := len(c.f.Nodes)
	c.f.Nodes = append(c.f.Nodes, made)
	c.again[key] = id
	return id
}

// inOrder moves nodes behind those that they take without delay.
func (f *Flow) inOrder() {
	at := make([]int, len(f.Nodes))
	var order []int
	var visit func(i int)
	visit = func(i int) {
		if at[i] != 0 {
			return
		}
		at[i] = -1
		for _, r := range f.Nodes[i].In {
			if r.Delay == 0 {
				visit(r.Node)
			}
		}
		order = append(order, i)
		at[i] = len(order)
	}
	for i := range f.Nodes {
		visit(i)
	}
	nodes := make([]Node, len(order))
	for to, from := range order {
		nodes[to] = f.Nodes[from]
		for k := range nodes[to].In {
			nodes[to].In[k].Node = at[nodes[to].In[k].Node] - 1
		}
	}
	for k := range f.Out {
		f.Out[k].Node = at[f.Out[k].Node] - 1
	}
	f.Nodes = nodes
}
