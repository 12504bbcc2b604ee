package dataflow

import (
	"fmt"
	"strings"

	"github.com/gosper-life/gosper/internal/compile/circuit"
)

// A Graph makes one row of the next generation. It is evaluated for row y, then y+1, and so on. Every node is a
// row of bits. It is made once for each y and may be used again for later rows (Ref.Delay):
//
//	              row y    y-1   y-2
//	cells    ───▶   s       s'    s''
//	p = f(s)        p       p'    p''      a sum of a row is made once and used for three rows
//	out = g(p, p', p'', s')
//
// Nodes are in the order in which they are made. A node that reads another without a delay comes after it,
// except for a Carry. A node may read a later one with a delay. It then depends on its own past, as a running
// sum does, and the graph recurs. All nodes are zero before the first row. After Warm rows every node is right.
type Graph struct {
	// bit planes of the cells; nodes 0 … Planes-1 are the inputs of the row's own layer, in order; those of other
	// layers follow somewhere
	Planes int
	Nodes  []Node // in the order of making
	Out    []Ref  // by plane: the row of the next generation
	Up     int    // the output is row y-Up of the next generation: 0 until pass Enter
	Warm   int    // rows to make before the first one that must be right, if any node is used with a delay
	// Drifts means that rows of the past move sideways by some columns for each new row. Bits that enter at the
	// end of a row are then never forgotten, so they must be zeros. This holds if the cells of Reach columns at
	// both ends are dead, or if the row is closed to a ring.
	Drifts bool
	Reach  int // of a graph that drifts: how far it reads sideways
}

// Kind is the kind of a Node.
type Kind uint8

const (
	Input  Kind = iota // plane Plane of the cells
	Const              // all bits are the lowest of Imm
	Table              // a lookup table of N inputs
	Carry              // the value of In[0], a later node, one column to the left; in column 0 that of In[1]
	Moved              // In[0], moved sideways once for all its users
	Given              // Parity: depends on column, row and generation alone
	Random             // Chance: by its place, its generation and a seed
)

// Node is one row of bits. Graphs with a Carry can only be evaluated column after column.
type Node struct {
	Kind   Kind
	Imm    uint8          // Table: the output for inputs a, b, c is bit 4a+2b+c; inputs beyond N do not matter
	N      int            // inputs: of a Table 1 to 3, of a Carry 2, of Moved 1
	In     [3]Ref         // the inputs
	Plane  int            // Input
	Parity circuit.Parity // Given
	Chance circuit.Chance // Random
	Layer  int            // Input: the distance of the cells' layer, in layers
	Ago    int            // Input: rows since it entered, if it is read again (only in package warpprog)
	Once   bool           // made for column 0 only, before all others
}

// Ref is a node's row of Delay rows before, moved: bit x of it is bit x+DX of that row. A leaf may have a
// negative delay: -1 is the row below.
type Ref struct{ Node, DX, Delay int }

// At returns the reference moved by dx.
func (r Ref) At(dx int) Ref { return Ref{r.Node, r.DX + dx, r.Delay} }

// Later returns the reference with a delay that is longer by some rows.
func (r Ref) Later(rows int) Ref { return Ref{r.Node, r.DX, r.Delay + rows} }

// through returns r as a reference to the node of is, if the node of r equals the reference is.
func (r Ref) through(is Ref) Ref { return Ref{is.Node, is.DX + r.DX, is.Delay + r.Delay} }

// Leaf reports whether the graph is given a node and does not make it: cells, a parity, random bits. All rows
// of a leaf are known in advance, at every column.
func (n *Node) Leaf() bool { return n.Kind == Input || n.Kind == Given || n.Kind == Random }

// Inputs returns the references of a node.
func (n *Node) Inputs() []Ref { return n.In[:n.N] }

// Refs calls do for every reference of the graph. The function may change it.
func (g *Graph) Refs(do func(r *Ref)) {
	for i := range g.Nodes {
		for k := range g.Nodes[i].N {
			do(&g.Nodes[i].In[k])
		}
	}
	for k := range g.Out {
		do(&g.Out[k])
	}
}

// Recurs reports whether some node depends on its own past.
func (g *Graph) Recurs() bool {
	const unseen, begun, done = 0, 1, 2
	state := make([]int, len(g.Nodes))
	var visit func(i int) bool
	visit = func(i int) bool {
		if state[i] != unseen {
			return state[i] == begun
		}
		state[i] = begun
		for _, r := range g.Nodes[i].Inputs() {
			if visit(r.Node) {
				return true
			}
		}
		state[i] = done
		return false
	}
	for i := range g.Nodes {
		if visit(i) {
			return true
		}
	}
	return false
}

