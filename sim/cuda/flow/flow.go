// Package flow turns the circuit of a rule into what a kernel does for each row of cells that enters: the same tables each time, at the
// columns where they move least, with rows of the past remembered for as long as they are needed.
package flow

import (
	"math"
	"slices"

	"github.com/gosper-life/gosper/logic"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/topology"
)

// Flow is a program as a kernel runs it, one row an iteration: rows of cells enter one after the other, every node is computed
// once for each, and what later rows need of it is remembered for some iterations (delay). Streams are nothing but delays here.
//
//	            enters         delay 0   1   2
//	row e     ──────────▶ s:         s   s'  s''
//	                      p = f(s):  p   p'  p''      a row sum is made once and used for three rows
//	row e-up  ◀────────── out = g(p, p', p'', s')
type Flow struct {
	Planes int    // of the cells
	Nodes  []Node // in the order of computing
	Out    []Ref  // by plane: the row that leaves
	Up     int    // the row that leaves is Up rows above the one that enters
	Lead   int    // bit x of the row that leaves is column x+Lead: the radius where only columns to the right are looked at, else 0
	Radius int    // how far a cell looks
	// Recurrent flows have nodes that depend on their own past (running sums), which must start from zeros and see zeros until
	// the first row that counts.
	Recurrent bool
	// Drifting flows are recurrent, and rows of the past are moved sideways on and on (logic.Program.Drifts).
	Drifting bool
	Delay    []int // by node: the longest delay in use
}

// Moved is the kind of a node that is another one moved, so that the past of the moved row can be remembered.
const Moved logic.OpKind = 0xFF

// Node is one row of bits: a plane of the cells that enter (Load), a constant, a table of up to three others, or one of them moved.
type Node struct {
	Kind  logic.OpKind
	Imm   uint8 // of a Table: the table; of a Const: its lowest bit
	Plane int   // of a Load
	Ago   int   // of a Load: it is the row that entered so many rows before, read again (see Recalled)
	In    []Ref // of a Table and of what is Moved
}

// Ref is a node's row of Delay iterations ago, moved: bit x of it is bit x+DX of the node's row.
type Ref struct{ Node, DX, Delay int }

// LongestInRegisters is the longest delay that is kept in registers; longer ones are kept in shared memory.
const LongestInRegisters = 6

// New compiles a rule. Rules that do not tell rows from columns can have their 3×3 block summed along the rows first: then
// the sums are shared by the three rows they belong to, which costs a lane of a warp nothing, while sums of columns would have
// to be moved to the lanes beside it.
func New(r rule.Rule, words int, lead bool) *Flow {
	circuit := logic.Compile(r)
	best := flowOf(logic.LowerStrips(circuit), r.Radius(), words, lead)
	if _, ok := r.AsTable(); ok && r.Invariant(topology.Transpose) {
		if f := flowOf(logic.LowerStrips(transposed(circuit)), r.Radius(), words, lead); f.Cost(words) < best.Cost(words) {
			best = f
		}
	}
	return best
}

// transposed exchanges rows and columns.
func transposed(c *logic.Circuit) *logic.Circuit {
	t := *c
	t.Nodes = slices.Clone(c.Nodes)
	for i := range t.Nodes {
		for k, in := range t.Nodes[i].In {
			t.Nodes[i].In[k].DX, t.Nodes[i].In[k].DY = in.DY, in.DX
		}
	}
	return &t
}

// flowOf makes the flow of a program. A lead is left out where the program has to look both ways.
func flowOf(p *logic.Program, radius, words int, lead bool) *Flow {
	f := &Flow{Planes: p.Planes, Up: p.Up, Radius: max(radius, p.Reach), Drifting: p.Drifts}
	if lead && !p.Drifts {
		f.Lead = f.Radius
	}
	at := make([]Ref, len(p.Ops)) // where the value of an op is found
	stored := map[int]logic.Operand{}
	for _, s := range p.Stores {
		stored[s.Stream] = s.Value
	}
	for k := range p.Planes {
		f.Nodes = append(f.Nodes, Node{Kind: logic.Load, Plane: k})
	}
	for i, op := range p.Ops {
		if op.Kind == logic.Load && op.Stream < p.Planes {
			at[i] = Ref{Node: op.Stream, Delay: p.Up - op.DY}
			continue
		}
		if op.Kind != logic.Load && !isCopy(op) {
			at[i] = Ref{Node: len(f.Nodes)}
			f.Nodes = append(f.Nodes, Node{Kind: op.Kind, Imm: op.Imm})
		}
	}
	var resolve func(o logic.Operand) Ref
	resolve = func(o logic.Operand) Ref {
		op := p.Ops[o.Value]
		r := at[o.Value]
		switch {
		case isCopy(op):
			r = resolve(op.In[0])
		case op.Kind == logic.Load && op.Stream >= p.Planes:
			r = resolve(stored[op.Stream])
			r.Delay -= op.DY
			f.Recurrent = true
		}
		r.DX += o.DX
		return r
	}
	for i, op := range p.Ops {
		if op.Kind == logic.Table && !isCopy(op) {
			n := &f.Nodes[at[i].Node]
			for _, o := range op.In[:op.N] {
				n.In = append(n.In, resolve(o))
			}
		}
	}
	for _, o := range p.Out {
		f.Out = append(f.Out, resolve(o))
	}
	if !f.Recurrent {
		f.hasten()
	}
	f.anchor(words)
	if lead && f.looksLeft() {
		return flowOf(p, radius, words, false)
	}
	f.rememberMoved()
	f.sweep()
	return f
}

