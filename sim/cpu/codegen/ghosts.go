package codegen

import (
	"github.com/gosper-life/gosper/internal/jit"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// mend makes the ghosts of the output rows.
func (c *compiler) mend() {
	for _, o := range c.program.Out {
		if len(c.ghosts) == 0 {
			return
		}
		base := c.base(c.outputs[o.Value])
		for i := range c.ghosts {
			c.ghost(base, &c.ghosts[i])
		}
	}
}

func (c *compiler) ghost(base jit.Reg, m *layout.Move) {
	at := func(j int) jit.Mem { return jit.Mem{Base: base, Disp: int32(c.layout.Ghost+j) * c.bytes()} }
	r0, r1 := c.v(0), c.v(1)
	or, and, andn, xor := c.asm.VPORQ, c.asm.VPANDQ, c.asm.VPANDNQ, c.asm.VPXORQ
	if !c.avx512 {
		or, and, andn, xor = c.asm.VPOR, c.asm.VPAND, c.asm.VPANDN, c.asm.VPXOR
	}
	if m.Src == layout.None {
		xor(r0, r0, r0)
	} else {
		c.move(r0, at(m.Src))
		c.turn(r0, r1, m.Turn)
	}
	if m.Mask != nil {
		c.move(r1, c.constantVector(m.Mask))
		and(r0, r0, r1)
		andn(r1, r1, at(m.Dst))
		or(r0, r0, r1)
	}
	c.move(at(m.Dst), r0)
}

// turn makes strip b of a vector what strip b+by was.
func (c *compiler) turn(v, scratch jit.Vec, by int) {
	wide := c.layout.Wide()
	words, shift := by>>6, uint8(by&63)
	if shift == 0 {
		c.turnWords(v, v, words)
		return
	}
	c.turnWords(scratch, v, (words+1)%wide)
	c.turnWords(v, v, words)
	if c.avx512 && jit.HasVBMI2() {
		c.asm.VPSHRDQ(v, v, scratch, shift)
		return
	}
	or := c.asm.VPORQ
	if !c.avx512 {
		or = c.asm.VPOR
	}
	c.asm.VPSRLQ(v, v, shift)
	c.asm.VPSLLQ(scratch, scratch, 64-shift)
	or(v, v, scratch)
}

// turnWords moves word k+words of each slab to word k.
func (c *compiler) turnWords(dst, src jit.Vec, words int) {
	wide := c.layout.Wide()
	switch {
	case words == 0:
		if dst != src {
			c.move(dst, src)
		}
	case wide == 8:
		c.asm.VALIGNQ(dst, src, src, uint8(words))
	default: // vpermq works on four words at a time
		var order uint8
		for k := range 4 {
			order |= uint8(k/wide*wide+(k%wide+words)%wide) << (2 * k)
		}
		c.asm.VPERMQ(dst, src, order)
	}
}
