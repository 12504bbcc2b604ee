// Package interpreter runs row programs without machine code: a Go loop over the words of a row for each lookup table.
package interpreter

import (
	"slices"

	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// Interpreter computes rows of a program. It goes along a row in blocks that stay in the first-level cache.
type Interpreter struct {
	program *rowprog.Program
	steps   []step
	given   int // rows given by the caller; the others are scratch
	margin  int // scratch vectors on each side of a block
	layout  *layout.Layout
	halo    []layout.Move
	rows    [][]uint64
	block   int // vectors
}

// step computes one lookup table or constant. The caller's rows have the lowest numbers, scratch rows follow.
type step struct {
	loop     loop
	dst      int
	src      [3]int
	dx       [3]int
	lo, hi   int // extent beyond the block
	constant bool
	value    uint64
}

// loop computes dst[i] from a[i], b[i], c[i]; all have the length of dst.
type loop func(dst, a, b, c []uint64)

// blockWords is the number of words of a row that are computed at a time: a dozen such rows fit the first-level cache.
const blockWords = 256

// New returns an interpreter for rows of a layout. The moves fill the halo of the rows that come out. shifts
// names ops that shift every word of their input to the right, and by how many bits, less than 64.
func New(p *rowprog.Program, l *layout.Layout, halo []layout.Move, shifts map[int]int) *Interpreter {
	in := &Interpreter{program: p, layout: l, halo: halo, block: max(1, blockWords/l.Lanes)}
	extents := p.Extents()
	for _, e := range extents {
		in.margin = max(in.margin, -e.Lo, e.Hi)
	}
	row, rows := in.place()
	for i, op := range p.Ops {
		s := step{dst: row[i], lo: extents[i].Lo, hi: extents[i].Hi}
		switch op.Kind {
		case rowprog.Load:
			continue
		case rowprog.Const:
			s.constant, s.value = true, -uint64(op.Imm&1)
		default:
			imm, order := canonical(op.Imm)
			s.loop = loops[imm]
			for k, from := range order {
				o := op.In[min(from, op.N-1)]
				s.src[k], s.dx[k] = row[o.Value], o.DX
			}
			if by := shifts[i]; by != 0 {
				s.loop = shift(by)
			}
		}
		in.steps = append(in.steps, s)
	}
	in.rows = make([][]uint64, rows)
	for i := in.given; i < rows; i++ {
		in.rows[i] = layout.AlignedWords((in.block + 2*in.margin) * l.Lanes)
	}
	return in
}

// shift returns a loop that shifts every word by the given number of bits to the right, or to the left if it is
// negative.
func shift(by int) loop {
	if by < 0 {
		return func(dst, a, _, _ []uint64) {
			for i := range dst {
				dst[i] = a[i] << -by
			}
		}
	}
	return func(dst, a, _, _ []uint64) {
		for i := range dst {
			dst[i] = a[i] >> by
		}
	}
}

// place gives each op a row for its value: one of the caller's, or a scratch row that no later op
// needs any more. Few scratch rows are better than many, because all of them have to fit into the
// first-level cache.
func (in *Interpreter) place() (row []int, rows int) {
	p := in.program
	row = slices.Repeat([]int{-1}, len(p.Ops))
	give := func(op int) {
		row[op] = in.given
		in.given++
	}
	for i, op := range p.Ops {
		if op.Kind == rowprog.Load {
			give(i)
		}
	}
	for _, s := range p.Stores {
		give(s.Value.Value)
	}
	for _, o := range p.Out {
		give(o.Value)
	}
	last := make([]int, len(p.Ops)) // the last op that uses a value
	for i, op := range p.Ops {
		for _, o := range op.In[:op.N] {
			last[o.Value] = i
		}
	}
	rows = in.given
	var free []int
	for i, op := range p.Ops {
		if row[i] < 0 {
			if len(free) == 0 {
				free = append(free, rows)
				rows++
			}
			row[i] = free[len(free)-1]
			free = free[:len(free)-1]
		}
		for _, o := range op.In[:op.N] {
			if last[o.Value] == i && row[o.Value] >= in.given {
				free = append(free, row[o.Value])
				last[o.Value] = -1 // an op may use it twice
			}
		}
	}
	return row, rows
}

// canonical returns the table whose loop serves imm, and for each input of that loop which input of
// imm it is. Tables that differ only in the order of their inputs share a loop. This leaves a third of
// the 256 tables.
func canonical(imm uint8) (uint8, [3]int) {
	for _, order := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		if permuted := lut.Reorder(imm, order); loops[permuted] != nil {
			return permuted, order
		}
	}
	panic("interpreter: no loop for a lookup table")
}

// Run computes vectors lo ≤ j < hi of the outputs of one row, and what they need of the stores; see codegen.Kernel.
func (in *Interpreter) Run(rows [][]uint64, _ []uint64, lo, hi int, _ bool) {
	copy(in.rows, rows)
	for from := lo; from < hi; from += in.block {
		// Each block is computed on its own, with a margin on both sides that the ops need. Two
		// neighbouring blocks compute the values of the margin twice.
		n := min(in.block, hi-from)
		for k := range in.steps {
			s := &in.steps[k]
			dst := in.part(s.dst, from, s.lo, n+s.hi)
			if s.constant {
				for i := range dst {
					dst[i] = s.value
				}
				continue
			}
			var src [3][]uint64
			for k, dx := range s.dx {
				src[k] = in.part(s.src[k], from, s.lo+dx, n+s.hi+dx)
			}
			s.loop(dst, src[0], src[1], src[2])
		}
	}
	for _, row := range rows[in.given-len(in.program.Out) : in.given] {
		in.layout.FillHalo(row, in.halo)
	}
}

// part is vectors lo ≤ j < hi of a row, counted from the vector at which a block begins.
func (in *Interpreter) part(row, from, lo, hi int) []uint64 {
	first := in.margin // a scratch row holds nothing but the block
	if row < in.given {
		first = in.layout.Halo + from
	}
	return in.rows[row][(first+lo)*in.layout.Lanes : (first+hi)*in.layout.Lanes]
}

// InPlace implements codegen.Kernel: streams are never stored in place.
func (in *Interpreter) InPlace(int) bool { return false }
