package cpu

import "github.com/gosper-life/gosper/internal/jit"

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

func (c *compiler) ghost(base jit.Reg, m *move) {
	at := func(j int) jit.Mem { return jit.Mem{Base: base, Disp: int32(c.layout.ghost+j) * c.bytes()} }
	r0, r1, r2 := c.v(0), c.v(1), c.v(2)
	or, and, andn, xor := c.asm.VPORQ, c.asm.VPANDQ, c.asm.VPANDNQ, c.asm.VPXORQ
	if !c.avx512 {
		or, and, andn, xor = c.asm.VPOR, c.asm.VPAND, c.asm.VPANDN, c.asm.VPXOR
	}
	if m.src == none {
		xor(r0, r0, r0)
	} else {
		wide := c.layout.wide()
		words, shift := m.turn>>6, uint8(m.turn&63)
		c.move(r2, at(m.src))
		c.turn(r0, r2, words, wide)
		if shift > 0 {
			c.turn(r1, r2, (words+1)%wide, wide)
			c.asm.VPSRLQ(r0, r0, shift)
			c.asm.VPSLLQ(r1, r1, 64-shift)
			or(r0, r0, r1)
		}
	}
	if m.mask != nil {
		c.move(r1, c.constantVector(m.mask))
		and(r0, r0, r1)
		andn(r1, r1, at(m.dst))
		or(r0, r0, r1)
	}
	c.move(at(m.dst), r0)
}

// turn moves word k+words of each group of wide words to word k.
func (c *compiler) turn(dst, src jit.Vec, words, wide int) {
	switch {
	case words == 0:
		c.move(dst, src)
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
