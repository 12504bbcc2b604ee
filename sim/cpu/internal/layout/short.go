package layout

import (
	"math/bits"
	"sync"
)

// 64 strips of 8, 16 or 32 columns fill as many words as a strip has columns. They can therefore be turned with fewer
// exchanges than blocks of 64 columns.
//
// Bit b of word j is column j of strip b. Written in binary, the number of a bit begins with those of its word.
// With 16 vectors, numbered by bits j, and 64 strips, numbered by bits b:
//
//	          word        bit
//	before    j3 j2 j1 j0  b5 b4 b3 b2 b1 b0
//	turned    b3 b2 b1 b0  b5 b4 j3 j2 j1 j0
//	after     b3 b2 b5 b4  b1 b0 j3 j2 j1 j0
//
// Only the order of the words remains to be changed: b5 b4 b3 b2.
//
// Strips of 2 or 4 columns have fewer words than these exchanges need. Their cells are sorted by column within
// each word instead, and then words exchange parts.

// short is the number of bits of the number of a column in a strip, if words of 64 such strips are turned as a whole.
func (l *Layout) short() (columns int, ok bool) {
	columns = bits.Len(uint(l.Vectors)) - 1
	return columns, l.Vectors == 1<<columns && 1 <= columns && columns <= 5
}

// packShort makes words of 1<<columns vectors out of as many words of cells.
func packShort(words, cells []uint64, columns int) {
	if columns >= 3 {
		for i, v := range cells {
			words[inOrder(i, columns)] = v
		}
		stripsOf(words, columns)
		return
	}
	clear(words)
	part := 64 >> columns // cells of a word that are in the same column of their strips
	for i, v := range cells {
		for range columns {
			v = evensFirst(v)
		}
		for j := range words {
			words[j] |= v >> (j * part) & (1<<part - 1) << (i * part)
		}
	}
}

// unpackShort is the inverse of packShort. The words are lost.
func unpackShort(cells, words []uint64, columns int) {
	if columns >= 3 {
		cellsOf(words, columns)
		for i := range cells {
			cells[i] = words[inOrder(i, columns)]
		}
		return
	}
	part := 64 >> columns
	for i := range cells {
		var v uint64
		for j, word := range words {
			v |= word >> (i * part) & (1<<part - 1) << (j * part)
		}
		for range columns {
			v = evensLast(v)
		}
		cells[i] = v
	}
}

// widestSpread is the most columns of strips of which eight fit into a word.
const widestSpread = 8

// interleave stores the cells of 64 strips of at most widestSpread columns, from column x on. Their vectors begin at
// the first word of row. The cells must be zero before.
func (l *Layout) interleave(cells, row []uint64, x int) {
	n, spread := l.Vectors, spreads[l.Vectors]()
	for b := 0; b < 64 && x < l.W; b += 8 {
		var v uint64
		for j := range n {
			v |= spread[uint8(row[j*l.Lanes]>>b)] << j
		}
		Store(cells, x, v, min(8*n, l.W-x))
		x += 8 * n
	}
}

// spreads has, for a number of columns, the eight bits of a number so many places apart.
var spreads = func() (by [widestSpread + 1]func() *[256]uint64) {
	for n := range by {
		by[n] = sync.OnceValue(func() *[256]uint64 {
			var of [256]uint64
			for i := range of {
				for k := range 8 {
					of[i] |= uint64(i>>k&1) << (k * n)
				}
			}
			return &of
		})
	}
	return by
}()

// evensFirst moves the even bits of a word to its lower half and the odd ones to the upper.
func evensFirst(v uint64) uint64 {
	v = trade(v, 0x2222222222222222, 1)
	v = trade(v, 0x0C0C0C0C0C0C0C0C, 2)
	v = trade(v, 0x00F000F000F000F0, 4)
	v = trade(v, 0x0000FF000000FF00, 8)
	return trade(v, 0x00000000FFFF0000, 16)
}

// evensLast is the inverse of evensFirst.
func evensLast(v uint64) uint64 {
	v = trade(v, 0x00000000FFFF0000, 16)
	v = trade(v, 0x0000FF000000FF00, 8)
	v = trade(v, 0x00F000F000F000F0, 4)
	v = trade(v, 0x0C0C0C0C0C0C0C0C, 2)
	return trade(v, 0x2222222222222222, 1)
}

// trade exchanges the bits under a mask with the bits a number of places above.
func trade(v, mask uint64, by uint) uint64 {
	t := (v ^ v>>by) & mask
	return v ^ t ^ t<<by
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

// inOrder is the place where word i of cells is after cellsOf.
func inOrder(i, columns int) int {
	return (i>>(2*columns-6) | i<<(6-columns)) & (1<<columns - 1)
}

// kept has the bits whose number has a 0 as bit q.
var kept = [6]uint64{
	0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F, 0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF,
	0x00000000FFFFFFFF,
}

// swap exchanges bit k of the numbers of words with bit q of the numbers of bits in them.
func swap(a []uint64, k, q int) {
	mask := kept[q]
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
