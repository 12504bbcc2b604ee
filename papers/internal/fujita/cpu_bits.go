package fujita

import (
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/papers/experiment"
)

// bits is the bit-per-cell arrangement on one core in words of 64 cells. The array has a halo of words around the
// universe, so that no word is a special case. The halo has one word at each end of a row, one row above, and two
// rows below. DOUBLE-WORD needs the second row because it computes rows in pairs, and the last pair may have only one
// row of the universe. Word j of row y is at (j+1)·sx + (y+1)·sy.
type bits struct {
	m          Method
	w, h       int
	words      int // of a row
	sx, sy     int
	now, later []uint64
}

const (
	ghostColumns = 2
	ghostRows    = 3
)

// newBits takes memory for two copies of the words, with a frame of ghosts. sx and sy are the
// distances in memory to the next word of a row and to the next row.
func newBits(m Method, w, h int) *bits {
	b := &bits{m: m, w: w, h: h, words: (w + 63) / 64}
	b.sx, b.sy = 1, b.words+ghostColumns
	if m.Columns {
		b.sx, b.sy = h+ghostRows, 1
	}
	n := (b.words + ghostColumns) * (h + ghostRows)
	b.now, b.later = make([]uint64, n), make([]uint64, n)
	return b
}

func (b *bits) at(j, y int) int { return (j+1)*b.sx + (y+1)*b.sy }

// Load implements experiment.Stepper.
func (b *bits) Load(g *grid.Grid) error {
	if err := experiment.CheckGrid(g, b.w, b.h); err != nil {
		return err
	}
	for y := range b.h {
		for j, word := range g.Row(0, y) {
			b.now[b.at(j, y)] = word
		}
	}
	return nil
}

// Store implements experiment.Stepper.
func (b *bits) Store(g *grid.Grid) error {
	if err := experiment.CheckGrid(g, b.w, b.h); err != nil {
		return err
	}
	for y := range b.h {
		row := g.Row(0, y)
		for j := range row {
			row[j] = b.now[b.at(j, y)]
		}
		row[b.words-1] &= b.lastWord()
	}
	return nil
}

// lastWord has a bit for every cell of the last word of a row.
func (b *bits) lastWord() uint64 { return ^uint64(0) >> (63 - (b.w-1)&63) }

// Close implements experiment.Stepper.
func (b *bits) Close() error { return nil }

// Step implements experiment.Stepper.
func (b *bits) Step(n int) error {
	pass := b.rows
	if b.m.Columns {
		pass = b.columns
	}
	for range n {
		b.fillGhosts()
		pass()
		b.now, b.later = b.later, b.now
	}
	return nil
}

// fillGhosts makes the words around the universe those of a torus: only the cells next to it matter.
func (b *bits) fillGhosts() {
	end := (b.w - 1) & 63 // bit of the last cell of a row
	for y := range b.h {
		first, last := b.at(0, y), b.at(b.words-1, y)
		b.now[last] &= b.lastWord()
		b.now[first-b.sx] = b.now[last] >> end << 63
		if end < 63 {
			b.now[last] |= b.now[first] & 1 << (end + 1)
		}
		b.now[last+b.sx] = b.now[first] & 1
	}
	for j := -1; j <= b.words; j++ {
		b.now[b.at(j, -1)] = b.now[b.at(j, b.h-1)]
		b.now[b.at(j, b.h)] = b.now[b.at(j, 0)]
		b.now[b.at(j, b.h+1)] = b.now[b.at(j, 1%b.h)]
	}
}

// row is the ghosted row y.
func (b *bits) row(words []uint64, y int) []uint64 { return words[(y+1)*b.sy:][:b.sy] }

// column is the ghosted column j.
func (b *bits) column(words []uint64, j int) []uint64 { return words[(j+1)*b.sx:][:b.sx] }

// rows is one generation, row after row or pair after pair.
func (b *bits) rows() {
	if b.m.Words == DoubleWord {
		for y := 0; y < b.h; y += 2 {
			doubleRow(b.row(b.later, y), b.row(b.later, y+1), b.row(b.now, y-1), b.row(b.now, y), b.row(b.now, y+1),
				b.row(b.now, y+2))
		}
		return
	}
	for y := range b.h {
		singleRow(b.row(b.later, y), b.row(b.now, y-1), b.row(b.now, y), b.row(b.now, y+1))
	}
}

// columns is one generation, column of words after column.
func (b *bits) columns() {
	pass := singleColumn
	if b.m.Words == DoubleWord {
		pass = doubleColumn
	}
	for j := range b.words {
		pass(b.column(b.later, j), b.column(b.now, j-1), b.column(b.now, j), b.column(b.now, j+1), b.h)
	}
}

// triple is the cells left of, at, and right of those of word w, whose neighbours in the row are l and r.
func triple(l, w, r uint64) (left, word, right uint64) { return w<<1 | l>>63, w, w>>1 | r<<63 }

// singleRow computes a row, a word at a time. The slices are cut to one length first, so that the
// compiler drops its checks of indices.
func singleRow(to, up, mid, down []uint64) {
	n := len(to)
	up, mid, down = up[:n], mid[:n], down[:n]
	for x := 1; x < n-1; x++ {
		a, b, c := triple(up[x-1], up[x], up[x+1])
		d, i, e := triple(mid[x-1], mid[x], mid[x+1])
		f, g, h := triple(down[x-1], down[x], down[x+1])
		to[x] = singleWord(a, b, c, d, e, f, g, h, i)
	}
}

// doubleRow computes two rows at once. Sums that both rows need are made once.
func doubleRow(toK, toL, above, rowK, rowL, below []uint64) {
	n := len(toK)
	toL, above, rowK, rowL, below = toL[:n], above[:n], rowK[:n], rowL[:n], below[:n]
	for x := 1; x < n-1; x++ {
		a, b, c := triple(above[x-1], above[x], above[x+1])
		d, k, e := triple(rowK[x-1], rowK[x], rowK[x+1])
		i, l, j := triple(rowL[x-1], rowL[x], rowL[x+1])
		f, g, h := triple(below[x-1], below[x], below[x+1])
		toK[x], toL[x] = doubleWord(a, b, c, d, e, f, g, h, i, j, k, l)
	}
}

// singleColumn goes down a column of words. Three of the nine words around a cell are new in each row.
func singleColumn(to, left, mid, right []uint64, height int) {
	n := height + 2
	to, left, mid, right = to[:n], left[:n], mid[:n], right[:n]
	a, b, c := triple(left[0], mid[0], right[0])
	d, i, e := triple(left[1], mid[1], right[1])
	for y := 2; y < n; y++ {
		f, g, h := triple(left[y], mid[y], right[y])
		to[y-1] = singleWord(a, b, c, d, e, f, g, h, i)
		a, b, c, d, i, e = d, i, e, f, g, h
	}
}

// doubleColumn goes down two rows at a time.
func doubleColumn(to, left, mid, right []uint64, height int) {
	n := (height+1)&^1 + 2
	to, left, mid, right = to[:n], left[:n], mid[:n], right[:n]
	a, b, c := triple(left[0], mid[0], right[0])
	d, k, e := triple(left[1], mid[1], right[1])
	for y := 3; y < n; y += 2 {
		i, l, j := triple(left[y-1], mid[y-1], right[y-1])
		f, g, h := triple(left[y], mid[y], right[y])
		to[y-2], to[y-1] = doubleWord(a, b, c, d, e, f, g, h, i, j, k, l)
		a, b, c, d, k, e = i, l, j, f, g, h
	}
}
