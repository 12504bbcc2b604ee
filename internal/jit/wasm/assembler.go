// Package wasm assembles modules of WebAssembly: functions that compute with vectors of 128 bits in a memory
// that they are given.
//
// The contract of a module with jit.Code.Call is:
//
//	import    the memory of the program that calls, as "host" "memory"
//	export    functions "0", "1", …: the entries
//	function  one parameter, local 0: the address of the arguments; no result
//
// Format: WebAssembly Core Specification 2.0, chapter 5.
package wasm

import (
	"encoding/binary"
	"strconv"

	"github.com/gosper-life/gosper/internal/jit/assembly"
)

// Assembler appends a module to a buffer: Begin, then Function, instructions and End for each function. The
// methods that append an instruction carry the names of the specification. Operands come from the stack and
// results go there. The zero value is ready for use.
//
// Blocks and loops are nested. A jump leaves a block, or goes back to the beginning of a loop. NewLabel and Here open
// them, Bind and End close them.
type Assembler struct {
	assembly.Buffer
	functions int // begun
	open      int // blocks and loops of this function
	ends      []assembly.Label
}

// The numbers of sections and types.
const (
	typeSection, importSection, functionSection, exportSection, codeSection = 1, 2, 3, 7, 10

	function, memory         = 0x60, 0x02
	i32, v128, nothing uint8 = 0x7f, 0x7b, 0x40
)

// Begin begins a module with the given number of functions.
func (a *Assembler) Begin(functions int) {
	a.note("module")
	a.Emit(0, 'a', 's', 'm', 1, 0, 0, 0)
	section := func(id byte, content ...byte) {
		a.Emit(id)
		a.unsigned(len(content))
		a.Emit(content...)
	}
	section(typeSection, 1, function, 1, i32, 0)
	names := append([]byte{1}, name("host")...)
	section(importSection, append(append(names, name("memory")...), memory, 0, 0)...) // of any size
	types, exports := []byte{byte(functions)}, []byte{byte(functions)}
	for i := range functions {
		types, exports = append(types, 0), append(append(exports, name(strconv.Itoa(i))...), 0, byte(i))
	}
	section(functionSection, types...)
	section(exportSection, exports...)
	a.Emit(codeSection)
	a.size()
	a.unsigned(functions)
}

func name(s string) []byte { return append([]byte{byte(len(s))}, s...) }

// Function begins a function with locals beside its parameter: numbers of 32 bits from local 1 on, then vectors.
func (a *Assembler) Function(numbers, vectors int) {
	a.note("func", a.functions)
	a.functions++
	a.size()
	a.unsigned(2)
	a.unsigned(numbers)
	a.Emit(i32)
	a.unsigned(vectors)
	a.Emit(v128)
}

// size leaves room for the size of the part that begins here. close ends the part and fills in its size.
func (a *Assembler) size() {
	const bytes = 5
	end := a.Buffer.NewLabel()
	a.Jump(end, func(code []byte, distance int) error {
		for i, n := 0, distance-bytes; i < bytes; i, n = i+1, n>>7 {
			code[i] = byte(n)&0x7f | 0x80
		}
		code[bytes-1] &= 0x7f
		return nil
	})
	a.Emit(make([]byte, bytes)...)
	a.ends = append(a.ends, end)
}

// close ends the innermost open block and places the label that leads behind it.
func (a *Assembler) close() {
	last := len(a.ends) - 1
	a.Mark(a.ends[last])
	a.ends = a.ends[:last]
}

// Code returns the module, or the first error.
func (a *Assembler) Code() ([]byte, error) {
	if len(a.ends) == 1 {
		a.close()
	}
	return a.Buffer.Code()
}

// Offset is the number of the next function: an entry for jit.Code.Call.
func (a *Assembler) Offset() uintptr { return uintptr(a.functions) }

// NewLabel opens a block and returns its end.
func (a *Assembler) NewLabel() assembly.Label {
	a.instruction("block", 0x02)
	return a.opened()
}

// Here opens a loop and returns its beginning.
func (a *Assembler) Here() assembly.Label {
	a.instruction("loop", 0x03)
	return a.opened()
}

func (a *Assembler) opened() assembly.Label {
	a.Emit(nothing)
	a.open++
	return assembly.Label(a.open)
}

// Bind ends the block of a label, which must be the innermost.
func (a *Assembler) Bind(l assembly.Label) {
	if int(l) != a.open {
		a.Fail("block %d ends in block %d", int(l), a.open)
	}
	a.End()
}

// End ends a loop, a block or the function.
func (a *Assembler) End() {
	a.instruction("end", 0x0b)
	if a.open--; a.open < 0 {
		a.open = 0
		a.close()
	}
}

// Br jumps to a label.
func (a *Assembler) Br(l assembly.Label) { a.branch("br", 0x0c, l) }

// BrIf jumps to a label if a number is not zero.
func (a *Assembler) BrIf(l assembly.Label) { a.branch("br_if", 0x0d, l) }

// branch writes a branch to the end of a block, or to the beginning of a loop. WebAssembly counts
// blocks from the innermost one out.
func (a *Assembler) branch(name string, code byte, l assembly.Label) {
	out := a.open - int(l)
	if l < 1 || out < 0 {
		a.Fail("label %d is of no block that is open", int(l))
	}
	a.instruction(name, code, uint32(out))
}

// instruction appends an instruction with operands that are numbers.
func (a *Assembler) instruction(name string, code byte, operands ...uint32) {
	if a.Listed() {
		a.Note(name, list(operands)...)
	}
	a.Emit(code)
	for _, n := range operands {
		a.unsigned(int(n))
	}
}

// list turns the numbers of operands into arguments of Note.
func list(operands []uint32) (list []any) {
	for _, n := range operands {
		list = append(list, n)
	}
	return list
}

func (a *Assembler) note(name string, operands ...any) {
	if a.Listed() {
		a.Note(name, operands...)
	}
}

// unsigned appends an unsigned LEB128 number.
func (a *Assembler) unsigned(n int) { a.Emit(binary.AppendUvarint(nil, uint64(n))...) }
