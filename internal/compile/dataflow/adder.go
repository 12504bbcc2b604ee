package dataflow

import (
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/internal/compile/lut"
)

// number is a row of unsigned numbers as binary digits, lowest first.
type number []Ref

// at returns the number moved by dx columns.
func (n number) at(dx int) number {
	moved := slices.Clone(n)
	for k := range moved {
		moved[k].DX += dx
	}
	return moved
}

// later returns the number as it was some rows before.
func (n number) later(rows int) number {
	past := slices.Clone(n)
	for k := range past {
		past[k] = past[k].Later(rows)
	}
	return past
}

// adder adds digits of any weight in carry-save form: three digits of one weight become one digit of
// that weight and a carry.
//
//	weight   4 2 1
//	         . . a
//	         . . b      ->      . maj xor      one full adder: two tables of a, b and c
//	         . . c
//
// No column ever has more than two digits. Carries run through all digits only at the end, in sum. Adding n digits
// therefore takes about two tables for each.
type adder struct {
	b       *builder
	columns [][]Ref
	width   int // digits beyond it are dropped, unless they are noted
	notes   bool
	over    []Ref // noted digits
	owed    int   // the surplus that the complements in the sum have added
}

// newAdder makes an adder without digits, for sums up to the greatest one.
func (b *builder) newAdder(greatest int) *adder {
	width := bits.Len(uint(greatest))
	return &adder{b: b, columns: make([][]Ref, width), width: width}
}

// digit adds a digit of weight 2^k. The third digit of a weight makes a sum and a carry, and the carry
// may be the third of its weight.
func (a *adder) digit(k int, o Ref) {
	if k >= a.width {
		if a.notes {
			a.over = append(a.over, o)
		}
		return
	}
	a.columns[k] = append(a.columns[k], o)
	if c := a.columns[k]; len(c) == 3 {
		a.columns[k] = []Ref{a.b.table(lut.Xor3, c...)}
		a.digit(k+1, a.b.table(lut.Maj, c...))
	}
}

// number adds a number times 2^shift: each of its digits goes to a column.
func (a *adder) number(n number, shift int) {
	for k, o := range n {
		a.digit(k+shift, o)
	}
}

// minus subtracts a number by adding its complement: -n is ^n + 1 - 2^digits. The constant part is
// added once, at the end. For a number of two digits:
//
//	n      3  2  1  0
//	^n     0  1  2  3      = 3 - n, so each adds 3 too much: owed
func (a *adder) minus(n number) {
	for k, o := range n {
		a.digit(k, a.b.table(lut.NotA, o))
		a.owed += 1 << k
	}
}

// sum adds up the digits that are left, from the lowest on.
func (a *adder) sum() number {
	// Complements have added too much. The excess is a constant, which is subtracted modulo 2^width.
	for k := range a.columns {
		if a.owed > 0 {
			a.digit(k, a.b.constant(-a.owed>>k&1))
		}
	}
	n := make(number, a.width)
	for k := range n {
		if c := a.columns[k]; len(c) == 2 {
			a.columns[k] = []Ref{a.b.table(lut.Xor, c[0], c[1])}
			a.digit(k+1, a.b.table(lut.And, c[0], c[1]))
		}
		if len(a.columns[k]) == 0 {
			n[k] = a.b.constant(0)
			continue
		}
		n[k] = a.columns[k][0]
	}
	return n
}

// window adds width copies of n, stride columns apart. It works by doubling: w(2m) is w(m) plus w(m)
// moved by m, and w(2m+1) has one more copy. greatest is the largest value of n. With a stride of 1:
//
//	w(2)     n at columns 0 and 1
//	w(5)     w(2) at columns 0 and 2, n at column 4
//
// A window of a thousand columns therefore takes about ten additions.
func (b *builder) window(n number, width, stride, greatest int) number {
	return b.copies(n, width, greatest, func(n number, copies int) number { return n.at(copies * stride) })
}

// copies is window for copies in any direction. The function moves a number by some copies.
func (b *builder) copies(n number, width, greatest int, move func(number, int) number) number {
	if width == 1 {
		return n
	}
	half := width / 2
	w := b.copies(n, half, greatest, move)
	a := b.newAdder(greatest * width)
	a.number(w, 0)
	a.number(move(w, half), 0)
	if width%2 == 1 {
		a.number(move(n, 2*half), 0)
	}
	return a.sum()
}

// running keeps the sum of the last height values of n, one from each row (a sliding window). It adds the value
// that enters and subtracts the one that leaves. greatest is the largest of these values.
func (b *builder) running(entering number, height, greatest int) number {
	width := bits.Len(uint(greatest * height))
	// The change from one row to the next has few digits and a sign. The sign, which is the last borrow, fills the
	// higher places, as in two's complement:
	//
	//	sum         s5 s4 s3 s2 s1 s0
	//	change       -  -  -  -  c1 c0
	leaving := make(number, len(entering))
	for k, r := range entering {
		leaving[k] = r.Later(height)
	}
	change := make(number, len(entering))
	borrow := b.constant(0)
	for k := range change {
		change[k] = b.table(lut.Xor3, entering[k], leaving[k], borrow)
		borrow = b.table(lut.Borrow, borrow, leaving[k], entering[k]) // maj(borrow, leaving, not entering)
	}
	sum := make(number, width)
	carry := b.constant(0)
	for k := range sum {
		last, digit := b.memory(), borrow // the borrow is the sign
		if k < len(change) {
			digit = change[k]
		}
		sum[k] = b.table(lut.Xor3, last, digit, carry)
		carry = b.table(lut.Maj, last, digit, carry)
		b.remember(last, sum[k])
	}
	return sum
}

// counter keeps a number of at most greatest. From row to row it goes up by one for a cell that enters, down by
// one for a cell that leaves, and moves to the right by some columns.
//
// If a cell enters and another one leaves, nothing changes. Otherwise the lowest digit flips:
//
//	enters leaves   change
//	   0      0       0
//	   0      1       1      down: a digit of 0 borrows from the next one
//	   1      0       1      up: a digit of 1 carries into the next one
//	   1      1       0
func (b *builder) counter(enters, leaves Ref, greatest, columns int) number {
	n := make(number, bits.Len(uint(greatest)))
	change := b.table(lut.Xor, enters, leaves)
	for k := range n {
		before := b.memory()
		last := before.At(-columns)
		n[k] = b.table(lut.Xor, last, change)
		// the change reaches the next digit as a carry if this digit was 1 and counts up, and as a borrow if it was 0
		// and counts down
		change = b.table(lut.Through, change, last, enters)
		b.remember(before, n[k])
	}
	return n
}

// following keeps a number from row to row. The function add adds its change.
//
// The sum is computed modulo a power of two that exceeds the greatest number. A change may therefore be negative.
func (b *builder) following(greatest int, add func(*adder)) number {
	a := b.newAdder(greatest)
	last := make(number, len(a.columns))
	for k := range last {
		last[k] = b.memory()
		a.digit(k, last[k])
	}
	add(a)
	sum := a.sum()
	for k := range sum {
		b.remember(last[k], sum[k])
	}
	return sum
}
