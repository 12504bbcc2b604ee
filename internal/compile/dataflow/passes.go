package dataflow

import (
	"slices"

	"github.com/gosper-life/gosper/internal/compile/lut"
)

// A Pass changes a graph. It never changes the rows that the graph computes after the first Warm rows.
type Pass struct {
	Name string
	Why  string // its purpose, in a sentence
	Run  func(*Graph)
}

// The passes that make a graph shorter, for every machine.
var (
	Fold  = Pass{"fold", "Tables with constant, repeated, ignored or inverted inputs become smaller ones.", fold}
	Share = Pass{
		"share", "Nodes that are equal, or equal but for a move sideways, become one (common subexpressions).",
		share,
	}
	Merge = Pass{"merge", "A table is merged into its users, if all of them can take it in.", func(g *Graph) {
		merge(g, func(uint8) int { return 1 })
	}}
	Sweep = Pass{"sweep", "Nodes without users are dropped (dead code).", sweep}
	// Enter is for machines that go down the rows of cells one by one.
	Enter = Pass{"enter", "Rows of cells are counted from the one that enters last, so no node needs a row that has not entered.", enter}
	// Retime is for machines that remember rows cheaply. It does not change graphs that recur: their recipe has chosen the
	// rows that they keep.
	Retime = Pass{"retime", "A node is made as soon as its inputs are there, and kept. Nodes that were equal but for a delay become one.", retime}
)

// Shorten runs the passes in turn until the graph stops shrinking. It calls after when a pass is done.
func (g *Graph) Shorten(passes []Pass, after func(Pass, *Graph)) {
	for before := -1; before != len(g.Nodes); {
		before = len(g.Nodes)
		for _, p := range passes {
			p.Run(g)
			after(p, g)
		}
	}
}

// rewriter replaces the nodes of a graph; at[i] refers to the new node for old node i. The reference
// may have an offset and a delay, because the new node may be the same row at another column or in an
// earlier row.
type rewriter struct {
	nodes []Node
	at    []Ref
}

// ahead is added to the number of an old node that is used before its new node is made.
const ahead = 1 << 40

func (w *rewriter) emit(n Node) Ref {
	w.nodes = append(w.nodes, n)
	return Ref{Node: len(w.nodes) - 1}
}

// known reports whether the new node of a reference has been made.
func (w *rewriter) known(r Ref) bool { return r.Node < ahead }

// rewrite replaces every node by the result of f. f sees references to the new nodes.
//
// A node may also read a later one, with a delay or by a carry. The new node for that one is not made yet, so the
// reference keeps the old number, plus ahead, until all nodes have been made. f must therefore not look behind a
// reference that is not known.
func (g *Graph) rewrite(f func(w *rewriter, old int, n Node) Ref) {
	w := &rewriter{nodes: make([]Node, 0, len(g.Nodes)), at: make([]Ref, len(g.Nodes))}
	for i, n := range g.Nodes {
		for k, r := range n.Inputs() {
			if r.Node < i {
				n.In[k] = r.through(w.at[r.Node])
			} else {
				n.In[k].Node += ahead
			}
		}
		w.at[i] = f(w, i, n)
	}
	g.Nodes = w.nodes
	for i := range g.Nodes {
		for k, r := range g.Nodes[i].Inputs() {
			if !w.known(r) {
				old := Ref{r.Node - ahead, r.DX, r.Delay}
				g.Nodes[i].In[k] = old.through(w.at[old.Node])
			}
		}
	}
	for k, r := range g.Out {
		g.Out[k] = r.through(w.at[r.Node])
	}
}

// fold makes tables smaller. Some examples:
//
//	and(a, 1)        becomes   a
//	xor3(a, b, 1)    becomes   xnor(a, b)
//	maj(a, a, b)     becomes   a
//	or(not a, b)     becomes   one table of a and b
func fold(g *Graph) {
	// All nodes are zero before the first row, and a running sum may depend on that, so a delayed constant is not the
	// constant.
	recurs := g.Recurs()
	g.rewrite(func(w *rewriter, _ int, n Node) Ref {
		if n.Kind != Table {
			return w.emit(n)
		}
		t := table{imm: n.Imm}
		t.in = append(t.in, n.Inputs()...)
		for k := 0; k < len(t.in); k++ {
			r := t.in[k]
			if !w.known(r) {
				continue
			}
			switch source := w.nodes[r.Node]; {
			case source.Kind == Const && (r.Delay == 0 || !recurs):
				t.fix(k, source.Imm&1)
				k--
			case source.Kind == Table && source.N == 1 && r.Delay == 0: // an inverter
				t.in[k] = r.through(source.In[0])
				t.invert(k)
				k--
			}
		}
		t.reduce()
		switch {
		case len(t.in) == 0:
			return w.emit(Node{Kind: Const, Imm: t.imm})
		case len(t.in) == 1 && t.isCopy() && w.known(t.in[0]):
			return t.in[0]
		}
		simple := t.node()
		simple.Once = n.Once
		return w.emit(simple)
	})
}

