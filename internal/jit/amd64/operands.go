package amd64

import "fmt"

// Operand is a place or value an instruction works on: [Reg], [Vec], [Mem] or [Imm]. Every method says which it takes.
type Operand interface{ operand() }

// Reg is a 64-bit general register, numbered as in machine code.
type Reg uint8

// The general registers. Generated code must keep RSP and RBP (see the package comment).
const (
	RAX Reg = iota
	RCX
	RDX
	RBX
	RSP
	RBP
	RSI
	RDI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
)

// Width is the width of a vector register, numbered as the L field of VEX and EVEX.
type Width uint8

// The vector widths: 128, 256 and 512 bits.
const (
	W128 Width = iota
	W256
	W512
)

// Bytes is the width in bytes: 16, 32 or 64.
func (w Width) Bytes() int { return 16 << w }

// Vec is a vector register: number 0 to 31. VEX instructions reach only 0 to 15. X3, Y3 and Z3 share their low bits.
type Vec struct {
	Number int
	Width  Width
}

// X is the 128-bit register n.
func X(n int) Vec { return Vec{n, W128} }

// Y is the 256-bit register n.
func Y(n int) Vec { return Vec{n, W256} }

// Z is the 512-bit register n.
func Z(n int) Vec { return Vec{n, W512} }

// Mem is the memory at Base + Index·Scale + Disp. How many bytes of it is the instruction's matter.
type Mem struct {
	Base  Reg
	Index Reg   // not RSP; ignored when Scale is 0
	Scale uint8 // 1, 2, 4 or 8; 0: no index
	Disp  int32
}

// Imm is an immediate value. All instructions but MOV to a register take 32 bits and extend the sign.
type Imm int64

func (Reg) operand() {}
func (Vec) operand() {}
func (Mem) operand() {}
func (Imm) operand() {}

var registers = [...]string{
	"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
}

// String is the register's name.
func (r Reg) String() string {
	if int(r) < len(registers) {
		return registers[r]
	}
	return fmt.Sprintf("register %d", uint8(r))
}

// String is the register's name.
func (v Vec) String() string { return fmt.Sprintf("%c%d", "xyz?"[min(v.Width, 3)], v.Number) }

// String writes the address, in brackets.
func (m Mem) String() string {
	text := m.Base.String()
	switch {
	case m.Scale == 1:
		text += "+" + m.Index.String()
	case m.Scale > 1:
		text += fmt.Sprintf("+%d*%s", m.Scale, m.Index)
	}
	if m.Disp != 0 {
		text += fmt.Sprintf("%+d", m.Disp)
	}
	return "[" + text + "]"
}

// String is the value in decimal.
func (v Imm) String() string { return fmt.Sprintf("%d", int64(v)) }
