package cpu

import "unsafe"

// layout says which cell is which bit. A vector is lanes words, side by side in memory. The universe is cut into strips of nv
// columns and slabs of nh rows, which lie side by side in the bits of a vector: bit s·strips + b of vector j of row i is the cell
// in column b·nv + j and row s·nh + i, where strips·slabs = 64·lanes.
//
//	         strip 0       strip 1             strip 63
//	row i ┌─────────────┬─────────────┬─ ··· ─┬─────────────┐
//	      │0 1 2 … nv-1 │0 1 2 … nv-1 │       │0 1 2 … nv-1 │     of each slab
//	      └─│───────────┴─│───────────┴─ ··· ─┴─│───────────┘
//	        ▼ bit 0       ▼ bit 1               ▼ bit 63         of vector 1
//
// So the neighbours of all cells of a vector, in any direction, are whole vectors, and nothing is ever shifted. Each row has
// ghost vectors left (-ghost … -1) and right (nv … nv+ghost-1) of its own for the cells just beyond each strip. Where strips or
// slabs do not divide the size, the last ones hold padding.
type layout struct {
	w, h   int // of the universe
	lanes  int // words of a vector
	strips int // a multiple of 64
	slabs  int
	nv     int // vectors (columns of a strip) in a row
	nh     int // rows of a slab
	ghost  int // ghost vectors on each side
	stride int // words from row to row
}

func newLayout(w, h, lanes, slabs, ghost int) layout {
	l := layout{w: w, h: h, lanes: lanes, strips: 64 * lanes / slabs, slabs: slabs, ghost: ghost}
	l.nv = (w + l.strips - 1) / l.strips
	l.nh = (h + slabs - 1) / slabs
	l.stride = ((l.nv+2*ghost)*lanes + 7) &^ 7
	return l
}

// wide is the words of one slab in a vector.
func (l *layout) wide() int { return l.strips / 64 }

// vector returns vector j of a row, -ghost ≤ j < nv+ghost.
func (l *layout) vector(row []uint64, j int) []uint64 {
	start := (l.ghost + j) * l.lanes
	return row[start : start+l.lanes : start+l.lanes]
}

// place is the word of a row and the bit in it where column x of slab s is, 0 ≤ x < w.
func (l *layout) place(x, s int) (word int, bit uint) {
	b := x / l.nv
	return (l.ghost+x%l.nv)*l.lanes + s*l.wide() + b>>6, uint(b & 63)
}

// pack stores w cells, packed as in grid.Grid, as slab s of a row; unpack is its inverse. Ghosts are left alone.
func (l *layout) pack(row []uint64, s int, cells []uint64) {
	var block [64]uint64
	for c := range l.wide() {
		at := l.ghost*l.lanes + s*l.wide() + c
		for j := 0; j < l.nv; j += 64 {
			n := min(64, l.nv-j)
			for b := range block {
				block[b] = 0
				if x := (64*c+b)*l.nv + j; x < l.w {
					block[b] = load(cells, x, min(n, l.w-x))
				}
			}
			transpose(&block)
			for k, v := range block[:n] {
				row[at+(j+k)*l.lanes] = v
			}
		}
	}
}

func (l *layout) unpack(cells, row []uint64, s int) {
	clear(cells)
	var block [64]uint64
	for c := range l.wide() {
		at := l.ghost*l.lanes + s*l.wide() + c
		for j := 0; j < l.nv; j += 64 {
			n := min(64, l.nv-j)
			clear(block[n:])
			for k := range n {
				block[k] = row[at+(j+k)*l.lanes]
			}
			transpose(&block)
			for b := range block {
				if x := (64*c+b)*l.nv + j; x < l.w {
					store(cells, x, block[b], min(n, l.w-x))
				}
			}
		}
	}
}

// cells returns a mask for each vector 0 … nv-1 with a bit for every strip whose column there is one of the universe.
func (l *layout) cells() []uint64 {
	mask := make([]uint64, l.nv*l.lanes)
	for x := range l.w {
		for s := range l.slabs {
			word, bit := l.place(x, s)
			mask[word-l.ghost*l.lanes] |= 1 << bit
		}
	}
	return mask
}

// move makes ghosts: the bits of vector dst in mask become those of vector src with its strips turned: strip b of dst is strip
// b+turn of src, in the same slab. A src of none makes dead cells.
type move struct {
	dst, src, turn int
	mask           []uint64 // by lane; nil: all
}

const none = 1 << 30

// moves lists the moves that make the ghosts of a row right, where source tells the column that column x (-ghost ≤ x < w+ghost)
// copies, or none for a dead cell; columns for which it says no are left alone.
func (l *layout) moves(source func(x int) (column int, ok bool)) []move {
	var all []move
	for j := -l.ghost; j < l.nv+l.ghost; j++ {
		type from struct{ src, turn int }
		masks := map[from][]uint64{}
		var order []from
		cared := 0
		for b := range l.strips {
			x := b*l.nv + j
			if x < -l.ghost || x >= l.w+l.ghost || (0 <= j && j < l.nv && x < l.w) {
				continue
			}
			column, ok := x, true
			if x < 0 || x >= l.w {
				column, ok = source(x)
			}
			if !ok {
				continue
			}
			f := from{none, 0}
			if column != none {
				f = from{column % l.nv, (column/l.nv - b + l.strips) % l.strips}
			}
			if masks[f] == nil {
				masks[f] = make([]uint64, l.lanes)
				order = append(order, f)
			}
			for s := range l.slabs {
				masks[f][s*l.wide()+b>>6] |= 1 << (b & 63)
			}
			cared++
		}
		for i, f := range order {
			m := move{j, f.src, f.turn, masks[f]}
			// Beside the universe's strips nothing is lost: the first move of a ghost vector may write it all.
			if i == 0 && (j < 0 || j >= l.nv) {
				m.mask = nil
			}
			all = append(all, m)
		}
	}
	return all
}

// mend carries out moves on a row.
func (l *layout) mend(row []uint64, moves []move) {
	wide := l.wide()
	for i := range moves {
		m := &moves[i]
		dst := l.vector(row, m.dst)
		if m.src == none {
			for k := range dst {
				if m.mask == nil {
					dst[k] = 0
				} else {
					dst[k] &^= m.mask[k]
				}
			}
			continue
		}
		src := l.vector(row, m.src)
		words, shift := m.turn>>6, uint(m.turn&63)
		for k := range dst {
			slab, c := k/wide*wide, k%wide
			v := src[slab+(c+words)%wide] >> shift
			if shift > 0 {
				v |= src[slab+(c+words+1)%wide] << (64 - shift)
			}
			if m.mask != nil {
				v = dst[k]&^m.mask[k] | v&m.mask[k]
			}
			dst[k] = v
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

// store ORs the low n ≤ 64 bits of v into a packed row from bit x on.
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

// alignedWords returns n zeroed words that start on a 64-byte boundary.
func alignedWords(n int) []uint64 {
	words := make([]uint64, n+7)
	skip := -int(uintptr(unsafe.Pointer(&words[0]))>>3) & 7
	return words[skip : skip+n : skip+n]
}
