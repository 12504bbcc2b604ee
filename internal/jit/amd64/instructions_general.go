package amd64

import "github.com/gosper-life/gosper/internal/jit/assembly"

// The instructions on general registers and memory, all of 64 bits. REX holds what ModRM has no room for:
//
//	     7 6 5 4  3 2 1 0
//	REX  0 1 0 0  W R X B    W 64-bit operands, R bit 3 of ModRM.reg, X of the index, B of base or r/m

// regRM appends REX, opcode and ModRM, and reports whether the operands were right.
func (a *Assembler) regRM(name string, wide bool, reg Reg, rm Operand, opcode ...byte) bool {
	switch rm := rm.(type) {
	case Reg:
		if !a.checkReg(name, rm) {
			return false
		}
	case Mem:
		if !a.checkMem(name, rm) {
			return false
		}
	default:
		a.Fail("%s: an operand must be a general register or memory", name)
		return false
	}
	if !a.checkReg(name, reg) {
		return false
	}
	x, b := extension(rm)
	rex := 0x40 | byte(reg>>3)<<2 | x<<1 | b
	if wide {
		rex |= 1 << 3
	}
	if rex != 0x40 {
		a.Emit(rex)
	}
	a.Emit(opcode...)
	a.modRM(byte(reg), rm, 1)
	return true
}

// MOV copies src (Reg, Mem or Imm) to dst (Reg or Mem), not from memory to memory. An Imm may have 64 bits when dst is
// a Reg.
func (a *Assembler) MOV(dst, src Operand) {
	if a.Listed() {
		a.Note("mov", dst, src)
	}
	switch s := src.(type) {
	case Reg:
		a.regRM("mov", true, s, dst, 0x89)
	case Mem:
		if d, ok := dst.(Reg); ok {
			a.regRM("mov", true, d, s, 0x8b)
			return
		}
		a.Fail("mov: memory can be loaded into a general register only")
	case Imm:
		a.moveImm(dst, s)
	default:
		a.Fail("mov: the source must be a general register, memory or an immediate")
	}
}

// moveImm takes the shortest of the three encodings.
func (a *Assembler) moveImm(dst Operand, v Imm) {
	d, isReg := dst.(Reg)
	switch {
	case isReg && v == Imm(uint32(v)): // a 32-bit destination clears the upper half
		if a.checkReg("mov", d) {
			a.opcodePlusReg(0x40, 0xb8, d)
			a.emit32(int32(uint32(v)))
		}
	case v == Imm(int32(v)):
		if a.regRM("mov", true, 0, dst, 0xc7) {
			a.emit32(int32(v))
		}
	case isReg:
		if a.checkReg("mov", d) {
			a.opcodePlusReg(0x48, 0xb8, d)
			a.emit32(int32(v))
			a.emit32(int32(v >> 32))
		}
	default:
		a.failImm("mov", v)
	}
}

// opcodePlusReg appends an opcode that holds the register in its low bits.
func (a *Assembler) opcodePlusReg(rex, opcode byte, r Reg) {
	rex |= byte(r >> 3)
	if rex != 0x40 {
		a.Emit(rex)
	}
	a.Emit(opcode | byte(r&7))
}

// In ADD, SUB, XOR and CMP dst is a Reg or Mem and src a Reg, Mem or Imm, at most one of them in memory. All
// set the flags.

// ADD: dst += src.
func (a *Assembler) ADD(dst, src Operand) { a.arithmetic("add", 0, dst, src) }

// SUB: dst -= src.
func (a *Assembler) SUB(dst, src Operand) { a.arithmetic("sub", 5, dst, src) }

// XOR: dst ^= src.
func (a *Assembler) XOR(dst, src Operand) { a.arithmetic("xor", 6, dst, src) }

// CMP sets the flags of dst - src and leaves dst: after CMP(x, y), JB jumps when x < y.
func (a *Assembler) CMP(dst, src Operand) { a.arithmetic("cmp", 7, dst, src) }

