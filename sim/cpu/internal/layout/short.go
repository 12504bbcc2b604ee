package layout

import "math/bits"

// Strips of 8, 16 or 32 columns, 64 of them to a word, take as many words of cells as they have vectors. So they are turned by fewer exchanges than
// blocks of 64 columns.
//
// Bit b of word j is column j of strip b. Written in binary, the number of a bit begins with those of its word. With 16 vectors, numbered
// by bits j, and 64 strips, numbered by bits b:
//
//	          word        bit
//	before    j3 j2 j1 j0  b5 b4 b3 b2 b1 b0
//	turned    b3 b2 b1 b0  b5 b4 j3 j2 j1 j0
//	after     b3 b2 b5 b4  b1 b0 j3 j2 j1 j0
//
// What is left is the order of words: b5 b4 b3 b2.

// short is how many bits the number of a column in a strip has, if words of 64 such strips are turned as a whole.
func (l *Layout) short() (columns int, ok bool) {
	columns = bits.Len(uint(l.Vectors)) - 1
	return columns, l.Vectors == 1<<columns && 3 <= columns && columns <= 5
}

// cellsOf turns the words of 1<<columns vectors into as many words of cells.
func cellsOf(a []uint64, columns int) {
	for k := range columns {
		swap(a, k, k)
	}
	for k := range 6 - columns {
		swap(a, k, columns+k)
	}
}

// stripsOf is the inverse of cellsOf.
func stripsOf(a []uint64, columns int) {
	for k := range 6 - columns {
		swap(a, k, columns+k)
	}
	for k := range columns {
		swap(a, k, k)
	}
}

// inOrder is where word i of cells is after cellsOf.
func inOrder(i, columns int) int {
	return (i>>(2*columns-6) | i<<(6-columns)) & (1<<columns - 1)
}

// swap exchanges bit k of the numbers of words with bit q of the numbers of bits in them.
func swap(a []uint64, k, q int) {
	mask := [6]uint64{0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F, 0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF, 0x00000000FFFFFFFF}[q]
	by, step := uint(1)<<q, 1<<k
	for first := 0; first+step < len(a); first += 2 * step {
		low, high := a[first:first+step], a[first+step:first+2*step]
		for i, v := range low {
			t := (v>>(by&63) ^ high[i]) & mask
			high[i] ^= t
			low[i] = v ^ t<<(by&63)
		}
	}
}
