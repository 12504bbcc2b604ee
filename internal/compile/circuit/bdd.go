package circuit

import (
	"cmp"
	"math"
	"slices"
)

// A bdd holds boolean functions of numbered variables as binary decision diagrams that share their
// nodes. Each node becomes one three-input table, which chooses by its variable. An odd edge is
// complemented, so a function and its complement share a node.
//
//	f = variable ? high : low        the edge high is never complemented
//
// A function is built top down by choose, which returns an existing node if there is an equal one. Two
// equal functions are therefore the same edge, and comparing functions is comparing numbers.
//
// The number of nodes depends on the order of the variables, often by a factor of ten or more. Three
// steps find a small diagram:
//
//   - choose makes the nodes, in any order of the variables that is easy to build.
//   - keep drops the nodes of intermediate results and counts the uses of the others.
//   - sift moves variables to better places.
type bdd struct {
	nodes  []decision
	free   []int   // indices of nodes that are no longer used
	unique []table // by variable: its nodes
	order  []int   // the variables, in the order in which a diagram asks them
	place  []int   // by variable: its index in order
	live   int
	most   int // limit of live nodes; beyond it full is set, and the functions are wrong
	full   bool
	work   int // nodes that swaps have visited
}

// An edge is twice the number of a node (0: the constant), plus 1 if it is complemented.
//
//	edge 0   true          edge 2   node 1             edge 4   node 2
//	edge 1   false         edge 3   not node 1         edge 5   not node 2
type edge int

const (
	constTrue  edge = 0 // number 0 means the constant, so no node has it
	constFalse edge = 1
)

func (e edge) node() int { return int(e >> 1) }

// complemented returns 1 if the edge is complemented, and 0 if it is not. The result is an edge
// because it is mostly added to other edges by exclusive or: that passes the complement on.
func (e edge) complemented() edge { return e & 1 }

// A decision is a node: variable ? high : low. uses counts the edges that lead to the node, and the
// roots among them. It is only right between keep and the next choose from outside.
type decision struct {
	high, low edge
	variable  int
	uses      int
	next      int // the next node in its list of a table, 0 for none
}

// table is a hash table of the nodes of a variable by their edges. A list of nodes begins at each index and
// goes on through decision.next.
type table struct {
	first []int // by hash: the first node of a list, or 0; the length is a power of two
	count int   // of nodes
}

// list returns the beginning of the list in which a node with the given edges must be. A bit of a product
// depends only on the lower bits of its factors, so the index is made of upper bits.
func (t *table) list(high, low edge) *int {
	const prime = 0x9E3779B97F4A7C15
	h := (uint64(high)*prime ^ uint64(low)) * prime
	return &t.first[h>>32&uint64(len(t.first)-1)]
}

// find returns the node of a variable with given edges, 0 for none.
func (b *bdd) find(variable int, high, low edge) int {
	n := *b.unique[variable].list(high, low)
	for n != 0 && (b.nodes[n].high != high || b.nodes[n].low != low) {
		n = b.nodes[n].next
	}
	return n
}

// insert puts a node into the table of its variable.
func (b *bdd) insert(n int) {
	d := &b.nodes[n]
	t := &b.unique[d.variable]
	// A list has one node on average at most. After the table has grown fourfold, it has a quarter of one.
	if t.count++; t.count > len(t.first) {
		all := b.all(d.variable)
		t.first = make([]int, 4*len(t.first))
		for _, m := range all {
			b.link(m)
		}
	}
	b.link(n)
}

// link makes a node the first of its list in the table of unique nodes of its variable.
func (b *bdd) link(n int) {
	d := &b.nodes[n]
	first := b.unique[d.variable].list(d.high, d.low)
	d.next, *first = *first, n
}

// remove takes a node out of the table of its variable.
func (b *bdd) remove(n int) {
	d := &b.nodes[n]
	t := &b.unique[d.variable]
	t.count--
	at := t.list(d.high, d.low)
	for *at != n {
		at = &b.nodes[*at].next
	}
	*at = d.next
}

