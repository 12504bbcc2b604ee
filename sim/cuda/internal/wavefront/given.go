package wavefront

import (
	"slices"

	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/dataflow"
	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/ptx"
)

// given holds the place and time that a kernel computes. The parities of its program follow from them. Each use
// computes them again. They are not remembered, and not moved from lane to lane.
type given struct {
	turns []ptx.B32        // by parity of Turning: bit l belongs to the generation that level l reads
	row   ptx.B32          // the row that enters in iteration 0, as one of the universe; it may lie beyond the edges
	odd   ptx.B32          // all ones if that row is odd; only where turns have an even number of rows
	deep  ptx.B32          // of a volume only: all ones if the row of each layer is odd
	made  map[mask]ptx.B32 // in the turn being written
}

// mask says which bits of a parity a word takes.
type mask struct {
	columns uint32 // the bits of odd columns, if columns count
	// 0 if the row does not matter. Otherwise 1 + the parity of the row, counted from the row after the one that enters
	// when the turn begins
	row     int
	deep    bool // whether the row of each layer of a volume matters
	turning int  // the index in Turning, -1 if the generation does not count
	level   int  // 0 if the generation does not count
}

// Turning returns the parities of a program that depend on the generation. A launch has a word for each of
// them: see Turns.
func Turning(f *warpprog.Program) []circuit.Parity {
	var turning []circuit.Parity
	for _, p := range f.Given() {
		if p.Cycle > 0 {
			turning = append(turning, p)
		}
	}
	return turning
}

// mostLevels is the greatest depth of a pass: Turns has a bit for each generation of it.
const mostLevels = 32

// Turns returns the word of a parity for a pass that begins with a generation.
func Turns(p circuit.Parity, generation uint64) uint32 {
	var bits uint32
	cycle := uint64(p.Cycle)
	for l := range uint64(mostLevels) {
		bits |= uint32(p.On>>((generation%cycle+l)%cycle)&1) << l
	}
	return bits
}

// parity is word j of a reference to a parity, in the row that level l makes.
//
// The columns of a word are all even or all odd if there are several words, and alternate if there is
// one. The rows alternate from iteration to iteration. In a turn with an even number of rows, the
// parity of each row is therefore known when the code is written, except for one bit that holds for
// the whole strip: given.odd.
func (s *writer) parity(l int, o dataflow.Ref, j int) ptx.B32 {
	p := s.f.Nodes[o.Node].Parity
	m := mask{turning: -1, deep: p.Layer}
	if p.Column {
		// Group 0 begins with column 0. With a lead, a row that enters level l still lies to the right of its place:
		// see entered.
		m.columns = oddColumns(j+o.DX-(s.Depth-l)*s.f.Lead, s.Words)
	}
	if p.Row {
		m.row = 1 + (s.pos-l*(s.f.Up+1)-o.Delay)&1
	}
	if p.Cycle > 0 {
		m.turning, m.level = slices.Index(Turning(s.f), p), l
	}
	r, ok := s.given.made[m]
	if !ok {
		r = s.maskOf(m)
		s.given.made[m] = r
	}
	return r
}

// oddColumns returns the bits of odd columns in a word whose bit b is column first + b·words.
func oddColumns(first, words int) uint32 {
	bits := uint32(0xAAAAAAAA)
	if words > 1 {
		bits = 0
	}
	if first&1 == 1 {
		bits = ^bits
	}
	return bits
}

// maskOf makes a word of a parity: the parity of its columns, inverted in odd rows.
func (s *writer) maskOf(m mask) ptx.B32 {
	k := s.k
	if m.row > 0 && s.Unroll%2 == 0 { // the same in all turns
		if m.row == 2 {
			m.columns = ^m.columns
		}
		r := k.Lop3(lut.Xor, k.Const(int(int32(m.columns))), s.given.odd, s.given.odd)
		return s.turned(r, m)
	}
	r := k.Const(int(int32(m.columns)))
	if m.row > 0 {
		odd := k.BitMask(k.AddN(k.Add(s.given.row, s.i), m.row-1), 0)
		r = k.Lop3(lut.Xor, r, odd, odd)
	}
	return s.turned(r, m)
}

// turned inverts a mask if the parity of its generation, or of the row of a layer, requires it.
func (s *writer) turned(r ptx.B32, m mask) ptx.B32 {
	if m.deep {
		r = s.k.Lop3(lut.Xor, r, s.given.deep, s.given.deep)
	}
	if m.turning < 0 {
		return r
	}
	bit := s.k.BitMask(s.given.turns[m.turning], m.level)
	return s.k.Lop3(lut.Xor, r, bit, bit)
}
