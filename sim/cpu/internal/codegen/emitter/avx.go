package emitter

import (
	"slices"
	"unsafe"

	"github.com/gosper-life/gosper/internal/jit/amd64"
	"github.com/gosper-life/gosper/internal/jit/assembly"
)

// avx writes instructions of AVX2, or of AVX-512.
type avx struct {
	e     *emitter
	asm   amd64.Assembler
	wide  bool // AVX-512
	pairs bool // the sum of three bits by two instructions, see XORPairs
}

// The uses of the general registers.
const (
	regArgs    = amd64.RDI
	regAt      = amd64.RAX // bytes from the start of a row to the current vector
	regLeft    = amd64.RCX // iterations left
	regRows    = amd64.RSI // the current row's description in the queue
	regScratch = amd64.RDX
	regRow     = amd64.RBX // a row that has no register of its own
	regAhead   = amd64.R15
	regEnd     = amd64.R14 // end of the queue
)

// rowRegisters hold the addresses of rows.
var rowRegisters = []amd64.Reg{amd64.R8, amd64.R9, amd64.R10, amd64.R11, amd64.R12, amd64.R13}

func (x *avx) text() text { return &x.asm.Buffer }

func (x *avx) asListed() { x.pairs = false }

// vectors leaves room for inputs and results within an iteration: not all registers may hold values
// from one iteration to the next.
func (x *avx) vectors() (all, carried int) {
	if x.wide {
		return 32, 16
	}
	return 15, 6 // the 16th register holds ones
}

// rows needs no registers for scratch rows: their addresses are sums.
func (x *avx) rows() (registers int, scratch bool) { return len(rowRegisters), false }

// v is a vector register.
func (x *avx) v(n int) amd64.Vec {
	if x.wide {
		return amd64.Z(n)
	}
	return amd64.Y(n)
}

func (x *avx) move(dst, src amd64.Operand) {
	if x.wide {
		x.asm.VMOVDQU64(dst, src)
	} else {
		x.asm.VMOVDQU(dst, src)
	}
}

func (x *avx) copy(dst, src int) { x.move(x.v(dst), x.v(src)) }

func (x *avx) load(dst int, from home) { x.move(x.v(dst), x.memory(from)) }

func (x *avx) store(to home, src int) { x.move(x.memory(to), x.v(src)) }

// memory is the operand of a vector in memory. The registers of rows stay at the start of their row,
// and one index serves all of them, so that the loop has a single addition:
//
//	row of the description    register of the row + regAt + column
//	scratch row               regScratch + regAt + place of the scratch row + column
//	spill slot, constant      regScratch + place
func (x *avx) memory(h home) amd64.Mem {
	e := x.e
	switch {
	case h.row == fixed:
		return amd64.Mem{Base: regScratch, Disp: int32(e.fixedAt(h.column))}
	case h.row >= e.entries:
		return amd64.Mem{Base: regScratch, Index: regAt, Scale: 1, Disp: int32(e.scratchAt(h))}
	case e.alike[h.row]: // the first of its vectors stays in the cache
		return amd64.Mem{Base: x.base(h.row)}
	}
	return amd64.Mem{Base: x.base(h.row), Index: regAt, Scale: 1, Disp: int32(h.column * e.bytes())}
}

// base is a register that holds the address of a row.
func (x *avx) base(row int) amd64.Reg {
	if r, ok := x.e.own[row]; ok {
		return rowRegisters[r]
	}
	x.asm.MOV(regRow, x.rowPointer(row))
	return regRow
}

// rowPointer is the place in the queue that holds the address of a row.
func (x *avx) rowPointer(entry int) amd64.Mem {
	return amd64.Mem{Base: regRows, Disp: int32(rowPointerAt(entry))}
}

// argument is the operand of a field of the arguments.
func (x *avx) argument(offset uintptr) amd64.Mem {
	return amd64.Mem{Base: regArgs, Disp: int32(offset)}
}

// begin loads the registers that stay the same for all rows. AVX2 has no table of three inputs, so it keeps ones in a
// register to make complements.
func (x *avx) begin() {
	x.asm.MOV(regRows, x.argument(unsafe.Offsetof(Arguments{}.Queue)))
	x.asm.MOV(regEnd, x.argument(unsafe.Offsetof(Arguments{}.End)))
	x.asm.MOV(regScratch, x.argument(unsafe.Offsetof(Arguments{}.Scratch)))
	if !x.wide {
		ones := slices.Repeat([]uint64{^uint64(0)}, x.e.layout.Lanes)
		x.load(x.e.registers, x.e.constantVector(ones))
	}
}

func (x *avx) beginRow() {
	x.asm.MOV(regAhead, amd64.Mem{Base: regRows})
	x.asm.MOV(regAt, x.argument(unsafe.Offsetof(Arguments{}.First)))
	x.e.eachOwn(func(register, row int) { x.asm.MOV(rowRegisters[register], x.rowPointer(row)) })
}

func (x *avx) endRow(again assembly.Label) {
	x.asm.ADD(regRows, amd64.Imm(rowPointerAt(x.e.entries)))
	x.asm.CMP(regRows, regEnd)
	x.asm.JB(again)
	x.asm.VZEROUPPER()
	x.asm.RET()
}

func (x *avx) back(columns int) { x.asm.SUB(regAt, amd64.Imm(columns*x.e.bytes())) }

func (x *avx) count(n int) { x.asm.MOV(regLeft, amd64.Imm(n)) }

func (x *avx) countAll() { x.asm.MOV(regLeft, x.argument(unsafe.Offsetof(Arguments{}.Vectors))) }

// next subtracts the n iterations that are done. The loop goes on if at least n are left, or for n = 1
// if the count is not 0 yet, which the subtraction has found.
func (x *avx) next(n int, again assembly.Label) {
	x.asm.ADD(regAt, amd64.Imm(n*x.e.bytes()))
	x.asm.SUB(regLeft, amd64.Imm(n))
	if n > 1 {
		x.asm.CMP(regLeft, amd64.Imm(n))
		x.asm.JAE(again)
	} else {
		x.asm.JNE(again)
	}
}

func (x *avx) jump(to assembly.Label) { x.asm.JMP(to) }

func (x *avx) jumpIfFewer(n int, to assembly.Label) {
	if n == 1 {
		x.asm.TEST(regLeft, regLeft)
		x.asm.JE(to)
		return
	}
	x.asm.CMP(regLeft, amd64.Imm(n))
	x.asm.JB(to)
}

func (x *avx) reorders() bool { return true }

func (x *avx) fetches() bool { return true }

func (x *avx) jumpIfNoneAhead(to assembly.Label) {
	x.asm.TEST(regAhead, regAhead)
	x.asm.JE(to)
}

func (x *avx) fetch(n int) {
	for u := range n {
		x.asm.PREFETCHW(amd64.Mem{Base: regAhead, Index: regAt, Scale: 1, Disp: int32(u * x.e.bytes())})
	}
}

func (x *avx) align(bytes int) { x.asm.Align(bytes) }
