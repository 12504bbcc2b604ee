package jit

// The vector instructions, as in the tables of Intel's manual, the fields in the order of opcode.
var (
	vmovdqu        = opcode{"vmovdqu", vex, pF3, m0F, 0x6f, 0, 0, fullMem}
	vmovdquStore   = opcode{"vmovdqu", vex, pF3, m0F, 0x7f, 0, 0, fullMem}
	vmovdqa        = opcode{"vmovdqa", vex, p66, m0F, 0x6f, 0, 0, fullMem}
	vmovdqaStore   = opcode{"vmovdqa", vex, p66, m0F, 0x7f, 0, 0, fullMem}
	vmovdqu64      = opcode{"vmovdqu64", evex, pF3, m0F, 0x6f, 0, 1, fullMem}
	vmovdqu64Store = opcode{"vmovdqu64", evex, pF3, m0F, 0x7f, 0, 1, fullMem}
	vmovdqa64      = opcode{"vmovdqa64", evex, p66, m0F, 0x6f, 0, 1, fullMem}
	vmovdqa64Store = opcode{"vmovdqa64", evex, p66, m0F, 0x7f, 0, 1, fullMem}

	vpand      = opcode{"vpand", vex, p66, m0F, 0xdb, 0, 0, full}
	vpandn     = opcode{"vpandn", vex, p66, m0F, 0xdf, 0, 0, full}
	vpor       = opcode{"vpor", vex, p66, m0F, 0xeb, 0, 0, full}
	vpxor      = opcode{"vpxor", vex, p66, m0F, 0xef, 0, 0, full}
	vpandq     = opcode{"vpandq", evex, p66, m0F, 0xdb, 0, 1, full}
	vpandnq    = opcode{"vpandnq", evex, p66, m0F, 0xdf, 0, 1, full}
	vporq      = opcode{"vporq", evex, p66, m0F, 0xeb, 0, 1, full}
	vpxorq     = opcode{"vpxorq", evex, p66, m0F, 0xef, 0, 1, full}
	vpternlogq = opcode{"vpternlogq", evex, p66, m0F3A, 0x25, 0, 1, full}
	vpaddq     = opcode{"vpaddq", vex | evex, p66, m0F, 0xd4, 0, 1, full}
	vpopcntq   = opcode{"vpopcntq", evex, p66, m0F38, 0x55, 0, 1, full}

	vpsllq  = opcode{"vpsllq", vex | evex, p66, m0F, 0x73, 0, 1, full}
	vpsrlq  = opcode{"vpsrlq", vex | evex, p66, m0F, 0x73, 0, 1, full}
	vprolq  = opcode{"vprolq", evex, p66, m0F, 0x72, 0, 1, full}
	vprorq  = opcode{"vprorq", evex, p66, m0F, 0x72, 0, 1, full}
	vpshldq = opcode{"vpshldq", evex, p66, m0F3A, 0x71, 0, 1, full}
	vpshrdq = opcode{"vpshrdq", evex, p66, m0F3A, 0x73, 0, 1, full}

	valignq      = opcode{"valignq", evex, p66, m0F3A, 0x03, 0, 1, full}
	vpalignr     = opcode{"vpalignr", vex | evex, p66, m0F3A, 0x0f, 0, 0, fullMem}
	vpermq       = opcode{"vpermq", vex256 | evex256 | evex512, p66, m0F3A, 0x00, 1, 1, full}
	vpermqVar    = opcode{"vpermq", evex256 | evex512, p66, m0F38, 0x36, 0, 1, full}
	vpblendd     = opcode{"vpblendd", vex, p66, m0F3A, 0x02, 0, 0, full}
	vperm2i128   = opcode{"vperm2i128", vex256, p66, m0F3A, 0x46, 0, 0, full}
	vextracti128 = opcode{"vextracti128", vex256, p66, m0F3A, 0x39, 0, 0, full}
	vinserti128  = opcode{"vinserti128", vex256, p66, m0F3A, 0x38, 0, 0, full}

	vpbroadcastq    = opcode{"vpbroadcastq", vex | evex, p66, m0F38, 0x59, 0, 1, scalar}
	vpbroadcastqReg = opcode{"vpbroadcastq", evex, p66, m0F38, 0x7c, 0, 1, general}
	vmovq           = opcode{"vmovq", vex128 | evex128, p66, m0F, 0x6e, 1, 1, general}
	vmovqStore      = opcode{"vmovq", vex128 | evex128, p66, m0F, 0x7e, 1, 1, general}
	vzeroupper      = opcode{"vzeroupper", vex128, pNone, m0F, 0x77, 0, 0, full}
)

