// Package tail finds the last gates of an outer-totalistic rule. They compute the next state from the cell and
// four sums of its 3×3 block. Package synth and the generator of its table of tails share it.
//
// With p = xor3 and q = maj3 of each column, the live cells of the block number
//
//	count = parity + 2·(carry + pairs) + 4·fours
//	parity, carry = xor3(p), maj3(p)        pairs, fours = xor3(q), maj3(q)
//
// A rule is therefore a function of five signals (parity, carry, pairs, fours, cell). Only 30 of their 32 values
// occur. They form 18 classes (cell, neighbours), and a rule has one value for each class, so a function is a word of
// 30 bits, of which 18 are free.
package tail

import (
	"math/bits"
	"sync"
)

// Function is a function of the five signals: bit i is its value at point i. Points 0 to 17 are one of each
// class, in the order of Rule's bits; the others repeat a class.
type Function uint32

const (
	classes = 18
	points  = 30
)

// All is the constant 1.
const All Function = 1<<points - 1

// The two bits of a sum of three bits, and the bit that is 1 for the sums 1 and 2. Any two of the three
// determine the sum. The choice of the two decides which functions the gates after them can compute.
const (
	odd   uint8 = 0x96 // the sum is 1 or 3
	upper uint8 = 0xE8 // 2 or 3
	inner uint8 = 0x7E // 1 or 2
)

// Base is a choice of the first four gates: two tables over the three p, and two over the three q. The other
// gates read these four and the cell: five signals.
type Base struct{ P, Q [2]uint8 }

// Bases lists the choices, the two full adders first.
var Bases = func() (all []Base) {
	pairs := [][2]uint8{{odd, upper}, {odd, inner}, {inner, upper}}
	for _, p := range pairs {
		for _, q := range pairs {
			all = append(all, Base{p, q})
		}
	}
	return all
}()

// Signals returns the five signals of a base: P, Q and the cell.
func (b Base) Signals() []Function {
	all := enumerated()
	pick := func(low, high Function, table uint8) Function {
		switch table {
		case odd:
			return low
		case upper:
			return high
		default:
			return low ^ high
		}
	}
	return []Function{
		pick(all.parity, all.carry, b.P[0]), pick(all.parity, all.carry, b.P[1]),
		pick(all.pairs, all.fours, b.Q[0]), pick(all.pairs, all.fours, b.Q[1]), all.cell,
	}
}

// enumerated has the sums of columns and the cell as functions, and the class of each point.
var enumerated = sync.OnceValue(enumerate)

type enumeration struct {
	parity, carry, pairs, fours, cell Function
	classOf                           [points]int
}

// enumerate goes through all blocks and numbers the points. A point is the signals that a block gives: the sums p of
// the columns' lower digits and q of their upper digits, from 0 to 3 each, and the cell s. A class of blocks with
// several points has its first one under its own number, and the others after all classes:
//
//	sums   bit 4 3   2 1   0
//	           p     q     s
func enumerate() *enumeration {
	e := new(enumeration)
	var seen [32]bool
	used := [classes]bool{}
	next := classes
	for block := range uint(512) {
		var p, q uint
		for x := range 3 {
			column := block>>(8-x)&1 + block>>(5-x)&1 + block>>(2-x)&1
			p += column & 1
			q += column >> 1
		}
		s := block >> 4 & 1
		sums := p<<3 | q<<1 | s
		if seen[sums] {
			continue
		}
		seen[sums] = true
		at := [5]uint{p & 1, p >> 1, q & 1, q >> 1, s}
		class := bits.OnesCount(block&^16) + 9*int(s)
		point := class
		if used[class] {
			point = next
			next++
		}
		used[class] = true
		e.classOf[point] = class
		e.parity |= Function(at[0]) << point
		e.carry |= Function(at[1]) << point
		e.pairs |= Function(at[2]) << point
		e.fours |= Function(at[3]) << point
		e.cell |= Function(at[4]) << point
	}
	return e
}

// Lookup applies a lookup table to whole functions, index 4a+2b+c.
func Lookup(imm uint8, a, b, c Function) Function {
	var out Function
	for index := range 8 {
		if imm>>index&1 == 1 {
			out |= minterm(index, a, b, c)
		}
	}
	return out
}

// minterm is the product of a, b and c, of which those are complemented that are 0 in the digits of index.
func minterm(index int, a, b, c Function) Function {
	out := All
	for i, x := range [3]Function{a, b, c} {
		if index>>(2-i)&1 == 1 {
			out &= x
		} else {
			out &^= x
		}
	}
	return out
}

// Triples lists the choices of three of n signals, in the order of their largest number. The list for fewer
// signals is a prefix of the list for more.
func Triples(n int) (all [][3]int) {
	for a := range n {
		for b := range a {
			for c := range b {
				all = append(all, [3]int{a, b, c})
			}
		}
	}
	return all
}
