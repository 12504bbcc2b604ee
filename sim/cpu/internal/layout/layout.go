// Package layout says where the cells of a universe lie in the bits of vectors.
package layout

// Layout maps cells to bits. A vector is Lanes words, side by side in memory. The universe is cut into strips of n =
// Vectors columns and slabs of Rows rows. Strips and slabs lie side by side in the bits of a vector, and Strips·Slabs
// = 64·Lanes. Bit s·Strips + b of vector j of row i is the cell in column b·n + j and row s·Rows + i.
//
//	         strip 0       strip 1             strip 63
//	row i ┌─────────────┬─────────────┬─ ··· ─┬─────────────┐
//	      │0 1 2 …  n-1 │0 1 2 …  n-1 │       │0 1 2 …  n-1 │     of each slab
//	      └─│───────────┴─│───────────┴─ ··· ─┴─│───────────┘
//	        ▼ bit 0       ▼ bit 1               ▼ bit 63         of vector 1
//
// Therefore, the neighbours of all cells of a vector, in any direction, are whole vectors, and nothing is ever
// shifted. Each row has its own halo: vectors on the left (-Halo … -1) and right (n … n+Halo-1) for the cells just
// beyond each strip. If strips or slabs do not divide the size, the last ones contain padding.
type Layout struct {
	W, H    int // of the universe
	Margin  int // columns after those of the universe; strips hold them, too
	Lanes   int // words of a vector
	Strips  int // a multiple of 64
	Slabs   int
	Vectors int // of a row, without its halo: columns of a strip
	Rows    int // of a slab
	Halo    int // halo vectors on each side of a row
	Stride  int // words from row to row
}

// New returns the layout of a universe of w×h cells in vectors of the given number of words. The number of
// slabs must divide that number. halo is how far a generation reads beyond a strip.
func New(w, h, lanes, slabs, halo int) Layout { return NewWithMargin(w, 0, h, lanes, slabs, halo) }

// NewWithMargin is New for a universe with a margin: at least margin more columns, which fill the last strip. A
// margin of 0 adds no columns. Pack puts dead cells there.
func NewWithMargin(w, margin, h, lanes, slabs, halo int) Layout {
	l := Layout{W: w, H: h, Lanes: lanes, Strips: 64 * lanes / slabs, Slabs: slabs, Halo: halo}
	l.Vectors = (w + margin + l.Strips - 1) / l.Strips
	if margin > 0 {
		l.Margin = l.Vectors*l.Strips - w
	}
	l.Rows = (h + slabs - 1) / slabs
	l.Stride = ((l.Vectors+2*halo)*lanes + 7) &^ 7
	return l
}

// Wide is the number of words of one slab in a vector.
func (l *Layout) Wide() int { return l.Strips / 64 }

// Vector returns vector j of a row, -Halo ≤ j < Vectors+Halo.
func (l *Layout) Vector(row []uint64, j int) []uint64 {
	start := (l.Halo + j) * l.Lanes
	return row[start : start+l.Lanes : start+l.Lanes]
}

// Place returns the word of a row, and the bit in it, that holds column x of slab s, 0 ≤ x < W.
func (l *Layout) Place(x, s int) (word int, bit uint) {
	b := x / l.Vectors
	return (l.Halo+x%l.Vectors)*l.Lanes + s*l.Wide() + b>>6, uint(b & 63)
}

// Pack stores W cells, packed as in grid.Grid, as slab s of a row. It does not change the halo.
func (l *Layout) Pack(row []uint64, s int, cells []uint64) {
	if l.Vectors == 1 { // a strip is a column
		l.copyRow(l.Vector(row, 0)[s*l.Wide():][:l.Wide()], cells)
		return
	}
	var block [64]uint64
	columns, short := l.short()
	for c := range l.Wide() {
		at := l.Halo*l.Lanes + s*l.Wide() + c
		if short {
			words, from := block[:l.Vectors], cells[min(c*l.Vectors, len(cells)):]
			if (c+1)*64*l.Vectors > l.W { // the last cells, and dead ones
				var last [32]uint64
				if left := l.W - 64*c*l.Vectors; left > 0 {
					copy(last[:], from[:(left+63)/64])
					last[(left-1)/64] &= ^uint64(0) >> (-left & 63)
				}
				from = last[:]
			}
			packShort(words, from[:l.Vectors], columns)
			for j, v := range words {
				row[at+j*l.Lanes] = v
			}
			continue
		}
		for j := 0; j < l.Vectors; j += 64 {
			n := min(64, l.Vectors-j)
			l.gather(&block, cells, 64*c*l.Vectors+j, n)
			Transpose(&block)
			to := row[at+j*l.Lanes:]
			for k, v := range block[:n] {
				to[k*l.Lanes] = v
			}
		}
	}
}

