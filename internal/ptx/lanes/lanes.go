// Package lanes writes the instructions that advance cells which stay in the registers of a warp. A lane has
// some rows, and the program of the rule runs for all of them at once: instead of the value that a node had
// some rows ago it takes that of another row. Every row of every node is made once.
//
// What lies beyond a lane's rows, and beyond their ends, is the business of the kernel that has them.
package lanes

import (
	"github.com/gosper-life/gosper/internal/compile/dataflow"
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/ptx"
)

// Stepper writes generations of a program. A row is some words. Rows are counted from the lane's first one;
// those before it and after its last are other lanes'.
type Stepper struct {
	Kernel  *ptx.Kernel
	Words   int // of a row
	Program *warpprog.Program
	// Enter returns a row of a leaf: cells or random bits.
	Enter func(leaf *dataflow.Node, y int) []ptx.B32
	// Move returns a node's row, moved: column x gets the value of column x+dx.
	Move func(node int, row []ptx.B32, dx int) []ptx.B32
	// Given returns a row of a node that depends on its place alone, moved. Programs may have none.
	Given func(n *dataflow.Node, y, dx int) []ptx.B32
	// Zero is a row where the running sums of recurrent programs start, Program.Radius rows before the lane's
	// first. Other programs do not need it.
	Zero []ptx.B32

	made  map[made][]ptx.B32
	moved map[moved][]ptx.B32
}

// made is the row of a node; moved is the same moved.
type (
	made  struct{ node, y int }
	moved struct {
		made
		dx int
	}
)

// Generation advances cells, which are given by row and word, one plane after another.
func (s *Stepper) Generation(cells [][]ptx.B32) {
	s.made, s.moved = map[made][]ptx.B32{}, map[moved][]ptx.B32{}
	next := make([][]ptx.B32, len(cells))
	for y := range next {
		for _, out := range s.Program.Out {
			for _, v := range s.row(out, y+s.Program.Up) {
				next[y] = append(next[y], s.Kernel.Or(v, v)) // a copy, because the cells that it may be are about to change
			}
		}
	}
	for y, row := range next {
		for j, v := range row {
			s.Kernel.Move(cells[y][j], v)
		}
	}
}

// row returns the row that a reference stands for when row y enters, made and moved if necessary.
func (s *Stepper) row(r dataflow.Ref, y int) []ptx.B32 {
	m := moved{made{r.Node, y - r.Delay}, r.DX}
	n := &s.Program.Nodes[r.Node]
	if r.DX == 0 && n.Kind != dataflow.Given {
		return s.node(m.made)
	}
	v, ok := s.moved[m]
	if !ok {
		if n.Kind == dataflow.Given {
			v = s.Given(n, m.y, m.dx)
		} else {
			v = s.Move(m.node, s.node(m.made), m.dx)
		}
		s.moved[m] = v
	}
	return v
}

// node is the row of a node.
func (s *Stepper) node(m made) []ptx.B32 {
	v, ok := s.made[m]
	if !ok {
		v = s.compute(&s.Program.Nodes[m.node], m.y)
		s.made[m] = v
	}
	return v
}

// compute makes the words of a node in row y of the lane. Rows above the lane's first ones, which
// running sums begin with, are zero.
func (s *Stepper) compute(n *dataflow.Node, y int) []ptx.B32 {
	if s.Program.Recurrent && y < -s.Program.Radius {
		return s.Zero
	}
	switch n.Kind {
	case dataflow.Input, dataflow.Random:
		return s.Enter(n, y)
	case dataflow.Moved:
		return s.row(n.In[0], y)
	case dataflow.Const:
		v := make([]ptx.B32, s.Words)
		for j := range v {
			v[j] = s.Kernel.Const(-int(n.Imm & 1))
		}
		return v
	}
	var in [3][]ptx.B32
	for i, r := range n.Inputs() {
		in[i] = s.row(r, y)
	}
	for i := n.N; i < len(in); i++ {
		in[i] = in[0] // as the tables of one and two inputs are made
	}
	v := make([]ptx.B32, len(in[0]))
	for j := range v {
		v[j] = s.Kernel.Lop3(n.Imm, in[0][j], in[1][j], in[2][j])
	}
	return v
}
