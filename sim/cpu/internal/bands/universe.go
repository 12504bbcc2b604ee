package bands

import (
	"math/bits"

	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
	"github.com/gosper-life/gosper/topology"
)

// universe holds the cells of a bounded universe. It is the only type that handles its edges. A place of its memory has
// the planes of one row of every slab, and rows change their places from pass to pass:
//
//	words     place 0: plane 0 │ plane 1 │ …    place 1: plane 0 │ plane 1 │ …
//	a plane   halo │ vector 0 │ vector 1 │ … │ vector Vectors−1 │ halo
//	row y     is at place places[y]
type universe struct {
	layout.Layout
	topology topology.Topology
	planes   int
	place    [2]int        // for random bits: see sim.Placer
	words    []uint64      // place p of plane k begins at (p·planes + k)·stride
	places   []int         // by row: where it is
	own      []uint64      // the bits of vectors 0 … Vectors-1 that are columns of the universe
	halo     []layout.Move // fill a row's halo as far as its cells lie in the row itself
	// columns beyond each edge that are kept in the margin because they are copies of cells in other rows; else 0
	reach    int
	margin   []spot   // these columns, by their distance
	spots    []int    // by distance: how many spots are nearer
	edge     int      // words that hold the margin of one row, a bit for each column
	gathered []uint64 // the margin before a pass: by row, plane, word of the margin and slab
	// the columns at the left and right edge before a pass, a bit each from the left: by row, plane, side and slab
	ends []uint64
}

// newUniverse makes a dead universe. Its memory has spare places for rows, in addition to its own rows. The layout
// has a margin of reach columns beyond each edge.
func newUniverse(t topology.Topology, planes int, l layout.Layout, reach, spare int) *universe {
	u := &universe{Layout: l, topology: t, planes: planes, reach: reach}
	u.words = layout.LargeWords((u.Rows + spare) * planes * u.Stride)
	u.places = make([]int, u.Rows)
	for i := range u.places {
		u.places[i] = i
	}
	u.own = u.Cells()
	if u.topology.KeepsRows() {
		u.halo = u.Moves(func(x int) (int, bool) {
			if column, _, inside := t.Fold(x, 0); inside {
				return column, true
			}
			return layout.None, true
		})
		return u
	}
	// The margin closes a row to a ring. Its columns are numbered from 0 at the right edge to 2·reach−1 at the left edge:
	//
	//	column of the ring     0 … W−1         W … W+reach−1            ring−reach … ring−1
	//	what it holds          the universe    beyond the right edge    beyond the left edge
	//	column of the margin                   0 … reach−1              reach … 2·reach−1
	ring := u.W + u.Margin
	u.halo = u.Moves(func(x int) (int, bool) { return (x + ring) % ring, true })
	for k := range u.reach {
		u.spots = append(u.spots, len(u.margin))
		u.mark(k, u.W+k)
		u.mark(2*u.reach-1-k, ring-1-k)
	}
	u.spots = append(u.spots, len(u.margin))
	u.edge = (2*u.reach + 63) / 64
	u.gathered = make([]uint64, u.Rows*u.Slabs*planes*u.edge)
	if u.edge == 1 && t.Kind != topology.Sphere {
		u.ends = make([]uint64, u.Rows*planes*2*u.Slabs)
	}
	return u
}

// spot is the place where slab 0 of a row has a column of the margin, in a strip or in a halo. Columns are
// counted from 0: first those beyond the right edge, then those beyond the left edge, which end with the
// nearest.
type spot struct {
	bit  uint64 // of the word
	word int32
	from uint16 // the word of the margin's cells
	turn uint8  // how far to the left this word is rotated until the column is at the bit
}

// mark adds the spots of a column of the margin, which is column x of the ring.
func (u *universe) mark(column, x int) {
	ring := u.W + u.Margin
	for _, x := range []int{x - ring, x, x + ring} {
		if x < -u.Halo || x >= ring+u.Halo {
			continue
		}
		for b := max(0, (x-u.Halo)/u.Vectors); b < u.Strips && b*u.Vectors <= x+u.Halo; b++ {
			u.margin = append(u.margin, spot{
				1 << (b & 63), int32((u.Halo+x-b*u.Vectors)*u.Lanes + b>>6), uint16(column >> 6),
				uint8((b - column) & 63),
			})
		}
	}
}

// side is a range of n columns of the margin, beginning with column first of the margin. They stand for columns x,
// x+1, … of the plane, which lie beyond an edge.
type side struct{ first, x, n int }

