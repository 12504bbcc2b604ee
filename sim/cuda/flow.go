package cuda

import (
	"math"
	"slices"

	"github.com/gosper-life/gosper/logic"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/topology"
)

// flow is a program as a kernel runs it, one row an iteration: rows of cells enter one after the other, every node is computed
// once for each, and what later rows need of it is remembered for some iterations (delay). Streams are nothing but delays here.
//
//	            enters         delay 0   1   2
//	row e     ──────────▶ s:         s   s'  s''
//	                      p = f(s):  p   p'  p''      a row sum is made once and used for three rows
//	row e-up  ◀────────── out = g(p, p', p'', s')
type flow struct {
	planes int
	nodes  []node
	out    []ref
	up     int // the row that leaves is up rows above the one that enters
	lead   int // bit x of the row that leaves is column x+lead: radius where only columns to the right are looked at, else 0
	radius int
	// recurrent flows have nodes that depend on their own past (running sums), which must start from zeros and see zeros until
	// the first row that counts.
	recurrent bool
	delay     []int // by node: the longest delay in use
}

// moved is the kind of a node that is another one moved, so that the past of the moved row can be remembered.
const moved logic.OpKind = 0xFF

// node is one row of bits: a plane of the cells that enter (Load), a constant, a table of up to three others, or one of them moved.
type node struct {
	kind  logic.OpKind
	imm   uint8
	plane int
	ago   int // of a Load: it is the row that entered so many rows before, read again (recall.go)
	in    []ref
}

// ref is a node's row of delay iterations ago, moved: bit x of it is bit x+dx of the node's row.
type ref struct{ node, dx, delay int }

