package circuit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/rule"
)

// NodeKind is the kind of a Node.
type NodeKind uint8

const (
	Input     NodeKind = iota // plane Plane of the cell's state
	Table                     // a lookup table of three taps
	Threshold                 // membership of a neighbour sum in Birth or Survival
	Digit                     // binary digit Plane of a neighbour sum of cells that count 0 or 1
	Given                     // Parity: a bit of the cell's position and generation
	Random                    // Chance: a random bit of the cell
)

// Tap is a node read at an offset: the bit of Node at (x+DX, y+DY), DZ layers further on.
type Tap struct{ Node, DX, DY, DZ int }

// Node is one bit computed for every cell from the bits of earlier nodes. The kind decides which
// fields count; the others are zero.
//
// A table is a byte, and its three inputs are the digits of the number of a bit in it. For "a and (b
// or c)" the byte is 0xE0:
//
//	a b c     7: 1 1 1   6: 1 1 0   5: 1 0 1   4: 1 0 0   3: 0 1 1   2: 0 1 0   1: 0 0 1   0: 0 0 0
//	output       1          1          1          0          0          0          0          0
//
// A table of fewer than three inputs reads one of them twice.
type Node struct {
	Kind   NodeKind
	Plane  int    // Input, Digit
	Parity Parity // Given
	Chance Chance // Random
	Imm    uint8  // Table: the output for inputs a, b, c is bit 4a+2b+c, as in vpternlogq and lop3
	In     [3]Tap // Table: the inputs a, b and c
	// Threshold: the node is 1 where Sum is in Survival and Cell is 1, or in Birth and Cell is 0.
	Sum             *NeighbourSum
	Cell            Tap
	Birth, Survival rule.Counts
}

// NeighbourSum is Σ weight(offset)·v(x+DX, y+DY, z+DZ) over Offsets, where v is the number with binary
// digits Digits (lowest first). Most rules count live cells, so there is one digit, and the weights
// are 1. Rules that weigh states have up to four digits.
//
// The sum stays abstract in the circuit. Package recipe turns it into rows later, because the cheapest
// way to add up neighbours depends on the machine and on the order of the rows.
type NeighbourSum struct {
	Digits  []Tap
	Offsets []rule.Offset
}

// Bounds returns the least and greatest value of the sum.
func (s *NeighbourSum) Bounds() (least, greatest int) {
	top := 1<<len(s.Digits) - 1
	for _, o := range s.Offsets {
		if o.Weight < 0 {
			least += o.Weight * top
		} else {
			greatest += o.Weight * top
		}
	}
	return least, greatest
}

// Radius returns how far from the cell the sum reads, in rows or columns.
func (s *NeighbourSum) Radius() int {
	r := 0
	for _, o := range s.Offsets {
		r = max(r, o.DX, -o.DX, o.DY, -o.DY)
	}
	return r
}

// Layers returns how far from the cell the sum reads, in layers. It is 0 in two dimensions.
func (s *NeighbourSum) Layers() int {
	n := 0
	for _, o := range s.Offsets {
		n = max(n, o.DZ, -o.DZ)
	}
	return n
}

// Circuit computes the next state of a cell as a network of single bits. A node reads only nodes before it. Out
// holds the node of each plane of the next state.
type Circuit struct {
	Planes int
	Seed   uint64 // of the random bits, for Eval
	Code   uint64 // of the chosen rule (package code), for Eval
	Nodes  []Node
	Out    []Tap
}

// Sum returns the circuit's neighbour sum, nil for rules of the 3×3 block.
func (c *Circuit) Sum() *NeighbourSum {
	for i := range c.Nodes {
		if s := c.Nodes[i].Sum; s != nil {
			return s
		}
	}
	return nil
}

func (c *Circuit) node(n Node) Tap {
	c.Nodes = append(c.Nodes, n)
	return Tap{Node: len(c.Nodes) - 1}
}

func (c *Circuit) lut(imm uint8, x, y, z Tap) Tap {
	return c.node(Node{Kind: Table, Imm: imm, In: [3]Tap{x, y, z}})
}

// At returns the tap moved by (dx, dy).
func (t Tap) At(dx, dy int) Tap { return Tap{t.Node, t.DX + dx, t.DY + dy, t.DZ} }

