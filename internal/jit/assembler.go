package jit

import (
	"encoding/binary"
	"fmt"
)

// Assembler appends machine code to a buffer. Its methods carry the names of Intel's manual (SDM volume 2) and take
// operands in Intel's order, destination first. The zero value is ready for use.
//
// A wrong operand does not panic: the first error is kept and [Assembler.Code] returns it.
type Assembler struct {
	text   []byte
	labels []int // position of each bound label, unbound until then
	jumps  []jump
	err    error

	listing *Listing // nil: none is made
}

// Label is a place in the code that jumps refer to, before or after it is bound. It belongs to the Assembler that made
// it.
type Label int

// jump is a 32-bit displacement still to be filled in: the distance from the end of its own four bytes to the label.
type jump struct {
	at     int
	target Label
}

const unbound = -1

// Code resolves all jumps and returns the machine code, or the first error. The bytes are the assembler's own until its
// next use.
func (a *Assembler) Code() ([]byte, error) {
	for _, j := range a.jumps {
		target := a.labels[j.target]
		distance := target - (j.at + 4)
		switch {
		case target == unbound:
			a.failAt(j.at, "label %d is jumped to but never bound", j.target)
		case distance != int(int32(distance)):
			a.failAt(j.at, "a jump of %d bytes is over the 2 GiB that a jump can reach", distance)
		}
		binary.LittleEndian.PutUint32(a.text[j.at:], uint32(distance))
	}
	if a.err != nil {
		return nil, a.err
	}
	return a.text, nil
}

// Offset is the position of the next instruction in bytes from the start: an entry for [Code.Call].
func (a *Assembler) Offset() uintptr { return uintptr(len(a.text)) }

// NewLabel returns a label that is not bound yet.
func (a *Assembler) NewLabel() Label {
	a.labels = append(a.labels, unbound)
	return Label(len(a.labels) - 1)
}

// Bind puts the label at the next instruction. A label is bound once.
func (a *Assembler) Bind(l Label) {
	if !a.known(l) {
		return
	}
	if a.labels[l] != unbound {
		a.fail("label %d is bound twice", l)
	}
	a.labels[l] = len(a.text)
	if a.listing != nil {
		a.note(l.String() + ":")
	}
}

// Here returns a new label bound to the next instruction.
func (a *Assembler) Here() Label {
	l := a.NewLabel()
	a.Bind(l)
	return l
}

// Align fills up with NOPs to a multiple of n bytes, n a power of two no larger than a page.
func (a *Assembler) Align(n int) {
	if n < 1 || n > 4096 || n&(n-1) != 0 {
		a.fail("cannot align to %d bytes: the alignment must be a power of two from 1 to 4096", n)
		return
	}
	for gap := -len(a.text) & (n - 1); gap > 0; {
		if a.listing != nil {
			a.note("nop")
		}
		nop := nops[min(gap, len(nops))-1]
		a.emit(nop...)
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

func (a *Assembler) emit(b ...byte) { a.text = append(a.text, b...) }

func (a *Assembler) emit32(v int32) { a.text = binary.LittleEndian.AppendUint32(a.text, uint32(v)) }

// jumpTo appends the displacement of a jump whose opcode has just been emitted.
func (a *Assembler) jumpTo(l Label) {
	if a.known(l) {
		a.jumps = append(a.jumps, jump{len(a.text), l})
	}
	a.emit32(0)
}

func (a *Assembler) known(l Label) bool {
	if l < 0 || int(l) >= len(a.labels) {
		a.fail("label %d does not belong to this assembler", l)
		return false
	}
	return true
}

// fail keeps the first error, with the place of the instruction at fault.
func (a *Assembler) fail(format string, args ...any) { a.failAt(len(a.text), format, args...) }

func (a *Assembler) failAt(position int, format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf("jit: at byte %d: %w", position, fmt.Errorf(format, args...))
	}
}
