package local

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/gosper-life/gosper/topology"
)

// A Diagram is a multi-valued decision diagram. To look up a block, begin at the root, follow from each node
// the edge of its cell's state, and end at the next state.
//
//	      C            a node has an edge for some states; all others follow the
//	  0 ╱   ╲ else     edge "else", the commonest. Cells come in one order on
//	   N     3         every path (Cells). Nodes that say the same are one, and
//	1 ╱ ╲ else         nodes whose edges all go one way are left out: two
//	 2   0             diagrams of one order are equal where their functions are
type Diagram struct {
	Cells  []int  // the cells of the block, in the order in which nodes ask them
	States int    // of each cell
	nodes  []node // children first
	root   ref
	room   int // the most edges while other diagrams are made of this one; 0 means mostEdges
}

// ref is a node, or if negative, the result at the end of a path.
type ref int32

// none is the result of a partial function where it is undefined. No finished diagram has it.
const none ref = math.MinInt32

func terminal(result int) ref { return ^ref(result) }

func (r ref) isTerminal() bool { return r < 0 }

// result returns the result of a terminal.
func (r ref) result() int { return int(^r) }

type node struct {
	level uint8 // its cell is Cells[level]
	other ref   // for all states without an edge
	edges []edge
}

type edge struct {
	state uint8
	to    ref
}

// child is the part of the diagram for a state. Most states share one, which is not listed.
func (n *node) child(state uint8) ref {
	for _, e := range n.edges {
		if e.state == state {
			return e.to
		}
	}
	return n.other
}

// Node is a node of a diagram, or a next state.
type Node int32

// Root returns the node at which every lookup begins.
func (d *Diagram) Root() Node { return Node(d.root) }

// Final returns n as a next state, or false if n is a node.
func (d *Diagram) Final(n Node) (state int, ok bool) { return ref(n).result(), ref(n).isTerminal() }

// Level returns the index in Cells of the cell that a node asks.
func (d *Diagram) Level(n Node) int { return int(d.nodes[n].level) }

// Child returns the node after n for a state of its cell.
func (d *Diagram) Child(n Node, state int) Node { return Node(d.nodes[n].child(uint8(state))) }

// Edge leads from a node to the next, for a state of its cell.
type Edge struct {
	State uint8
	To    Node
}

// Edges returns the edges of a node, sorted by state, and the node for all other states.
func (d *Diagram) Edges(n Node) (other Node, edges []Edge) {
	of := &d.nodes[n]
	for _, e := range of.edges {
		edges = append(edges, Edge{e.state, Node(e.to)})
	}
	return Node(of.other), edges
}

// Size returns the number of nodes.
func (d *Diagram) Size() int { return len(d.nodes) }

// Bytes returns the memory of the nodes.
func (d *Diagram) Bytes() uint64 {
	bytes := uint64(len(d.nodes)) * uint64(unsafe.Sizeof(node{}))
	for i := range d.nodes {
		bytes += uint64(cap(d.nodes[i].edges)) * uint64(unsafe.Sizeof(edge{}))
	}
	return bytes
}

// Eval looks up a block.
func (d *Diagram) Eval(b *Around) uint8 {
	at := d.root
	for !at.isTerminal() {
		n := &d.nodes[at]
		at = n.child(b[d.Cells[n.level]])
	}
	return uint8(at.result())
}

// Classes numbers classes of states. Two states have the same class if exchanging them in any neighbour never
// changes the next state. Class 0 is that of state 0.
func (d *Diagram) Classes() (of []int, classes int) {
	of = make([]int, d.States)
	classes = 1
	for i := range d.nodes {
		n := &d.nodes[i]
		if d.Cells[n.level] == C {
			continue
		}
		// Each node refines the classes. Two states stay in one class only if they also lead to the same child here.
		type key struct {
			class int
			to    ref
		}
		seen := map[key]int{}
		next := make([]int, d.States)
		for s := range d.States {
			k := key{of[s], n.other}
			next[s] = -1
			for _, e := range n.edges {
				if int(e.state) == s {
					k.to = e.to
				}
			}
			c, ok := seen[k]
			if !ok {
				c = len(seen)
				seen[k] = c
			}
			next[s] = c
		}
		of, classes = next, len(seen)
		if classes == d.States {
			break
		}
	}
	return of, classes
}

