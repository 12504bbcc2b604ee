package arm64

import "github.com/gosper-life/gosper/internal/jit/assembly"

// The instructions on general registers, all of 64 bits.

// LDR loads a word. The displacement is a multiple of 8 from 0 to 32760.
func (a *Assembler) LDR(dst Reg, src Mem) {
	a.note("ldr", dst, src)
	if a.unsigned("ldr", src) && a.registers("ldr", dst, src.Base) {
		a.word(0xf9400000 | uint32(src.Disp/8)<<10 | uint32(src.Base)<<5 | uint32(dst))
	}
}

// PRFM fetches the cache line of src for writing, and to keep it in the first-level cache (PSTL1KEEP). It never
// faults. The displacement is as in LDR.
func (a *Assembler) PRFM(src Mem) {
	a.note("prfm", "pstl1keep", src)
	const pstl1keep = 16
	if a.unsigned("prfm", src) && a.registers("prfm", src.Base) {
		a.word(0xf9800000 | uint32(src.Disp/8)<<10 | uint32(src.Base)<<5 | pstl1keep)
	}
}

func (a *Assembler) unsigned(name string, m Mem) bool {
	if m.Disp < 0 || m.Disp > 4095*8 || m.Disp%8 != 0 {
		a.Fail("%s: displacement %d: allowed are multiples of 8 from 0 to 32760", name, m.Disp)
		return false
	}
	return true
}

// ADD: dst = x + y.
func (a *Assembler) ADD(dst, x, y Reg) {
	a.note("add", dst, x, y)
	if a.registers("add", dst, x, y) {
		a.word(0x8b000000 | uint32(y)<<16 | uint32(x)<<5 | uint32(dst))
	}
}

// MOV copies a register.
func (a *Assembler) MOV(dst, src Reg) {
	a.note("mov", dst, src)
	if a.registers("mov", dst, src) {
		a.word(0xaa0003e0 | uint32(src)<<16 | uint32(dst))
	}
}

// Immediates of ADD, SUB, SUBS and CMP have 12 bits, or 12 bits and then 12 zeros.

// ADDI: dst = x + n.
func (a *Assembler) ADDI(dst, x Reg, n int) { a.immediate("add", 0x91000000, dst, x, n) }

// SUBI: dst = x - n.
func (a *Assembler) SUBI(dst, x Reg, n int) { a.immediate("sub", 0xd1000000, dst, x, n) }

// SUBSI: dst = x - n, which sets the flags.
func (a *Assembler) SUBSI(dst, x Reg, n int) { a.immediate("subs", 0xf1000000, dst, x, n) }

// immediate appends an instruction of a register and a number of twelve bits:
//
//	bit   31       23  22   21      10 9    5 4    0
//	      operation  | by  |  number  |  x   | dst       by: 1 if the number counts 4096s
func (a *Assembler) immediate(name string, op uint32, dst, x Reg, n int) {
	a.note(name, dst, x, number(n))
	if bits, ok := a.twelve(name, n); ok && a.registers(name, dst, x) {
		a.word(op | bits | uint32(x)<<5 | uint32(dst))
	}
}

// CMPI sets the flags of x - n: after CMPI(x, n), BLO jumps if x < n.
func (a *Assembler) CMPI(x Reg, n int) {
	a.note("cmp", x, number(n))
	if bits, ok := a.twelve("cmp", n); ok && a.registers("cmp", x) {
		a.word(0xf1000000 | bits | uint32(x)<<5 | zero)
	}
}

// twelve encodes an immediate of 12 bits, which the processor may shift:
//
//	bit   22                 21 … 10
//	      shift left by 12   immediate
func (a *Assembler) twelve(name string, n int) (bits uint32, ok bool) {
	switch {
	case n >= 0 && n < 1<<12:
		return uint32(n) << 10, true
	case n > 0 && n < 1<<24 && n&(1<<12-1) == 0:
		return 1<<22 | uint32(n>>12)<<10, true
	}
	a.Fail("%s: immediate %d: allowed are 0 to 4095 and their multiples by 4096", name, n)
	return 0, false
}

// CMP sets the flags of x - y.
func (a *Assembler) CMP(x, y Reg) {
	a.note("cmp", x, y)
	if a.registers("cmp", x, y) {
		a.word(0xeb000000 | uint32(y)<<16 | uint32(x)<<5 | zero)
	}
}

// MOVI16 sets a register to a number from 0 to 65535 (MOVZ).
func (a *Assembler) MOVI16(dst Reg, n int) {
	a.note("mov", dst, number(n))
	a.sixteen("mov", 0xd2800000, dst, n)
}

// MOVK16 replaces bits 16 to 31 of a register by a number from 0 to 65535 (MOVK).
func (a *Assembler) MOVK16(dst Reg, n int) {
	a.note("movk", dst, number(n), "lsl #16")
	a.sixteen("movk", 0xf2a00000, dst, n)
}

func (a *Assembler) sixteen(name string, op uint32, dst Reg, n int) {
	switch {
	case n < 0 || n >= 1<<16:
		a.Fail("%s: immediate %d: allowed are 0 to 65535", name, n)
	case a.registers(name, dst):
		a.word(op | uint32(n)<<5 | uint32(dst))
	}
}

// RET returns to Go.
func (a *Assembler) RET() {
	a.note("ret")
	a.word(0xd65f03c0)
}

// B jumps to target, at most 128 MiB away. The conditional jumps below reach 1 MiB.
func (a *Assembler) B(target assembly.Label) {
	a.note("b", target)
	a.branch(target, 0x14000000, 26, 0)
}

// CBZ jumps if x is zero.
func (a *Assembler) CBZ(x Reg, target assembly.Label) {
	a.note("cbz", x, target)
	if a.registers("cbz", x) {
		a.branch(target, 0xb4000000|uint32(x), 19, 5)
	}
}

// The jumps below read the flags of the last CMP, CMPI or SUBSI.

// BNE jumps if not equal or not zero.
func (a *Assembler) BNE(target assembly.Label) { a.branchIf("b.ne", 1, target) }

// BHS jumps if higher or the same, unsigned.
func (a *Assembler) BHS(target assembly.Label) { a.branchIf("b.hs", 2, target) }

// BLO jumps if lower, unsigned.
func (a *Assembler) BLO(target assembly.Label) { a.branchIf("b.lo", 3, target) }

// branchIf appends B.cond. Its distance, in instructions, has 19 bits from bit 5 on, so it reaches 1
// MiB either way.
func (a *Assembler) branchIf(name string, condition uint32, target assembly.Label) {
	a.note(name, target)
	a.branch(target, 0x54000000|condition, 19, 5)
}
