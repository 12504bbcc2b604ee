package emitter

import (
	"slices"

	tables "github.com/gosper-life/gosper/internal/compile/lut/neon"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/internal/jit/arm64"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/linearscan"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/pipeline"
)

// table emits the chain of operations that makes a lookup table.
func (n *neon) table(a *linearscan.Allocator, op *rowprog.Op, in *pipeline.Instr, src []int, want int) (dst int) {
	c := &chain{n: n, a: a, operations: tables.Chain(op.Imm, n.sha3), in: in, values: [7]int{-1, -1, -1}}
	copy(c.values[:], src)
	if len(c.operations) == 0 { // a table that is one of its inputs
		dst = a.Register(want)
		n.copy(dst, src[slices.Index([]uint8{0xF0, 0xCC, 0xAA}, op.Imm)])
		return dst
	}
	for i := range c.operations {
		dst = c.emit(i, want)
	}
	a.Return(slices.DeleteFunc(c.temporary, func(r int) bool { return r == dst }))
	if k := slices.Index(src, dst); k >= 0 {
		a.Reuse(dst)
	}
	return dst
}

// chain is the operations of a lookup table while they are emitted.
type chain struct {
	n          *neon
	a          *linearscan.Allocator
	operations []tables.Operation
	in         *pipeline.Instr
	values     [7]int // registers: of the inputs of the table, then of the results so far
	temporary  []int  // registers that were taken
}

// emit emits an operation and returns the register of its result.
func (c *chain) emit(i, want int) (dst int) {
	if i < len(c.operations)-1 {
		want = -1
	}
	o := c.operations[i]
	var in [3]int
	for k := range o.Kind.Inputs() {
		in[k] = c.values[o.In[k]]
	}
	// Only a choice must overwrite an input: BSL, BIF and BIT have three inputs and write to one of
	// them. All other operations may write to any register. For those, overwriting saves a register.
	over := -1 // an input that may be overwritten
	for k, v := range o.In[:o.Kind.Inputs()] {
		if c.free(i, int(v)) && (over < 0 || in[k] == want || v > 2) {
			over = k
		}
	}
	switch {
	case over >= 0 && (o.Kind == tables.Choose || want < 0):
		dst = in[over]
	default:
		dst = c.a.Register(want)
		c.a.Lock(dst)
		c.temporary = append(c.temporary, dst)
		if o.Kind == tables.Choose {
			over = 0
			c.n.copy(dst, in[0])
		}
	}
	c.values[3+i] = dst
	halves(func(half func(int) arm64.Vec) {
		c.n.operation(o.Kind, half(dst), half(in[0]), half(in[1]), half(in[2]), over)
	})
	return dst
}

// free reports whether nothing needs a value after operation i.
func (c *chain) free(i, value int) bool {
	for _, later := range c.operations[i+1:] {
		for _, v := range later.In[:later.Kind.Inputs()] {
			if int(v) < 3+i && c.values[v] == c.values[value] {
				return false
			}
		}
	}
	return value > 2 || c.a.ReadLast(c.in.Reads[value])
}

// operation emits one operation. A choice overwrites input number over, which is in dst.
func (n *neon) operation(kind tables.Kind, dst, x, y, z arm64.Vec, over int) {
	switch kind {
	case tables.Not:
		n.asm.MVN(dst, x)
	case tables.And:
		n.asm.AND(dst, x, y)
	case tables.Or:
		n.asm.ORR(dst, x, y)
	case tables.Xor:
		n.asm.EOR(dst, x, y)
	case tables.AndNot:
		n.asm.BIC(dst, x, y)
	case tables.OrNot:
		n.asm.ORN(dst, x, y)
	case tables.Xor3:
		n.asm.EOR3(dst, x, y, z)
	case tables.XorAndNot:
		n.asm.BCAX(dst, x, y, z)
	case tables.Choose:
		// All three are x ? y : z. They differ in the input that they overwrite.
		switch over {
		case 0:
			n.asm.BSL(dst, y, z)
		case 1:
			n.asm.BIF(dst, z, x)
		default:
			n.asm.BIT(dst, y, x)
		}
	}
}

// shift shifts every word to the right, or moves whole words.
func (n *neon) shift(dst, src, by int) {
	if words, whole := n.e.wholeWords(by); whole {
		n.turnWords(dst, src, words)
		return
	}
	halves(func(half func(int) arm64.Vec) { n.shiftWords(half(dst), half(src), by) })
}

// shiftWords shifts words of a register. A shift by one bit to the left is a sum, which more of the processor's
// pipes can compute.
func (n *neon) shiftWords(dst, src arm64.Vec, by int) {
	switch {
	case by == -1:
		n.asm.ADDWords(dst, src, src)
	case by < 0:
		n.asm.SHL(dst, src, -by)
	default:
		n.asm.USHR(dst, src, by)
	}
}
