package layout

import "math/bits"

// Numbers describes the order of words in a row before Turn makes strips of it. By vector and lane, it gives the
// number of the word of 64 cells in its slab. It is nil where strips are not made of whole words. The last strips may
// lie beyond the universe, and so may their words.
func (l *Layout) Numbers() (numbers []uint32) {
	columns := l.turned()
	if columns == 0 {
		return nil
	}
	block := 1 << columns
	for j := range l.Vectors {
		in := j & (block - 1)
		if columns < 6 {
			in = (in>>(6-columns) | in<<(2*columns-6)) & (block - 1) // the inverse of inOrder
		}
		number := j/block + in*(l.Vectors/block)
		for lane := range l.Lanes {
			numbers = append(numbers, uint32(lane%l.Wide()*l.Vectors+number))
		}
	}
	return numbers
}

// turned is the number of bits of the number of a column in the blocks of vectors that Turn turns, or 0 if it
// turns none.
func (l *Layout) turned() int {
	columns := min(6, bits.TrailingZeros(uint(l.Vectors)))
	if columns < 6 && l.Vectors != 1<<columns || columns < 3 {
		return 0
	}
	return columns
}

// Turn makes strips of words of cells: see Numbers. Turn handles all lanes at once, while Pack turns them one by one.
// It does not change the halo.
func (l *Layout) Turn(row []uint64) {
	columns, lanes := l.turned(), bits.Len(uint(l.Lanes))-1
	cells := row[l.Halo*l.Lanes:][:l.Vectors*l.Lanes]
	for block := l.Lanes << columns; len(cells) > 0; cells = cells[block:] {
		exchangeBits(cells[:block], lanes, columns, 6-columns)
		exchangeBits(cells[:block], lanes, 0, columns)
	}
}

// exchangeBits exchanges a number of bits of the word index, from bit k on, with bits of the bit index within a word,
// from bit q on. It exchanges three at a time.
func exchangeBits(a []uint64, k, q, many int) {
	for ; many >= 3; k, q, many = k+3, q+3, many-3 {
		swapThree(a, k, q)
	}
	for ; many > 0; k, q, many = k+1, q+1, many-1 {
		swapVectors(a, k, q)
	}
}
