package codegen

import (
	"fmt"

	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/internal/jit/amd64"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/pipeline"
)

// home is the place of a vector that is kept in memory: a row of the description, or a scratch row (numbered from the last entry on).
type home struct{ row, column int }

// home returns the place of a vector. ok is false where there is none, or where it may have been overwritten.
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

// memory is the operand of a vector in memory.
func (e *emitter) memory(h home) amd64.Mem {
	m := amd64.Mem{Index: regAt, Scale: 1, Disp: int32(h.column) * e.bytes()}
	if h.row >= e.entries {
		m.Base = regScratch
		m.Disp += int32(h.row-e.entries)*int32(e.scratchStride()*8) + int32(e.margin-e.layout.Halo)*e.bytes()
		return m
	}
	m.Base = e.base(h.row)
	if e.alike[h.row] { // the first of its vectors stays in the cache
		return amd64.Mem{Base: m.Base}
	}
	return m
}

// base is a register that holds the address of a row.
func (e *emitter) base(row int) amd64.Reg {
	if r, ok := e.own[row]; ok {
		return r
	}
	e.asm.MOV(regRow, rowPointer(row))
	return regRow
}

// rowPointer is the place in the queue that holds the address of a row.
func rowPointer(entry int) amd64.Mem { return amd64.Mem{Base: regRows, Disp: int32(8 + 8*entry)} }

// bytes is the size of a vector.
func (e *emitter) bytes() int32 { return int32(e.layout.Lanes * 8) }

// scratchStride is the words of a scratch row. It reaches as far beyond the vectors of a row as what it keeps.
func (e *emitter) scratchStride() int { return (e.layout.Vectors + 2*e.margin) * e.layout.Lanes }

// slot is the operand of a spill slot. The slots follow the scratch rows.
func (e *emitter) slot(n int) amd64.Operand {
	return amd64.Mem{Base: regScratch, Disp: int32(e.loop.Rows*e.scratchStride()*8) + int32(n)*e.bytes()}
}

// constantVector is the operand of a vector constant. The constants follow the spill slots.
func (e *emitter) constantVector(words []uint64) amd64.Mem {
	e.constants = append(e.constants, words)
	return amd64.Mem{
		Base: regScratch,
		Disp: int32(e.loop.Rows*e.scratchStride()*8) + int32(maxSlots+len(e.constants)-1)*e.bytes(),
	}
}

// keep stores a computed vector in the rows that it belongs to.
func (e *emitter) keep(v pipeline.Vector, register int) {
	if h, ok := e.home(v); ok {
		e.move(e.memory(h), e.v(register))
	}
	if row := e.outputs[v.Value]; row >= 0 {
		e.move(e.memory(home{row, v.Column}), e.v(register))
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
		panic(fmt.Sprintf("codegen: v%d at %+d is in no register and no memory", v.Value, v.Column))
	}
	e.move(e.v(dst), e.memory(h))
}

// Copy implements linearscan.Emitter.
func (e *emitter) Copy(dst, src int) { e.move(e.v(dst), e.v(src)) }

// Spill implements linearscan.Emitter.
func (e *emitter) Spill(slot, src int) { e.move(e.slot(slot), e.v(src)) }

// Reload implements linearscan.Emitter.
func (e *emitter) Reload(dst, slot int) { e.move(e.v(dst), e.slot(slot)) }