// all returns the nodes of a variable.
func (b *bdd) all(variable int) []int {
	t := &b.unique[variable]
	nodes := make([]int, 0, t.count)
	for _, n := range t.first {
		for ; n != 0; n = b.nodes[n].next {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// leastLists is the number of lists of a new table.
const leastLists = 8

// terminalPlace is the place of the constant: after those of all variables.
const terminalPlace = math.MaxInt

func newBDD(variables int) *bdd {
	b := &bdd{nodes: make([]decision, 1), most: math.MaxInt, order: make([]int, variables), place: make([]int, variables)}
	for v := range variables {
		b.order[v], b.place[v] = v, v
		b.unique = append(b.unique, table{first: make([]int, leastLists)})
	}
	return b
}

// placeOf returns the place of the variable that a function asks first. Constants come after all
// variables.
func (b *bdd) placeOf(e edge) int {
	if e.node() == 0 {
		return terminalPlace
	}
	return b.place[b.nodes[e.node()].variable]
}

// choose returns variable ? high : low. The variables of high and low must come later in the order.
func (b *bdd) choose(variable int, high, low edge) edge {
	if high == low {
		return high
	}
	// The edge high of a node is never complemented. If it would be, the node holds the complement of the function, and
	// the edge to the node is complemented instead.
	sign := high.complemented()
	high, low = high^sign, low^sign
	n := b.find(variable, high, low)
	if n == 0 {
		// Functions of a hundred variables may need more nodes than fit into memory. The caller looks
		// at full and gives up; until then any edge will do.
		if b.full = b.full || b.live > b.most; b.full {
			return constFalse
		}
		if last := len(b.free) - 1; last >= 0 {
			n, b.free = b.free[last], b.free[:last]
		} else {
			n = len(b.nodes)
			b.nodes = append(b.nodes, decision{})
		}
		b.nodes[n] = decision{variable: variable, high: high, low: low}
		b.insert(n)
		b.live++
	}
	return edge(n<<1) | sign
}

// cofactors returns a function with the variable fixed to 1 and to 0. No variable that the function asks may
// come before this one.
func (b *bdd) cofactors(e edge, variable int) (high, low edge) {
	if e.node() == 0 || b.nodes[e.node()].variable != variable {
		return e, e
	}
	n := &b.nodes[e.node()]
	return n.high ^ e.complemented(), n.low ^ e.complemented()
}

// xor returns the function that is 1 where two functions differ. It goes down both diagrams together,
// always by the variable that is asked first in either of them. memo has the results for pairs of
// nodes; without it, a pair would be visited once for each path that leads to it.
func (b *bdd) xor(f, g edge, memo map[[2]edge]edge) edge {
	switch {
	case f == g || b.full:
		return constFalse
	case f.node() == g.node():
		return constTrue
	// An exclusive or with 1 is the complement, and with 0 the function itself. The constants have the numbers 0 (true)
	// and 1 (false), which explains the 1 at the end.
	case g.node() == 0:
		return f ^ g ^ 1
	case f.node() == 0:
		return g ^ f ^ 1
	}
	// Complementing an operand complements the result. Only operands without complements are looked up.
	sign := f.complemented() ^ g.complemented()
	f, g = f&^1, g&^1
	key := [2]edge{min(f, g), max(f, g)}
	if r, ok := memo[key]; ok {
		return r ^ sign
	}
	v := b.order[min(b.placeOf(f), b.placeOf(g))]
	f1, f0 := b.cofactors(f, v)
	g1, g0 := b.cofactors(g, v)
	r := b.choose(v, b.xor(f1, g1, memo), b.xor(f0, g0, memo))
	memo[key] = r
	return r ^ sign
}

// size returns the number of nodes that the given functions need.
func (b *bdd) size(functions ...edge) int {
	seen := make([]bool, len(b.nodes))
	seen[0] = true
	count := 0
	var visit func(e edge)
	visit = func(e edge) {
		if n := e.node(); !seen[n] {
			seen[n] = true
			count++
			visit(b.nodes[n].high)
			visit(b.nodes[n].low)
		}
	}
	for _, f := range functions {
		visit(f)
	}
	return count
}

// keep drops all nodes that the given functions do not need, and counts the uses of the others. After
// it, live is the number of nodes of these functions, which sift makes smaller.
func (b *bdd) keep(roots []edge) {
	for i := range b.nodes {
		b.nodes[i].uses = 0
	}
	for _, r := range roots {
		b.use(r)
	}
	b.live = 0
	for v := range b.unique {
		for _, n := range b.all(v) {
			if b.nodes[n].uses == 0 {
				b.remove(n)
				b.free = append(b.free, n)
			} else {
				b.live++
			}
		}
	}
	slices.Sort(b.free) // results must not depend on the order in tables
}

// use adds a use of an edge.
func (b *bdd) use(e edge) {
	n := &b.nodes[e.node()]
	if n.uses++; n.uses == 1 && e.node() != 0 {
		b.use(n.high)
		b.use(b.nodes[e.node()].low)
	}
}

// drop removes a use of an edge.
func (b *bdd) drop(e edge) {
	n := &b.nodes[e.node()]
	if n.uses--; n.uses == 0 && e.node() != 0 {
		b.remove(e.node())
		b.free = append(b.free, e.node())
		b.live--
		high, low := n.high, n.low
		b.drop(high)
		b.drop(low)
	}
}

// swap exchanges the variables at two places of the order, one after the other. Every node remains the same
// function, so its users need no change.
//
// Only nodes that ask x and then y change. Their users see the same function in the same node:
//
//	      n asks x                      n asks y
//	     /        \                    /        \
//	 asks y      asks y     ->     asks x      asks x
//	 /   \       /   \             /   \       /   \
//	h1   h0     l1   l0           h1   l1     h0   l0
//
// The two nodes below may be shared with others, or may become shared. This is how a swap changes the
// number of nodes.
func (b *bdd) swap(place int) {
	x, y := b.order[place], b.order[place+1]
	b.work += b.unique[x].count
	//	x ? (y ? h1 : h0) : (y ? l1 : l0)     becomes     y ? (x ? h1 : l1) : (x ? h0 : l0)
	//
	// Nodes that ask x, but then not y, stay as they are and are now below y.
	both := slices.DeleteFunc(b.all(x), func(n int) bool { // nodes that ask x and then y
		d := &b.nodes[n]
		return !b.asks(d.high, y) && !b.asks(d.low, y)
	})
	// New nodes get numbers in this order, and the numbers decide in which order tables are made.
	slices.Sort(both)
	b.order[place], b.order[place+1] = y, x
	b.place[x], b.place[y] = place+1, place
	for _, n := range both {
		d := b.nodes[n]
		b.remove(n)
		h1, h0 := b.cofactors(d.high, y)
		l1, l0 := b.cofactors(d.low, y)
		// Neither d.high nor h1 is complemented, since high edges never are. Therefore the new high is not, either.
		high := b.used(x, h1, l1)
		low := b.used(x, h0, l0)
		b.drop(d.high)
		b.drop(d.low)
		b.nodes[n].variable, b.nodes[n].high, b.nodes[n].low = y, high, low
		b.insert(n)
	}
}

func (b *bdd) asks(e edge, variable int) bool {
	return e.node() != 0 && b.nodes[e.node()].variable == variable
}

// used returns a choice and adds a use of it. A node without any use before is a new one, because drop
// removes nodes from the tables as soon as they lose their last use. The edges of a new node are uses
// of the nodes below it, which choose does not count.
func (b *bdd) used(variable int, high, low edge) edge {
	e := b.choose(variable, high, low)
	n := &b.nodes[e.node()]
	if n.uses++; n.uses == 1 && e.node() != 0 {
		high, low := n.high, n.low
		b.nodes[high.node()].uses++
		b.nodes[low.node()].uses++
	}
	return e
}

// effort is the number of nodes that sifting may visit: some tenths of a second. It counts nodes and
// not time, so that a rule has the same circuit on every machine.
const effort = 500_000

// sift looks for a better order (Rudell 1993). It moves each variable to the place where the diagram has the
// fewest nodes, starting with the variable that has the most nodes. It repeats this until it gains little, or
// until the effort is spent.
func (b *bdd) sift() {
	b.work, b.most = 0, math.MaxInt // growth is the limit here
	for before := math.MaxInt; b.live < before-before/64 && b.work < effort; {
		before = b.live
		variables := slices.Clone(b.order)
		slices.SortStableFunc(variables, func(v, w int) int { return cmp.Compare(b.unique[w].count, b.unique[v].count) })
		for _, v := range variables {
			if b.work < effort {
				b.siftOne(v)
			}
		}
	}
}

// siftOne moves a variable to the place where the diagram is smallest. It tries every place, because
// the number of nodes often first grows and then falls below what it was.
func (b *bdd) siftOne(v int) {
	const growth = 1.5 // a variable is moved no further in a direction once the diagram has grown by this factor
	best, at := b.live, b.place[v]
	most := int(growth * float64(b.live))
	note := func() bool { // reports whether to go on
		if b.live < best {
			best, at = b.live, b.place[v]
		}
		return b.live <= most
	}
	// The variable goes to the end of the order, then to its beginning, and at last back to the best place.
	for b.place[v] < len(b.order)-1 {
		b.swap(b.place[v])
		if !note() {
			break
		}
	}
	for b.place[v] > 0 {
		b.swap(b.place[v] - 1)
		if !note() {
			break
		}
	}
	for b.place[v] < at {
		b.swap(b.place[v])
	}
	for b.place[v] > at {
		b.swap(b.place[v] - 1)
	}
}