// sides returns the columns of the margin within around columns of the edges.
func (u *universe) sides(around int) []side {
	if u.reach == 0 {
		return nil
	}
	return []side{{0, u.W, around}, {2*u.reach - around, -around, around}}
}

func (u *universe) row(plane, i int) []uint64 { return u.at(plane, u.places[i]) }

// at is the row at a place.
func (u *universe) at(plane, p int) []uint64 {
	start := (p*u.planes + plane) * u.Stride
	return u.words[start : start+u.Stride : start+u.Stride]
}

func (u *universe) get(plane, x, y int) uint64 {
	word, bit := u.Place(x, y/u.Rows)
	return u.row(plane, y%u.Rows)[word] >> bit & 1
}

// gathers reports whether gather does anything.
func (u *universe) gathers() bool { return u.reach > 0 || u.Slabs*u.Rows > u.H }

// collect prepares rows i0 ≤ i < i1 for gather, for all slabs at once.
func (u *universe) collect(i0, i1, around int) {
	if u.ends == nil || around > u.W {
		return
	}
	for i := i0; i < i1; i++ {
		for k := range u.planes {
			row := u.row(k, i)
			for side, x := range [2]int{0, u.W - around} {
				u.collectEnd(u.end(i, k, side), row, x, around)
			}
		}
	}
}

// end is the columns at the left edge (side 0) or the right one of a plane of row i, by slab.
func (u *universe) end(i, plane, side int) []uint64 {
	first := ((i*u.planes+plane)*2 + side) * u.Slabs
	return u.ends[first : first+u.Slabs : first+u.Slabs]
}

// collectEnd stores n columns of a row from column x on, for each slab a word.
func (u *universe) collectEnd(to, row []uint64, x, n int) {
	clear(to)
	b, j := x/u.Vectors, x%u.Vectors
	for c := 0; c < n; b, j = b+1, 0 {
		m := min(n-c, u.Vectors-j) // columns of this strip
		words := row[(u.Halo+j)*u.Lanes+b>>6:]
		if len(to) != 8 || u.Lanes != 8 || !collectBits(to, words, m, b&63, c) {
			for s := range to {
				for i := range m {
					to[s] |= words[i*u.Lanes+s*u.Wide()] >> (b & 63) & 1 << (c + i)
				}
			}
		}
		c += m
	}
}

// gather prepares rows i0 ≤ i < i1 for a pass, while all cells are as before it. It saves the cells that the margin
// will hold, for around columns beyond each edge. In the padding of the last slabs it stores the first around rows
// beyond the bottom.
func (u *universe) gather(i0, i1, around int) {
	if u.topology.Kind == topology.Sphere {
		u.gatherLines(i0, i1, around)
	} else {
		const together = 64 // rows, whose cells at the edges a first-level cache holds
		for first := i0; first < i1; first += together {
			for _, e := range u.sides(around) {
				for s := range u.Slabs {
					u.gatherSide(e, s, first, min(together, i1-first))
				}
			}
		}
	}
	for i := i0; i < i1; i++ {
		for s := range u.Slabs {
			if y := s*u.Rows + i; u.H <= y && y < u.H+around {
				for k := range u.planes {
					u.beyond(u.row(k, i), k, s, y)
				}
			}
		}
	}
}

// gatherLines is the part of gather for a sphere, whose columns beyond the edges are copies of rows: bits of
// words beside each other.
func (u *universe) gatherLines(i0, i1, around int) {
	for k := range u.planes {
		for _, e := range u.sides(around) {
			lines := make([][]uint64, e.n)
			for c := range lines {
				lines[c] = u.line(k, e.x+c, 0, 0, 1, u.Slabs*u.Rows)
			}
			for s := range u.Slabs {
				for i := i0; i < i1; i += 64 {
					n := min(64, i1-i)
					for c := 0; c < e.n; {
						m := min(e.n-c, 64-(e.first+c)&63)
						var block [64]uint64
						for j, line := range lines[c : c+m] {
							block[j] = layout.Load(line, s*u.Rows+i, n)
						}
						layout.Transpose(&block)
						for j, v := range block[:n] {
							u.note(u.edges(i+j, k), s, e.first+c, m, v)
						}
						c += m
					}
				}
			}
		}
	}
}

