package cpu

import (
	"slices"
	"unsafe"

	"github.com/gosper-life/gosper/logic"
)

// wordStepper advances blocks of 32 columns, a row of each in a word, by machine code that takes the words of a plate's plane for the
// vectors of one long row: the rows above and below are the vectors left and right, and columns are shifts inside the words. That
// is the transposed rule, in the layout that all compiled code knows.
type wordStepper struct {
	kernel  *machine
	compare *machine // its rows: before, after, their differences, the differences of all rows so far
	planes  int
	reach   int
	core    int
	margin  int
	in      plate
	between [2]plate                       // takes turns to hold the generations after in
	queues  [maxDepth + 1][]unsafe.Pointer // the kernel's, by generations
	rows    [][]uint64
	sums    []uint64
}

// newWordStepper makes a stepper from the circuit of the transposed rule, or none when this needs sums that run from row to row.
func newWordStepper(circuit *logic.Circuit, b *batch) (*wordStepper, bool, error) {
	p, shifts, ok := inWords(logic.LowerColumns(circuit))
	if !ok {
		return nil, false, nil
	}
	s := &wordStepper{planes: p.Planes, reach: p.Reach, core: b.tiles.core, margin: b.margin}
	column := layout{lanes: b.lanes, strips: 64, slabs: b.lanes, nv: s.core + 2*s.margin - 2*s.reach, ghost: s.reach}
	column.stride = (column.nv + 2*column.ghost) * column.lanes
	var err error
	if s.kernel, err = newMachine(p, &column, nil, shifts); err != nil {
		return nil, false, err
	}
	if s.compare, err = newMachine(differences(), &layout{lanes: b.lanes, nv: s.core, stride: s.core * b.lanes}, nil, nil); err != nil {
		return nil, false, err
	}
	s.sums = alignedWords(s.core * b.lanes)
	for _, pl := range []*plate{&s.in, &s.between[0], &s.between[1]} {
		*pl = plate{alignedWords(p.Planes * column.stride), s.margin * b.lanes, column.stride, b.lanes}
	}
	return s, true, nil
}

func (s *wordStepper) plate() *plate { return &s.in }

// advance computes all generations in one call of the code, which costs as much as a few dozen rows: each computes the rows that the first
// one needs, and those that have seen rows never computed are the ones that the last does not need.
func (s *wordStepper) advance(depth int) *plate {
	if s.queues[depth] == nil {
		s.queues[depth] = s.levels(depth)
	}
	s.kernel.queue = append(s.kernel.queue[:0], s.queues[depth]...)
	around := (depth - 1) * s.reach
	first := s.margin - s.reach // the row that is vector 0
	s.kernel.call(0, first-around, first+s.core+around)
	return &s.between[(depth-1)%2]
}

// levels queues so many generations, from in on.
func (s *wordStepper) levels(depth int) []unsafe.Pointer {
	from := &s.in
	for level := range depth {
		to := &s.between[level%2]
		s.rows = s.rows[:0]
		for _, p := range []*plate{from, to} {
			for k := range s.planes {
				s.rows = append(s.rows, p.words[k*p.plane:(k+1)*p.plane])
			}
		}
		s.kernel.post(s.rows, s.rows[s.planes])
		from = to
	}
	return slices.Clone(s.kernel.queue)
}

func (s *wordStepper) differences(changed, any []uint64, before, after *plate, reach int) {
	lanes := s.in.row
	size := s.core * lanes
	for k := range s.planes {
		s.rows = append(s.rows[:0], before.words[before.at(k, 0):], after.words[after.at(k, 0):], changed[k*size:(k+1)*size], s.sums)
		for part, rows := range [3]span{{0, reach}, {reach, s.core - reach}, {s.core - reach, s.core}} {
			if rows.lo == rows.hi {
				continue
			}
			s.compare.run(s.rows, s.sums, rows.lo, rows.hi, true)
			for lane, v := range s.sums[(rows.hi-1)*lanes : rows.hi*lanes] {
				any[part*lanes+lane] |= v
			}
		}
	}
}

// differences is a program that computes where two rows differ and, from column to column, all differences so far.
func differences() *logic.Program {
	op := func(value int) logic.Operand { return logic.Operand{Value: value} }
	return &logic.Program{
		Planes: 2, Streams: make([]logic.Stream, 2),
		Ops: []logic.Op{
			{Kind: logic.Load, Stream: 0},
			{Kind: logic.Load, Stream: 1},
			{Kind: logic.Const},
			{Kind: logic.Table, Imm: 0x3C, N: 2, In: [3]logic.Operand{op(0), op(1)}},
			{Kind: logic.Carry, In: [3]logic.Operand{op(5), op(2)}},
			{Kind: logic.Table, Imm: 0xFC, N: 2, In: [3]logic.Operand{op(3), op(4)}},
		},
		Out: []logic.Operand{op(3), op(5)},
	}
}

// transposed is the circuit that computes a universe with rows and columns exchanged.
func transposed(c *logic.Circuit) *logic.Circuit {
	t := &logic.Circuit{Planes: c.Planes, Nodes: make([]logic.Node, len(c.Nodes))}
	for i, n := range c.Nodes {
		for k := range n.In {
			n.In[k] = exchanged(n.In[k])
		}
		n.Cell = exchanged(n.Cell)
		if n.Sum != nil {
			sum := &logic.NeighbourSum{}
			for _, d := range n.Sum.Digits {
				sum.Digits = append(sum.Digits, exchanged(d))
			}
			for _, o := range n.Sum.Offsets {
				o.DX, o.DY = o.DY, o.DX
				sum.Offsets = append(sum.Offsets, o)
			}
			n.Sum = sum
		}
		t.Nodes[i] = n
	}
	for _, out := range c.Out {
		t.Out = append(t.Out, exchanged(out))
	}
	return t
}

func exchanged(t logic.Tap) logic.Tap { return logic.Tap{Node: t.Node, DX: t.DY, DY: t.DX} }

// inWords turns loads of other rows into shifts of the row itself, by so many bits to the right. Programs that keep rows in streams
// cannot be turned.
func inWords(p *logic.Program) (turned *logic.Program, shifts map[int]int, ok bool) {
	if len(p.Streams) > p.Planes {
		return nil, nil, false
	}
	t := &logic.Program{Planes: p.Planes, Streams: p.Streams}
	shifts = map[int]int{}
	for k := range p.Planes {
		t.Ops = append(t.Ops, logic.Op{Kind: logic.Load, Stream: k})
	}
	place := make([]int, len(p.Ops)) // by op of p: the op of t
	for i, op := range p.Ops {
		switch {
		case op.Kind == logic.Carry || op.Once:
			return nil, nil, false
		case op.Kind == logic.Load && op.DY == 0:
			place[i] = op.Stream
			continue
		case op.Kind == logic.Load:
			shifts[len(t.Ops)] = op.DY
			t.Reach = max(t.Reach, op.DY, -op.DY)
			op = logic.Op{Kind: logic.Table, Imm: 0xF0, N: 1, In: [3]logic.Operand{{Value: op.Stream}}}
		default:
			for k := range op.In[:op.N] {
				op.In[k].Value = place[op.In[k].Value]
			}
		}
		place[i] = len(t.Ops)
		t.Ops = append(t.Ops, op)
	}
	for _, o := range p.Out {
		t.Out = append(t.Out, logic.Operand{Value: place[o.Value], DX: o.DX})
	}
	t.Reach = max(t.Reach, p.Reach)
	return t, shifts, true
}