// support returns the set of cells that nodes ask, as bits.
func (d *Diagram) support() (cells int) {
	for i := range d.nodes {
		cells |= 1 << d.Cells[d.nodes[i].level]
	}
	return cells
}

// compacted returns the diagram without nodes that the root does not need.
func (d *Diagram) compacted() *Diagram {
	c := &Diagram{Cells: d.Cells, States: d.States, room: d.room}
	at := map[ref]ref{}
	var visit func(r ref) ref
	visit = func(r ref) ref {
		if r.isTerminal() {
			return r
		}
		if to, ok := at[r]; ok {
			return to
		}
		n := d.nodes[r]
		n.edges = slices.Clone(n.edges)
		n.other = visit(n.other)
		for i := range n.edges {
			n.edges[i].to = visit(n.edges[i].to)
		}
		c.nodes = append(c.nodes, n)
		at[r] = ref(len(c.nodes) - 1)
		return at[r]
	}
	c.root = visit(d.root)
	return c
}

// digest returns a hash of the states, the cells and the nodes. It numbers the nodes in the order of a
// traversal from the root. Their numbers in the diagram depend on how it was made, and so does the choice of
// "else" among equally common children.
func (d *Diagram) digest() [sha256.Size]byte {
	sum := sha256.New()
	number := map[ref]int{}
	var line []byte
	var visit func(r ref) int
	visit = func(r ref) int {
		if r.isTerminal() {
			return -1 - r.result()
		}
		if n, ok := number[r]; ok {
			return n
		}
		n := &d.nodes[r]
		children := make([]int, 0, d.States)
		for s := range d.States {
			children = append(children, visit(n.child(uint8(s))))
		}
		line = binary.AppendVarint(line[:0], int64(d.Cells[n.level]))
		for s, child := range children {
			if s == 0 || child != children[s-1] { // states that lead to the same node are written once
				line = binary.AppendVarint(binary.AppendVarint(line, int64(s)), int64(child))
			}
		}
		sum.Write(append(line, 0xff))
		number[r] = len(number)
		return number[r]
	}
	root := visit(d.root)
	fmt.Fprintf(sum, "%d states, root %d", d.States, root)
	return [sha256.Size]byte(sum.Sum(nil))
}

// equal reports whether two diagrams are the same function.
func (d *Diagram) equal(e *Diagram) bool {
	if d.States != e.States {
		return false
	}
	cells := slices.Clone(d.Cells)
	for _, cell := range e.Cells {
		if !slices.Contains(cells, cell) {
			cells = append(cells, cell)
		}
	}
	b := newBuilderWithin(context.Background(), d.States, cells, max(d.room, e.room))
	x, err := b.add(d)
	if err != nil {
		return false
	}
	y, err := b.add(e)
	return err == nil && x == y
}

// turned returns the diagram of the blocks turned by a symmetry.
func (d *Diagram) turned(s topology.Symmetry) *Diagram {
	t := *d
	t.Cells = make([]int, len(d.Cells))
	for i, cell := range d.Cells {
		t.Cells[i] = cellAt(s.Apply(Offset(cell)))
	}
	return &t
}

// Ordered returns the diagram with its cells in another order. The order may leave out cells that no node asks.
func (d *Diagram) Ordered(cells []int) (*Diagram, error) {
	b := newBuilderWithin(context.Background(), d.States, cells, d.room)
	root, err := b.add(d)
	if err != nil {
		return nil, err
	}
	return b.diagram(root).compacted(), nil
}

// mostEdges bounds the memory during the construction of a diagram. It limits the number of edges of all nodes. An
// edge takes about 40 bytes, with everything that is stored for it.
const mostEdges = 16 << 20

// errTooLarge is the error for functions that take more edges than they may.
type errTooLarge struct{ edges int }

func (e errTooLarge) Error() string {
	return fmt.Sprintf("too large: making its decision diagram takes more than %d edges", e.edges)
}

// builder makes diagrams. It makes equal nodes only once.
type builder struct {
	cells  []int
	states int
	nodes  []node
	next   []ref          // by node: the next node with the same hash
	first  map[uint64]ref // by hash
	edges  int            // memory in use, in edges: all edges of nodes, one more for each node, and the memo
	held   int            // memory in use that clean does not give back, in edges
	room   int            // greatest number of edges
	ctx    context.Context
	calls  int            // of goOn
	memo   map[[2]ref]ref // of merge
	sorted []ref          // buffer of commonest
}

