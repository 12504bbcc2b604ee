// Package amd64 assembles machine code for amd64: straight-line vector code and loops.
//
// On amd64 the contract of generated code with jit.Code.Call is:
//
//	on entry   RDI = args of Call, RSP = return address, direction flag clear; everything else is undefined
//	free       every general register but RSP and RBP, every vector, mask and flag register
//	kept       RSP and RBP (frame pointers: the profiler and the execution tracer walk them), MXCSR, direction flag
//	stack      none; spills go to memory that args points to
//	on return  VZEROUPPER, RET
//
// R14 and X15, which Go's own calling convention reserves for the goroutine and for zero, are free too: the compiler
// restores both after every call from Go to an assembly (ABI0) function.
package amd64

import (
	"encoding/binary"
	"fmt"

	"github.com/gosper-life/gosper/internal/jit/assembly"
)

// Assembler appends machine code to a buffer. Its methods carry the names of Intel's manual (SDM volume 2) and take
// operands in Intel's order, destination first. The zero value is ready for use.
type Assembler struct{ assembly.Buffer }

// Align fills up with NOPs to a multiple of n bytes, n a power of two no larger than a page.
func (a *Assembler) Align(n int) {
	for gap := a.Gap(n); gap > 0; {
		if a.Listed() {
			a.Note("nop")
		}
		nop := nops[min(gap, len(nops))-1]
		a.Emit(nop...)
		gap -= len(nop)
	}
}

// nops holds the recommended NOP of each length from 1 to 9 bytes (SDM volume 2, NOP): fewer instructions than single
// bytes.
var nops = [...][]byte{
	{0x90},
	{0x66, 0x90},
	{0x0f, 0x1f, 0x00},
	{0x0f, 0x1f, 0x40, 0x00},
	{0x0f, 0x1f, 0x44, 0x00, 0x00},
	{0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
	{0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00},
	{0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
	{0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
}

func (a *Assembler) emit32(v int32) { a.Emit(byte(v), byte(v>>8), byte(v>>16), byte(v>>24)) }

// jumpTo appends the displacement of a jump whose opcode has just been emitted: 32 bits, counted from its own end.
func (a *Assembler) jumpTo(l assembly.Label) {
	a.Jump(l, func(code []byte, distance int) error {
		distance -= 4
		binary.LittleEndian.PutUint32(code, uint32(distance))
		if distance != int(int32(distance)) {
			return fmt.Errorf("a jump of %d bytes is over the 2 GiB that a jump can reach", distance)
		}
		return nil
	})
	a.emit32(0)
}

// noteImm adds a byte to the operands of the last instruction.
func (a *Assembler) noteImm(v uint8) {
	if a.Listed() {
		a.NoteMore(fmt.Sprintf("%#02x", v))
	}
}
