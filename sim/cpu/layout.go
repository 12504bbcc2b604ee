package cpu

import (
	"math/bits"
)

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
func (l *layout) pack(row, cells []uint64) {
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
		copy(row[l.ghost+j:l.ghost+j+n], block[:n])
	}
}

// unpack is the inverse of pack.
func (l *layout) unpack(cells, row []uint64) {
	clear(cells)
	var block [64]uint64
	for j := 0; j < l.nv; j += 64 {
		n := min(64, l.nv-j)
		clear(block[n:])
		copy(block[:n], row[l.ghost+j:])
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

// fillGhosts copies the inner edges of each strip to the ghosts of the strips beside it. Ghosts of columns beyond the universe
// come out wrong and are for the edge columns to mend.
func (l *layout) fillGhosts(row []uint64) {
	inner := row[l.ghost : l.ghost+l.nv]
	for k := 1; k <= l.ghost; k++ {
		q, r := (k-1)/l.nv+1, l.nv-1-(k-1)%l.nv
		row[l.ghost-k] = inner[r] << min(q, 64)
		q, r = (k-1)/l.nv+1, (k-1)%l.nv
		row[l.ghost+l.nv+k-1] = inner[r] >> min(q, 64)
	}
}

// count returns the population of a row's inner words. Padding must not be counted: mask[j] has the bits of word j that are cells.
func (l *layout) count(row, mask []uint64) int {
	n := 0
	for j, v := range row[l.ghost : l.ghost+l.nv] {
		n += bits.OnesCount64(v & mask[j])
	}
	return n
}