// rememberMoved has rows that are moved when they are new and again when they are old moved once.
func (f *Flow) rememberMoved() {
	movers := map[Ref]int{} // nodes that are such rows, by what they move; 0: none yet
	each := func(do func(r *Ref)) {
		for i := range f.Nodes {
			for k := range f.Nodes[i].In {
				do(&f.Nodes[i].In[k])
			}
		}
		for k := range f.Out {
			do(&f.Out[k])
		}
	}
	each(func(r *Ref) {
		if r.DX != 0 && r.Delay == 0 {
			movers[*r] = 0
		}
	})
	var nodes []Node
	each(func(r *Ref) {
		fresh := Ref{r.Node, r.DX, 0}
		id, twice := movers[fresh]
		if r.Delay == 0 || !twice {
			return
		}
		if id == 0 {
			id = len(f.Nodes) + len(nodes)
			movers[fresh] = id
			nodes = append(nodes, Node{Kind: Moved, In: []Ref{fresh}})
		}
		*r = Ref{id, 0, r.Delay}
	})
	f.Nodes = append(f.Nodes, nodes...)
}

// looksLeft reports whether any reference moves a row to the right.
func (f *Flow) looksLeft() bool {
	left := func(r Ref) bool { return r.DX < 0 }
	return slices.ContainsFunc(f.Out, left) ||
		slices.ContainsFunc(f.Nodes, func(n Node) bool { return slices.ContainsFunc(n.In, left) })
}

// isCopy reports whether an op only moves its input.
func isCopy(op logic.Op) bool { return op.Kind == logic.Table && op.N == 1 && op.Imm == 0xF0 }

// hasten computes every node as soon as its inputs are there and delays the result instead of the inputs. Nodes that were the
// same at different rows become one.
func (f *Flow) hasten() {
	type key struct {
		kind  logic.OpKind
		imm   uint8
		plane int
		n     int
		in    [3]Ref
	}
	seen := map[key]int{}
	at := make([]Ref, len(f.Nodes))
	var nodes []Node
	current := func(r Ref) Ref {
		now := at[r.Node]
		return Ref{now.Node, now.DX + r.DX, now.Delay + r.Delay}
	}
	for i, n := range f.Nodes {
		in := make([]Ref, len(n.In))
		least := math.MaxInt
		for k, r := range n.In {
			in[k] = current(r)
			least = min(least, in[k].Delay)
		}
		if len(in) == 0 {
			least = 0
		}
		k := key{kind: n.Kind, imm: n.Imm, plane: n.Plane, n: len(in)}
		dx := 0
		if len(in) > 0 {
			dx = in[0].DX
		}
		for j := range in {
			in[j].Delay -= least
			in[j].DX -= dx
			k.in[j] = in[j]
		}
		id, ok := seen[k]
		if !ok {
			id = len(nodes)
			nodes = append(nodes, Node{Kind: n.Kind, Imm: n.Imm, Plane: n.Plane, In: in})
			seen[k] = id
		}
		at[i] = Ref{id, dx, least}
	}
	for k, r := range f.Out {
		f.Out[k] = current(r)
	}
	f.Nodes = nodes
	least := math.MaxInt
	for _, r := range f.Out {
		least = min(least, r.Delay)
	}
	if least > 0 { // the rule ignores the rows that enter last
		for k := range f.Out {
			f.Out[k].Delay -= least
		}
		f.Up -= least
	}
}

// Split finds column c, counted from word 0 of a lane, among words interleaved words: its word, and by how many bits to move.
func Split(c, words int) (word, bits int) {
	bits = FloorDiv(c, words)
	return c - bits*words, bits
}

// LanesOf is q as lanes·32 + bits.
func LanesOf(q int) (lanes, bits int) {
	lanes = FloorDiv(q, 32)
	return lanes, q - 32*lanes
}

// FloorDiv is a/b rounded down, b > 0.
func FloorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// sweep drops nodes that nobody uses and notes the delays.
func (f *Flow) sweep() {
	live := make([]bool, len(f.Nodes))
	for _, r := range f.Out {
		live[r.Node] = true
	}
	for changed := true; changed; { // recurrences reach forward
		changed = false
		for i := len(f.Nodes) - 1; i >= 0; i-- {
			if !live[i] {
				continue
			}
			for _, r := range f.Nodes[i].In {
				if !live[r.Node] {
					live[r.Node], changed = true, true
				}
			}
		}
	}
	at := make([]int, len(f.Nodes))
	var nodes []Node
	for i, n := range f.Nodes {
		if live[i] {
			at[i] = len(nodes)
			nodes = append(nodes, n)
		}
	}
	f.Nodes = nodes
	f.Delay = make([]int, len(nodes))
	note := func(r *Ref) {
		r.Node = at[r.Node]
		f.Delay[r.Node] = max(f.Delay[r.Node], r.Delay)
	}
	for i := range f.Nodes {
		for k := range f.Nodes[i].In {
			note(&f.Nodes[i].In[k])
		}
	}
	for k := range f.Out {
		note(&f.Out[k])
	}
}

// Tables is the number of tables.
func (f *Flow) Tables() int {
	n := 0
	for i := range f.Nodes {
		if f.Nodes[i].Kind == logic.Table {
			n++
		}
	}
	return n
}

// Cost is the work for one row of a lane of some words, in half instructions of the logic pipe.
func (f *Flow) Cost(words int) int {
	m := newMoves(words)
	for _, n := range f.Nodes {
		for _, r := range n.In {
			m.add(r)
		}
	}
	for _, r := range f.Out {
		m.add(r)
	}
	return 2*words*f.Tables() + m.cost
}
