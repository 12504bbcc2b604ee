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
			nodes = append(nodes, node{n.kind, n.imm, n.plane, in})
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

// anchor chooses at which column each node is computed, which is free, so that few of its operands have to be moved: first each
// where most of its users want it, from the output back, then one by one as long as that saves moves.
func (f *flow) anchor(words int) {
	a := &anchoring{f: f, words: words, at: make([]int, len(f.nodes)), wishes: make([][]wish, len(f.nodes))}
	for i, n := range f.nodes {
		for _, r := range n.in {
			a.wishes[r.node] = append(a.wishes[r.node], wish{i, r.dx})
		}
	}
	for _, r := range f.out {
		a.wishes[r.node] = append(a.wishes[r.node], wish{output, r.dx})
	}
	for i := len(f.nodes) - 1; i >= 0; i-- {
		if len(f.nodes[i].in) > 0 { // inputs and constants stay where they are
			a.at[i] = a.mostWanted(i)
		}
	}
	a.improve()
	for i := range f.nodes {
		for k := range f.nodes[i].in {
			r := &f.nodes[i].in[k]
			r.dx += a.at[i] - a.at[r.node]
		}
	}
	for k := range f.out {
		f.out[k].dx += f.lead - a.at[f.out[k].node]
	}
}

// anchoring is the choice of columns: the row of node i is computed moved by at[i].
type anchoring struct {
	f      *flow
	words  int
	at     []int
	wishes [][]wish // by node
}

// wish is one use of a node's row, moved by dx: at column at[user] + dx it need not be moved.
type wish struct{ user, dx int }

// output is the user that wants rows where they are.
const output = -1

func (a *anchoring) column(w wish) int {
	if w.user == output {
		return w.dx + a.f.lead
	}
	return a.at[w.user] + w.dx
}

func (a *anchoring) mostWanted(i int) int {
	votes := map[int]int{}
	best := 0
	first := true
	for _, w := range a.wishes[i] {
		if w.user != output && w.user <= i { // a recurrence, whose place is not known yet
			continue
		}
		column := a.column(w)
		votes[column]++
		better := votes[column] > votes[best]
		if a.f.lead > 0 {
			better = column < best // so that no user has to look to the left
		}
		if first || better {
			best, first = column, false
		}
	}
	return best
}

// leftwards is what a move to the left costs where a flow is to look to the right only.
const leftwards = 1 << 20

// cost is what all moves cost.
func (a *anchoring) cost() int {
	m := newMoves(a.words)
	count := func(r ref, by int) {
		r.dx += by - a.at[r.node]
		m.add(r)
		if r.dx < 0 && a.f.lead > 0 {
			m.cost += leftwards
		}
	}
	for i, n := range a.f.nodes {
		for _, r := range n.in {
			count(r, a.at[i])
		}
	}
	for _, r := range a.f.out {
		count(r, a.f.lead)
	}
	return m.cost
}

// improve tries for every node the columns at which one of its operands or one of its users needs no move. Each trial looks at
// the whole flow, so large ones stay as they are.
func (a *anchoring) improve() {
	const largest = 250
	if len(a.f.nodes) > largest {
		return
	}
	best := a.cost()
	for improved := true; improved; {
		improved = false
		for i, n := range a.f.nodes {
			if len(n.in) == 0 {
				continue
			}
			var tries []int
			for _, r := range n.in {
				tries = append(tries, a.at[r.node]-r.dx)
			}
			for _, w := range a.wishes[i] {
				tries = append(tries, a.column(w))
			}
			slices.Sort(tries)
			for _, column := range slices.Compact(tries) {
				was := a.at[i]
				a.at[i] = column
				if cost := a.cost(); cost < best {
					best, improved = cost, true
				} else {
					a.at[i] = was
				}
			}
		}
	}
}

// moves adds up what references cost, in half instructions of the logic pipe, for all words of a lane: a funnel shift counts 2, a
// shuffle, which has a pipe of its own, 1. What several references need is made once.
type moves struct {
	words int
	seen  map[move]bool
	cost  int
}

// move is a word of a node's past, shifted by some bits or fetched from some lanes on.
type move struct {
	node, delay, word, n int
	shift                bool
}

func newMoves(words int) *moves { return &moves{words: words, seen: map[move]bool{}} }

// once reports whether a move is new.
func (m *moves) once(v move) bool {
	if m.seen[v] {
		return false
	}
	m.seen[v] = true
	return true
}

func (m *moves) add(r ref) {
	if r.dx == 0 {
		return
	}
	for j := range m.words {
		word, q := split(j+r.dx, m.words)
		v := move{node: r.node, delay: r.delay, word: word}
		fetch := func(lanes int) {
			v.n, v.shift = lanes, false
			if lanes != 0 && m.once(v) {
				m.cost++
			}
		}
		first, bits := lanesOf(q)
		fetch(first)
		if bits != 0 {
			fetch(first + 1)
			v.n, v.shift = q, true
			if m.once(v) {
				m.cost += 2
			}
		}
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