// In the methods below dst, x and y have one width. The last source may be memory of that width, or, for EVEX
// instructions other than VPALIGNR, one word of memory broadcast. VEX reaches registers 0 to 15 at 128 and 256 bits,
// EVEX all registers at all widths; where an instruction has both, VEX is taken when it fits.

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
	a.emit(table)
}

// VPADDQ (VEX or EVEX): dst = x + y, by 64-bit words.
func (a *Assembler) VPADDQ(dst, x Vec, y Operand) { a.binary(&vpaddq, dst, x, y) }

// VPOPCNTQ (EVEX, see [HasVPOPCNTDQ]) counts the ones of each 64-bit word of src.
func (a *Assembler) VPOPCNTQ(dst Vec, src Operand) { a.unary(&vpopcntq, dst, src) }

// VPSLLQ (VEX or EVEX): dst = src << count, by 64-bit words.
func (a *Assembler) VPSLLQ(dst, src Vec, count uint8) { a.shift(&vpsllq, 6, dst, src, count) }

// VPSRLQ (VEX or EVEX): dst = src >> count, by 64-bit words, zeros entering.
func (a *Assembler) VPSRLQ(dst, src Vec, count uint8) { a.shift(&vpsrlq, 2, dst, src, count) }

// VPROLQ (EVEX) rotates each 64-bit word to the left.
func (a *Assembler) VPROLQ(dst, src Vec, count uint8) { a.shift(&vprolq, 1, dst, src, count) }

// VPRORQ (EVEX) rotates each 64-bit word to the right.
func (a *Assembler) VPRORQ(dst, src Vec, count uint8) { a.shift(&vprorq, 0, dst, src, count) }

// VPSHLDQ (EVEX, see [HasVBMI2]): dst = x << count | y >> (64-count), by 64-bit words, count modulo 64.
func (a *Assembler) VPSHLDQ(dst, x Vec, y Operand, count uint8) {
	a.binary(&vpshldq, dst, x, y)
	a.emit(count)
}

// VPSHRDQ (EVEX, see [HasVBMI2]): dst = x >> count | y << (64-count), by 64-bit words, count modulo 64.
func (a *Assembler) VPSHRDQ(dst, x Vec, y Operand, count uint8) {
	a.binary(&vpshrdq, dst, x, y)
	a.emit(count)
}

// VALIGNQ (EVEX): word i of dst = word i+count of the words of y, then those of x; count modulo the number of words.
func (a *Assembler) VALIGNQ(dst, x Vec, y Operand, count uint8) {
	a.binary(&valignq, dst, x, y)
	a.emit(count)
}

// VPALIGNR (VEX or EVEX): in each 128-bit lane, byte i of dst = byte i+count of the bytes of y, then those of x, then
// zeros.
func (a *Assembler) VPALIGNR(dst, x Vec, y Operand, count uint8) {
	a.binary(&vpalignr, dst, x, y)
	a.emit(count)
}

// VPERMQ (VEX or EVEX, 256 and 512 bits): in each 256-bit half, word i of dst = word (order >> 2i & 3) of src.
func (a *Assembler) VPERMQ(dst Vec, src Operand, order uint8) {
	a.unary(&vpermq, dst, src)
	a.emit(order)
}

// VPERMQVar is the VPERMQ (EVEX, 256 and 512 bits) with its order in a register: word i of dst = word order[i] of src.
func (a *Assembler) VPERMQVar(dst, order Vec, src Operand) { a.binary(&vpermqVar, dst, order, src) }

