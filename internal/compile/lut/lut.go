// Package lut names three-input lookup tables. A table is a byte: its output for inputs a, b and c is bit 4a +
// 2b + c, as in the immediates of vpternlogq (AVX-512) and lop3 (PTX).
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
	Differs = 0x60 // a where b differs from c
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

// Operations returns how many operations of two inputs make a table: and, or, exclusive or, and one input without the
// other. The constants zero and one are available as inputs.
func Operations(table uint8) int { return int(operations[table] - '0') }

const operations = "" +
	"03222223231313212223234534343423" +
	"23133434252533331321342333331432" +
	"23341334253325331334212333143332" +
	"25333314432525332533333225333333" +
	"24242443142424432443432532242443" +
	"14243224230334222443244334223423" +
	"14322424233403222424434334342223" +
	"23343434452323130322222323131320"
