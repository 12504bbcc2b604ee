package window

import (
	"github.com/gosper-life/gosper/internal/compile/dataflow"
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/ptx"
)

// A stepper writes the instructions that advance a window by a generation. The program of the rule runs for all rows of a lane at once: instead of the value
// that a node had some rows ago it takes that of another row. Rows of other lanes come by shuffles, those beyond the last lane from the first. Beyond the
// sides cells are dead.
type stepper struct {
	k            *ptx.Kernel
	f            *warpprog.Program
	above, below ptx.B32     // lanes
	cells        [][]ptx.B32 // by row of the lane and word
	beyond       []ptx.B32   // by node: what it is where all cells are dead
	entered      map[int][]ptx.B32
	made         map[made][]ptx.B32
	moves        map[moved][]ptx.B32
}

// made is the row that a node has when a row enters, counted from the lane's first; moved is the same moved.
type (
	made  struct{ node, entering int }
	moved struct {
		made
		dx int
	}
)

// quiet finds what each node is where all cells are dead.
func (s *stepper) quiet() {
	words := [2]ptx.B32{s.k.Const(0), s.k.Const(-1)}
	known := map[int]uint8{}
	var bit func(i int) uint8
	bit = func(i int) uint8 {
		if v, ok := known[i]; ok {
			return v
		}
		n := &s.f.Nodes[i]
		var in, v uint8
		for _, r := range n.Inputs() {
			in = in<<1 | bit(r.Node)
		}
		switch n.Kind {
		case dataflow.Moved:
			v = in
		case dataflow.Const:
			v = n.Imm & 1
		case dataflow.Table:
			v = n.Imm >> (in << (3 - n.N)) & 1
		}
		known[i] = v
		return v
	}
	for i := range s.f.Nodes {
		s.beyond = append(s.beyond, words[bit(i)])
	}
}

func (s *stepper) generation() {
	s.entered, s.made, s.moves = map[int][]ptx.B32{}, map[made][]ptx.B32{}, map[moved][]ptx.B32{}
	out := s.f.Out[0]
	var next [][]ptx.B32
	for y := range s.cells {
		next = append(next, nil)
		for _, v := range s.row(moved{made{out.Node, y + s.f.Up - out.Delay}, out.DX}) {
			next[y] = append(next[y], s.k.Or(v, v)) // a copy, because the cells that it may be are about to change
		}
	}
	for y, row := range next {
		for j, v := range row {
			s.k.Move(s.cells[y][j], v)
		}
	}
}

// row is the row of a node, moved: column x has what the node has in column x+dx.
func (s *stepper) row(m moved) []ptx.B32 {
	if m.dx == 0 {
		return s.node(m.made)
	}
	if v, ok := s.moves[m]; ok {
		return v
	}
	from := s.node(m.made)
	v := make([]ptx.B32, len(from))
	for j := range v {
		beside := s.beyond[m.node]
		if m.dx > 0 {
			if j+1 < len(v) {
				beside = from[j+1]
			}
			v[j] = s.k.FunnelR(from[j], beside, m.dx)
		} else {
			if j > 0 {
				beside = from[j-1]
			}
			v[j] = s.k.FunnelL(beside, from[j], -m.dx)
		}
	}
	s.moves[m] = v
	return v
}

// node is the row of a node.
func (s *stepper) node(m made) []ptx.B32 {
	if v, ok := s.made[m]; ok {
		return v
	}
	k, n := s.k, &s.f.Nodes[m.node]
	in := func(i int) []ptx.B32 {
		r := n.In[min(i, n.N-1)]
		return s.row(moved{made{r.Node, m.entering - r.Delay}, r.DX})
	}
	v := make([]ptx.B32, len(s.cells[0]))
	switch n.Kind {
	case dataflow.Input:
		v = s.enter(m.entering)
	case dataflow.Moved:
		v = in(0)
	case dataflow.Const:
		for j := range v {
			v[j] = k.Const(-int(n.Imm & 1))
		}
	default:
		a, b, c := in(0), in(1), in(2)
		if n.N < 3 {
			c = a // as the tables of one and two inputs are made
		}
		if n.N < 2 {
			b = a
		}
		for j := range v {
			v[j] = k.Lop3(n.Imm, a[j], b[j], c[j])
		}
	}
	s.made[m] = v
	return v
}

// enter returns a row of the cells, of this lane or another.
func (s *stepper) enter(y int) []ptx.B32 {
	if v, ok := s.entered[y]; ok {
		return v
	}
	rows := len(s.cells)
	var v []ptx.B32
	switch {
	case y < 0:
		for _, from := range s.cells[y+rows] {
			v = append(v, s.k.ShuffleFrom(from, s.above))
		}
	case y >= rows:
		for _, from := range s.cells[y-rows] {
			v = append(v, s.k.ShuffleFrom(from, s.below))
		}
	default:
		v = s.cells[y]
	}
	s.entered[y] = v
	return v
}
