// Package dataflowtest evaluates graphs for tests, one bit at a time, in the most obvious way.
package dataflowtest

import "github.com/gosper-life/gosper/internal/compile/dataflow"

// Evaluator evaluates a graph on a torus of Width columns. It begins as an executor does: rows of cells enter
// one after the other, from Reach rows before the first row that must be right.
type Evaluator struct {
	Graph      *dataflow.Graph
	Width      int
	Cell       func(plane, x, y int) bool        // of the torus; nil if Volume is there
	Volume     func(plane, x, y, layer int) bool // of layers, counted from the one of the row
	Generation uint64                            // of the cells
	Seed       uint64                            // of random bits
	First      int                               // the first row of the next generation to be right
	Reach      int                               // how many rows up the rule reads
	memo       map[place]bool
}

// place is bit x of the row that a node has for row y.
type place struct{ node, x, y int }

// Out returns plane k of the next state of cell (x, y).
func (e *Evaluator) Out(k, x, y int) bool { return e.ref(e.Graph.Out[k], x, y+e.Graph.Up) }

// ref is the bit of a reference in the row y that is being made. Bits are kept, since a graph reads
// each of them often.
func (e *Evaluator) ref(r dataflow.Ref, x, y int) bool {
	if e.memo == nil {
		e.memo = map[place]bool{}
	}
	at := place{r.Node, x + r.DX, y - r.Delay}
	if e.Graph.Drifts { // only such graphs see rows as rings: for others a column beyond the torus has a place of its own
		at.x = ((at.x % e.Width) + e.Width) % e.Width
	}
	if v, ok := e.memo[at]; ok {
		return v
	}
	v := e.node(at)
	e.memo[at] = v
	return v
}

// node is a bit of a node, by the definition of its kind.
func (e *Evaluator) node(at place) bool {
	n := &e.Graph.Nodes[at.node]
	in := func(k int) bool { return e.ref(n.In[k], at.x, at.y) }
	switch y := at.y - n.Ago; {
	case n.Kind == dataflow.Input:
		if e.Volume != nil {
			return y >= e.First-e.Reach && e.Volume(n.Plane, at.x, y, n.Layer)
		}
		return y >= e.First-e.Reach && e.Cell(n.Plane, at.x, y)
	case n.Kind == dataflow.Given:
		return n.Parity.At(at.x, at.y, 0, e.Generation)
	case n.Kind == dataflow.Random:
		return n.Chance.At(e.Seed, at.x, at.y, e.Generation)
	case at.y < e.First+e.Graph.Up-max(e.Graph.Warm, 2*e.Reach): // nothing has been made
		return false
	}
	switch n.Kind {
	case dataflow.Const:
		return n.Imm&1 == 1
	case dataflow.Carry:
		if at.x <= 0 {
			return in(1)
		}
		return e.ref(n.In[0], at.x-1, at.y)
	case dataflow.Moved:
		return in(0)
	}
	index := 0
	for k := range n.Inputs() {
		if in(k) {
			index |= 4 >> k
		}
	}
	return n.Imm>>index&1 == 1
}
