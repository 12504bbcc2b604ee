package synth

import "fmt"

// Raw cells of a column, as immediates over (u, m, d) with index 4u+2m+d. They cost nothing.
const (
	Up     uint8 = 0xF0
	Middle uint8 = 0xCC
	Down   uint8 = 0xAA
)

// Source names the origin of an operand.
type Source uint8

const (
	Left   Source = iota // the column value Operand.Index of the column to the left
	Centre               // the column value Operand.Index of the cell's own column
	Right                // the column value Operand.Index of the column to the right
	Inner                // gate Operand.Index of Network.Gates, which is an earlier one
)

// Operand is one input of a Gate: a column value of one of the three columns, or an earlier gate.
type Operand struct {
	Source Source
	Index  int // into Network.Columns, or into Network.Gates when Source is Inner
}

// Gate is a three-input lookup table: its output is bit 4a+2b+c of Imm, as in vpternlogq and lop3.
type Gate struct {
	Imm     uint8
	A, B, C Operand
}

// Network computes a rule of the 3×3 block, columns first. Each immediate of Columns is a table over a column
// (u, m, d): the cells above, at and below. Its value serves three cells, as the value of their left, centre or
// right column. The gates combine these values. The last gate is the output. A constant rule is one gate whose
// immediate is 0x00 or 0xFF.
type Network struct {
	Columns []uint8 // over (u, m, d), index 4u+2m+d; Up, Middle and Down cost nothing
	Gates   []Gate  // operands are earlier gates
}

// Cost returns the number of lookup tables for each cell: the gates, and the Columns that are not raw cells.
func (n Network) Cost() int {
	cost := len(n.Gates)
	for _, imm := range n.Columns {
		if imm != Up && imm != Middle && imm != Down {
			cost++
		}
	}
	return cost
}

// Eval returns the next state of the cell in the middle of a block, given as its index Σ cell_i << (8-i), i = 0
// NW, 1 N, 2 NE, 3 W, 4 centre, 5 E, 6 SW, 7 S, 8 SE.
func (n Network) Eval(block uint16) bool {
	cell := func(i int) uint8 { return uint8(block>>(8-i)) & 1 }
	gates := make([]uint8, len(n.Gates))
	value := func(o Operand) uint8 {
		if o.Source == Inner {
			return gates[o.Index]
		}
		x := int(o.Source)
		return n.Columns[o.Index] >> (4*cell(x) + 2*cell(x+3) + cell(x+6)) & 1
	}
	for i, g := range n.Gates {
		gates[i] = g.Imm >> (4*value(g.A) + 2*value(g.B) + value(g.C)) & 1
	}
	return gates[len(gates)-1] == 1
}

// String lists the network, one lookup table a line, in the order of evaluation.
func (n Network) String() string {
	s := ""
	for i, imm := range n.Columns {
		s += fmt.Sprintf("c%d = %#02x(u, m, d)\n", i, imm)
	}
	for i, g := range n.Gates {
		s += fmt.Sprintf("g%d = %#02x(%v, %v, %v)\n", i, g.Imm, g.A, g.B, g.C)
	}
	return s
}

// String returns a column value as its column and number ("l.c0"), a gate as its number ("g3").
func (o Operand) String() string {
	if o.Source == Inner {
		return fmt.Sprintf("g%d", o.Index)
	}
	return fmt.Sprintf("%c.c%d", "lcr"[o.Source], o.Index)
}