// gatherSide notes n rows of slab s from row i on.
func (u *universe) gatherSide(e side, s, i, n int) {
	y := s*u.Rows + i
	if e.n > u.W || y+n > u.H {
		for c := range e.n {
			for r := range u.runs(e.x+c, y, 0, 1, n) {
				u.gatherRun(s, i+r.first, e.first+c, r, 1)
			}
		}
		return
	}
	// Columns beside each other are copies of columns beside each other. Within a strip these are in one bit of
	// vectors beside each other.
	for r := range u.runs(e.x, y, 0, 1, n) {
		if u.ends != nil && r.dx == 0 && (r.x == 0 || r.x == u.W-e.n) {
			u.gatherEnds(s, i+r.first, e.first, r, e.n)
			continue
		}
		for c, m := 0, 0; c < e.n; c, r.x = c+m, r.x+m {
			m = min(e.n-c, u.Vectors-r.x%u.Vectors, 64-(e.first+c)&63)
			u.gatherRun(s, i+r.first, e.first+c, r, m)
		}
	}
}

// edges are the columns of the margin of a plane of row i. Column c of a slab is bit c&63 of its word c>>6, and the
// slabs lie side by side:
//
//	word 0 of slab 0, of slab 1, …   word 1 of slab 0, of slab 1, …
func (u *universe) edges(i, plane int) []uint64 {
	first := (i*u.planes + plane) * u.edge * u.Slabs
	return u.gathered[first : first+u.edge*u.Slabs : first+u.edge*u.Slabs]
}

// note stores m columns of the margin of a slab from column c on, which lie in one word.
func (u *universe) note(edges []uint64, slab, c, m int, cells uint64) {
	mask := ^uint64(0) >> (64 - m) << (c & 63)
	word := &edges[c>>6*u.Slabs+slab]
	*word = *word&^mask | cells<<(c&63)
}

// gatherEnds notes n columns at an edge of a run of rows, from row i of slab s on, as columns of the margin from column
// c on. They have been collected.
func (u *universe) gatherEnds(s, i, c int, r run, n int) {
	side := 0
	if r.x > 0 {
		side = 1
	}
	mask := ^uint64(0) >> (64 - n) << (c & 63)
	step := u.planes * u.Slabs
	for slab, y := r.y/u.Rows, r.y%u.Rows; r.n > 0; {
		m := u.Rows - y // rows until the run leaves the slab
		if r.dy < 0 {
			m = y + 1
		}
		m = min(m, r.n)
		for k := range u.planes {
			to, from := (i*u.planes+k)*u.Slabs+s, ((y*u.planes+k)*2+side)*u.Slabs+slab
			for range m {
				word := &u.gathered[to]
				*word = *word&^mask | u.ends[from]<<(c&63)
				to, from = to+step, from+2*step*r.dy
			}
		}
		i, r.n = i+m, r.n-m
		if slab, y = slab+r.dy, 0; r.dy < 0 {
			y = u.Rows - 1
		}
	}
}

// gatherRun notes a run of cells, row after row from row i of slab s on, and the m-1 cells to the right of
// each, as columns of the margin from column c on.
func (u *universe) gatherRun(s, i, c int, r run, m int) {
	slab, y := r.y/u.Rows, r.y%u.Rows
	// Column x is in strip x/Vectors, which is bit b of the words, and in vector x%Vectors. At the end of a strip, the
	// next column is in the next strip and in vector 0.
	b, j := r.x/u.Vectors, r.x%u.Vectors
	for n := range r.n {
		bit := b & 63
		for k := range u.planes {
			words := u.words[(u.places[y]*u.planes+k)*u.Stride+(u.Halo+j)*u.Lanes+slab*u.Wide()+b>>6:]
			var cells uint64
			for at := (m - 1) * u.Lanes; at >= 0; at -= u.Lanes {
				cells = cells<<1 | words[at]>>bit&1
			}
			u.note(u.edges(i+n, k), s, c, m, cells)
		}
		switch y += r.dy; y {
		case -1:
			slab, y = slab-1, u.Rows-1
		case u.Rows:
			slab, y = slab+1, 0
		}
		switch j += r.dx; j {
		case -1:
			b, j = b-1, u.Vectors-1
		case u.Vectors:
			b, j = b+1, 0
		}
	}
}

// enter fills the margin of row i, for around columns beyond each edge.
func (u *universe) enter(i, around int) {
	for k := range u.planes {
		u.putAll(u.row(k, i), u.edges(i, k), around)
	}
}

