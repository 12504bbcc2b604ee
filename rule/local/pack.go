package local

import (
	"encoding/binary"
	"errors"
)

// Pack returns the nodes of a diagram as bytes, for Code. The states and the order of the cells are not among them.
//
//	level, edges, other, then for each edge: state, node
//
// All are varints. A node comes after its children, and the root is last. A next state has a negative number.
func (d *Diagram) Pack() (packed []byte) {
	for i := range d.nodes {
		n := &d.nodes[i]
		packed = append(packed, n.level)
		packed = binary.AppendVarint(packed, int64(len(n.edges)))
		packed = binary.AppendVarint(packed, int64(n.other))
		for _, e := range n.edges {
			packed = append(packed, e.state)
			packed = binary.AppendVarint(packed, int64(e.to))
		}
	}
	return packed
}

var errPacked = errors.New("a packed diagram is broken")

// unpack returns the diagram that Pack has packed.
func unpack(states int, cells []int, packed []byte) (*Diagram, error) {
	d := &Diagram{Cells: cells, States: states}
	broken := false
	number := func(least, end int64) int64 {
		n, size := binary.Varint(packed)
		if size <= 0 || n < least || n >= end {
			broken = true
			return 0
		}
		packed = packed[size:]
		return n
	}
	first := func(end int) uint8 {
		if len(packed) == 0 || int(packed[0]) >= end {
			broken = true
			return 0
		}
		n := packed[0]
		packed = packed[1:]
		return n
	}
	// to reads a next state, or a node of a later level that has been read.
	to := func(level uint8) ref {
		r := ref(number(int64(terminal(states-1)), int64(len(d.nodes))))
		broken = broken || !r.isTerminal() && d.nodes[r].level <= level
		return r
	}
	for len(packed) > 0 {
		n := node{level: first(len(cells))}
		edges := number(0, int64(states)+1)
		n.other = to(n.level)
		for range edges {
			n.edges = append(n.edges, edge{first(states), to(n.level)})
		}
		if broken {
			return nil, errPacked
		}
		d.nodes = append(d.nodes, n)
	}
	if len(d.nodes) == 0 {
		return nil, errPacked
	}
	d.root = ref(len(d.nodes) - 1)
	return d, nil
}
