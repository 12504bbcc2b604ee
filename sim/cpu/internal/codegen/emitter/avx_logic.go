package emitter

import (
	"fmt"
	"slices"

	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/linearscan"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/pipeline"
)

// table makes a table of up to three inputs. Only AVX-512 has an instruction for all tables of three.
func (x *avx) table(a *linearscan.Allocator, op *rowprog.Op, in *pipeline.Instr, src []int, want int) (dst int) {
	switch {
	case !x.wide:
		return x.byTwoInputs(a, op, src, want)
	case op.N < 3:
		dst = a.Register(want)
		x.twoInputs(dst, op, src)
		return dst
	}
	return x.ternary(a, op, in, src, want)
}

// constant sets a register to zeros or ones.
func (x *avx) constant(register int, ones bool) {
	v := x.v(register)
	switch {
	case x.wide && ones:
		x.asm.VPTERNLOGQ(v, v, v, 0xFF) // the table of ones: what v was does not matter
	case x.wide:
		x.asm.VPXORQ(v, v, v)
	case ones:
		x.move(v, x.v(x.e.registers)) // which holds ones throughout
	default:
		x.asm.VPXOR(v, v, v)
	}
}

// shift shifts every word to the right, or moves whole words. A shift by one bit to the left is a sum, which more of
// the processor's ports can compute.
func (x *avx) shift(dst, src, by int) {
	words, whole := x.e.wholeWords(by)
	switch {
	case whole:
		x.turnWords(x.v(dst), x.v(src), words)
	case by == -1:
		x.asm.VPADDQ(x.v(dst), x.v(src), x.v(src))
	case by < 0:
		x.asm.VPSLLQ(x.v(dst), x.v(src), uint8(-by))
	default:
		x.asm.VPSRLQ(x.v(dst), x.v(src), uint8(by))
	}
}

// ternary emits one vpternlogq. It overwrites one of its three inputs. This should be an input that is
// not read again. If all are, it overwrites a copy, or the table is made of two vpxorq where these are
// faster.
//
// The instruction takes the overwritten register as input a. If that is another input of the op, the
// bits of the table are sorted again, which costs nothing: the immediate is a different constant.
func (x *avx) ternary(a *linearscan.Allocator, op *rowprog.Op, in *pipeline.Instr, src []int, want int) int {
	over := -1
	for k, v := range in.Reads {
		if a.ReadLast(v) && (over < 0 || src[k] == want) {
			over = k
		}
	}
	var dst int
	switch {
	case over >= 0:
		dst = src[over]
		a.Reuse(dst)
	case x.pairs && op.Imm == lut.Xor3:
		dst = a.Register(want)
		x.asm.VPXORQ(x.v(dst), x.v(src[0]), x.v(src[1]))
		x.asm.VPXORQ(x.v(dst), x.v(dst), x.v(src[2]))
		return dst
	default:
		over = 0
		dst = a.Register(want)
		x.copy(dst, src[0])
	}
	rest := slices.Delete([]int{0, 1, 2}, over, over+1)
	x.asm.VPTERNLOGQ(x.v(dst), x.v(src[rest[0]]), x.v(src[rest[1]]), lut.Reorder(op.Imm, [3]int{over, rest[0], rest[1]}))
	return dst
}

// twoInputs emits a table of one or two inputs for AVX-512.
func (x *avx) twoInputs(dst int, op *rowprog.Op, src []int) {
	if op.N == 1 {
		if op.Imm == lut.A {
			x.copy(dst, src[0])
			return
		}
		x.asm.VPTERNLOGQ(x.v(dst), x.v(src[0]), x.v(src[0]), 0x55) // not c, whose table is 0xAA
		return
	}
	a, b := x.v(src[0]), x.v(src[1])
	switch op.Imm {
	case lut.And:
		x.asm.VPANDQ(x.v(dst), a, b)
	case lut.Or:
		x.asm.VPORQ(x.v(dst), a, b)
	case lut.Xor:
		x.asm.VPXORQ(x.v(dst), a, b)
	case lut.NotAnd:
		x.asm.VPANDNQ(x.v(dst), a, b)
	case lut.AndNot:
		x.asm.VPANDNQ(x.v(dst), b, a)
	default: // the old content of dst is the input that does not matter
		x.asm.VPTERNLOGQ(x.v(dst), a, b, lut.Reorder(op.Imm, [3]int{2, 0, 1}))
	}
}

// operator is an operation of two inputs.
type operator uint8

const (
	and operator = iota
	or
	xor
	andNot
)

// operation makes a lookup table of two others.
type operation struct {
	op   operator
	f, g uint8
}

// byTwoInputs emits the two-input operations that make a table, for AVX2, which has no instruction for three inputs.
// The table must look at some input, and at none that it does not have.
//
// binary says of which two tables, joined by which operation, each table is made. This ends at the inputs, which are
// tables themselves:
//
//	a             1 1 1 1 0 0 0 0
//	b             1 1 0 0 1 1 0 0
//	c             1 0 1 0 1 0 1 0
//	bit 4a+2b+c   7 6 5 4 3 2 1 0     a is 0xF0, b is 0xCC, c is 0xAA
//
// Every table made on the way is remembered, so that it is not made twice.
func (x *avx) byTwoInputs(a *linearscan.Allocator, op *rowprog.Op, src []int, want int) int {
	var known [256]int8                   // by table: its register plus 1, or 0
	known[0xFF] = int8(x.e.registers) + 1 // the register after the last one holds ones
	for k, table := range []uint8{0xF0, 0xCC, 0xAA}[:op.N] {
		known[table] = int8(src[k]) + 1
	}
	var temporary []int
	var emit func(table uint8, dst int) int
	emit = func(table uint8, dst int) int {
		if known[table] > 0 {
			return int(known[table]) - 1
		}
		b := binary[table]
		if b == (operation{}) {
			panic(fmt.Sprintf("emitter: table %#02x of %d inputs looks at others", op.Imm, op.N))
		}
		f, g := emit(b.f, -1), emit(b.g, -1)
		if dst < 0 {
			dst = a.Register(-1)
			a.Lock(dst)
			temporary = append(temporary, dst)
		}
		x.operation(b.op, dst, f, g)
		known[table] = int8(dst) + 1
		return dst
	}
	dst := a.Register(want)
	a.Lock(dst)
	if made := emit(op.Imm, dst); made != dst {
		x.copy(dst, made)
	}
	a.Return(temporary)
	return dst
}

func (x *avx) operation(op operator, dst, f, g int) {
	switch op {
	case and:
		x.asm.VPAND(x.v(dst), x.v(f), x.v(g))
	case or:
		x.asm.VPOR(x.v(dst), x.v(f), x.v(g))
	case xor:
		x.asm.VPXOR(x.v(dst), x.v(f), x.v(g))
	case andNot:
		x.asm.VPANDN(x.v(dst), x.v(g), x.v(f))
	}
}
