package blocks

import (
	"unsafe"

	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
	"github.com/gosper-life/gosper/sim/cpu/internal/plan"
)

// wordStepper advances blocks of one word a row. Its machine code takes the words of a plate's plane for the vectors
// of one long row. As a result, the rows above and below a word are the vectors left and right of it, and the columns
// are reached by shifts inside the words. That is the transposed rule, in the layout that all compiled code knows.
type wordStepper struct {
	kernel  *codegen.Machine
	compare *codegen.Machine // its rows: before, after, their differences, the differences of all rows so far
	planes  int
	reach   int
	height  int
	margin  int
	in      Plate
	between [2]Plate // takes turns to hold the generations after in
	program *rowprog.Program
	given   [][2][]uint64 // the program's parities, as rows: even ones and odd ones
	// the kernel's, by generations and by the first of them, modulo the program's cycle
	queues [plan.MaxDepth + 1][][]unsafe.Pointer
	rows   [][]uint64
	sums   []uint64
}

// newWordStepper makes a stepper from a program of the transposed rule. It makes none if InWords returns false.
func newWordStepper(code codegen.Code, transposed *rowprog.Program, l *layout.Layout, height, margin int) (*wordStepper,
	bool, error,
) {
	p, shifts, ok := InWords(transposed)
	if !ok {
		return nil, false, nil
	}
	s := &wordStepper{program: p, planes: p.Planes, reach: p.Reach, height: height, margin: margin}
	column := layout.Layout{
		Lanes: l.Lanes, Strips: 64, Slabs: l.Lanes, Vectors: height + 2*margin - 2*s.reach,
		Halo: s.reach,
	}
	column.Stride = (column.Vectors + 2*column.Halo) * column.Lanes
	var err error
	if s.kernel, err = codegen.NewMachine(code, p, &column, nil, shifts); err != nil {
		return nil, false, err
	}
	rows := layout.Layout{Lanes: l.Lanes, Vectors: height, Stride: height * l.Lanes}
	if s.compare, err = codegen.NewMachine(code, differences(), &rows, nil, nil); err != nil {
		return nil, false, err
	}
	s.sums = layout.AlignedWords(rows.Stride)
	for _, p := range []*Plate{&s.in, &s.between[0], &s.between[1]} {
		*p = Plate{layout.AlignedWords(s.planes * column.Stride), margin * l.Lanes, column.Stride, l.Lanes}
	}
	for _, parity := range p.Given {
		s.given = append(s.given, [2][]uint64{s.parities(parity, false), s.parities(parity, true)})
	}
	return s, true, nil
}

// parities are a word for each row of each block: a parity of the transposed rule, to whose columns the rows of
// a block are columns. Both begin at even ones.
func (s *wordStepper) parities(p circuit.Parity, one bool) []uint64 {
	words := layout.AlignedWords(s.in.Plane)
	for i := range words {
		for bit := range 64 {
			p.Cycle = 0
			if p.At(i/s.in.Row-s.margin, bit, 0, 0) != one {
				words[i] |= 1 << bit
			}
		}
	}
	return words
}

func (s *wordStepper) input() *Plate { return &s.in }

// generationsTogether is the number of generations one call of the code computes. Each generation computes the number
// of rows that the first one must compute. In later generations the outermost of these rows are wrong and not needed.
// With fewer generations a call, fewer rows would be computed in vain, but a call costs as much as some five rows of
// Life.
const generationsTogether = 2

// advance runs all generations from queues that are made once for each depth and phase. The rows that
// are still right become fewer with each generation.
func (s *wordStepper) advance(generation uint64, depth, rows int) *Plate {
	cycle := s.program.Cycle()
	if s.queues[depth] == nil {
		s.queues[depth] = make([][]unsafe.Pointer, cycle)
	}
	phase := int(generation % uint64(cycle))
	if s.queues[depth][phase] == nil {
		s.queues[depth][phase] = s.levels(phase, depth)
	}
	queue := s.queues[depth][phase]
	level := len(queue) / depth // entries of one
	for left := depth; left > 0; {
		part := min(left, generationsTogether)
		around := (left - 1) * s.reach
		first := s.margin - s.reach // the row that is vector 0
		s.kernel.RunPart(queue[:part*level], first-around, first+rows+around)
		queue = queue[part*level:]
		left -= part
	}
	return &s.between[(depth-1)%2]
}

// levels returns the content of the kernel's queue for the given number of generations, from in on. The first
// of them is a phase of the cycle.
func (s *wordStepper) levels(phase, depth int) []unsafe.Pointer {
	var queue []unsafe.Pointer
	from := &s.in
	for level := range depth {
		to := &s.between[level%2]
		s.rows = s.rows[:0]
		s.rows = appendPlanes(s.rows, from, s.planes)
		for i, parity := range s.program.Given {
			rows := &s.given[i]
			if parity.Column, parity.Row = false, false; parity.At(0, 0, 0, uint64(phase+level)) {
				s.rows = append(s.rows, rows[1])
			} else {
				s.rows = append(s.rows, rows[0])
			}
		}
		s.rows = appendPlanes(s.rows, to, s.planes)
		queue = codegen.AppendRow(queue, s.rows, s.rows[len(s.rows)-s.planes])
		from = to
	}
	return queue
}

// appendPlanes appends the planes of a plate, each as a row.
func appendPlanes(rows [][]uint64, p *Plate, planes int) [][]uint64 {
	for k := range planes {
		rows = append(rows, p.Words[k*p.Plane:(k+1)*p.Plane])
	}
	return rows
}

// differences is that of a row stepper, by a kernel that compares.
func (s *wordStepper) differences(changed, parts []uint64, after *Plate, reach int) {
	before, lanes := &s.in, s.in.Row
	size := s.height * lanes
	for k := range s.planes {
		s.rows = append(s.rows[:0], before.Words[before.At(k, 0):], after.Words[after.At(k, 0):], changed[k*size:(k+1)*size],
			s.sums)
		for part, rows := range [3]struct{ from, to int }{
			{0, reach},
			{reach, s.height - reach},
			{s.height - reach, s.height},
		} {
			if rows.from == rows.to {
				continue
			}
			s.compare.Run(s.rows, s.sums, rows.from, rows.to, true)
			for lane, v := range s.sums[(rows.to-1)*lanes : rows.to*lanes] {
				parts[part*lanes+lane] |= v
			}
		}
	}
}

// differences is a program that computes where two rows differ and, from column to column, all differences so far.
func differences() *rowprog.Program {
	op := func(value int) rowprog.Operand { return rowprog.Operand{Value: value} }
	return &rowprog.Program{
		Planes: 2, Streams: make([]rowprog.Stream, 2),
		Ops: []rowprog.Op{
			{Kind: rowprog.Load, Stream: 0},
			{Kind: rowprog.Load, Stream: 1},
			{Kind: rowprog.Const},
			{Kind: rowprog.Table, Imm: 0x3C, N: 2, In: [3]rowprog.Operand{op(0), op(1)}},
			{Kind: rowprog.Carry, In: [3]rowprog.Operand{op(5), op(2)}},
			{Kind: rowprog.Table, Imm: 0xFC, N: 2, In: [3]rowprog.Operand{op(3), op(4)}},
		},
		Out: []rowprog.Operand{op(3), op(5)},
	}
}
