package cpu

// layout says which cell is which bit. The universe is cut into 64 strips of nv columns that lie side by side in the bits of a
// word: bit b of word j of a row is the cell in column b·nv + j.
//
//	        strip 0       strip 1             strip 63
//	row  ┌─────────────┬─────────────┬─ ··· ─┬─────────────┐
//	     │0 1 2 … nv-1 │0 1 2 … nv-1 │       │0 1 2 … nv-1 │
//	     └─│───────────┴─│───────────┴─ ··· ─┴─│───────────┘
//	       ▼ bit 0       ▼ bit 1               ▼ bit 63        of word 1
//
// So the neighbours of 64 cells to the left and right are whole words, and nothing is ever shifted. Each row has ghost words
// left (-ghost … -1) and right (nv … nv+ghost-1) of its nv words for the cells just beyond each strip; the columns ≥ w of the
// last strips are padding, of which the first ghost columns are ghost cells too.
type layout struct {
	w      int // columns of the universe
	nv     int // words (columns of a strip) in a row
	ghost  int // ghost words on each side
	stride int // words from row to row
}

const strips = 64

func newLayout(w, ghost int) layout {
	nv := (w + strips - 1) / strips
	return layout{w: w, nv: nv, ghost: ghost, stride: (nv + 2*ghost + 7) &^ 7}
}

// place is one bit of a row.
type place struct {
	word int // index into the row, ghosts included
	bit  uint
}

// places lists every bit that stands for column x, -ghost ≤ x < w+ghost: its own, and ghosts of it beside neighbouring strips.
func (l *layout) places(x int) []place {
	var all []place
	first := (x-l.nv-l.ghost)/l.nv - 1
	for b := max(first, 0); b < strips; b++ {
		j := x - b*l.nv
		if j < -l.ghost {
			break
		}
		if j < l.nv+l.ghost {
			all = append(all, place{l.ghost + j, uint(b)})
		}
	}
	return all
}

// get returns the bit of column x, 0 ≤ x < w.
func (l *layout) get(row []uint64, x int) uint64 {
	return row[l.ghost+x%l.nv] >> (x / l.nv) & 1
}

// pack stores w cells, packed as in grid.Grid, into a row in strips. Ghosts are left alone.
func (l *layout) pack(row, cells []uint64) { l.packInner(row[l.ghost:l.ghost+l.nv], cells) }

// packInner is pack for a row without ghosts.
func (l *layout) packInner(inner, cells []uint64) {
	var block [64]uint64
	for j := 0; j < l.nv; j += 64 {
		n := min(64, l.nv-j)
		for b := range block {
			block[b] = 0
			if x := b*l.nv + j; x < l.w {
				block[b] = load(cells, x, min(n, l.w-x))
			}
		}
		transpose(&block)
		copy(inner[j:j+n], block[:n])
	}
}

// unpack is the inverse of pack.
func (l *layout) unpack(cells, row []uint64) { l.unpackInner(cells, row[l.ghost:l.ghost+l.nv]) }

func (l *layout) unpackInner(cells, inner []uint64) {
	clear(cells)
	var block [64]uint64
	for j := 0; j < l.nv; j += 64 {
		n := min(64, l.nv-j)
		clear(block[n:])
		copy(block[:n], inner[j:])
		transpose(&block)
		for b := range block {
			if x := b*l.nv + j; x < l.w {
				store(cells, x, block[b], min(n, l.w-x))
			}
		}
	}
}

// load returns n ≤ 64 bits of a packed row from bit x on.
func load(cells []uint64, x, n int) uint64 {
	w, s := x>>6, uint(x&63)
	v := cells[w] >> s
	if s != 0 && int(s)+n > 64 {
		v |= cells[w+1] << (64 - s)
	}
	return v & (^uint64(0) >> (64 - n))
}

// store ORs the low n ≤ 64 bits of v into a packed row from bit x on; v has no other bits.
func store(cells []uint64, x int, v uint64, n int) {
	v &= ^uint64(0) >> (64 - n)
	w, s := x>>6, uint(x&63)
	cells[w] |= v << s
	if int(s)+n > 64 {
		cells[w+1] |= v >> (64 - s)
	}
}

// replace stores the low n ≤ 64 bits of v in a packed row from bit x on.
func replace(cells []uint64, x int, v uint64, n int) {
	store(cells, x, v, n)
	if zeros := ^v & (^uint64(0) >> (64 - n)); zeros != 0 {
		w, s := x>>6, uint(x&63)
		cells[w] &^= zeros << s
		if int(s)+n > 64 {
			cells[w+1] &^= zeros >> (64 - s)
		}
	}
}

// transpose exchanges bit i of word j with bit j of word i (Hacker's Delight, section 7-3: blocks of 32, 16, … 1).
func transpose(a *[64]uint64) {
	mask := uint64(0x00000000FFFFFFFF)
	for j := 32; j != 0; j >>= 1 {
		for k := 0; k < 64; k = (k + j + 1) &^ j {
			t := (a[k]>>j ^ a[k+j]) & mask
			a[k+j] ^= t
			a[k] ^= t << j
		}
		mask ^= mask << (j >> 1)
	}
}

// fillGhosts makes the ghosts of a row from its inner words and those of the rows of cells that lie beside it: beside[i] is the
// row i+1 universes to the left (or right), of the same width 64·nv. Without such rows the cells there are dead.
func (l *layout) fillGhosts(row []uint64, left, right [][]uint64) {
	inner := row[l.ghost : l.ghost+l.nv]
	at := func(side [][]uint64, i, j int) uint64 {
		switch {
		case i == 0:
			return inner[j]
		case i <= len(side):
			return side[i-1][j]
		}
		return 0
	}
	for k := range l.ghost {
		q, j := k/l.nv+1, k%l.nv // so many strips away
		away, bit := q/strips, q%strips
		lo := at(left, away, l.nv-1-j) << bit
		hi := at(right, away, j) >> bit
		if bit > 0 {
			lo |= at(left, away+1, l.nv-1-j) >> (strips - bit)
			hi |= at(right, away+1, j) << (strips - bit)
		}
		row[l.ghost-1-k], row[l.ghost+l.nv+k] = lo, hi
	}
}
