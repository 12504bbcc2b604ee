package amd64

// The vector instructions, as in the tables of Intel's manual, the fields in the order of opcode.
var (
	vmovdqu        = opcode{"vmovdqu", vex, pF3, m0F, 0x6f, 0, 0}
	vmovdquStore   = opcode{"vmovdqu", vex, pF3, m0F, 0x7f, 0, 0}
	vmovdqa        = opcode{"vmovdqa", vex, p66, m0F, 0x6f, 0, 0}
	vmovdqaStore   = opcode{"vmovdqa", vex, p66, m0F, 0x7f, 0, 0}
	vmovdqu64      = opcode{"vmovdqu64", evex, pF3, m0F, 0x6f, 0, 1}
	vmovdqu64Store = opcode{"vmovdqu64", evex, pF3, m0F, 0x7f, 0, 1}
	vmovdqa64      = opcode{"vmovdqa64", evex, p66, m0F, 0x6f, 0, 1}
	vmovdqa64Store = opcode{"vmovdqa64", evex, p66, m0F, 0x7f, 0, 1}

	vpand      = opcode{"vpand", vex, p66, m0F, 0xdb, 0, 0}
	vpandn     = opcode{"vpandn", vex, p66, m0F, 0xdf, 0, 0}
	vpor       = opcode{"vpor", vex, p66, m0F, 0xeb, 0, 0}
	vpxor      = opcode{"vpxor", vex, p66, m0F, 0xef, 0, 0}
	vpandq     = opcode{"vpandq", evex, p66, m0F, 0xdb, 0, 1}
	vpandnq    = opcode{"vpandnq", evex, p66, m0F, 0xdf, 0, 1}
	vporq      = opcode{"vporq", evex, p66, m0F, 0xeb, 0, 1}
	vpxorq     = opcode{"vpxorq", evex, p66, m0F, 0xef, 0, 1}
	vpternlogq = opcode{"vpternlogq", evex, p66, m0F3A, 0x25, 0, 1}
	vpaddq     = opcode{"vpaddq", vex | evex, p66, m0F, 0xd4, 0, 1}

	vpsllq  = opcode{"vpsllq", vex | evex, p66, m0F, 0x73, 0, 1}
	vpsrlq  = opcode{"vpsrlq", vex | evex, p66, m0F, 0x73, 0, 1}
	vpshrdq = opcode{"vpshrdq", evex, p66, m0F3A, 0x73, 0, 1}

	valignq = opcode{"valignq", evex, p66, m0F3A, 0x03, 0, 1}
	vpermq  = opcode{"vpermq", vex256 | evex256 | evex512, p66, m0F3A, 0x00, 1, 1}

	vzeroupper = opcode{"vzeroupper", vex128, pNone, m0F, 0x77, 0, 0}
)

// In the methods below dst, x and y have one width. The last source may be memory of that width. VEX reaches
// registers 0 to 15 at 128 and 256 bits, EVEX all registers at all widths; if an instruction has both, VEX
// is taken when it fits.

// VMOVDQU (VEX) loads, stores or copies a vector; memory need not be aligned. One of dst and src is a Vec.
func (a *Assembler) VMOVDQU(dst, src Operand) { a.move(&vmovdqu, &vmovdquStore, dst, src) }

// VMOVDQA (VEX) is VMOVDQU for memory aligned to the width.
func (a *Assembler) VMOVDQA(dst, src Operand) { a.move(&vmovdqa, &vmovdqaStore, dst, src) }

// VMOVDQU64 (EVEX) is VMOVDQU for all registers and widths.
func (a *Assembler) VMOVDQU64(dst, src Operand) { a.move(&vmovdqu64, &vmovdqu64Store, dst, src) }

// VMOVDQA64 (EVEX) is VMOVDQA for all registers and widths.
func (a *Assembler) VMOVDQA64(dst, src Operand) { a.move(&vmovdqa64, &vmovdqa64Store, dst, src) }

// VPAND (VEX): dst = x & y.
func (a *Assembler) VPAND(dst, x Vec, y Operand) { a.binary(&vpand, dst, x, y) }

// VPANDN (VEX): dst = ^x & y.
func (a *Assembler) VPANDN(dst, x Vec, y Operand) { a.binary(&vpandn, dst, x, y) }

// VPOR (VEX): dst = x | y.
func (a *Assembler) VPOR(dst, x Vec, y Operand) { a.binary(&vpor, dst, x, y) }

// VPXOR (VEX): dst = x ^ y. With dst, x and y the same it clears the register without waiting for it.
func (a *Assembler) VPXOR(dst, x Vec, y Operand) { a.binary(&vpxor, dst, x, y) }

// VPANDQ (EVEX): dst = x & y.
func (a *Assembler) VPANDQ(dst, x Vec, y Operand) { a.binary(&vpandq, dst, x, y) }