// share keeps the rows at which nodes are made.
func share(g *Graph) { g.shareNodes(false) }

// shareNodes makes one node of equal ones. If retimed is set, two nodes also count as equal if the delays of
// all their inputs differ by the same number.
func (g *Graph) shareNodes(retimed bool) {
	seen := map[Node]int{}
	own := g.ownPast()
	g.rewrite(func(w *rewriter, old int, n Node) Ref {
		is := Ref{}
		if n.Kind == Table {
			// Two nodes are compared in one form. Their inputs are sorted, and the node is moved until the first input is at
			// its own column:
			//
			//	p[x] = a[x+2] ^ b[x+3]     becomes     q[x] = a[x] ^ b[x+1],     p[x] = q[x+2]
			//
			// Then every row that is q at another column is a reference to q. If retimed is set, the same is done with rows:
			// the least delay of an input is taken out of the node.
			t := table{imm: n.Imm, in: slices.Clone(n.Inputs())}
			t.reduce() // inputs that were different nodes may now be the same
			if len(t.in) == 0 {
				return w.emit(Node{Kind: Const, Imm: t.imm})
			}
			t.sort()
			if !own[old] {
				is.DX = t.in[0].DX
			}
			if retimed {
				is.Delay = t.in[0].Delay
				for _, r := range t.in {
					is.Delay = min(is.Delay, r.Delay)
				}
			}
			for k := range t.in {
				t.in[k].DX -= is.DX
				t.in[k].Delay -= is.Delay
			}
			once := n.Once
			n = t.node()
			n.Once = once
		}
		at, ok := seen[n]
		if !ok || n.Kind == Carry {
			at = w.emit(n).Node
			seen[n] = at
		}
		is.Node = at
		return is
	})
}

// ownPast reports which nodes are used by earlier nodes, with a delay. They must stay at their column, because
// they read their own past there.
func (g *Graph) ownPast() []bool {
	own := make([]bool, len(g.Nodes))
	for i := range g.Nodes {
		for _, r := range g.Nodes[i].Inputs() {
			own[r.Node] = own[r.Node] || r.Node >= i
		}
	}
	return own
}

// retime makes nodes as early as possible. If all inputs of a node are at least d rows old, the node
// could have been made d rows before:
//
//	p = f(s', s'')     becomes     q = f(s, s'),   p = q'
//
// If another node is q already, the two become one, which is remembered instead of made again. If all
// outputs are then old, the rows that enter last are not needed for them, and are dropped.
func retime(g *Graph) {
	if g.Recurs() {
		return
	}
	g.shareNodes(true)
	least := g.Out[0].Delay
	for _, r := range g.Out {
		least = min(least, r.Delay)
	}
	for k := range g.Out {
		g.Out[k].Delay -= least
	}
	g.Up -= least
}

// enter counts rows from the one that has entered last, here for a rule that reads the rows around it:
//
//	         row below   this row   row above    output
//	before      s'-1         s          s'       row y of the next generation
//	after       s            s'         s''      row y-1 of the next generation: Up is 1
func enter(g *Graph) {
	up := 0
	g.Refs(func(r *Ref) { up = max(up, -r.Delay) })
	g.Refs(func(r *Ref) {
		if g.Nodes[r.Node].Leaf() {
			r.Delay += up
		}
	})
	g.Up += up
}

// MergeCheaper returns a pass like Merge for machines on which some tables cost more than others.
func MergeCheaper(cost func(table uint8) int) Pass {
	return Pass{
		"merge", "A table is merged into its users, if all of them can take it in, and that is cheaper.",
		func(g *Graph) {
			merge(g, cost)
		},
	}
}

