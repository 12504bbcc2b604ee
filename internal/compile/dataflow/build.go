package dataflow

import (
	"fmt"
	"slices"

	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/rule"
)

// Build makes a graph of a circuit. The recipe makes the circuit's neighbour sum, if it has one. Build returns
// false if the recipe does not fit that sum. Cells above and below become references to rows of cells above and
// below. Only the recipe uses nodes with a delay.
func Build(c *circuit.Circuit, sum Recipe) (*Graph, bool) {
	b := newBuilder(c.Planes)
	b.circuit, b.recipe = c, sum
	for _, out := range c.Out {
		b.g.Out = append(b.g.Out, b.value(out))
	}
	if b.failed {
		return nil, false
	}
	return b.finish(), true
}

// builder is a graph in the making.
type builder struct {
	g       *Graph
	circuit *circuit.Circuit
	recipe  Recipe
	sums    map[string]number   // the digits of exact sums that have been made
	at      map[circuit.Tap]Ref // the circuit's nodes that have been made, by node, DY and DZ
	past    []Ref               // by number of a memory: the value that it is the past of; see memory
	radius  int                 // of the sum
	// of the threshold for which a sum is made
	birth, survival rule.Counts
	failed          bool // the recipe does not fit the sum
	once            bool // what is made now is for column 0 only
}

func newBuilder(planes int) *builder {
	b := &builder{g: &Graph{Planes: planes}, at: map[circuit.Tap]Ref{}, sums: map[string]number{}}
	for k := range planes {
		b.node(Node{Kind: Input, Plane: k})
	}
	return b
}

// value makes the row of a tap.
func (b *builder) value(t circuit.Tap) Ref {
	// A move sideways is a part of the reference, so all columns share a node. Rows above and below,
	// and rows of other layers, are nodes of their own.
	key := circuit.Tap{Node: t.Node, DY: t.DY, DZ: t.DZ}
	r, ok := b.at[key]
	if !ok {
		r = b.create(key)
		b.at[key] = r
	}
	return r.At(t.DX)
}

// create makes the row of a node at another row or layer, and the rows that it reads.
func (b *builder) create(t circuit.Tap) Ref {
	n := &b.circuit.Nodes[t.Node]
	switch n.Kind {
	case circuit.Input:
		return b.layer(n.Plane, t.DZ).Later(-t.DY)
	case circuit.Given:
		given := b.node(Node{Kind: Given, Parity: n.Parity})
		// the row above or below, and the layer before or behind, has the other parity
		if (n.Parity.Row && t.DY&1 == 1) != (n.Parity.Layer && t.DZ&1 == 1) {
			return b.table(lut.NotA, given)
		}
		return given
	case circuit.Random:
		if t.DZ != 0 {
			panic("dataflow: random bits of another layer")
		}
		return b.node(Node{Kind: Random, Chance: n.Chance}).Later(-t.DY)
	case circuit.Table:
		var in [3]Ref
		for k, tap := range n.In {
			in[k] = b.value(tap.At(0, t.DY).Layer(t.DZ))
		}
		return b.table(n.Imm, in[0], in[1], in[2])
	case circuit.Digit:
		if digits := b.exact(n.Sum, t); n.Plane < len(digits) {
			return digits[n.Plane]
		}
		return b.constant(0)
	default:
		b.birth, b.survival = n.Birth, n.Survival
		total := b.recipe.sum(b, n.Sum)
		if total.digits == nil {
			b.failed = true
			return b.constant(0)
		}
		birth, survival := shift(n.Birth, total.offset), shift(n.Survival, total.offset+total.centre)
		if n.Sum.Layers() > 0 {
			return b.decide(total, b.value(n.Cell), birth, survival)
		}
		return b.threshold(total, b.value(n.Cell), birth, survival)
	}
}

