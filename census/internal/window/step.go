package window

import (
	"github.com/gosper-life/gosper/internal/compile/dataflow"
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/internal/ptx/lanes"
)

// A stepper advances a window. Rows of other lanes come by shuffles, those beyond the last lane from the first.
// Beyond the sides cells are dead.
type stepper struct {
	k            *ptx.Kernel
	f            *warpprog.Program
	above, below ptx.B32     // lanes
	cells        [][]ptx.B32 // by row of the lane and word
	beyond       []ptx.B32   // by node: what it is where all cells are dead
}

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
	l := lanes.Stepper{Kernel: s.k, Program: s.f, Words: len(s.cells[0]), Enter: s.enter, Move: s.move}
	l.Generation(s.cells)
}

// move moves a row. Beyond its ends is what the node is where all cells are dead.
func (s *stepper) move(node int, row []ptx.B32, dx int) []ptx.B32 {
	v := make([]ptx.B32, len(row))
	for j := range v {
		beside := s.beyond[node]
		if dx > 0 {
			if j+1 < len(v) {
				beside = row[j+1]
			}
			v[j] = s.k.FunnelR(row[j], beside, dx)
		} else {
			if j > 0 {
				beside = row[j-1]
			}
			v[j] = s.k.FunnelL(beside, row[j], -dx)
		}
	}
	return v
}

// enter returns a row of the cells, of this lane or another.
func (s *stepper) enter(_ *dataflow.Node, y int) (v []ptx.B32) {
	rows := len(s.cells)
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
	return v
}
