package codegen

import (
	"slices"
	"unsafe"

	"github.com/gosper-life/gosper/internal/jit/amd64"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/linearscan"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/pipeline"
)

// argument is the operand of a field of the arguments.
func argument(offset uintptr) amd64.Mem { return amd64.Mem{Base: regArgs, Disp: int32(offset)} }

// eachRow emits a loop over the queue around the code for one row.
func (e *emitter) eachRow(row func()) {
	e.asm.MOV(regRows, argument(unsafe.Offsetof(arguments{}.queue)))
	e.asm.MOV(regEnd, argument(unsafe.Offsetof(arguments{}.end)))
	e.asm.MOV(regScratch, argument(unsafe.Offsetof(arguments{}.scratch)))
	if !e.avx512 {
		ones := slices.Repeat([]uint64{^uint64(0)}, e.layout.Lanes)
		e.move(e.v(e.registers), e.constantVector(ones))
	}
	top := e.asm.Here()
	e.asm.MOV(regAhead, amd64.Mem{Base: regRows})
	e.asm.MOV(regAt, argument(unsafe.Offsetof(arguments{}.first)))
	loaded := map[amd64.Reg]bool{}
	for entry := range e.entries {
		if r, ok := e.own[entry]; ok && !loaded[r] {
			e.asm.MOV(r, rowPointer(entry))
			loaded[r] = true
		}
	}
	row()
	e.asm.ADD(regRows, amd64.Imm(8+8*e.entries))
	e.asm.CMP(regRows, regEnd)
	e.asm.JB(top)
	e.asm.VZEROUPPER()
	e.asm.RET()
}

// storesOnly emits the code for rows whose outputs are not wanted: it computes what the streams keep.
func (e *emitter) storesOnly() {
	loop, outputs := e.loop, e.outputs
	e.loop, e.outputs = loop.StoresOnly(), slices.Repeat([]int{-1}, len(outputs))
	e.eachRow(e.row)
	e.loop, e.outputs = loop, outputs
}

// row emits the iterations before column 0, then those from it on, several at a time, and then the last ones one by one.
func (e *emitter) row() {
	var carried []linearscan.Binding
	for i, v := range e.loop.Carried {
		carried = append(carried, linearscan.Binding{Vector: v, Register: i})
	}
	e.prologue(carried)
	e.asm.MOV(regLeft, argument(unsafe.Offsetof(arguments{}.vectors)))
	if n := e.unroll(); n > 1 {
		near, done := e.asm.NewLabel(), e.asm.NewLabel()
		e.asm.TEST(regAhead, regAhead)
		e.asm.JE(near)
		e.iterations(n, carried, true)
		e.asm.JMP(done)
		e.asm.Bind(near)
		e.iterations(n, carried, false)
		e.asm.Bind(done)
	}
	done := e.asm.NewLabel()
	e.asm.TEST(regLeft, regLeft)
	e.asm.JE(done)
	e.iterations(1, carried, false)
	e.asm.Bind(done)
}

// line emits instructions in straight line. in says which vectors are in registers before it, out where they must be after it.
func (e *emitter) line(code []pipeline.Instr, in, out []linearscan.Binding) {
	e.spillSlots = max(e.spillSlots, linearscan.Emit(e, e.registers, code, in, out))
}

// unroll is how many iterations the main loop takes at a time. They make a body of some 64 instructions, or fewer if then none is left
// over.
func (e *emitter) unroll() int {
	most := min(8, max(1, 64/max(1, len(e.loop.Body))))
	for n := most; n > 1 && n > most/2; n-- {
		if e.layout.Vectors%n == 0 {
			return n
		}
	}
	return most
}

// iterations emits a loop that runs n iterations at a time while at least n are left. With fetch it also fetches as many vectors of the row
// ahead into the cache.
func (e *emitter) iterations(n int, carried []linearscan.Binding, fetch bool) {
	var code []pipeline.Instr
	for u := range n {
		for _, in := range e.loop.Body {
			code = append(code, in.At(u))
		}
	}
	var out []linearscan.Binding
	for _, b := range carried {
		out = append(out, linearscan.Binding{Vector: b.Vector.At(n), Register: b.Register})
	}
	end := e.asm.NewLabel()
	if n > 1 {
		e.asm.CMP(regLeft, amd64.Imm(n))
		e.asm.JB(end)
	}
	e.asm.Align(32)
	top := e.asm.Here()
	for u := 0; fetch && u < n; u++ {
		e.asm.PREFETCHW(amd64.Mem{Base: regAhead, Index: regAt, Scale: 1, Disp: int32(u) * e.bytes()})
	}
	e.line(code, carried, out)
	e.asm.ADD(regAt, amd64.Imm(int32(n)*e.bytes()))
	e.asm.SUB(regLeft, amd64.Imm(n))
	if n > 1 {
		e.asm.CMP(regLeft, amd64.Imm(n))
		e.asm.JAE(top)
	} else {
		e.asm.JNE(top)
	}
	e.asm.Bind(end)
}

// prologue emits the iterations before column 0, and fills the registers that the first iteration expects.
func (e *emitter) prologue(carried []linearscan.Binding) {
	if e.loop.StraightPrologue() {
		var code []pipeline.Instr
		for _, s := range e.loop.Prologue {
			for before := s.From; before > s.To; before-- {
				for _, in := range e.loop.Iteration(before) {
					code = append(code, in.At(-before))
				}
			}
		}
		e.line(code, nil, carried)
		return
	}
	if len(e.loop.Prologue) > 0 {
		e.asm.SUB(regAt, amd64.Imm(int32(e.loop.Prologue[0].From)*e.bytes()))
	}
	for _, s := range e.loop.Prologue {
		e.asm.MOV(regLeft, amd64.Imm(s.From-s.To))
		top := e.asm.Here()
		e.line(e.loop.Iteration(s.From), nil, nil)
		e.asm.ADD(regAt, amd64.Imm(e.bytes()))
		e.asm.DEC(regLeft)
		e.asm.JNE(top)
	}
	var out []linearscan.Binding
	for _, f := range e.loop.Initial {
		out = append(out, linearscan.Binding{Vector: f.From, Register: slices.Index(e.loop.Carried, f.Into)})
	}
	e.line(e.loop.Setup, nil, out)
}
