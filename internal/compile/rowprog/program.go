// Package rowprog holds programs that compute the next generation row by row. They are for executors that keep
// rows in memory: those of processors.
package rowprog

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/internal/compile/circuit"
)

// A Program computes one row of the next generation from rows of the current one. Executors run it for row y,
// then y+1, and so on.
//
// Every value is a row of bits. A stream is a sequence of rows in memory. The first Planes streams are the planes of
// the cells: their rows y+Down to y+Up are loaded. The streams after them are given: their rows depend on row and
// generation alone. Each further stream is a delay line, which holds the last Depth rows that Stores put into it:
//
//	cells      y+Up     ┌───────────────┐  enters
//	           y        │ · · · x · · · │
//	           y+Down   └───────────────┘  still needed
//	streams    y-1 … y-Depth               stored when those rows were computed
//
// Delay lines start as zeros, Warm rows before the first row whose output counts.
type Program struct {
	Planes   int
	Given    []circuit.Parity // of the streams from Planes on
	Chances  []circuit.Chance // of the streams from Random() to Kept()-1
	Streams  []Stream
	Ops      []Op
	Stores   []Store
	Out      []Operand // by plane: the row of the next generation
	Up, Down int       // rows of cells that are loaded, relative to the row computed; Down ≤ 0 ≤ Up
	Warm     int       // rows to compute before the first output, so that every delay line is right
	Reach    int       // greatest horizontal distance at which a row is read or made
	Layers   int       // layers of cells that are loaded on both sides of the row's own one; 0 in two dimensions
	// Drifts is that of the graph (dataflow.Graph). A program that drifts has no extents.
	Drifts bool
}

// Stream is a sequence of rows. Depth is how many rows back a delay line is loaded.
type Stream struct{ Depth int }

// OpKind is the kind of an Op.
type OpKind uint8

const (
	Const OpKind = iota // all bits of Imm alike
	Load                // row y+DY of Stream; of a plane of cells, DZ layers further on
	Table               // a lookup table of N inputs
	Carry               // the value of In[0], a later op, one column to the left; in column 0 that of In[1]
)

// Op computes one row. A program with a Carry must be run column after column.
type Op struct {
	Kind OpKind
	// Table: output for inputs a, b, c is bit 4a+2b+c; inputs beyond N do not matter. Const: 0x00 or 0xFF
	Imm    uint8
	N      int        // Table: 1 to 3
	In     [3]Operand // Table, Carry
	Once   bool       // computed for column 0 only, before all others
	Stream int        // Load
	DY, DZ int        // Load
}

// Operand is the row of an earlier op, moved: bit x of the operand is bit x+DX of the op's row.
type Operand struct{ Value, DX int }

// At returns the operand moved by dx.
func (o Operand) At(dx int) Operand { return Operand{o.Value, o.DX + dx} }

// Store keeps a row in a stream, to be loaded by later rows.
type Store struct {
	Stream int
	Value  Operand
}

// Random is the first stream of random bits.
func (p *Program) Random() int { return p.Planes + len(p.Given) }

// Kept returns the number of the first stream that is a delay line.
func (p *Program) Kept() int { return p.Random() + len(p.Chances) }

// Cycle returns the period of the given rows in generations. It is 1 if none depends on the generation.
func (p *Program) Cycle() int { return circuit.Cycle(p.Given...) }

// Radius returns how far from a cell the program reads, in rows or columns.
func (p *Program) Radius() int { return max(p.Up, -p.Down, p.Reach) }

// Extent gives the columns of a row that columns 0 ≤ x < n of the output need: Lo ≤ x < n+Hi.
type Extent struct{ Lo, Hi int }

