package dataflow

import (
	"cmp"
	"slices"

	"github.com/gosper-life/gosper/internal/compile/lut"
)

// table is a lookup table while it is being simplified. Its output for inputs a, b, c is bit 4a+2b+c of imm.
// Only the first len(in) inputs are present; the others do not matter.
type table struct {
	imm uint8
	in  []Ref
}

// columns[k] has the bits of an immediate at which input k is 1.
//
// The inputs of a table, as tables themselves:
//
//	bit      7 6 5 4 3 2 1 0
//	a        1 1 1 1 0 0 0 0     0xF0
//	b        1 1 0 0 1 1 0 0     0xCC
//	c        1 0 1 0 1 0 1 0     0xAA
var columns = [3]uint8{0xF0, 0xCC, 0xAA}

// half returns imm with input k fixed to bit, so that k no longer matters.
func half(imm uint8, k int, bit uint8) uint8 {
	step := 4 >> k
	if bit == 1 {
		imm &= columns[k]
		return imm | imm>>step
	}
	imm &^= columns[k]
	return imm | imm<<step
}

// remove drops input k, which must not matter.
func (t *table) remove(k int) {
	// Exchange inputs k and k+1 until k is the last: the bits at which they differ change places. For k = 0:
	//
	//	bit    7 6 5 4 3 2 1 0
	//	a      1 1 1 1 0 0 0 0
	//	b      1 1 0 0 1 1 0 0
	//	           high
	//	               low
	for ; k < 2; k++ {
		high := columns[k] &^ columns[k+1]
		low := columns[k+1] &^ columns[k]
		shift := 4>>k - 4>>(k+1)
		t.imm = t.imm&^(high|low) | t.imm&high>>shift | t.imm&low<<shift
		if k+1 < len(t.in) {
			t.in[k], t.in[k+1] = t.in[k+1], t.in[k]
		}
	}
	t.in = t.in[:len(t.in)-1]
}

// fix sets input k to a constant and drops it.
func (t *table) fix(k int, bit uint8) {
	t.imm = half(t.imm, k, bit)
	t.remove(k)
}

// invert complements input k.
func (t *table) invert(k int) {
	step := 4 >> k
	t.imm = t.imm&columns[k]>>step | t.imm&^columns[k]<<step
}

// reduce drops repeated inputs and inputs that do not matter. It makes the immediate independent of absent inputs.
func (t *table) reduce() {
	for k := len(t.in); k < 3; k++ {
		t.imm = half(t.imm, k, 0)
	}
	for k := 1; k < len(t.in); k++ {
		if first := slices.Index(t.in[:k], t.in[k]); first >= 0 {
			// both inputs always agree, so only half of the bits can occur
			on := half(half(t.imm, first, 1), k, 1)
			off := half(half(t.imm, first, 0), k, 0)
			t.imm = on&columns[first] | off&^columns[first]
			t.remove(k)
			k--
		}
	}
	for k := 0; k < len(t.in); k++ {
		if half(t.imm, k, 0) == half(t.imm, k, 1) {
			t.remove(k)
			k--
		}
	}
}

// sort orders the inputs by node, then from old to new, then by offset.
func (t *table) sort() {
	in := slices.Clone(t.in)
	slices.SortStableFunc(in, func(a, b Ref) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(b.Delay, a.Delay), cmp.Compare(a.DX, b.DX))
	})
	var imm uint8
	for row := range 8 {
		index := 0
		for k, o := range in {
			index |= row >> (2 - k) & 1 << (2 - slices.Index(t.in, o))
		}
		imm |= t.imm >> index & 1 << row
	}
	t.imm, t.in = imm, in
}

// isCopy reports whether the table's output is its only input.
func (t *table) isCopy() bool { return t.imm == lut.A }

// node is the table as a node of a graph.
func (t *table) node() Node {
	n := Node{Kind: Table, Imm: t.imm, N: len(t.in)}
	copy(n.In[:], t.in)
	return n
}