// Layer returns the tap moved by some layers.
func (t Tap) Layer(dz int) Tap { return Tap{t.Node, t.DX, t.DY, t.DZ + dz} }

// from returns the tap as it is seen from another place.
func (t Tap) from(at Tap) Tap { return t.At(at.DX, at.DY).Layer(at.DZ) }

// Over returns the node over other taps in place of those that it reads.
// The digits and offsets are copied, so that changing the new node leaves the old one as it is.
func (n Node) Over(other func(Tap) Tap) Node {
	for k := range n.In {
		n.In[k] = other(n.In[k])
	}
	n.Cell = other(n.Cell)
	if n.Sum != nil {
		n.Sum = &NeighbourSum{Digits: slices.Clone(n.Sum.Digits), Offsets: slices.Clone(n.Sum.Offsets)}
		for k, d := range n.Sum.Digits {
			n.Sum.Digits[k] = other(d)
		}
	}
	return n
}

// Transposed returns the circuit for a universe with rows and columns exchanged.
func (c *Circuit) Transposed() *Circuit {
	t := c.along(Tap.transposed)
	for i := range t.Nodes {
		if t.Nodes[i].Kind == Random {
			panic("circuit: random bits belong to rows and columns, which cannot be exchanged")
		}
		t.Nodes[i].Parity = t.Nodes[i].Parity.transposed()
	}
	return t
}

func (t Tap) transposed() Tap { return Tap{Node: t.Node, DX: t.DY, DY: t.DX, DZ: t.DZ} }

// RowsAsLayers returns the circuit for a volume with rows and layers exchanged. It must have OwnChance. It is no method
// because the linker keeps exported methods, and the page has no use for it.
func RowsAsLayers(c *Circuit) *Circuit {
	if !OwnChance(c) {
		panic("circuit: random bits belong to rows, which cannot be exchanged")
	}
	t := c.along(func(t Tap) Tap { return Tap{Node: t.Node, DX: t.DX, DY: t.DZ, DZ: t.DY} })
	for i := range t.Nodes {
		p := &t.Nodes[i].Parity
		p.Row, p.Layer = p.Layer, p.Row
	}
	return t
}

// along returns the circuit with other taps and offsets.
// The offsets of a neighbour sum are places relative to the cell, as those of taps are, so the same
// function moves them.
func (c *Circuit) along(other func(Tap) Tap) *Circuit {
	t := &Circuit{Planes: c.Planes, Nodes: slices.Clone(c.Nodes)}
	for i, n := range t.Nodes {
		n = n.Over(other)
		if n.Sum != nil {
			for k := range n.Sum.Offsets {
				o := &n.Sum.Offsets[k]
				to := other(Tap{DX: o.DX, DY: o.DY, DZ: o.DZ})
				o.DX, o.DY, o.DZ = to.DX, to.DY, to.DZ
			}
		}
		t.Nodes[i] = n
	}
	for _, out := range c.Out {
		t.Out = append(t.Out, other(out))
	}
	return t
}

// OwnChance reports whether the next state of a cell depends on no random bits but those of the cell itself.
func OwnChance(c *Circuit) bool {
	random := make([]bool, len(c.Nodes)) // by node: whether it depends on random bits
	for i := range c.Nodes {
		n := &c.Nodes[i]
		random[i] = n.Kind == Random
		in := n.In[:]
		switch n.Kind {
		case Table:
		case Threshold:
			in = append(slices.Clone(n.Sum.Digits), n.Cell)
			for _, d := range n.Sum.Digits {
				if random[d.Node] {
					return false
				}
			}
		default:
			continue
		}
		for _, t := range in {
			if random[t.Node] && t != (Tap{Node: t.Node}) {
				return false
			}
			random[i] = random[i] || random[t.Node]
		}
	}
	return !slices.ContainsFunc(c.Out, func(t Tap) bool { return random[t.Node] && t != (Tap{Node: t.Node}) })
}

// Eval computes the next state of the cell at (x, y), one bit at a time, in the most obvious way. cell gives
// one bit plane of the state at (x, y). Compiled programs are tested against Eval.
func (c *Circuit) Eval(cell func(plane, x, y int) bool, x, y int, generation uint64) uint8 {
	return c.EvalVolume(func(plane, x, y, _ int) bool { return cell(plane, x, y) }, x, y, 0, generation)
}

