package emitter

import (
	"fmt"

	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/linearscan"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/pipeline"
)

// home is the place of a vector that is kept in memory: a column of a row of the description, or of a scratch row
// (numbered from the last entry on). If the row is fixed, the column is the number of a spill slot or constant. It
// does not depend on the column that is computed.
type home struct{ row, column int }

const fixed = -1

// home returns the place of a vector. ok is false if the vector has no place in memory, or if it may have been
// overwritten.
func (e *emitter) home(v pipeline.Vector) (h home, ok bool) {
	op := &e.program.Ops[v.Value]
	switch {
	case op.Kind == rowprog.Load:
		return home{e.loads[v.Value], v.Column}, op.Stream < e.program.Planes || !e.loop.InPlace[op.Stream]
	case e.stores[v.Value] >= 0:
		return home{e.stores[v.Value], v.Column}, true
	case e.loop.Scratch[v.Value] >= 0:
		return home{e.entries + e.loop.Scratch[v.Value], v.Column}, true
	}
	return home{}, false
}

// rowPointerAt is the place where the address of a row is in a description, in bytes:
//
//	byte 0     the row ahead, which is fetched into the cache
//	byte 8     row 0
//	byte 16    row 1, and so on: the rows that are read and written
func rowPointerAt(entry int) int { return 8 + 8*entry }

// bytes is the size of a vector.
func (e *emitter) bytes() int { return e.layout.Lanes * 8 }

// The scratch memory of a kernel:
//
//	scratch row 0: margin │ vectors of a row │ margin
//	scratch row 1: margin │ vectors of a row │ margin
//	…
//	spill slots, MaxSlots of them
//	constants, such as the masks of halos

// scratchStride is the words of a scratch row. The row has a margin on both sides, because the stored values extend
// beyond the vectors of a row.
func (e *emitter) scratchStride() int { return (e.layout.Vectors + 2*e.margin) * e.layout.Lanes }

// scratchAt is the place where a column of a scratch row is in the scratch memory, in bytes, from the column
// that is computed.
func (e *emitter) scratchAt(h home) int {
	return (h.row-e.entries)*e.scratchStride()*8 + (e.margin-e.layout.Halo+h.column)*e.bytes()
}

// fixedAt is the place where a spill slot or constant is in the scratch memory, in bytes. They follow the scratch rows.
func (e *emitter) fixedAt(n int) int { return e.loop.Rows*e.scratchStride()*8 + n*e.bytes() }

// constantVector is the place of a vector constant. The constants follow the spill slots.
func (e *emitter) constantVector(words []uint64) home {
	e.constants = append(e.constants, words)
	return home{fixed, MaxSlots + len(e.constants) - 1}
}

// Compute implements linearscan.Emitter. It also stores the result in the rows that it belongs to.
func (e *emitter) Compute(a *linearscan.Allocator, in *pipeline.Instr, src []int, want int) (dst int) {
	op := &e.program.Ops[in.Value]
	switch {
	// a table that looks at nothing is a constant
	case op.Kind == rowprog.Const, op.Kind == rowprog.Table && (op.Imm == 0 || op.Imm == 0xFF):
		dst = a.Register(want)
		e.constant(dst, op.Imm != 0)
	case e.shifts[in.Value] != 0:
		dst = a.Register(want)
		e.shift(dst, src[0], e.shifts[in.Value])
	default:
		dst = e.table(a, op, in, src, want)
	}
	e.keep(in.Vector, dst)
	return dst
}

// wholeWords returns the words by which a shift turns a vector, if it is by a multiple of 64 bits.
func (e *emitter) wholeWords(by int) (words int, ok bool) {
	if by%64 != 0 {
		return 0, false
	}
	wide := e.layout.Wide()
	return (by/64%wide + wide) % wide, true
}

// keep stores a computed vector in the rows that it belongs to.
func (e *emitter) keep(v pipeline.Vector, register int) {
	if h, ok := e.home(v); ok {
		e.store(h, register)
	}
	if row := e.outputs[v.Value]; row >= 0 {
		e.store(home{row, v.Column}, register)
	}
}

// InMemory implements linearscan.Emitter.
func (e *emitter) InMemory(v pipeline.Vector) bool {
	_, ok := e.home(v)
	return ok
}

// Load implements linearscan.Emitter.
func (e *emitter) Load(dst int, v pipeline.Vector) {
	h, ok := e.home(v)
	if !ok && e.program.Ops[v.Value].Kind != rowprog.Load {
		panic(fmt.Sprintf("emitter: v%d at %+d is in no register and no memory", v.Value, v.Column))
	}
	e.load(dst, h)
}

// Copy implements linearscan.Emitter.
func (e *emitter) Copy(dst, src int) { e.copy(dst, src) }

// Spill implements linearscan.Emitter.
func (e *emitter) Spill(slot, src int) { e.store(home{fixed, slot}, src) }

// Reload implements linearscan.Emitter.
func (e *emitter) Reload(dst, slot int) { e.load(dst, home{fixed, slot}) }
