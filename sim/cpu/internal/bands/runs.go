package bands

import (
	"iter"
	"math/bits"

	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// run is n cells of a line beyond an edge that are copies of cells in a line. Cells are numbered along the line
// beyond the edge. Cell number first is a copy of the cell at (x, y), the next one is a copy of the cell at (x+dx,
// y+dy), and so on.
type run struct{ first, n, x, y, dx, dy int }

// runs divides n cells from (x, y) on, one every (dx, dy), to the right or down, into runs. Where an edge is
// glued to another, neighbours are copies of neighbours as long as these lie in the universe, so topology.Fold
// is asked for few cells. A run ends where a corner of the universe may lie beside it.
func (u *universe) runs(x, y, dx, dy, n int) iter.Seq[run] {
	side := dx*u.W + dy*u.H
	return func(yield func(run) bool) {
		for i := 0; i < n; {
			r := run{first: i, n: 1}
			r.x, r.y, _ = u.topology.Fold(x+i*dx, y+i*dy)
			along := dx*(x+i) + dy*(y+i)
			left := min(n-i, side-(along%side+side)%side)
			if left > 1 {
				xx, yy, _ := u.topology.Fold(x+(i+1)*dx, y+(i+1)*dy)
				r.dx, r.dy = xx-r.x, yy-r.y
				switch (run{dx: r.dx, dy: r.dy}) {
				case run{dx: 1}:
					r.n = u.W - r.x
				case run{dx: -1}:
					r.n = r.x + 1
				case run{dy: 1}:
					r.n = u.H - r.y
				case run{dy: -1}:
					r.n = r.y + 1
				}
				r.n = min(r.n, left)
			}
			if !yield(r) {
				return
			}
			i += r.n
		}
	}
}

// line returns n cells of a plane from (x, y) on, one every (dx, dy), to the right or down, packed. The line
// lies beyond an edge.
func (u *universe) line(plane, x, y, dx, dy, n int) []uint64 {
	cells, source := make([]uint64, (n+63)/64), make([]uint64, (u.W+63)/64)
	unpacked := -1 // the row in source
	for r := range u.runs(x, y, dx, dy, n) {
		if r.dy != 0 {
			u.column(cells, plane, r)
			continue
		}
		if r.y != unpacked {
			u.Unpack(source, u.row(plane, r.y%u.Rows), r.y/u.Rows)
			unpacked = r.y
		}
		for j := 0; j < r.n; j += 64 {
			n := min(64, r.n-j)
			var v uint64
			if r.dx < 0 {
				v = bits.Reverse64(layout.Load(source, r.x-j-n+1, n)) >> (64 - n)
			} else {
				v = layout.Load(source, r.x+j, n)
			}
			layout.Store(cells, r.first+j, v, n)
		}
	}
	return cells
}

// column stores a run of cells below or above each other.
func (u *universe) column(cells []uint64, plane int, r run) {
	slab, y := r.y/u.Rows, r.y%u.Rows
	word, bit := u.Place(r.x, slab)
	for j := r.first; j < r.first+r.n; j++ {
		cells[j>>6] |= u.words[(u.places[y]*u.planes+plane)*u.Stride+word] >> bit & 1 << (j & 63)
		switch y += r.dy; y {
		case -1:
			y, word = u.Rows-1, word-u.Wide()
		case u.Rows:
			y, word = 0, word+u.Wide()
		}
	}
}