// exact makes all digits of a sum of cells that count 0 or 1, at a tap, without the cell itself.
func (b *builder) exact(s *circuit.NeighbourSum, t circuit.Tap) number {
	key := fmt.Sprint(*s, t.DY, t.DZ)
	if digits, ok := b.sums[key]; ok {
		return digits
	}
	if t.DX != 0 || t.DY != 0 || t.DZ != 0 {
		panic("dataflow: digits of a sum elsewhere")
	}
	// No sum above some number means the same, so that recipes leave no digit out.
	_, greatest := s.Bounds()
	b.birth, b.survival = rule.NewCounts(rule.Interval{Lo: greatest, Hi: greatest}), nil
	total := b.recipe.sum(b, s)
	if total.digits == nil || total.hasOver || total.offset != 0 {
		b.failed = true
		return nil
	}
	digits := slices.Clone(total.digits)
	// The recipe has counted the cell itself. Subtract its bit: it borrows from each digit until one
	// is 1.
	for range total.centre {
		borrow := b.value(s.Digits[0])
		for k, d := range digits {
			digits[k], borrow = b.table(lut.Xor, d, borrow), b.table(lut.AndNot, borrow, d)
		}
	}
	b.sums[key] = digits
	return digits
}

// layer returns the row of cells of a plane, some layers further on.
func (b *builder) layer(plane, dz int) Ref {
	if dz == 0 {
		return Ref{Node: plane}
	}
	for i := range b.g.Nodes {
		if n := &b.g.Nodes[i]; n.Kind == Input && n.Plane == plane && n.Layer == dz {
			return Ref{Node: i}
		}
	}
	return b.node(Node{Kind: Input, Plane: plane, Layer: dz})
}

// kept makes the row of a tap at row y+dy. The tap's node is made once, when row y+radius enters, and is read
// with a delay.
//
//	row that is made   y+radius   y+radius-1   …   y+dy
//	delay                 0           1        …   radius-dy
//
// The rows of the past are wrong until that many rows have been made. Warm says how many.
func (b *builder) kept(t circuit.Tap, dy int) Ref {
	r := b.value(circuit.Tap{Node: t.Node, DX: t.DX, DY: b.radius, DZ: t.DZ}).Later(b.radius - dy)
	if r.Delay > 0 && !b.g.Nodes[r.Node].Leaf() {
		b.g.Warm = max(b.g.Warm, 2*b.radius)
	}
	return r
}

func shift(set rule.Counts, by int) rule.Counts {
	set = slices.Clone(set)
	for i := range set {
		set[i].Lo += by
		set[i].Hi += by
	}
	return set
}

func (b *builder) node(n Node) Ref {
	b.g.Nodes = append(b.g.Nodes, n)
	return Ref{Node: len(b.g.Nodes) - 1}
}

func (b *builder) constant(bit int) Ref { return b.node(Node{Kind: Const, Imm: uint8(-bit)}) }

// table makes a row of a lookup table in its simplest form: a table that looks at nothing is a
// constant.
func (b *builder) table(imm uint8, in ...Ref) Ref {
	t := table{imm: imm, in: in}
	t.reduce()
	if len(t.in) == 0 {
		return b.constant(int(t.imm & 1))
	}
	n := t.node()
	n.Once = b.once
	return b.node(n)
}

// memory returns a value as it was one row before. The value itself is made later, and remember says which it
// is. Until then the memory is a reference to a node with a negative number.
func (b *builder) memory() Ref {
	b.past = append(b.past, Ref{})
	return Ref{Node: -len(b.past), Delay: 1}
}

// remember sets the value that a memory is the past of.
func (b *builder) remember(memory, value Ref) { b.past[-memory.Node-1] = value }

// finish replaces the memories by delayed references to their values.
func (b *builder) finish() *Graph {
	nodes := len(b.g.Nodes)
	// The value of a memory may be a memory again, or the memory itself if nothing was added to it.
	b.g.Refs(func(r *Ref) {
		for steps := 0; r.Node < 0; steps++ {
			if steps > len(b.past) { // it depends on nothing but its own past, which is zeros
				*r = b.constant(0)
				return
			}
			*r = r.through(b.past[-r.Node-1])
		}
	})
	if len(b.g.Nodes) > nodes {
		b.g.Order()
	}
	return b.g
}

// Count makes the graph that counts live cells in n rows, each of some planes. At each column its output is the
// number of cells, among the n there, that are not in state 0. It has binary digits, lowest first. Plane k of
// row i is input i·planes + k.
func Count(n, planes int) *Graph {
	b := newBuilder(n * planes)
	a := b.newAdder(n)
	for i := range n {
		alive := Ref{Node: i * planes}
		for k := 1; k < planes; k++ {
			alive = b.table(lut.Or, alive, Ref{Node: i*planes + k})
		}
		a.digit(0, alive)
	}
	b.g.Out = a.sum()
	return b.finish()
}