// VPANDNQ (EVEX): dst = ^x & y.
func (a *Assembler) VPANDNQ(dst, x Vec, y Operand) { a.binary(&vpandnq, dst, x, y) }

// VPORQ (EVEX): dst = x | y.
func (a *Assembler) VPORQ(dst, x Vec, y Operand) { a.binary(&vporq, dst, x, y) }

// VPXORQ (EVEX): dst = x ^ y.
func (a *Assembler) VPXORQ(dst, x Vec, y Operand) { a.binary(&vpxorq, dst, x, y) }

// VPTERNLOGQ (EVEX) looks each bit up: bit dst<<2 | x<<1 | y of table is the new bit of dst.
func (a *Assembler) VPTERNLOGQ(dst, x Vec, y Operand, table uint8) {
	a.binary(&vpternlogq, dst, x, y)
	a.noteImm(table)
	a.Emit(table)
}

// VPADDQ (VEX or EVEX): dst = x + y, by 64-bit words.
func (a *Assembler) VPADDQ(dst, x Vec, y Operand) { a.binary(&vpaddq, dst, x, y) }

// VPSLLQ (VEX or EVEX): dst = src << count, by 64-bit words.
func (a *Assembler) VPSLLQ(dst, src Vec, count uint8) { a.shift(&vpsllq, 6, dst, src, count) }

// VPSRLQ (VEX or EVEX): dst = src >> count, by 64-bit words, zeros entering.
func (a *Assembler) VPSRLQ(dst, src Vec, count uint8) { a.shift(&vpsrlq, 2, dst, src, count) }

// VPSHRDQ (EVEX, see jit.HasVBMI2): dst = x >> count | y << (64-count), by 64-bit words, count modulo 64.
func (a *Assembler) VPSHRDQ(dst, x Vec, y Operand, count uint8) {
	a.binary(&vpshrdq, dst, x, y)
	a.noteImm(count)
	a.Emit(count)
}

// VALIGNQ (EVEX): word i of dst = word i+count of the words of y, then those of x; count modulo the number of words.
func (a *Assembler) VALIGNQ(dst, x Vec, y Operand, count uint8) {
	a.binary(&valignq, dst, x, y)
	a.noteImm(count)
	a.Emit(count)
}

// VPERMQ (VEX or EVEX, 256 and 512 bits): in each 256-bit half, word i of dst = word (order >> 2i & 3) of src.
func (a *Assembler) VPERMQ(dst Vec, src Operand, order uint8) {
	if a.Listed() {
		a.Note(vpermq.name, dst, src)
		a.noteImm(order)
	}
	a.unary(&vpermq, dst, src)
	a.Emit(order)
}

// VZEROUPPER clears all but the low 128 bits of registers 0 to 15, so that SSE code after it (Go's) does not run
// slowly.
func (a *Assembler) VZEROUPPER() {
	if a.Listed() {
		a.Note(vzeroupper.name)
	}
	a.vex(&vzeroupper, W128, 0, 0, 0, 0)
}

// binary appends dst = x op y.
func (a *Assembler) binary(op *opcode, dst, x Vec, y Operand) {
	if a.Listed() {
		a.Note(op.name, dst, x, y)
	}
	a.checkWidth(op, x, dst.Width)
	a.checkWidth(op, y, dst.Width)
	a.vector(op, dst.Width, dst.Number, x.Number, y)
}

// unary appends dst = op src.
func (a *Assembler) unary(op *opcode, dst Vec, src Operand) {
	a.checkWidth(op, src, dst.Width)
	a.vector(op, dst.Width, dst.Number, 0, src)
}

// shift appends dst = src op count; ModRM.reg holds a further part of the opcode and vvvv the destination.
func (a *Assembler) shift(op *opcode, digit int, dst, src Vec, count uint8) {
	if a.Listed() {
		a.Note(op.name, dst, src, count)
	}
	a.checkWidth(op, src, dst.Width)
	a.vector(op, dst.Width, digit, dst.Number, src)
	a.Emit(count)
}

// move appends a load, or, when src is a register, a store; both can copy registers, and Go's assembler stores too.
func (a *Assembler) move(load, store *opcode, dst, src Operand) {
	if a.Listed() {
		a.Note(load.name, dst, src)
	}
	if s, ok := src.(Vec); ok {
		a.unary(store, s, dst)
		return
	}
	d, ok := dst.(Vec)
	if !ok {
		a.Fail("%s: one operand must be a vector register", load.name)
		return
	}
	a.unary(load, d, src)
}

func (a *Assembler) checkWidth(op *opcode, src Operand, want Width) {
	if v, ok := src.(Vec); ok && v.Width != want {
		a.Fail("%s: a source of %d bits where %d are needed", op.name, 8*v.Width.Bytes(), 8*want.Bytes())
	}
}