func newBuilder(states int, cells []int) *builder {
	return newBuilderWithin(context.Background(), states, cells, 0)
}

// newBuilderWithin returns a builder that fails when ctx is done, or with more than room edges; 0 means mostEdges.
func newBuilderWithin(ctx context.Context, states int, cells []int, room int) *builder {
	return &builder{
		cells: cells, states: states, room: cmp.Or(room, mostEdges), ctx: ctx,
		first: map[uint64]ref{}, memo: map[[2]ref]ref{},
	}
}

// goOn fails if the edges are used up or ctx is done. It is called in each step of work that may make no node.
func (b *builder) goOn() error {
	if b.edges+b.held > b.room {
		return errTooLarge{b.room}
	}
	const seldom = 1 << 12
	if b.calls++; b.calls%seldom != 0 {
		return nil
	}
	return b.ctx.Err()
}

func (b *builder) diagram(root ref) *Diagram {
	return &Diagram{Cells: b.cells, States: b.states, nodes: b.nodes, root: root, room: b.room}
}

// dense returns the node with the given children, by state.
func (b *builder) dense(level int, to []ref) (ref, error) {
	if !slices.ContainsFunc(to[1:], func(r ref) bool { return r != to[0] }) {
		return to[0], nil
	}
	edges := make([]edge, len(to))
	for s, r := range to {
		edges[s] = edge{uint8(s), r}
	}
	return b.node(level, none, edges)
}

// node returns the node with the given edges, sorted by state, and another child for all other states. It takes
// ownership of the edges.
func (b *builder) node(level int, other ref, edges []edge) (ref, error) {
	common, all := b.commonest(other, edges)
	if all {
		return common, nil
	}
	kept := edges[:0]
	if common == other && len(edges) < b.states {
		for _, e := range edges {
			if e.to != common {
				kept = append(kept, e)
			}
		}
	} else {
		to := make([]ref, b.states)
		for s := range to {
			to[s] = other
		}
		for _, e := range edges {
			to[e.state] = e.to
		}
		kept = make([]edge, 0, len(edges))
		for s, r := range to {
			if r != common {
				kept = append(kept, edge{uint8(s), r})
			}
		}
	}
	return b.unique(node{uint8(level), common, kept})
}

// commonest returns the child of the most states, or the least of several such children. all reports whether it
// is the child of all states.
func (b *builder) commonest(other ref, edges []edge) (common ref, all bool) {
	b.sorted = b.sorted[:0]
	for _, e := range edges {
		b.sorted = append(b.sorted, e.to)
	}
	slices.Sort(b.sorted)
	rest := b.states - len(edges) // states without an edge
	common, most := other, rest
	for i := 0; i < len(b.sorted); {
		r, n := b.sorted[i], 0
		for ; i < len(b.sorted) && b.sorted[i] == r; i++ {
			n++
		}
		if r == other {
			n += rest
		}
		if n > most || n == most && r < common {
			common, most = r, n
		}
	}
	return common, most == b.states
}

// unique returns the node that equals n, or makes it. Equal functions are therefore equal references. first has the
// latest node of each hash, and next leads to the earlier ones.
func (b *builder) unique(n node) (ref, error) {
	const prime = 0x9E3779B97F4A7C15
	h := (uint64(n.level)<<32 ^ uint64(uint32(n.other))) * prime
	for _, e := range n.edges {
		h = (h ^ h>>29 ^ uint64(e.state)<<40 ^ uint64(uint32(e.to))) * prime
	}
	head, ok := b.first[h]
	if ok {
		for r := head; r != none; r = b.next[r] {
			if m := &b.nodes[r]; m.level == n.level && m.other == n.other && slices.Equal(m.edges, n.edges) {
				return r, nil
			}
		}
	} else {
		head = none
	}
	if b.edges += len(n.edges) + 1; b.edges+b.held > b.room {
		return none, errTooLarge{b.room}
	}
	b.nodes = append(b.nodes, n)
	b.next = append(b.next, head)
	r := ref(len(b.nodes) - 1)
	b.first[h] = r
	return r, nil
}

