// Package lut names three-input lookup tables. A table is a byte: its output for inputs a, b and c is bit 4a + 2b + c, as in the immediates of
// vpternlogq (AVX-512) and lop3 (PTX).
package lut

// Tables of fewer inputs do not depend on the others.
const (
	A       = 0xF0 // a
	NotA    = 0x0F
	And     = 0xC0 // a and b
	AndNot  = 0x30 // a and not b
	NotAnd  = 0x0C // not a, and b
	Or      = 0xFC // a or b
	Xor     = 0x3C // a xor b
	Xor3    = 0x96 // a xor b xor c: the sum of a full adder
	Maj     = 0xE8 // at least two of a, b and c: the carry of a full adder
	Borrow  = 0xD4 // at least two of a, b and not c: the borrow of c - b - a
	Through = 0x90 // a where b equals c: the carry or borrow of a counter
)

// Reorder returns a table with its inputs in another order: input k of it is input order[k] of imm.
func Reorder(imm uint8, order [3]int) uint8 {
	var result uint8
	for index := range 8 {
		from := 0
		for k, input := range order {
			from |= index >> (2 - k) & 1 << (2 - input)
		}
		result |= imm >> from & 1 << index
	}
	return result
}