// merge takes tables into their users. A node with two inputs and a user with two inputs are the most
// common case:
//
//	p = a and b,   q = p or c      becomes      q = a and b or c, one table
func merge(g *Graph, cost func(table uint8) int) {
	// Merging makes the inner table vanish if all of its users take it in, which saves its cost. The users' tables may
	// cost more or less than before.
	users := make([][]int, len(g.Nodes))
	kept := make([]bool, len(g.Nodes)) // must exist as a row: an output, the input of a carry, or used with a delay
	for i := range g.Nodes {
		n := &g.Nodes[i]
		for _, r := range n.Inputs() {
			if n.Kind != Table || r.Delay != 0 {
				kept[r.Node] = true
			} else {
				users[r.Node] = append(users[r.Node], i)
			}
		}
	}
	for _, r := range g.Out {
		kept[r.Node] = true
	}
	for i := range g.Nodes {
		inner := &g.Nodes[i]
		if inner.Kind != Table || kept[i] || len(users[i]) == 0 {
			continue
		}
		merged := make([]table, 0, len(users[i]))
		gain := cost(inner.Imm)
		for _, u := range users[i] {
			t, ok := absorb(&g.Nodes[u], i, inner)
			if !ok || g.Nodes[u].Once != inner.Once {
				break
			}
			merged = append(merged, t)
			gain += cost(g.Nodes[u].Imm) - cost(t.imm)
		}
		if len(merged) < len(users[i]) || gain <= 0 {
			continue
		}
		for k, u := range users[i] {
			g.Nodes[u] = merged[k].node()
			g.Nodes[u].Once = inner.Once
			for _, r := range merged[k].in {
				if r.Delay == 0 && !slices.Contains(users[r.Node], u) {
					users[r.Node] = append(users[r.Node], u)
				}
			}
		}
		for _, r := range inner.Inputs() {
			users[r.Node] = slices.DeleteFunc(users[r.Node], func(u int) bool { return u == i })
		}
		users[i] = nil
	}
}

// absorb returns the table outer with the table inner in place of node i, if three inputs are enough.
//
// The new table is computed entry by entry. Entry 4a+2b+c is the output for these inputs, so an entry's number has
// the inputs as its digits. From them come the inputs of inner, its output, and the output of outer.
func absorb(outer *Node, i int, inner *Node) (table, bool) {
	var inputs []Ref
	add := func(r Ref) {
		if !slices.Contains(inputs, r) {
			inputs = append(inputs, r)
		}
	}
	for _, r := range outer.Inputs() {
		if r.Node != i {
			add(r)
			continue
		}
		for _, in := range inner.Inputs() {
			add(r.through(in))
		}
	}
	if len(inputs) > 3 {
		return table{}, false
	}
	t := table{in: inputs}
	for row := range 8 {
		bit := func(r Ref) int { return row >> (2 - slices.Index(inputs, r)) & 1 }
		lookup := func(n *Node, bit func(Ref) int) int {
			index := 0
			for k, r := range n.Inputs() {
				index |= bit(r) << (2 - k)
			}
			return int(n.Imm) >> index & 1
		}
		out := lookup(outer, func(r Ref) int {
			if r.Node != i {
				return bit(r)
			}
			return lookup(inner, func(in Ref) int { return bit(r.through(in)) })
		})
		t.imm |= uint8(out << row)
	}
	t.reduce()
	if len(t.in) == 0 { // remains a table until the next fold makes it a constant
		t.in = inputs[:1]
	}
	return t, true
}

// sweep drops nodes that no output needs, directly or through others. Inputs stay, because their
// numbers are fixed.
func sweep(g *Graph) {
	live := make([]bool, len(g.Nodes))
	var reach func(node int)
	reach = func(node int) {
		if live[node] {
			return
		}
		live[node] = true
		for _, r := range g.Nodes[node].Inputs() {
			reach(r.Node)
		}
	}
	for k := range g.Planes {
		live[k] = true
	}
	for _, r := range g.Out {
		reach(r.Node)
	}
	g.rewrite(func(w *rewriter, old int, n Node) Ref {
		if !live[old] {
			return Ref{}
		}
		return w.emit(n)
	})
}

// Halves is for machines whose operations have two inputs.
var Halves = Pass{"halves", "The sum and the carry of a full adder share the half sum of two inputs: five operations instead of six.", halves}