// clean drops all nodes but those that the roots need, and renumbers the roots.
func (b *builder) clean(roots []ref) {
	old := b.nodes
	b.nodes, b.next, b.edges = nil, nil, 0
	clear(b.first)
	clear(b.memo)
	at := map[ref]ref{}
	var visit func(r ref) ref
	visit = func(r ref) ref {
		if r.isTerminal() {
			return r
		}
		if to, ok := at[r]; ok {
			return to
		}
		n := old[r]
		n.other = visit(n.other)
		for i := range n.edges {
			n.edges[i].to = visit(n.edges[i].to)
		}
		// New numbers may change which of several equally common children is the least, so node makes the node again.
		at[r], _ = b.node(int(n.level), n.other, n.edges) // cannot fail: there were more edges before
		return at[r]
	}
	for i := range roots {
		roots[i] = visit(roots[i])
	}
}

// merge combines two partial functions. The first counts where it is defined, and the second elsewhere. If meet
// is given, it decides where both are defined and differ.
func (b *builder) merge(x, y ref, meet func(x, y ref) ref) (ref, error) {
	switch {
	case x == none || x == y:
		return y, nil
	case y == none, x.isTerminal() && (meet == nil):
		return x, nil
	case x.isTerminal() && y.isTerminal():
		return meet(x, y), nil
	}
	key := [2]ref{x, y}
	if r, ok := b.memo[key]; ok {
		return r, nil
	}
	if err := b.goOn(); err != nil {
		return none, err
	}
	var m, n node // of x and y at the level of the higher one
	level := math.MaxUint8
	if !x.isTerminal() {
		level = int(b.nodes[x].level)
	}
	if !y.isTerminal() {
		level = min(level, int(b.nodes[y].level))
	}
	m, n = b.at(x, level), b.at(y, level)
	other, err := b.merge(m.other, n.other, meet)
	if err != nil {
		return none, err
	}
	edges := make([]edge, 0, len(m.edges)+len(n.edges))
	for i, j := 0, 0; i < len(m.edges) || j < len(n.edges); {
		s, p, q := uint8(0), m.other, n.other
		switch {
		case j == len(n.edges) || i < len(m.edges) && m.edges[i].state < n.edges[j].state:
			s, p = m.edges[i].state, m.edges[i].to
			i++
		case i == len(m.edges) || n.edges[j].state < m.edges[i].state:
			s, q = n.edges[j].state, n.edges[j].to
			j++
		default:
			s, p, q = m.edges[i].state, m.edges[i].to, n.edges[j].to
			i, j = i+1, j+1
		}
		to, err := b.merge(p, q, meet)
		if err != nil {
			return none, err
		}
		edges = append(edges, edge{s, to})
	}
	r, err := b.node(level, other, edges)
	if err == nil {
		b.edges++
		b.memo[key] = r
	}
	return r, err
}

// at returns a ref as a node of a level, even if it does not ask the cell of that level.
func (b *builder) at(r ref, level int) node {
	if r.isTerminal() || int(b.nodes[r].level) != level {
		return node{level: uint8(level), other: r}
	}
	return b.nodes[r]
}

// add makes the nodes of another diagram in the builder's order. The order must contain all cells that the
// diagram asks.
func (b *builder) add(d *Diagram) (ref, error) {
	if slices.Equal(d.Cells, b.cells) {
		return b.copied(d)
	}
	scratch := newBuilderWithin(b.ctx, d.States, d.Cells, b.room)
	o := &ordering{into: b, scratch: scratch, done: map[ref]ref{}, parts: map[part]ref{}}
	root, err := o.scratch.copied(d)
	if err != nil {
		return none, err
	}
	o.level = make([]int, len(b.cells)) // by cell of the builder: its level in the old order
	for i, cell := range b.cells {
		o.level[i] = slices.Index(d.Cells, cell)
	}
	return o.order(root, 0)
}

