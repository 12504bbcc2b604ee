// Package arm64 assembles machine code for arm64: straight-line code of NEON (Advanced SIMD) and loops.
//
// On arm64 the contract of generated code with jit.Code.Call is:
//
//	on entry   X0 = args of Call, X30 = return address; everything else is undefined
//	free       X0 to X17, X19 to X27, every vector register, the flags
//	kept       SP, X18 (the system's), X28 (the goroutine, which signal handlers look for), X29 (frame pointer), X30, FPCR
//	stack      none; spills go to memory that args points to
//	on return  RET
package arm64

import (
	"encoding/binary"
	"fmt"

	"github.com/gosper-life/gosper/internal/jit/assembly"
)

// Assembler appends machine code to a buffer. Its methods carry the names of ARM's manual (Arm ARM, chapter C6
// for general registers, C7 for vectors) and take operands in its order, destination first. The zero value is
// ready for use.
type Assembler struct{ assembly.Buffer }

// Reg is a 64-bit general register, numbered as in machine code: X0 to X30.
type Reg uint8

// The general registers. Generated code must keep X18, X28, X29 and X30 (see the package comment).
const (
	X0 Reg = iota
	X1
	X2
	X3
	X4
	X5
	X6
	X7
	X8
	X9
	X10
	X11
	X12
	X13
	X14
	X15
	X16
	X17
	X18
	X19
	X20
	X21
	X22
	X23
	X24
	X25
	X26
	X27
	X28
	X29
	X30
)

// zero is register number 31. Depending on the instruction it is the register that reads as zero, or the stack
// pointer.
const zero = 31

// Vec is a vector register of 128 bits, numbered 0 to 31. V3 of a listing is register 3.
type Vec uint8

// Mem is the memory at Base + Disp.
type Mem struct {
	Base Reg
	Disp int
}

// Bytes of an instruction.
const Bytes = 4

// Align fills up with NOPs to a multiple of n bytes, n a power of two no larger than a page.
func (a *Assembler) Align(n int) {
	for gap := a.Gap(n); gap > 0; gap -= Bytes {
		a.note("nop")
		a.word(0xd503201f)
	}
}

func (a *Assembler) word(w uint32) { a.Emit(byte(w), byte(w>>8), byte(w>>16), byte(w>>24)) }

// note lists the instruction that is about to be appended.
func (a *Assembler) note(name string, operands ...any) {
	if a.Listed() {
		a.Note(name, operands...)
	}
}

// registers keeps an error and reports false if a general register does not exist.
func (a *Assembler) registers(name string, all ...Reg) bool {
	for _, r := range all {
		if r > X30 {
			a.Fail("%s: general register %d does not exist: allowed are 0 to 30", name, r)
			return false
		}
	}
	return true
}

// vectors keeps an error and reports false if a vector register does not exist.
func (a *Assembler) vectors(name string, all ...Vec) bool {
	for _, v := range all {
		if v > 31 {
			a.Fail("%s: vector register %d does not exist: allowed are 0 to 31", name, v)
			return false
		}
	}
	return true
}

// branch appends a jump. Bits shift to shift+bits-1 of the instruction hold the distance, counted in instructions of 4
// bytes and with a sign.
func (a *Assembler) branch(target assembly.Label, word uint32, bits, shift int) {
	a.Jump(target, func(code []byte, distance int) error {
		n := distance / Bytes
		if n < -1<<(bits-1) || n >= 1<<(bits-1) {
			return fmt.Errorf("a jump of %d bytes is over the %d KiB that it can reach", distance, 1<<(bits-1+2-10))
		}
		binary.LittleEndian.PutUint32(code, word|uint32(n)&(1<<bits-1)<<shift)
		return nil
	})
	a.word(word)
}

// String is the register's name.
func (r Reg) String() string { return fmt.Sprintf("x%d", uint8(r)) }

// String is the register's name, as a vector of bytes.
func (v Vec) String() string { return fmt.Sprintf("v%d.16b", uint8(v)) }

// words is a vector register whose name says that it is two words.
type words Vec

// String is the register's name.
func (v words) String() string { return fmt.Sprintf("v%d.2d", uint8(v)) }

// whole is a vector register that is loaded or stored.
type whole Vec

// String is the register's name.
func (v whole) String() string { return fmt.Sprintf("q%d", uint8(v)) }

// String writes the address, in brackets.
func (m Mem) String() string {
	if m.Disp == 0 {
		return fmt.Sprintf("[%v]", m.Base)
	}
	return fmt.Sprintf("[%v, #%d]", m.Base, m.Disp)
}

// number is an immediate value.
type number int

// String is the value in decimal.
func (n number) String() string { return fmt.Sprintf("#%d", int(n)) }