// EvalVolume is Eval for a cell of a volume.
func (c *Circuit) EvalVolume(cell func(plane, x, y, z int) bool, x, y, z int, generation uint64) uint8 {
	// Results are kept by node and place, because a node is often read at several places.
	memo := map[Tap]bool{}
	var eval func(Tap) bool
	eval = func(t Tap) bool {
		if v, ok := memo[t]; ok {
			return v
		}
		n := &c.Nodes[t.Node]
		var v bool
		switch n.Kind {
		case Input:
			v = cell(n.Plane, x+t.DX, y+t.DY, z+t.DZ)
		case Given:
			v = n.Parity.At(x+t.DX, y+t.DY, z+t.DZ, generation)
			if n.Parity.Choice > 0 {
				v = c.Code>>(n.Parity.Choice-1)&1 == 1
			}
		case Random:
			v = n.Chance.At(c.Seed, x+t.DX, y+t.DY, generation)
		case Table:
			index := 0
			for _, in := range n.In {
				index <<= 1
				if eval(in.from(t)) {
					index |= 1
				}
			}
			v = n.Imm>>index&1 == 1
		case Threshold, Digit:
			count := 0
			for _, o := range n.Sum.Offsets {
				for k, digit := range n.Sum.Digits {
					if eval(digit.from(t).At(o.DX, o.DY).Layer(o.DZ)) {
						count += o.Weight << k
					}
				}
			}
			if n.Kind == Digit {
				v = count>>n.Plane&1 == 1
				break
			}
			set := n.Birth
			if eval(n.Cell.from(t)) {
				set = n.Survival
			}
			v = has(set, count)
		}
		memo[t] = v
		return v
	}
	var state uint8
	for k, out := range c.Out {
		if eval(out) {
			state |= 1 << k
		}
	}
	return state
}

func has(set rule.Counts, n int) bool {
	for _, i := range set {
		if i.Lo <= n && n <= i.Hi {
			return true
		}
	}
	return false
}

// String lists the circuit, one node a line:
//
//	n0 = cells0
//	n1 = 96 n0(0,-1) n0 n0(0,1)        a table of the cells above, here and below
//	n2 = sum of 120 cells within radius 5 of n0, born 34..45, survives 33..57 where n0
//	out0 = n2
func (c *Circuit) String() string {
	var b strings.Builder
	for i, n := range c.Nodes {
		switch n.Kind {
		case Input:
			fmt.Fprintf(&b, "n%d = cells%d\n", i, n.Plane)
		case Given:
			fmt.Fprintf(&b, "n%d = %v\n", i, n.Parity)
		case Random:
			fmt.Fprintf(&b, "n%d = %v\n", i, n.Chance)
		case Table:
			fmt.Fprintf(&b, "n%d = %02x %v %v %v\n", i, n.Imm, n.In[0], n.In[1], n.In[2])
		case Digit:
			fmt.Fprintf(&b, "n%d = digit %d of the sum of %d cells within radius %d of %v\n",
				i, n.Plane, len(n.Sum.Offsets), n.Sum.Radius(), n.Sum.Digits[0])
		case Threshold:
			digits := make([]string, len(n.Sum.Digits))
			for k, d := range n.Sum.Digits {
				digits[k] = d.String()
			}
			fmt.Fprintf(&b, "n%d = sum of %d cells within radius %d of %s, born %v, survives %v where %v\n",
				i, len(n.Sum.Offsets), n.Sum.Radius(), strings.Join(digits, " "), n.Birth, n.Survival, n.Cell)
		}
	}
	for k, out := range c.Out {
		fmt.Fprintf(&b, "out%d = %v\n", k, out)
	}
	return b.String()
}

// String returns the node, and the offset if it is not zero.
func (t Tap) String() string {
	switch {
	case t.DZ != 0:
		return fmt.Sprintf("n%d(%d,%d,%d)", t.Node, t.DX, t.DY, t.DZ)
	case t.DX == 0 && t.DY == 0:
		return fmt.Sprintf("n%d", t.Node)
	}
	return fmt.Sprintf("n%d(%d,%d)", t.Node, t.DX, t.DY)
}