// copied makes the nodes of a diagram of the same order.
func (b *builder) copied(d *Diagram) (ref, error) {
	at := make([]ref, len(d.nodes))
	move := func(r ref) ref {
		if r.isTerminal() {
			return r
		}
		return at[r]
	}
	for i := range d.nodes {
		n := &d.nodes[i]
		edges := slices.Clone(n.edges)
		for k := range edges {
			edges[k].to = move(edges[k].to)
		}
		var err error
		if at[i], err = b.node(int(n.level), move(n.other), edges); err != nil {
			return none, err
		}
	}
	return move(d.root), nil
}

// ordering changes the order of cells. It splits the function by the new first cell, each part by the second
// one, and so on.
type ordering struct {
	scratch *builder    // the old order
	into    *builder    // the new one
	level   []int       // by cell of the new order: its level in the old one, or -1
	done    map[ref]ref // by node of scratch
	parts   map[part]ref
	support []int // by node of scratch: the levels that it asks, as bits
}

// part is a node with the cell of a level fixed to a state.
type part struct {
	of    ref
	level int
	state uint8
}

// order rewrites a diagram to ask the cells from place i of the new order on. It splits the diagram by
// the first of them that it asks.
func (o *ordering) order(r ref, i int) (ref, error) {
	if r.isTerminal() {
		return r, nil
	}
	// the result depends only on the node: it is split by the first cell of the new order that it asks
	if to, ok := o.done[r]; ok {
		return to, nil
	}
	for o.level[i] < 0 || o.asks(r)>>o.level[i]&1 == 0 {
		i++
	}
	states := o.values(r, o.level[i])
	edges := make([]edge, 0, len(states))
	split := func(state uint8) (ref, error) {
		p, err := o.part(r, o.level[i], state)
		if err != nil {
			return none, err
		}
		return o.order(p, i+1)
	}
	other := none
	if len(states) < o.scratch.states {
		absent := uint8(0)
		for _, s := range states {
			if s == absent {
				absent++
			}
		}
		var err error
		if other, err = split(absent); err != nil {
			return none, err
		}
	}
	for _, s := range states {
		to, err := split(s)
		if err != nil {
			return none, err
		}
		edges = append(edges, edge{s, to})
	}
	to, err := o.into.node(i, other, edges)
	if err == nil {
		o.done[r] = to
	}
	return to, err
}

// asks returns the set of levels that a node and the nodes below it ask, as bits.
func (o *ordering) asks(r ref) int {
	for i := len(o.support); i < len(o.scratch.nodes); i++ {
		n := &o.scratch.nodes[i]
		set := 1 << n.level
		below := func(r ref) {
			if !r.isTerminal() {
				set |= o.support[r]
			}
		}
		below(n.other)
		for _, e := range n.edges {
			below(e.to)
		}
		o.support = append(o.support, set)
	}
	return o.support[r]
}

// values returns the states for which nodes of a level, below a given node, have edges.
func (o *ordering) values(r ref, level int) []uint8 {
	var found [256]bool
	seen := map[ref]bool{}
	var visit func(r ref)
	visit = func(r ref) {
		if r.isTerminal() || seen[r] || o.asks(r)>>level&1 == 0 {
			return
		}
		seen[r] = true
		n := &o.scratch.nodes[r]
		if int(n.level) == level {
			for _, e := range n.edges {
				found[e.state] = true
			}
			return
		}
		visit(n.other)
		for _, e := range n.edges {
			visit(e.to)
		}
	}
	visit(r)
	var states []uint8
	for s, in := range found {
		if in {
			states = append(states, uint8(s))
		}
	}
	return states
}

// part is a diagram with the cell of a level fixed to a state.
func (o *ordering) part(r ref, level int, state uint8) (ref, error) {
	if r.isTerminal() || o.asks(r)>>level&1 == 0 {
		return r, nil
	}
	n := o.scratch.nodes[r]
	if int(n.level) == level {
		return n.child(state), nil
	}
	key := part{r, level, state}
	if p, ok := o.parts[key]; ok {
		return p, nil
	}
	other, err := o.part(n.other, level, state)
	if err != nil {
		return none, err
	}
	edges := make([]edge, len(n.edges))
	for i, e := range n.edges {
		to, err := o.part(e.to, level, state)
		if err != nil {
			return none, err
		}
		edges[i] = edge{e.state, to}
	}
	p, err := o.scratch.node(int(n.level), other, edges)
	if err == nil {
		o.scratch.held++
		o.parts[key] = p
	}
	return p, err
}
