package synth

// reduce makes a network smaller by resubstitution. Another signal, or one table over three others, may equal a
// gate at all points where the gate matters to the output. It then replaces the gate, and the gates that only
// that gate needed are dropped.
func (n Network) reduce() Network {
	d := newDAG(n)
	for gate := len(d.gates) - 1; gate >= 0; gate-- {
		imm, operands, ok := d.substitute(gate)
		if !ok {
			continue
		}
		kept := d.gates[gate]
		d.gates[gate] = node{imm, operands}
		// The network is built from the output. Gates that nothing reads any more are not reached.
		smaller := d.network()
		if smaller.Cost() >= n.Cost() {
			d.gates[gate] = kept
			continue
		}
		n, d = smaller, newDAG(smaller)
		// The gates have new numbers. The search goes on at the same place, counted from the inputs.
		gate = min(gate+1, len(d.gates))
	}
	return n
}

// substitute returns a table that can replace a gate so that other gates can be dropped.
func (d *dag) substitute(gate int) (imm uint8, operands [3]int32, ok bool) {
	care, reached := d.influence(gate)
	cone, size := d.exclusive(gate)
	value := d.values[d.first()+gate]
	for i := range d.values { // a signal that is the same, or the opposite, where it matters
		if reached[i] {
			continue
		}
		if equal(value, d.values[i], care) {
			return 0xF0, [3]int32{int32(i), int32(i), int32(i)}, true
		}
		if equal(value, d.values[i].not(), care) {
			return 0x0F, [3]int32{int32(i), int32(i), int32(i)}, true
		}
	}
	if size == 1 {
		return 0, operands, false // replacing one table by another gains nothing
	}
	q := &d.query
	q.reset(value, care)
	switch {
	case len(q.ones) == 0:
		return 0x00, operands, true
	case len(q.zeros) == 0:
		return 0xFF, operands, true
	}
	var candidates []candidate
	for i := range d.values {
		if !reached[i] && !cone[i] {
			candidates = append(candidates, candidate{signal: int32(i)})
		}
	}
	return q.find(d.values, candidates)
}

// equal compares two tables where care has a 1.
func equal(x, y, care truth) bool {
	for w := range care {
		if (x[w]^y[w])&care[w] != 0 {
			return false
		}
	}
	return true
}

// dag is a network as a graph. Nodes are numbered: first the column values at left, centre and right, then the
// gates. The gates are in an order of evaluation until one is substituted.
type dag struct {
	columns []uint8
	gates   []node
	values  []truth // of all nodes
	query   query
}

// node is a gate with its operands by number.
type node struct {
	imm      uint8
	operands [3]int32
}

// newDAG numbers all values of a network: first each column at its three places, then the gates.
func newDAG(n Network) *dag {
	d := &dag{columns: n.Columns}
	number := func(o Operand) int32 {
		if o.Source == Inner {
			return int32(3*len(n.Columns) + o.Index)
		}
		return int32(3*o.Index) + int32(o.Source)
	}
	for _, imm := range n.Columns {
		for x := range 3 {
			d.values = append(d.values, lookup(imm, cells[x], cells[x+3], cells[x+6]))
		}
	}
	for _, g := range n.Gates {
		d.gates = append(d.gates, node{g.Imm, [3]int32{number(g.A), number(g.B), number(g.C)}})
	}
	d.values = append(d.values, make([]truth, len(n.Gates))...)
	for i := range d.gates {
		d.evaluate(d.values, i)
	}
	return d
}

func (d *dag) first() int { return 3 * len(d.columns) }

func (d *dag) evaluate(values []truth, gate int) {
	g := &d.gates[gate]
	values[d.first()+gate] = lookup(g.imm, values[g.operands[0]], values[g.operands[1]], values[g.operands[2]])
}

// influence returns the blocks at which the network's output depends on the gate, and the nodes that depend on
// the gate (itself included).
func (d *dag) influence(gate int) (care truth, reached []bool) {
	reached = make([]bool, len(d.values))
	values := append([]truth(nil), d.values...)
	at := d.first() + gate
	// The gate is inverted at all blocks at once. It matters at those blocks at which the output changes.
	values[at], reached[at] = values[at].not(), true
	for i := gate + 1; i < len(d.gates); i++ {
		for _, o := range d.gates[i].operands {
			if reached[o] {
				reached[d.first()+i] = true
				d.evaluate(values, i)
				break
			}
		}
	}
	last := len(values) - 1
	for w := range care {
		care[w] = values[last][w] ^ d.values[last][w]
	}
	return care, reached
}

// exclusive returns the gates that only the given gate needs, itself included.
func (d *dag) exclusive(gate int) (cone []bool, size int) {
	readers := make([]int, len(d.values))
	for _, g := range d.gates {
		for _, o := range g.operands {
			readers[o]++
		}
	}
	cone = make([]bool, len(d.values))
	cone[d.first()+gate] = true
	// Without the gate, its operands have fewer readers. Gates that nothing reads any more are removed, too, and so on.
	for i := gate; i >= 0; i-- {
		at := d.first() + i
		if i != gate && (readers[at] > 0 || !cone[at]) {
			continue
		}
		size++
		for _, o := range d.gates[i].operands {
			readers[o]--
			cone[o] = int(o) >= d.first() && readers[o] == 0
		}
	}
	for i := range cone[:d.first()] {
		cone[i] = false
	}
	return cone, size
}

// network returns the graph as a network. The gates of the graph may be in any order.
func (d *dag) network() Network {
	b := newBuilder()
	built := make([]ref, len(d.values))
	for i := range built {
		built[i] = -1
	}
	var build func(i int32) ref
	build = func(i int32) ref {
		if built[i] >= 0 {
			return built[i]
		}
		if int(i) < d.first() {
			built[i] = b.column(d.columns[i/3], Source(i%3))
			return built[i]
		}
		g := d.gates[int(i)-d.first()]
		built[i] = b.lut(g.imm, build(g.operands[0]), build(g.operands[1]), build(g.operands[2]))
		return built[i]
	}
	return b.network(build(int32(len(d.values) - 1)))
}