// Tables returns the number of lookup tables that are made for every column.
func (g *Graph) Tables() int {
	n := 0
	for i := range g.Nodes {
		if g.Nodes[i].Kind == Table && !g.Nodes[i].Once {
			n++
		}
	}
	return n
}

// Verify returns an error if the graph breaks a condition that its documentation states.
func (g *Graph) Verify() error {
	if len(g.Out) == 0 || len(g.Nodes) < g.Planes {
		return fmt.Errorf("%d nodes and %d outputs for %d planes", len(g.Nodes), len(g.Out), g.Planes)
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if err := g.verifyNode(i, n); err != nil {
			return fmt.Errorf("node %d, %s: %w", i, n, err)
		}
	}
	for k, r := range g.Out {
		if err := g.verifyRef(r); err != nil {
			return fmt.Errorf("output %d: %w", k, err)
		}
	}
	return nil
}

// verifyNode checks the number of inputs, the places of leaves, and that a node reads only rows that
// exist when it is made.
func (g *Graph) verifyNode(i int, n *Node) error {
	inputs := map[Kind][2]int{
		Input: {0, 0}, Const: {0, 0}, Table: {1, 3}, Carry: {2, 2}, Moved: {1, 1}, Given: {0, 0},
		Random: {0, 0},
	}
	span, ok := inputs[n.Kind]
	if !ok || n.N < span[0] || n.N > span[1] {
		return fmt.Errorf("%d inputs", n.N)
	}
	other := n.Ago > 0 || n.Layer != 0
	if (n.Kind == Input) != (i < g.Planes || other) || n.Kind == Input && !other && n.Plane != i || n.Plane < 0 ||
		n.Plane >= g.Planes {
		return fmt.Errorf("inputs are nodes 0 to %d, in order", g.Planes-1)
	}
	for k, r := range n.Inputs() {
		if err := g.verifyRef(r); err != nil {
			return err
		}
		switch later := r.Node >= i; {
		case n.Kind == Carry && k == 0:
			if !later || r.Delay != 0 {
				return fmt.Errorf("carries %v, which is not a later node of the same row", r)
			}
		case later && r.Delay < 1:
			return fmt.Errorf("reads node %d, which is made later", r.Node)
		}
	}
	return nil
}

func (g *Graph) verifyRef(r Ref) error {
	switch {
	case r.Node < 0 || r.Node >= len(g.Nodes):
		return fmt.Errorf("there is no node %d", r.Node)
	case r.Delay < 0 && !g.Nodes[r.Node].Leaf():
		return fmt.Errorf("reads node %d %d rows before it is made", r.Node, -r.Delay)
	}
	return nil
}

// String lists the graph, one node a line:
//
//	n0 = cells0
//	n1 = 96 n0'-1 n0 n0'1      the rows below, here and above
//	n2 = e8 n1<1 n1 n1>1       n1<1 is n1 one column to the left
//	out0 = n2
func (g *Graph) String() string {
	var b strings.Builder
	for i := range g.Nodes {
		fmt.Fprintf(&b, "n%d = %s\n", i, &g.Nodes[i])
	}
	for k, r := range g.Out {
		fmt.Fprintf(&b, "out%d = %s\n", k, r)
	}
	return b.String()
}

// String returns the right side of the node's line.
func (n *Node) String() string {
	var b strings.Builder
	if n.Once {
		b.WriteString("once ")
	}
	switch n.Kind {
	case Input:
		fmt.Fprintf(&b, "cells%d", n.Plane)
		if n.Layer != 0 {
			fmt.Fprintf(&b, " of layer %+d", n.Layer)
		}
		if n.Ago > 0 {
			fmt.Fprintf(&b, " of %d rows before", n.Ago)
		}
	case Const:
		fmt.Fprintf(&b, "%d", n.Imm&1)
	case Table:
		fmt.Fprintf(&b, "%02x", n.Imm)
	case Carry:
		b.WriteString("carry")
	case Moved:
		b.WriteString("moved")
	case Given:
		b.WriteString(n.Parity.String())
	case Random:
		b.WriteString(n.Chance.String())
	}
	for _, r := range n.Inputs() {
		b.WriteString(" " + r.String())
	}
	return b.String()
}

// String returns a reference as text: n3<3'2 is n3 three columns to the left, two rows before.
func (r Ref) String() string {
	s := fmt.Sprintf("n%d", r.Node)
	switch {
	case r.DX < 0:
		s += fmt.Sprintf("<%d", -r.DX)
	case r.DX > 0:
		s += fmt.Sprintf(">%d", r.DX)
	}
	if r.Delay != 0 {
		s += fmt.Sprintf("'%d", r.Delay)
	}
	return s
}
