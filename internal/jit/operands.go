package jit

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

// Vec is a vector register: number 0 to 31, of which VEX instructions reach 0 to 15. X3, Y3 and Z3 share their low
// bits.
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
