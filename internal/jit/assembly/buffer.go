// Package assembly has the common part of the assemblers of all processors: a buffer of machine code, labels and jumps,
// the first error, and a listing.
package assembly

import "fmt"

// Buffer is machine code in the making. The zero value is ready for use.
//
// A wrong operand does not panic: the first error is kept and [Buffer.Code] returns it.
type Buffer struct {
	text    []byte
	labels  []int // position of each bound label, unbound until then
	jumps   []jump
	err     error
	listing *Listing // nil: no listing is made
}

// Label is a place in the code that jumps refer to, before or after it is bound. It belongs to the Buffer that made it.
type Label int

// jump is a displacement still to be filled in.
type jump struct {
	at     int
	target Label
	fill   Fill
}

// Fill stores the distance from an instruction's displacement to its target, in bytes, where the instruction
// has it. The code begins with the displacement. The error says that it reaches too far. Fill may be called
// again.
type Fill func(code []byte, distance int) error

const unbound = -1

// Code resolves all jumps and returns the machine code, or the first error. The bytes are the buffer's own
// until its next use.
func (b *Buffer) Code() ([]byte, error) {
	for _, j := range b.jumps {
		target := b.labels[j.target]
		if target == unbound {
			b.failAt(j.at, "label %d is jumped to but never bound", j.target)
			break
		}
		if err := j.fill(b.text[j.at:], target-j.at); err != nil {
			b.failAt(j.at, "%w", err)
		}
	}
	if b.err != nil {
		return nil, b.err
	}
	return b.text, nil
}

// Offset is the position of the next instruction in bytes from the start: an entry for jit.Code.Call.
func (b *Buffer) Offset() uintptr { return uintptr(len(b.text)) }

// NewLabel returns a label that is not bound yet.
func (b *Buffer) NewLabel() Label {
	b.labels = append(b.labels, unbound)
	return Label(len(b.labels) - 1)
}

// Bind puts the label at the next instruction. A label is bound once.
func (b *Buffer) Bind(l Label) {
	b.Mark(l)
	if b.Listed() {
		b.Note(l.String() + ":")
	}
}

// Mark is Bind without a line in the listing.
func (b *Buffer) Mark(l Label) {
	if !b.known(l) {
		return
	}
	if b.labels[l] != unbound {
		b.Fail("label %d is bound twice", l)
	}
	b.labels[l] = len(b.text)
}

// Here returns a new label bound to the next instruction.
func (b *Buffer) Here() Label {
	l := b.NewLabel()
	b.Bind(l)
	return l
}

// Gap is the number of bytes that are missing to a multiple of n. It is an error if n is not a power of two
// from 1 to 4096.
func (b *Buffer) Gap(n int) int {
	if n < 1 || n > 4096 || n&(n-1) != 0 {
		b.Fail("cannot align to %d bytes: the alignment must be a power of two from 1 to 4096", n)
		return 0
	}
	return -len(b.text) & (n - 1)
}

// Emit appends machine code.
func (b *Buffer) Emit(code ...byte) { b.text = append(b.text, code...) }

// Jump says that the displacement that is about to be appended is to be filled with the distance to the label.
func (b *Buffer) Jump(l Label, fill Fill) {
	if b.known(l) {
		b.jumps = append(b.jumps, jump{len(b.text), l, fill})
	}
}

func (b *Buffer) known(l Label) bool {
	if l < 0 || int(l) >= len(b.labels) {
		b.Fail("label %d does not belong to this assembler", l)
		return false
	}
	return true
}

// Fail keeps the first error, with the place of the instruction at fault.
func (b *Buffer) Fail(format string, args ...any) { b.failAt(len(b.text), format, args...) }

// failAt notes the first failure. Later ones are mostly consequences of it.
func (b *Buffer) failAt(position int, format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf("jit: at byte %d: %w", position, fmt.Errorf(format, args...))
	}
}