// newFlow compiles a rule. Rules that do not tell rows from columns can have their 3×3 block summed along the rows first: then
// the sums are shared by the three rows they belong to, which costs a lane of a warp nothing, while sums of columns would have
// to be moved to the lanes beside it.
func newFlow(r rule.Rule, words int, lead bool) *flow {
	circuit := logic.Compile(r)
	best := flowOf(logic.Lower(circuit), r.Radius(), words, lead)
	if _, ok := r.AsTable(); ok && r.Invariant(topology.Transpose) {
		if f := flowOf(logic.Lower(transposed(circuit)), r.Radius(), words, lead); f.cost(words) < best.cost(words) {
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
func flowOf(p *logic.Program, radius, words int, lead bool) *flow {
	f := &flow{planes: p.Planes, up: p.Up, radius: max(radius, p.Reach)}
	if lead {
		f.lead = f.radius
	}
	at := make([]ref, len(p.Ops)) // where the value of an op is found
	stored := map[int]logic.Operand{}
	for _, s := range p.Stores {
		stored[s.Stream] = s.Value
	}
	for k := range p.Planes {
		f.nodes = append(f.nodes, node{kind: logic.Load, plane: k})
	}
	for i, op := range p.Ops {
		if op.Kind == logic.Load && op.Stream < p.Planes {
			at[i] = ref{node: op.Stream, delay: p.Up - op.DY}
			continue
		}
		if op.Kind != logic.Load && !isCopy(op) {
			at[i] = ref{node: len(f.nodes)}
			f.nodes = append(f.nodes, node{kind: op.Kind, imm: op.Imm})
		}
	}
	var resolve func(o logic.Operand) ref
	resolve = func(o logic.Operand) ref {
		op := p.Ops[o.Value]
		r := at[o.Value]
		switch {
		case isCopy(op):
			r = resolve(op.In[0])
		case op.Kind == logic.Load && op.Stream >= p.Planes:
			r = resolve(stored[op.Stream])
			r.delay -= op.DY
			f.recurrent = true
		}
		r.dx += o.DX
		return r
	}
	for i, op := range p.Ops {
		if op.Kind == logic.Table && !isCopy(op) {
			n := &f.nodes[at[i].node]
			for _, o := range op.In[:op.N] {
				n.in = append(n.in, resolve(o))
			}
		}
	}
	for _, o := range p.Out {
		f.out = append(f.out, resolve(o))
	}
	if !f.recurrent {
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
func (f *flow) rememberMoved() {
	movers := map[ref]int{} // nodes that are such rows, by what they move; 0: none yet
	each := func(do func(r *ref)) {
		for i := range f.nodes {
			for k := range f.nodes[i].in {
				do(&f.nodes[i].in[k])
			}
		}
		for k := range f.out {
			do(&f.out[k])
		}
	}
	each(func(r *ref) {
		if r.dx != 0 && r.delay == 0 {
			movers[*r] = 0
		}
	})
	var nodes []node
	each(func(r *ref) {
		fresh := ref{r.node, r.dx, 0}
		id, twice := movers[fresh]
		if r.delay == 0 || !twice {
			return
		}
		if id == 0 {
			id = len(f.nodes) + len(nodes)
			movers[fresh] = id
			nodes = append(nodes, node{kind: moved, in: []ref{fresh}})
		}
		*r = ref{id, 0, r.delay}
	})
	f.nodes = append(f.nodes, nodes...)
}

// looksLeft reports whether any reference moves a row to the right.
func (f *flow) looksLeft() bool {
	left := func(r ref) bool { return r.dx < 0 }
	return slices.ContainsFunc(f.out, left) ||
		slices.ContainsFunc(f.nodes, func(n node) bool { return slices.ContainsFunc(n.in, left) })
}

// isCopy reports whether an op only moves its input.
func isCopy(op logic.Op) bool { return op.Kind == logic.Table && op.N == 1 && op.Imm == 0xF0 }

// hasten computes every node as soon as its inputs are there and delays the result instead of the inputs. Nodes that were the
// same at different rows become one.
func (f *flow) hasten() {
	type key struct {
		kind  logic.OpKind
		imm   uint8
		plane int
		n     int
		in    [3]ref
	}
	seen := map[key]int{}
	at := make([]ref, len(f.nodes))
	var nodes []node
	current := func(r ref) ref {
		now := at[r.node]
		return ref{now.node, now.dx + r.dx, now.delay + r.delay}
	}
	for i, n := range f.nodes {
		in := make([]ref, len(n.in))
		least := math.MaxInt
		for k, r := range n.in {
			in[k] = current(r)
			least = min(least, in[k].delay)
		}
		if len(in) == 0 {
			least = 0
		}
		k := key{kind: n.kind, imm: n.imm, plane: n.plane, n: len(in)}
		dx := 0
		if len(in) > 0 {
			dx = in[0].dx
		}
		for j := range in {
			in[j].delay -= least
			in[j].dx -= dx
			k.in[j] = in[j]
		}
		id, ok := seen[k]
		if !ok {
			id = len(nodes)
			nodes = append(nodes, node{kind: n.kind, imm: n.imm, plane: n.plane, in: in})
			seen[k] = id
		}
		at[i] = ref{id, dx, least}
	}
	for k, r := range f.out {
		f.out[k] = current(r)
	}
	f.nodes = nodes
	least := math.MaxInt
	for _, r := range f.out {
		least = min(least, r.delay)
	}
	if least > 0 { // the rule ignores the rows that enter last
		for k := range f.out {
			f.out[k].delay -= least
		}
		f.up -= least
	}
}

// split finds column c, counted from word 0 of a lane, among words interleaved words: its word, and by how many bits to move.
func split(c, words int) (word, bits int) {
	bits = floorDiv(c, words)
	return c - bits*words, bits
}

// lanesOf is q as lanes·32 + bits.
func lanesOf(q int) (lanes, bits int) {
	lanes = floorDiv(q, 32)
	return lanes, q - 32*lanes
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// sweep drops nodes that nobody uses and notes the delays.
func (f *flow) sweep() {
	live := make([]bool, len(f.nodes))
	for _, r := range f.out {
		live[r.node] = true
	}
	for changed := true; changed; { // recurrences reach forward
		changed = false
		for i := len(f.nodes) - 1; i >= 0; i-- {
			if !live[i] {
				continue
			}
			for _, r := range f.nodes[i].in {
				if !live[r.node] {
					live[r.node], changed = true, true
				}
			}
		}
	}
	at := make([]int, len(f.nodes))
	var nodes []node
	for i, n := range f.nodes {
		if live[i] {
			at[i] = len(nodes)
			nodes = append(nodes, n)
		}
	}
	f.nodes = nodes
	f.delay = make([]int, len(nodes))
	note := func(r *ref) {
		r.node = at[r.node]
		f.delay[r.node] = max(f.delay[r.node], r.delay)
	}
	for i := range f.nodes {
		for k := range f.nodes[i].in {
			note(&f.nodes[i].in[k])
		}
	}
	for k := range f.out {
		note(&f.out[k])
	}
}

// tables is the number of tables.
func (f *flow) tables() int {
	n := 0
	for i := range f.nodes {
		if f.nodes[i].kind == logic.Table {
			n++
		}
	}
	return n
}

// cost is the work for one row of a lane of some words, in half instructions of the logic pipe.
func (f *flow) cost(words int) int {
	m := newMoves(words)
	for _, n := range f.nodes {
		for _, r := range n.in {
			m.add(r)
		}
	}
	for _, r := range f.out {
		m.add(r)
	}
	return 2*words*f.tables() + m.cost
}