// Extents returns the extent of every op. It is empty for an op without users. Extents panics if the program
// drifts, because such a program needs columns ever farther out.
func (p *Program) Extents() []Extent {
	empty := Extent{math.MaxInt, math.MinInt}
	need := slices.Repeat([]Extent{empty}, len(p.Ops))
	stored := slices.Repeat([]Extent{empty}, len(p.Streams))
	grow := func(o Operand, by Extent) {
		if by != empty {
			e := &need[o.Value]
			e.Lo, e.Hi = min(e.Lo, by.Lo+o.DX), max(e.Hi, by.Hi+o.DX)
		}
	}
	// A round passes on the needs of every stream to the streams that it is made of. Without drift, the extents no
	// longer change after one round for each stream.
	for changed, round := true, 0; changed; round++ {
		if round > len(p.Streams)+len(p.Ops) {
			panic("rowprog: a program that drifts has no extents")
		}
		changed = false
		for _, o := range p.Out {
			grow(o, Extent{})
		}
		for _, s := range p.Stores {
			grow(s.Value, stored[s.Stream])
		}
		for i := len(p.Ops) - 1; i >= 0; i-- {
			op := &p.Ops[i]
			switch op.Kind {
			case Table:
				for _, in := range op.In[:op.N] {
					grow(in, need[i])
				}
			case Carry:
				before := need[op.In[0].Value]
				grow(op.In[0], need[i]) // the last column is not needed, but both are computed together
				changed = changed || need[op.In[0].Value] != before
				grow(op.In[1], Extent{})
			case Load:
				e := &stored[op.Stream]
				if need[i].Lo < e.Lo || need[i].Hi > e.Hi {
					e.Lo, e.Hi = min(e.Lo, need[i].Lo), max(e.Hi, need[i].Hi)
					changed = true
				}
			}
		}
	}
	for i := range need {
		if need[i] == empty {
			need[i] = Extent{}
		}
	}
	return need
}

// reach returns how far the rows in memory extend sideways: those that are loaded, stored and put out.
func (p *Program) reach() int {
	extents, reach := p.Extents(), 0
	cover := func(value int) { reach = max(reach, -extents[value].Lo, extents[value].Hi) }
	for i, op := range p.Ops {
		if op.Kind == Load {
			cover(i)
		}
	}
	for _, s := range p.Stores {
		cover(s.Value.Value)
	}
	for _, o := range p.Out {
		cover(o.Value)
	}
	return reach
}

// Cost counts what an executor does for each word of a row.
type Cost struct{ Tables, Loads, Stores int }

// Cost returns the cost of the program; the stores include the output's.
func (p *Program) Cost() Cost {
	c := Cost{Stores: len(p.Stores) + len(p.Out)}
	for _, op := range p.Ops {
		switch op.Kind {
		case Load:
			c.Loads++
		case Table:
			if !op.Once {
				c.Tables++
			}
		}
	}
	return c
}

// String lists the program, one op a line:
//
//	v3 = load cells0[-1]
//	v4 = 96 v1 v2 v3
//	v7 = e8 v4<1 v4 v4>1        v4<1 is v4 one column to the left
//	out0 = v7
func (p *Program) String() string {
	var b strings.Builder
	operand := func(o Operand) string {
		switch {
		case o.DX < 0:
			return fmt.Sprintf("v%d<%d", o.Value, -o.DX)
		case o.DX > 0:
			return fmt.Sprintf("v%d>%d", o.Value, o.DX)
		}
		return fmt.Sprintf("v%d", o.Value)
	}
	stream := func(s int) string {
		switch {
		case s < p.Planes:
			return fmt.Sprintf("cells%d", s)
		case s < p.Random():
			return p.Given[s-p.Planes].String()
		case s < p.Kept():
			return p.Chances[s-p.Random()].String()
		}
		return fmt.Sprintf("stream%d", s-p.Kept())
	}
	for i, op := range p.Ops {
		switch op.Kind {
		case Const:
			fmt.Fprintf(&b, "v%d = %02x\n", i, op.Imm)
		case Load:
			fmt.Fprintf(&b, "v%d = load %s[%+d", i, stream(op.Stream), op.DY)
			if op.DZ != 0 {
				fmt.Fprintf(&b, ",%+d", op.DZ)
			}
			b.WriteString("]\n")
		case Table:
			fmt.Fprintf(&b, "v%d = %02x", i, op.Imm)
			for _, in := range op.In[:op.N] {
				b.WriteString(" " + operand(in))
			}
			b.WriteByte('\n')
		case Carry:
			fmt.Fprintf(&b, "v%d = carry %s from %s\n", i, operand(op.In[0]), operand(op.In[1]))
		}
	}
	for _, s := range p.Stores {
		fmt.Fprintf(&b, "%s = %s\n", stream(s.Stream), operand(s.Value))
	}
	for k, o := range p.Out {
		fmt.Fprintf(&b, "out%d = %s\n", k, operand(o))
	}
	return b.String()
}
