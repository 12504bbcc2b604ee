package emitter

import (
	"github.com/gosper-life/gosper/internal/jit"
	"github.com/gosper-life/gosper/internal/jit/amd64"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

func (x *avx) fillHalo(row int) {
	base := x.base(row)
	for i := range x.e.halo {
		x.haloMove(base, &x.e.halo[i])
	}
}

// haloMove emits one move within a row. Without a source the cells beyond an edge are dead. A mask has the bits
// of the strips that take the moved cells; the other strips of the same vector keep theirs:
//
//	moved vector    m3 m2 m1 m0
//	mask             1  0  0  1
//	before          k3 k2 k1 k0
//	after           m3 k2 k1 m0
func (x *avx) haloMove(base amd64.Reg, m *layout.Move) {
	at := func(j int) amd64.Mem { return amd64.Mem{Base: base, Disp: int32((x.e.layout.Halo + j) * x.e.bytes())} }
	r0, r1 := x.v(0), x.v(1)
	or, and, andn, xor := x.asm.VPORQ, x.asm.VPANDQ, x.asm.VPANDNQ, x.asm.VPXORQ
	if !x.wide {
		or, and, andn, xor = x.asm.VPOR, x.asm.VPAND, x.asm.VPANDN, x.asm.VPXOR
	}
	if m.Src == layout.None {
		xor(r0, r0, r0)
	} else {
		x.move(r0, at(m.Src))
		x.turn(r0, r1, m.Turn)
	}
	if m.Mask != nil {
		x.move(r1, x.memory(x.e.constantVector(m.Mask)))
		and(r0, r0, r1)
		andn(r1, r1, at(m.Dst))
		or(r0, r0, r1)
	}
	x.move(at(m.Dst), r0)
}

// turn moves strip b+by of a vector to strip b. Each slab has Wide words, whose bits are its strips, and by is
// 64·words + shift. Bits that a shift takes beyond a word come from the next word of the slab, after the last one from
// the first:
//
//	bit of word k        63 … 64−shift                     63−shift … 0
//	comes from      shift−1 … 0 of word k+words+1     63 … shift of word k+words
func (x *avx) turn(v, scratch amd64.Vec, by int) {
	wide := x.e.layout.Wide()
	words, shift := by>>6, uint8(by&63)
	if shift == 0 {
		x.turnWords(v, v, words)
		return
	}
	x.turnWords(scratch, v, (words+1)%wide)
	x.turnWords(v, v, words)
	if x.wide && jit.HasVBMI2() { // one instruction shifts both words
		x.asm.VPSHRDQ(v, v, scratch, shift)
		return
	}
	or := x.asm.VPORQ
	if !x.wide {
		or = x.asm.VPOR
	}
	x.asm.VPSRLQ(v, v, shift)
	x.asm.VPSLLQ(scratch, scratch, 64-shift)
	or(v, v, scratch)
}

// turnWords moves word k+words of each slab to word k. A slab of 8 words is a vector of AVX-512, so one rotation
// moves it. Others have 4 words or fewer, and lie within the four words that one vpermq moves. Its immediate has the
// number of the source in two bits for each word, here for words = 1:
//
//	word           3  2  1  0
//	slabs of 4     0  3  2  1
//	slabs of 2     2  3  0  1
func (x *avx) turnWords(dst, src amd64.Vec, words int) {
	wide := x.e.layout.Wide()
	switch {
	case words == 0:
		if dst != src {
			x.move(dst, src)
		}
	case wide == 8:
		x.asm.VALIGNQ(dst, src, src, uint8(words))
	default: // vpermq works on four words at a time
		var order uint8
		for k := range 4 {
			order |= uint8(k/wide*wide+(k%wide+words)%wide) << (2 * k)
		}
		x.asm.VPERMQ(dst, src, order)
	}
}
