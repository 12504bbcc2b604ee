package codegen

// operator is an operation of two inputs.
type operator uint8

const (
	and operator = iota
	or
	xor
	andNot
)

// recipe makes a lookup table by an operation on two others.
type recipe struct {
	op   operator
	f, g uint8
}

func (c *compiler) operation(op operator, dst, f, g int) {
	switch op {
	case and:
		c.asm.VPAND(c.v(dst), c.v(f), c.v(g))
	case or:
		c.asm.VPOR(c.v(dst), c.v(f), c.v(g))
	case xor:
		c.asm.VPXOR(c.v(dst), c.v(f), c.v(g))
	case andNot:
		c.asm.VPANDN(c.v(dst), c.v(g), c.v(f))
	}
}
