package codegen

import (
	"fmt"
	"slices"

	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/internal/jit/amd64"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/linearscan"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/pipeline"
)

// v is a vector register.
func (e *emitter) v(n int) amd64.Vec {
	if e.avx512 {
		return amd64.Z(n)
	}
	return amd64.Y(n)
}

func (e *emitter) move(dst, src amd64.Operand) {
	if e.avx512 {
		e.asm.VMOVDQU64(dst, src)
	} else {
		e.asm.VMOVDQU(dst, src)
	}
}

// Compute implements linearscan.Emitter. It also stores the result in the rows that it belongs to.
func (e *emitter) Compute(a *linearscan.Allocator, in *pipeline.Instr, src []int, want int) (dst int) {
	op := &e.program.Ops[in.Value]
	switch {
	case op.Kind == rowprog.Const, op.Kind == rowprog.Table && (op.Imm == 0 || op.Imm == 0xFF): // a table that looks at nothing is a constant
		dst = a.Register(want)
		e.constant(dst, op.Imm != 0)
	case e.shifts[in.Value] != 0:
		dst = a.Register(want)
		e.shift(dst, src[0], e.shifts[in.Value])
	case !e.avx512:
		dst = e.byTwoInputs(a, op, src, want)
	case op.N < 3:
		dst = a.Register(want)
		e.twoInputs(dst, op, src)
	default:
		dst = e.ternary(a, op, in, src, want)
	}
	e.keep(in.Vector, dst)
	return dst
}

func (e *emitter) constant(register int, ones bool) {
	v := e.v(register)
	switch {
	case e.avx512 && ones:
		e.asm.VPTERNLOGQ(v, v, v, 0xFF)
	case e.avx512:
		e.asm.VPXORQ(v, v, v)
	case ones:
		e.move(v, e.v(e.registers))
	default:
		e.asm.VPXOR(v, v, v)
	}
}

// shift shifts every word to the right, or by 64 bits turns the whole vector. A shift by one bit to the left is a sum, which more of the
// processor's ports can compute.
func (e *emitter) shift(dst, src, by int) {
	switch {
	case by == 64:
		e.turnWords(e.v(dst), e.v(src), 1)
	case by == -64:
		e.turnWords(e.v(dst), e.v(src), e.layout.Wide()-1)
	case by == -1:
		e.asm.VPADDQ(e.v(dst), e.v(src), e.v(src))
	case by < 0:
		e.asm.VPSLLQ(e.v(dst), e.v(src), uint8(-by))
	default:
		e.asm.VPSRLQ(e.v(dst), e.v(src), uint8(by))
	}
}

// ternary emits one vpternlogq. It overwrites one of its three inputs, which should be one that is not read again. If all are, it overwrites a copy,
// or the table is made of two vpxorq where these are faster.
func (e *emitter) ternary(a *linearscan.Allocator, op *rowprog.Op, in *pipeline.Instr, src []int, want int) int {
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
	case e.pairs && op.Imm == lut.Xor3:
		dst = a.Register(want)
		e.asm.VPXORQ(e.v(dst), e.v(src[0]), e.v(src[1]))
		e.asm.VPXORQ(e.v(dst), e.v(dst), e.v(src[2]))
		return dst
	default:
		over = 0
		dst = a.Register(want)
		e.Copy(dst, src[0])
	}
	rest := slices.Delete([]int{0, 1, 2}, over, over+1)
	e.asm.VPTERNLOGQ(e.v(dst), e.v(src[rest[0]]), e.v(src[rest[1]]), lut.Reorder(op.Imm, [3]int{over, rest[0], rest[1]}))
	return dst
}

// twoInputs emits a table of one or two inputs for AVX-512.
func (e *emitter) twoInputs(dst int, op *rowprog.Op, src []int) {
	if op.N == 1 {
		if op.Imm == lut.A {
			e.Copy(dst, src[0])
			return
		}
		e.asm.VPTERNLOGQ(e.v(dst), e.v(src[0]), e.v(src[0]), 0x55)
		return
	}
	a, b := e.v(src[0]), e.v(src[1])
	switch op.Imm {
	case lut.And:
		e.asm.VPANDQ(e.v(dst), a, b)
	case lut.Or:
		e.asm.VPORQ(e.v(dst), a, b)
	case lut.Xor:
		e.asm.VPXORQ(e.v(dst), a, b)
	case lut.NotAnd:
		e.asm.VPANDNQ(e.v(dst), a, b)
	case lut.AndNot:
		e.asm.VPANDNQ(e.v(dst), b, a)
	default: // the old content of dst is the input that does not matter
		e.asm.VPTERNLOGQ(e.v(dst), a, b, lut.Reorder(op.Imm, [3]int{2, 0, 1}))
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

// byTwoInputs emits the two-input operations that make a table, for AVX2. The table must look at some input, and at none that it does not have.
func (e *emitter) byTwoInputs(a *linearscan.Allocator, op *rowprog.Op, src []int, want int) int {
	known := map[uint8]int{0xFF: e.registers} // the register after the last one holds ones
	for k, table := range []uint8{0xF0, 0xCC, 0xAA}[:op.N] {
		known[table] = src[k]
	}
	var temporary []int
	var emit func(table uint8, dst int) int
	emit = func(table uint8, dst int) int {
		if r, ok := known[table]; ok {
			return r
		}
		b := binary[table]
		if b == (operation{}) {
			panic(fmt.Sprintf("codegen: table %#02x of %d inputs looks at others", op.Imm, op.N))
		}
		f, g := emit(b.f, -1), emit(b.g, -1)
		if dst < 0 {
			dst = a.Register(-1)
			a.Lock(dst)
			temporary = append(temporary, dst)
		}
		e.operation(b.op, dst, f, g)
		known[table] = dst
		return dst
	}
	dst := a.Register(want)
	a.Lock(dst)
	if made := emit(op.Imm, dst); made != dst {
		e.Copy(dst, made)
	}
	a.Return(temporary)
	return dst
}

func (e *emitter) operation(op operator, dst, f, g int) {
	switch op {
	case and:
		e.asm.VPAND(e.v(dst), e.v(f), e.v(g))
	case or:
		e.asm.VPOR(e.v(dst), e.v(f), e.v(g))
	case xor:
		e.asm.VPXOR(e.v(dst), e.v(f), e.v(g))
	case andNot:
		e.asm.VPANDN(e.v(dst), e.v(g), e.v(f))
	}
}