// VPBLENDD (VEX): 32-bit word i of dst = that of y if bit i of pick is set, else that of x.
func (a *Assembler) VPBLENDD(dst, x Vec, y Operand, pick uint8) {
	a.binary(&vpblendd, dst, x, y)
	a.emit(pick)
}

// VPERM2I128 (VEX, 256 bits): the low half of dst is half (pick & 3) of x low, x high, y low, y high, the high half is
// half (pick >> 4 & 3); bits 3 and 7 of pick clear the half instead.
func (a *Assembler) VPERM2I128(dst, x Vec, y Operand, pick uint8) {
	a.binary(&vperm2i128, dst, x, y)
	a.emit(pick)
}

// VEXTRACTI128 (VEX) puts half 0 or 1 of the 256-bit src into dst, a 128-bit register or memory.
func (a *Assembler) VEXTRACTI128(dst Operand, src Vec, half uint8) {
	a.checkWidth(&vextracti128, dst, W128)
	a.vector(&vextracti128, src.Width, src.Number, 0, dst)
	a.emit(half)
}

// VINSERTI128 (VEX): dst = x with half 0 or 1 replaced by y, a 128-bit register or memory; dst and x have 256 bits.
func (a *Assembler) VINSERTI128(dst, x Vec, y Operand, half uint8) {
	a.checkWidth(&vinserti128, x, dst.Width)
	a.checkWidth(&vinserti128, y, W128)
	a.vector(&vinserti128, dst.Width, dst.Number, x.Number, y)
	a.emit(half)
}

// VPBROADCASTQ (VEX or EVEX) copies one 64-bit word into all of dst: the low one of a 128-bit register, one in memory,
// or, in EVEX only, a general register.
func (a *Assembler) VPBROADCASTQ(dst Vec, src Operand) {
	op := &vpbroadcastq
	if _, ok := src.(Reg); ok {
		op = &vpbroadcastqReg
	}
	a.checkWidth(op, src, W128)
	a.vector(op, dst.Width, dst.Number, 0, src)
}

// VMOVQ (VEX or EVEX) moves 64 bits between a 128-bit register and a general register; the other bits of a Vec as dst
// become 0.
func (a *Assembler) VMOVQ(dst, src Operand) {
	if d, ok := dst.(Vec); ok {
		if s, ok := src.(Reg); ok {
			a.vector(&vmovq, d.Width, d.Number, 0, s)
			return
		}
	}
	if d, ok := dst.(Reg); ok {
		if s, ok := src.(Vec); ok {
			a.vector(&vmovqStore, s.Width, s.Number, 0, d)
			return
		}
	}
	a.fail("vmovq: operands must be a 128-bit vector register and a general register")
}

// VZEROUPPER clears all but the low 128 bits of registers 0 to 15, so that SSE code after it (Go's) does not run
// slowly.
func (a *Assembler) VZEROUPPER() { a.vex(&vzeroupper, W128, 0, 0, 0, 0) }

// binary appends dst = x op y.
func (a *Assembler) binary(op *opcode, dst, x Vec, y Operand) {
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
	a.checkWidth(op, src, dst.Width)
	a.vector(op, dst.Width, digit, dst.Number, src)
	a.emit(count)
}

// move appends a load, or, when src is a register, a store; both can copy registers, and Go's assembler stores too.
func (a *Assembler) move(load, store *opcode, dst, src Operand) {
	if s, ok := src.(Vec); ok {
		a.unary(store, s, dst)
		return
	}
	d, ok := dst.(Vec)
	if !ok {
		a.fail("%s: one operand must be a vector register", load.name)
		return
	}
	a.unary(load, d, src)
}

func (a *Assembler) checkWidth(op *opcode, src Operand, want Width) {
	if v, ok := src.(Vec); ok && v.Width != want {
		a.fail("%s: a source of %d bits where %d are needed", op.name, 8*v.Width.Bytes(), 8*want.Bytes())
	}
}
