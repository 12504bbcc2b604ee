package synth

// Block returns a network of any rule of the 3×3 block: bit i&63 of table[i>>6] is the next state of the middle cell of block i
// (see Network.Eval for the index).
func Block(table [8]uint64) Network {
	b := newBuilder()
	e := &expander{b: b}
	for _, i := range []int{4, 1, 7, 0, 3, 6, 2, 5, 8} {
		e.splits = append(e.splits, b.cell[i])
	}
	return b.network(e.expand(table, truth{}.not()))
}

// Transpose exchanges rows and columns of a table, for callers whose networks run rows first.
func Transpose(table [8]uint64) [8]uint64 {
	var out [8]uint64
	for block := range 512 {
		turned := 0
		for i := range 9 {
			turned |= block >> (8 - i) & 1 << (8 - (i%3*3 + i/3))
		}
		out[turned>>6] |= table[block>>6] >> (block & 63) & 1 << (turned & 63)
	}
	return out
}

// shannon expands t cell by cell in the given order; the last three cells are one column and need one lookup table.
func (b *builder) shannon(t truth, order []int) ref {
	if r, ok := b.find(t); ok {
		return r
	}
	if len(order) == 3 {
		var imm uint8
		for k := range 8 {
			block := k>>2&1<<(8-order[0]) | k>>1&1<<(8-order[1]) | k&1<<(8-order[2])
			if t.at(block) {
				imm |= 1 << k
			}
		}
		return b.lut(imm, b.cell[order[0]], b.cell[order[1]], b.cell[order[2]])
	}
	high, low := t.cofactors(order[0])
	if high == low {
		return b.shannon(low, order[1:])
	}
	return b.mux(b.cell[order[0]], b.shannon(high, order[1:]), b.shannon(low, order[1:]))
}

// cofactors returns t with cell i fixed to 1 and to 0, as functions that do not depend on it.
func (t truth) cofactors(i int) (high, low truth) {
	bit := 8 - i
	for w := range t {
		if bit >= 6 {
			high[w], low[w] = t[w|1<<(bit-6)], t[w&^(1<<(bit-6))]
			continue
		}
		shift := uint(1) << bit
		mask := cells[i][0]
		high[w] = t[w]&mask | t[w]&mask>>shift
		low[w] = t[w]&^mask | t[w]&^mask<<shift
	}
	return high, low
}