// Unpack is the inverse of Pack: it stores slab s of a row in cells, zeros beyond column W.
func (l *Layout) Unpack(cells, row []uint64, s int) {
	if l.Vectors == 1 {
		l.copyRow(cells, l.Vector(row, 0)[s*l.Wide():][:l.Wide()])
		return
	}
	clear(cells)
	var block [64]uint64
	columns, short := l.short()
	for c := range l.Wide() {
		at := l.Halo*l.Lanes + s*l.Wide() + c
		if short {
			words := block[:l.Vectors]
			for j := range words {
				words[j] = row[at+j*l.Lanes]
			}
			if left := l.W - 64*c*l.Vectors; left >= 64*l.Vectors {
				unpackShort(cells[c*l.Vectors:(c+1)*l.Vectors], words, columns)
			} else if left > 0 {
				var last [32]uint64
				unpackShort(last[:l.Vectors], words, columns)
				n := copy(cells[c*l.Vectors:], last[:(left+63)/64])
				cells[c*l.Vectors+n-1] &= ^uint64(0) >> (uint(-left) & 63)
			}
			continue
		}
		if l.Vectors <= widestSpread {
			l.interleave(cells, row[at:], 64*c*l.Vectors)
			continue
		}
		for j := 0; j < l.Vectors; j += 64 {
			n := min(64, l.Vectors-j)
			clear(block[n:])
			for k := range n {
				block[k] = row[at+(j+k)*l.Lanes]
			}
			Transpose(&block)
			l.scatter(cells, &block, 64*c*l.Vectors+j, n)
		}
	}
}

// gather makes word b of a block the n cells from column x of 64 strips side by side: those from x + b·Vectors on.
//
//	cells …│x               │x + Vectors     │x + 2·Vectors   │…
//	        └ n ┘ word 0     └ n ┘ word 1     └ n ┘ word 2
//
// Transposed, they are the bits of n vectors. The bits of a word beyond n cells are undefined.
func (l *Layout) gather(block *[64]uint64, cells []uint64, x, n int) {
	switch step := l.Vectors; {
	case step == 64 && x+64*64 <= l.W: // whole words, one after the other
		*block = [64]uint64(cells[x>>6:])
	case step&63 == 0 && x+63*step+64 <= l.W: // whole words
		from := cells[x>>6:]
		for b := range block {
			block[b] = from[b*(step>>6)]
		}
	case x+63*step+64 < l.W: // parts of two words
		for b := range block {
			w, first := x>>6, uint(x&63)
			block[b] = cells[w]>>first | cells[w+1]<<1<<(first^63)
			x += step
		}
	default:
		for b := range block {
			block[b] = 0
			if x < l.W {
				block[b] = Load(cells, x, min(n, l.W-x))
			}
			x += step
		}
	}
}

// scatter is the inverse of gather. The cells, and the bits of the block's words beyond n cells, must be zero before.
func (l *Layout) scatter(cells []uint64, block *[64]uint64, x, n int) {
	switch step := l.Vectors; {
	case step&63 == 0 && x+63*step+64 <= l.W: // whole words
		to := cells[x>>6:]
		for b, v := range block {
			to[b*(step>>6)] = v
		}
	case x+63*step+64 < l.W: // parts of two words
		for _, v := range block {
			w, first := x>>6, uint(x&63)
			cells[w] |= v << first
			cells[w+1] |= v >> 1 >> (first ^ 63)
			x += step
		}
	default:
		for _, v := range block {
			if x < l.W {
				Store(cells, x, v, min(n, l.W-x))
			}
			x += step
		}
	}
}

// copyRow copies W cells, and clears what lies beyond.
func (l *Layout) copyRow(dst, src []uint64) {
	n := copy(dst, src[:(l.W+63)/64])
	dst[n-1] &= ^uint64(0) >> (uint(-l.W) & 63)
	clear(dst[n:])
}

