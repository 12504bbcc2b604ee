package dataflow

import (
	"slices"

	"github.com/gosper-life/gosper/rule"
)

// any makes a row that is 1 where one of the noted digits is 1.
func (a *adder) any() Ref {
	list := slices.Clone(a.over)
	for len(list) > 1 {
		n := min(3, len(list))
		list = append(list[n:], a.b.table(0xFE, list[:n]...))
	}
	if len(list) == 0 {
		return a.b.constant(0)
	}
	return list[0]
}

// decide is threshold for sums that may have an over, and few digits.
func (b *builder) decide(n total, cell Ref, birth, survival rule.Counts) Ref {
	contains := func(set rule.Counts, number int) bool {
		return slices.ContainsFunc(set, func(i rule.Interval) bool { return i.Lo <= number && number <= i.Hi })
	}
	low := b.threshold
	d := decision{b: b, inputs: append(slices.Clone(n.digits), cell), costs: map[uint64]int{}, made: map[uint64]Ref{}}
	if len(d.inputs) <= mostInputs {
		var table uint64
		for index := range 1 << mostInputs { // inputs that are not there do not matter
			number, set := index&(1<<len(n.digits)-1), birth
			if index>>len(n.digits)&1 == 1 {
				set = survival
			}
			if contains(set, number) {
				table |= 1 << index
			}
		}
		pairs := max(len(clip(birth, n.greatest)), len(clip(survival, n.greatest)))
		// threshold takes two chains of comparisons for each pair of intervals, with a table for each digit.
		if d.cost(table) <= pairs*2*len(n.digits) {
			low = func(total, Ref, rule.Counts, rule.Counts) Ref { return d.row(table) }
		}
	}
	below := low(n, cell, birth, survival)
	if !n.hasOver {
		return below
	}
	// The inputs of the last table are over, cell and below. If over is 1, all sums mean the same, and below is wrong:
	//
	//	over       1 1     1 1     0 0 0 0
	//	cell       1 1     0 0     1 1 0 0
	//	below      1 0     1 0     1 0 1 0
	//	output    survival birth    below
	imm := uint8(0b0000_1010) // if the sum does not exceed n.greatest: the value of below
	if contains(survival, n.greatest+1) {
		imm |= 0b1100_0000
	}
	if contains(birth, n.greatest+1) {
		imm |= 0b0011_0000
	}
	return b.table(imm, n.over, cell, below)
}

// mostInputs is the most inputs of a decision, whose table then has 64 bits.
const mostInputs = 6

// decision makes a row that is any function of a few rows. The function is a table: its bit i is the output where
// input k is bit k of i. A table of more than three inputs is a choice, by one of them, between two smaller ones.
type decision struct {
	b      *builder
	inputs []Ref
	costs  map[uint64]int
	made   map[uint64]Ref
}

// ones has, for each input, the bits of a table for which it is 1.
var ones = [mostInputs]uint64{
	0xAAAAAAAAAAAAAAAA, 0xCCCCCCCCCCCCCCCC, 0xF0F0F0F0F0F0F0F0, 0xFF00FF00FF00FF00, 0xFFFF0000FFFF0000,
	0xFFFFFFFF00000000,
}

// given returns the two tables that remain of a table if an input is 0, and if it is 1.
func given(table uint64, input int) (zero, one uint64) {
	// Both results are tables of all inputs again, in which the input does not matter: each half is copied to the
	// other.
	// For input 0 the digits of a table's bits alternate. zero has the even bits twice, one the odd
	// bits:
	//
	//	bit       7 6 5 4 3 2 1 0
	//	input 0   1 0 1 0 1 0 1 0
	//	zero      g g e e c c a a      of the table h g f e d c b a
	//	one       h h f f d d b b
	by := 1 << input
	zero, one = table&^ones[input], table&ones[input]
	return zero | zero<<by, one | one>>by
}

// support lists the inputs that a table depends on.
func support(table uint64) (list []int) {
	for k := range mostInputs {
		if zero, one := given(table, k); zero != one {
			list = append(list, k)
		}
	}
	return list
}

// cost is the number of tables of three inputs for a table.
func (d *decision) cost(table uint64) int {
	n, ok := d.costs[table]
	if !ok {
		_, n = d.best(table)
		d.costs[table] = n
	}
	return n
}

// best returns the input by which to choose, -1 if a table of three inputs is enough, and the cost of
// that. It tries each input, and for both halves each of the others: 6 inputs need at most some
// hundred tables, which costs remembers. The two halves may share tables, so the true cost may be
// lower.
func (d *decision) best(table uint64) (input, cost int) {
	list := support(table)
	if len(list) <= 3 {
		return -1, min(1, len(list))
	}
	for i, k := range list {
		zero, one := given(table, k)
		n := 1 + d.cost(zero)
		// If both halves are complements of each other, only one of them is made.
		if one != ^zero {
			n += d.cost(one)
		}
		if i == 0 || n < cost {
			input, cost = k, n
		}
	}
	return input, cost
}

// row makes the row of a table.
func (d *decision) row(table uint64) Ref {
	if r, ok := d.made[table]; ok {
		return r
	}
	var r Ref
	if k, _ := d.best(table); k >= 0 {
		zero, one := given(table, k)
		if one == ^zero {
			// The halves are complements of each other, so the choice is an exclusive or, and one half is made.
			r = d.b.table(0x3C, d.inputs[k], d.row(zero))
		} else {
			r = d.b.table(0xCA, d.inputs[k], d.row(one), d.row(zero))
		}
	} else {
		r = d.small(table)
	}
	d.made[table] = r
	return r
}

// small makes the row of a table that depends on at most three inputs.
//
// The two kinds of tables have their inputs in opposite order: here the first input is the lowest digit of an
// entry's number, in a table of three inputs it is the highest.
func (d *decision) small(table uint64) Ref {
	list := support(table)
	var in []Ref
	for _, k := range list {
		in = append(in, d.inputs[k])
	}
	var imm uint8
	for row := range 8 {
		index := 0
		for i, k := range list {
			index |= row >> (2 - i) & 1 << k
		}
		imm |= uint8(table>>index&1) << row
	}
	return d.b.table(imm, in...)
}
