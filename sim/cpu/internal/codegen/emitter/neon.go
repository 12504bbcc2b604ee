package emitter

import (
	"unsafe"

	"github.com/gosper-life/gosper/internal/jit/arm64"
	"github.com/gosper-life/gosper/internal/jit/assembly"
)

// neon writes instructions of NEON. A vector is two registers of 128 bits, which are loaded and stored
// together: vector register n is registers 2n and 2n+1.
//
// Loads and stores of pairs take a register and a short distance, so the registers for rows hold the address of the
// current vector, not that of the first one, and go along the row.
type neon struct {
	e    *emitter
	asm  arm64.Assembler
	sha3 bool // there are EOR3 and BCAX
}

// The uses of the general registers.
const (
	armArgs    = arm64.X0
	armAt      = arm64.X1 // bytes from the start of a row to the current vector
	armLeft    = arm64.X2 // iterations left
	armRows    = arm64.X3 // the current row's description in the queue
	armEnd     = arm64.X4 // end of the queue
	armScratch = arm64.X5
	armAhead   = arm64.X6
	armFixed   = arm64.X7  // the spill slot that is fixedBias bytes after the first one
	armFar     = arm64.X16 // an address that is too far for a displacement
	armRow     = arm64.X17 // a row that has no register of its own
)

// fixedBias makes as many spill slots as possible reachable.
const fixedBias = 1024

// armRowRegisters go along rows.
var armRowRegisters = []arm64.Reg{
	arm64.X8, arm64.X9, arm64.X10, arm64.X11, arm64.X12, arm64.X13, arm64.X14, arm64.X15,
	arm64.X19, arm64.X20, arm64.X21, arm64.X22, arm64.X23, arm64.X24, arm64.X25, arm64.X26, arm64.X27,
}

func (n *neon) text() text { return &n.asm.Buffer }

func (n *neon) asListed() { n.sha3 = true }

func (n *neon) vectors() (all, carried int) { return 16, 6 }

func (n *neon) rows() (registers int, scratch bool) { return len(armRowRegisters), true }

// low and high are the registers of a vector.
func low(v int) arm64.Vec { return arm64.Vec(2 * v) }

func high(v int) arm64.Vec { return arm64.Vec(2*v + 1) }

// halves emits something for both registers of vectors.
func halves(emit func(half func(v int) arm64.Vec)) {
	emit(low)
	emit(high)
}

func (n *neon) copy(dst, src int) {
	halves(func(half func(int) arm64.Vec) { n.asm.COPY(half(dst), half(src)) })
}

func (n *neon) constant(dst int, ones bool) {
	halves(func(half func(int) arm64.Vec) { n.asm.MOVI(half(dst), ones) })
}

func (n *neon) load(dst int, from home) { n.asm.LDP(low(dst), high(dst), n.memory(from)) }

func (n *neon) store(to home, src int) { n.asm.STP(low(src), high(src), n.memory(to)) }

// memory is the operand of a vector in memory.
func (n *neon) memory(h home) arm64.Mem {
	e := n.e
	along := h.column * e.bytes()
	if h.row == fixed {
		return n.reach(armFixed, along-fixedBias)
	}
	if e.alike[h.row] { // the first of its vectors stays in the cache
		along = 0
	}
	if r, ok := e.own[h.row]; ok {
		return n.reach(armRowRegisters[r], along)
	}
	if h.row >= e.entries {
		n.asm.ADD(armRow, armScratch, armAt)
		return n.reach(armRow, e.scratchAt(h))
	}
	n.asm.LDR(armRow, n.rowPointer(h.row))
	if !e.alike[h.row] {
		n.asm.ADD(armRow, armRow, armAt)
	}
	return n.reach(armRow, along)
}

// reach is the operand for the memory at a distance from a register.
func (n *neon) reach(base arm64.Reg, distance int) arm64.Mem {
	if arm64.PairReaches(distance) {
		return arm64.Mem{Base: base, Disp: distance}
	}
	// An addition takes 12 bits, which may be shifted by 12. One instruction therefore adds whole pages of 4096 bytes,
	// and the load or store adds the rest.
	near := (distance+2048)&4095 - 2048 // the rest of the offset, in whole pages
	if !arm64.PairReaches(near) {
		near = 0
	}
	n.add(armFar, base, distance-near)
	return arm64.Mem{Base: armFar, Disp: near}
}