// h = a ^ b      sum = h ^ c      carry = h ? c : a
func halves(g *Graph) {
	// Inputs of a full adder, moved so that the first is at its own column. Its sum and its carry may be made for
	// different columns.
	inputs := func(n *Node) (at [3]Ref) {
		for k, r := range n.Inputs() {
			at[k] = r.At(-n.In[0].DX)
		}
		return at
	}
	parts := map[[3]Ref]int{} // of the adder with these inputs
	for i := range g.Nodes {
		if n := &g.Nodes[i]; part(n) != 0 {
			parts[inputs(n)] |= part(n)
		}
	}
	halves := map[[3]Ref]Ref{}
	adders := make([][3]Ref, len(g.Nodes))
	for i := range g.Nodes {
		adders[i] = inputs(&g.Nodes[i])
	}
	g.rewrite(func(w *rewriter, i int, n Node) Ref {
		of := part(&n)
		if of == 0 || parts[adders[i]] != sumPart|carryPart {
			return w.emit(n)
		}
		a, b, c := n.In[0], n.In[1], n.In[2]
		half, ok := halves[adders[i]]
		if !ok {
			half = w.emit(Node{Kind: Table, Imm: lut.Xor, N: 2, In: [3]Ref{a.At(-a.DX), b.At(-a.DX)}})
			halves[adders[i]] = half
		}
		h := half.At(a.DX)
		if of == sumPart {
			return w.emit(Node{Kind: Table, Imm: lut.Xor ^ (n.Imm ^ lut.Xor3), N: 2, In: [3]Ref{h, c}})
		}
		carry := Node{Kind: Table, N: 3, In: [3]Ref{a, h, c}}
		for row := range 8 {
			// The inputs are now a, h and c. The old table had b in place of h, and b is a ^ h.
			first, differ := row>>2, row>>1&1
			carry.Imm |= n.Imm >> (4*first + 2*(first^differ) + row&1) & 1 << row
		}
		return w.emit(carry)
	})
}

const (
	sumPart   = 1
	carryPart = 2
)

// part says whether a node is the sum or the carry of a full adder, with any of its inputs and its output complemented.
func part(n *Node) int {
	if n.Kind != Table || n.N < 3 || n.Once {
		return 0
	}
	switch n.Imm {
	case lut.Xor3, 0xFF ^ lut.Xor3:
		return sumPart
	case lut.Maj, lut.Borrow, 0xB2, 0x8E, 0xFF ^ lut.Maj, 0xFF ^ lut.Borrow, 0xFF ^ 0xB2, 0xFF ^ 0x8E:
		return carryPart
	}
	return 0
}

// Complement returns a pass for machines on which some tables cost more than others.
func Complement(cost func(table uint8) int) Pass {
	why := "A row is made as its complement where that makes tables cheaper."
	return Pass{"complement", why, func(g *Graph) { complement(g, cost) }}
}

// A node and all its users are changed together: the node's table is complemented, and its users expect this. Since
// the cost falls with each change, this ends.
func complement(g *Graph, cost func(table uint8) int) {
	users := make([][]int, len(g.Nodes))
	kept := make([]bool, len(g.Nodes)) // must be as it is: an output, the input of a carry, or used with a delay
	for i := range g.Nodes {
		n := &g.Nodes[i]
		kept[i] = kept[i] || n.Kind != Table || n.Once
		for _, r := range n.Inputs() {
			switch {
			case n.Kind != Table || n.Once || r.Delay != 0:
				kept[r.Node] = true
			case !slices.Contains(users[r.Node], i):
				users[r.Node] = append(users[r.Node], i)
			}
		}
	}
	for _, r := range g.Out {
		kept[r.Node] = true
	}
	for changed := true; changed; { // the cost falls each time
		changed = false
		for i := range g.Nodes {
			if kept[i] {
				continue
			}
			gain := cost(g.Nodes[i].Imm) - cost(^g.Nodes[i].Imm)
			for _, u := range users[i] {
				gain += cost(g.Nodes[u].Imm) - cost(g.Nodes[u].inverted(i))
			}
			if gain <= 0 {
				continue
			}
			for _, u := range users[i] {
				g.Nodes[u].Imm = g.Nodes[u].inverted(i)
			}
			g.Nodes[i].Imm, changed = ^g.Nodes[i].Imm, true
		}
	}
}

// inverted is the table of a node that gets the complement of another one.
func (n *Node) inverted(node int) uint8 {
	t := table{imm: n.Imm}
	for k, r := range n.Inputs() {
		if r.Node == node {
			t.invert(k)
		}
	}
	return t.imm
}

// Order sorts the nodes so that each comes after the nodes that it reads without a delay.
func (g *Graph) Order() {
	const unseen, begun = 0, -1
	at := make([]int, len(g.Nodes)) // 1 more than the new place
	nodes := make([]Node, 0, len(g.Nodes))
	var visit func(i int)
	visit = func(i int) {
		if at[i] != unseen {
			return
		}
		at[i] = begun
		n := g.Nodes[i]
		for k, r := range n.Inputs() {
			if r.Delay <= 0 && (n.Kind != Carry || k > 0) {
				visit(r.Node)
			}
		}
		nodes = append(nodes, n)
		at[i] = len(nodes)
	}
	for i := range g.Nodes {
		visit(i)
	}
	g.Nodes = nodes
	g.Refs(func(r *Ref) { r.Node = at[r.Node] - 1 })
}
