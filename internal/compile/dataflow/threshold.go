package dataflow

import (
	"math/bits"

	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/rule"
)

// threshold makes a row that is 1 where the cell is 1 and the number is in survival, or the cell is 0 and the
// number is in birth.
//
// Intervals are taken in pairs, one from each set. Each pair takes two chains of comparisons. A chain goes from
// the lowest digit up, with one table for each digit, and finds whether n ≥ bound. The bound is a constant that
// depends on the cell.
//
// In B3/S23, the first interval of births is 3..3, and the first one of survivals is 2..3. They share
// a pair: lo is 3 for a dead cell and 2 for a live one, end is 4 for both.
//
//	inside = n ≥ lo and not n ≥ end
func (b *builder) threshold(n total, cell Ref, birth, survival rule.Counts) Ref {
	birth, survival = clip(birth, n.greatest), clip(survival, n.greatest)
	in := b.constant(0)
	for i := range max(len(birth), len(survival)) {
		// [0, 0) is the empty interval
		var lo, end [2]int // by the state of the cell
		for state, set := range []rule.Counts{birth, survival} {
			if i < len(set) {
				lo[state], end[state] = set[i].Lo, set[i].Hi+1
			}
		}
		inside := b.table(lut.AndNot, b.atLeast(n.digits, cell, lo), b.atLeast(n.digits, cell, end))
		in = b.table(lut.Or, in, inside)
	}
	return in
}

// atLeast makes a row that is 1 where n ≥ bound[cell]. It compares the digits from the lowest up. Up
// to a digit, n is at least the bound if this digit is greater than the bound's digit, or if it is the
// same and the digits below are at least those of the bound. Numbers without digits are equal, so it
// begins with 1.
//
// The bound's digit is a constant for each state of the cell. Therefore one table does this for a
// digit: its inputs are the digit of n, the cell, and the result so far.
func (b *builder) atLeast(n number, cell Ref, bound [2]int) Ref {
	result := b.constant(1)
	steps := max(len(n), bits.Len(uint(max(bound[0], bound[1]))))
	for k := range steps {
		digit := b.constant(0)
		if k < len(n) {
			digit = n[k]
		}
		var imm uint8
		for row := range 8 {
			d, c, below := row>>2&1, row>>1&1, row&1
			switch b := bound[c] >> k & 1; {
			case d > b:
				imm |= 1 << row
			case d == b:
				imm |= uint8(below << row)
			}
		}
		result = b.table(imm, digit, cell, result)
	}
	return result
}

// clip cuts the intervals of a set to 0..greatest.
func clip(set rule.Counts, greatest int) rule.Counts {
	var clipped rule.Counts
	for _, i := range set {
		i.Lo, i.Hi = max(i.Lo, 0), min(i.Hi, greatest)
		if i.Lo <= i.Hi {
			clipped = append(clipped, i)
		}
	}
	return clipped
}
