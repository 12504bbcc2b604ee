package codegen

import (
	"github.com/gosper-life/gosper/internal/jit"
	"github.com/gosper-life/gosper/internal/jit/amd64"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// fillHalo emits the moves that fill the halo of the output rows.
func (e *emitter) fillHalo() {
	for _, o := range e.program.Out {
		if len(e.halo) == 0 {
			return
		}
		base := e.base(e.outputs[o.Value])
		for i := range e.halo {
			e.haloMove(base, &e.halo[i])
		}
	}
}

// haloMove emits one move within a row.
func (e *emitter) haloMove(base amd64.Reg, m *layout.Move) {
	at := func(j int) amd64.Mem { return amd64.Mem{Base: base, Disp: int32(e.layout.Halo+j) * e.bytes()} }
	r0, r1 := e.v(0), e.v(1)
	or, and, andn, xor := e.asm.VPORQ, e.asm.VPANDQ, e.asm.VPANDNQ, e.asm.VPXORQ
	if !e.avx512 {
		or, and, andn, xor = e.asm.VPOR, e.asm.VPAND, e.asm.VPANDN, e.asm.VPXOR
	}
	if m.Src == layout.None {
		xor(r0, r0, r0)
	} else {
		e.move(r0, at(m.Src))
		e.turn(r0, r1, m.Turn)
	}
	if m.Mask != nil {
		e.move(r1, e.constantVector(m.Mask))
		and(r0, r0, r1)
		andn(r1, r1, at(m.Dst))
		or(r0, r0, r1)
	}
	e.move(at(m.Dst), r0)
}

// turn moves strip b+by of a vector to strip b.
func (e *emitter) turn(v, scratch amd64.Vec, by int) {
	wide := e.layout.Wide()
	words, shift := by>>6, uint8(by&63)
	if shift == 0 {
		e.turnWords(v, v, words)
		return
	}
	e.turnWords(scratch, v, (words+1)%wide)
	e.turnWords(v, v, words)
	if e.avx512 && jit.HasVBMI2() {
		e.asm.VPSHRDQ(v, v, scratch, shift)
		return
	}
	or := e.asm.VPORQ
	if !e.avx512 {
		or = e.asm.VPOR
	}
	e.asm.VPSRLQ(v, v, shift)
	e.asm.VPSLLQ(scratch, scratch, 64-shift)
	or(v, v, scratch)
}

// turnWords moves word k+words of each slab to word k.
func (e *emitter) turnWords(dst, src amd64.Vec, words int) {
	wide := e.layout.Wide()
	switch {
	case words == 0:
		if dst != src {
			e.move(dst, src)
		}
	case wide == 8:
		e.asm.VALIGNQ(dst, src, src, uint8(words))
	default: // vpermq works on four words at a time
		var order uint8
		for k := range 4 {
			order |= uint8(k/wide*wide+(k%wide+words)%wide) << (2 * k)
		}
		e.asm.VPERMQ(dst, src, order)
	}
}