// PackPart stores n cells, from bit first of cells on, as columns x, x+1, … of slab s of a row. It does not change
// other cells. Its time depends only on n. For each cell it takes several times as long as Pack.
func (l *Layout) PackPart(row []uint64, s, x, n int, cells []uint64, first int) {
	for end := x + n; x < end; {
		word, bit := l.Place(x, s)
		for range min(end-x, l.Vectors-x%l.Vectors) { // of one strip
			row[word] = row[word]&^(1<<bit) | cells[first>>6]>>(first&63)&1<<bit
			word, first, x = word+l.Lanes, first+1, x+1
		}
	}
}

// UnpackPart is the inverse of PackPart: it ORs n cells into cells, from bit first on.
func (l *Layout) UnpackPart(cells []uint64, first int, row []uint64, s, x, n int) {
	for end := x + n; x < end; {
		word, bit := l.Place(x, s)
		for range min(end-x, l.Vectors-x%l.Vectors) {
			cells[first>>6] |= row[word] >> bit & 1 << (first & 63)
			word, first, x = word+l.Lanes, first+1, x+1
		}
	}
}

// isNarrow reports whether n cells are faster handled one by one than with the whole row.
func (l *Layout) isNarrow(n int) bool { return 16*n < l.W }

// ReadPart copies n cells, from column x of slab s of a row on, to dst from its bit 0 on. Cells beyond the edges are
// dead. Few cells are taken one by one. For more, the whole row is unpacked into scratch.
func (l *Layout) ReadPart(dst, row []uint64, s, x, n int, scratch []uint64) {
	if x == 0 && n == l.W {
		l.Unpack(dst, row, s)
		return
	}
	clear(dst)
	from, to := max(x, 0), min(x+n, l.W)
	switch {
	case from >= to:
	case l.isNarrow(to - from):
		l.UnpackPart(dst, from-x, row, s, from, to-from)
	default:
		l.Unpack(scratch, row, s)
		for c := from; c < to; c += 64 {
			k := min(64, to-c)
			Store(dst, c-x, Load(scratch, c, k), k)
		}
	}
}

// WritePart is the inverse of ReadPart. It leaves the halo as it is. Cells beyond the edges are not written.
func (l *Layout) WritePart(row []uint64, s, x, n int, src, scratch []uint64) {
	from, to := max(x, 0), min(x+n, l.W)
	switch {
	case from >= to:
	case x == 0 && n == l.W:
		l.Pack(row, s, src)
	case l.isNarrow(to - from):
		l.PackPart(row, s, from, to-from, src, from-x)
	default:
		l.Unpack(scratch, row, s)
		for c := from; c < to; c += 64 {
			k := min(64, to-c)
			Replace(scratch, c, Load(src, c-x, k), k)
		}
		l.Pack(row, s, scratch)
	}
}

// Cells returns a mask for each vector 0 … Vectors-1 with a bit for every strip whose column there is one of
// the universe.
func (l *Layout) Cells() []uint64 {
	mask := make([]uint64, l.Vectors*l.Lanes)
	for x := range l.W {
		for s := range l.Slabs {
			word, bit := l.Place(x, s)
			mask[word-l.Halo*l.Lanes] |= 1 << bit
		}
	}
	return mask
}

// Places says how many columns of the universe lie from strip to strip of a layout, and how many rows from slab
// to slab. Only whether they are even matters.
type Places struct{ Strip, Slab int }

// Places are those of one universe.
func (l *Layout) Places() Places { return Places{l.Vectors, l.Rows} }

// Parities makes a row, halo and all, with a bit for each cell: the sum of its column, of its row and of 1,
// modulo 2, as far as they count. Rows and columns are counted from even ones.
func (l *Layout) Parities(at Places, column, row, one bool) []uint64 {
	cells := AlignedWords(l.Stride)
	for j := -l.Halo; j < l.Vectors+l.Halo; j++ {
		vector := l.Vector(cells, j)
		for b := range l.Strips * l.Slabs {
			odd := one
			if column {
				odd = odd != ((b%l.Strips*at.Strip+j)&1 == 1)
			}
			if row {
				odd = odd != (b/l.Strips*at.Slab&1 == 1)
			}
			if odd {
				vector[b>>6] |= 1 << (b & 63)
			}
		}
	}
	return cells
}