// putAll stores a plane of cells in the margins of all slabs of a row, for around columns beyond each edge.
func (u *universe) putAll(row, edges []uint64, around int) {
	spots := u.margin[:u.spots[around]]
	if u.Slabs == 8 && u.Lanes == 8 && putSpots(row, edges, spots) {
		return
	}
	for s := range u.Slabs {
		u.put(row, s, edges[s:], around)
	}
}

// put is putAll for slab s. The words of its margin are Slabs words apart.
func (u *universe) put(row []uint64, s int, edges []uint64, around int) {
	row = row[s*u.Wide():]
	for _, p := range u.margin[:u.spots[around]] {
		// The exclusive or of the old and the new bit, masked and applied to the word, replaces that bit without a branch.
		word := &row[p.word]
		*word ^= (*word ^ bits.RotateLeft64(edges[int(p.from)*u.Slabs], int(p.turn))) & p.bit
	}
}

// copyRow stores row i of a plane with its halo in dst, for any i, also beyond the top and bottom of the slabs. It
// fills the margin for around columns beyond each edge.
func (u *universe) copyRow(dst []uint64, plane, i, around int) {
	// Each slab continues in the next one.
	turns := i / u.Rows
	if i < 0 {
		turns = (i+1)/u.Rows - 1
	}
	u.TurnSlabs(dst, u.row(plane, i-turns*u.Rows), ((turns%u.Slabs)+u.Slabs)%u.Slabs)
	// the last slab continues in the first one if the universe is closed
	if closed := u.topology.WrapsRows() && u.Slabs*u.Rows == u.H; turns != 0 && !closed {
		for s := range u.Slabs {
			if y := s*u.Rows + i; y < 0 || y >= u.H {
				u.beyond(dst, plane, s, y)
			}
		}
	}
	if u.reach == 0 {
		return
	}
	margin := make([]uint64, u.edge*u.Slabs)
	for s := range u.Slabs {
		if slab := s + turns; 0 <= slab && slab < u.Slabs {
			edges := u.edges(i-turns*u.Rows, plane)
			for w := 0; w < len(margin); w += u.Slabs {
				margin[w+s] = edges[w+slab]
			}
			continue
		}
		for _, e := range u.sides(around) {
			for r := range u.runs(e.x, s*u.Rows+i, 1, 0, e.n) {
				for c := range r.n {
					u.note(margin, s, e.first+r.first+c, 1, u.get(plane, r.x+c*r.dx, r.y+c*r.dy))
				}
			}
		}
	}
	u.putAll(dst, margin, around)
}

// beyond stores row y, which lies beyond the top or bottom, as slab s of a row, with the part of the halo that
// can be made from the row itself.
func (u *universe) beyond(dst []uint64, plane, s, y int) {
	switch {
	case u.topology.Kind == topology.Plane:
		u.ClearSlab(dst, s)
	case u.topology.WrapsRows():
		_, y, _ = u.topology.Fold(0, y)
		u.CopySlab(dst, s, u.row(plane, y%u.Rows), y/u.Rows)
	default:
		u.Pack(dst, s, u.line(plane, 0, y, 1, 0, u.W))
		u.FillHaloSlab(dst, s, u.halo)
	}
}

// outside reports whether some slab of row i lies beyond the top or bottom of a plane. No cell may be born there.
func (u *universe) outside(i int) bool {
	return u.topology.Kind == topology.Plane && (i < 0 || i >= u.Rows || (u.Slabs-1)*u.Rows+i >= u.H)
}

// confine kills the cells of a row that lie beyond the top or bottom of a plane.
func (u *universe) confine(row []uint64, i int) {
	for s := range u.Slabs {
		if y := s*u.Rows + i; y < 0 || y >= u.H {
			u.ClearSlab(row, s)
		}
	}
}

// population counts the cells that are not in state 0 in any plane. Words that are padding are left
// out, and padding within words by the mask own.
func (u *universe) population() uint64 {
	n := 0
	wide := u.Wide()
	for i := range u.Rows {
		full := min(u.Slabs, max(0, (u.H-i+u.Rows-1)/u.Rows)) * wide // lanes that are rows of the universe
		for at, j := u.Halo*u.Lanes, 0; j < u.Vectors; at, j = at+u.Lanes, j+1 {
			for c := range full {
				var live uint64
				for k := range u.planes {
					live |= u.row(k, i)[at+c]
				}
				n += bits.OnesCount64(live & u.own[j*u.Lanes+c])
			}
		}
	}
	return uint64(n)
}