// add makes dst the sum of a register and a number of up to 32 bits, or down to -2^24.
func (n *neon) add(dst, x arm64.Reg, number int) {
	const bits, most = 12, 1 << 24
	emit, size := n.asm.ADDI, number
	if number < 0 {
		emit, size = n.asm.SUBI, -number
	}
	// More than 24 bits do not fit two additions, so the number is made in a register.
	if number >= most {
		n.asm.MOVI16(dst, number&(1<<16-1))
		n.asm.MOVK16(dst, number>>16)
		n.asm.ADD(dst, dst, x)
		return
	}
	if pages := size &^ (1<<bits - 1); pages != 0 {
		emit(dst, x, pages)
		x, size = dst, size-pages
	}
	if size != 0 || dst != x {
		emit(dst, x, size)
	}
}

// rowPointer is the place in the queue that holds the address of a row.
func (n *neon) rowPointer(entry int) arm64.Mem {
	return arm64.Mem{Base: armRows, Disp: rowPointerAt(entry)}
}

// argument is the operand of a field of the arguments.
func (n *neon) argument(offset uintptr) arm64.Mem { return arm64.Mem{Base: armArgs, Disp: int(offset)} }

func (n *neon) begin() {
	n.asm.LDR(armRows, n.argument(unsafe.Offsetof(Arguments{}.Queue)))
	n.asm.LDR(armEnd, n.argument(unsafe.Offsetof(Arguments{}.End)))
	n.asm.LDR(armScratch, n.argument(unsafe.Offsetof(Arguments{}.Scratch)))
	n.add(armFixed, armScratch, n.e.fixedAt(0)+fixedBias)
}

// beginRow makes the registers of rows point to the first column that is computed.
func (n *neon) beginRow() {
	n.asm.LDR(armAhead, arm64.Mem{Base: armRows})
	n.asm.LDR(armAt, n.argument(unsafe.Offsetof(Arguments{}.First)))
	n.e.eachOwn(func(register, row int) {
		r := armRowRegisters[register]
		if row >= n.e.entries {
			n.add(r, armScratch, n.e.scratchAt(home{row, 0}))
		} else {
			n.asm.LDR(r, n.rowPointer(row))
		}
		if !n.e.alike[row] {
			n.asm.ADD(r, r, armAt)
		}
	})
}

func (n *neon) endRow(again assembly.Label) {
	n.add(armRows, armRows, rowPointerAt(n.e.entries))
	n.asm.CMP(armRows, armEnd)
	n.asm.BLO(again)
	n.asm.RET()
}

// along advances all registers that point into rows by the given number of columns.
func (n *neon) along(columns int) {
	n.add(armAt, armAt, columns*n.e.bytes())
	n.e.eachOwn(func(register, row int) {
		if r := armRowRegisters[register]; !n.e.alike[row] {
			n.add(r, r, columns*n.e.bytes())
		}
	})
}

func (n *neon) back(columns int) { n.along(-columns) }

func (n *neon) count(iterations int) { n.asm.MOVI16(armLeft, iterations) }

func (n *neon) countAll() { n.asm.LDR(armLeft, n.argument(unsafe.Offsetof(Arguments{}.Vectors))) }

func (n *neon) next(iterations int, again assembly.Label) {
	n.along(iterations)
	n.asm.SUBSI(armLeft, armLeft, iterations)
	if iterations > 1 {
		n.asm.CMPI(armLeft, iterations)
		n.asm.BHS(again)
	} else {
		n.asm.BNE(again)
	}
}

func (n *neon) jump(to assembly.Label) { n.asm.B(to) }

func (n *neon) jumpIfFewer(iterations int, to assembly.Label) {
	if iterations == 1 {
		n.asm.CBZ(armLeft, to)
		return
	}
	n.asm.CMPI(armLeft, iterations)
	n.asm.BLO(to)
}

func (n *neon) reorders() bool { return false } // not measured

func (n *neon) fetches() bool { return true }

func (n *neon) jumpIfNoneAhead(to assembly.Label) { n.asm.CBZ(armAhead, to) }

// fetch asks for a vector of each cache line.
func (n *neon) fetch(vectors int) {
	const line = 64
	n.asm.ADD(armFar, armAhead, armAt)
	for at := 0; at < vectors*n.e.bytes(); at += line {
		n.asm.PRFM(arm64.Mem{Base: armFar, Disp: at})
	}
}

func (n *neon) align(bytes int) { n.asm.Align(bytes) }