// arithmetic appends instruction n of the eight that share their encoding: n<<3|1 r/m, r; n<<3|3 r, r/m; 83 /n imm8; 81
// /n imm32.
func (a *Assembler) arithmetic(name string, n byte, dst, src Operand) {
	if a.Listed() {
		a.Note(name, dst, src)
	}
	switch s := src.(type) {
	case Reg:
		a.regRM(name, true, s, dst, n<<3|1)
	case Mem:
		if d, ok := dst.(Reg); ok {
			a.regRM(name, true, d, s, n<<3|3)
			return
		}
		a.Fail("%s: a source in memory needs a general register as destination", name)
	case Imm:
		switch {
		case s == Imm(int8(s)):
			if a.regRM(name, true, Reg(n), dst, 0x83) {
				a.Emit(byte(s))
			}
		case s == Imm(int32(s)):
			if a.regRM(name, true, Reg(n), dst, 0x81) {
				a.emit32(int32(s))
			}
		default:
			a.failImm(name, s)
		}
	default:
		a.Fail("%s: the source must be a general register, memory or an immediate", name)
	}
}

// TEST sets the flags of dst & src; src is a Reg or an Imm.
func (a *Assembler) TEST(dst, src Operand) {
	if a.Listed() {
		a.Note("test", dst, src)
	}
	switch s := src.(type) {
	case Reg:
		a.regRM("test", true, s, dst, 0x85)
	case Imm:
		switch {
		case s != Imm(int32(s)):
			a.failImm("test", s)
		case a.regRM("test", true, 0, dst, 0xf7):
			a.emit32(int32(s))
		}
	default:
		a.Fail("test: the source must be a general register or an immediate")
	}
}

// DEC subtracts 1 from a Reg or Mem; JNE then closes a counted loop. It leaves the carry flag alone.
func (a *Assembler) DEC(dst Operand) {
	if a.Listed() {
		a.Note("dec", dst)
	}
	a.regRM("dec", true, 1, dst, 0xff)
}

// PREFETCHW fetches the cache line of src for writing. It never faults; processors without it (before Broadwell)
// ignore it.
func (a *Assembler) PREFETCHW(src Mem) {
	if a.Listed() {
		a.Note("prefetchw", src)
	}
	a.regRM("prefetchw", false, 1, src, 0x0f, 0x0d)
}

// JMP jumps to target.
func (a *Assembler) JMP(target assembly.Label) {
	if a.Listed() {
		a.Note("jmp", target)
	}
	a.Emit(0xe9)
	a.jumpTo(target)
}

// RET returns to Go, after VZEROUPPER.
func (a *Assembler) RET() {
	if a.Listed() {
		a.Note("ret")
	}
	a.Emit(0xc3)
}

// The conditional jumps below read the flags of the last CMP, TEST or arithmetic instruction.

// JE jumps when equal or zero (also written JZ).
func (a *Assembler) JE(target assembly.Label) { a.jumpIf("je", 0x4, target) }

// JNE jumps when not equal or not zero (also written JNZ).
func (a *Assembler) JNE(target assembly.Label) { a.jumpIf("jne", 0x5, target) }

// JB jumps when below, unsigned, or on carry (JC).
func (a *Assembler) JB(target assembly.Label) { a.jumpIf("jb", 0x2, target) }

// JAE jumps when above or equal, unsigned, or on no carry (JNC).
func (a *Assembler) JAE(target assembly.Label) { a.jumpIf("jae", 0x3, target) }

func (a *Assembler) jumpIf(name string, condition byte, target assembly.Label) {
	if a.Listed() {
		a.Note(name, target)
	}
	a.Emit(0x0f, 0x80|condition)
	a.jumpTo(target)
}

func (a *Assembler) failImm(name string, v Imm) {
	a.Fail("%s: immediate %d does not fit in 32 signed bits", name, int64(v))
}
