package volumes

import (
	"math/bits"
	"unsafe"

	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
	"github.com/gosper-life/gosper/topology"
)

// universe is the cells of a volume, and the one place that knows what lies beyond its edges. The layout is that of
// a layer: its slabs are runs of rows of every layer.
type universe struct {
	layout.Layout
	topology topology.Topology
	planes   int
	place    [2]int        // for random bits: see sim.Placer
	words    []uint64      // row i of plane k of the layer at place p begins at ((p·Rows + i)·planes + k)·Stride
	places   []int         // by layer: where it is
	own      []uint64      // the bits of vectors 0 … Vectors-1 that are columns of the universe
	halo     []layout.Move // fill a row's halo
	dead     []uint64      // a row
	reach    int           // rows beyond the edges of a layer that are read
	runs     int           // see newRuns; 0: none
	folded   []int         // see foldRow
	cyclic   bool          // slabs are full, and the row beyond the last one of a layer is the first
	before   int           // rows before the first of a layer that a sheet lists: some may be dead ones
}

// newUniverse makes a dead universe with some places for layers more than it has layers.
func newUniverse(t topology.Topology, planes int, l layout.Layout, halo []layout.Move, reach, warm, spare int,
) *universe {
	u := &universe{Layout: l, topology: t, planes: planes, halo: halo, reach: reach, before: reach + warm}
	u.words = layout.LargeWords((t.D + spare) * u.layerWords())
	u.places = make([]int, t.D)
	for z := range u.places {
		u.places[z] = z
	}
	u.own = u.Cells()
	u.dead = layout.AlignedWords(u.Stride)
	for y := -reach; y < u.Slabs*u.Rows+reach; y++ {
		_, row, inside := t.FoldVolume(0, y, 0)
		if !inside {
			row = -1
		}
		u.folded = append(u.folded, row)
	}
	u.cyclic = t.Kind == topology.Torus && u.Slabs*u.Rows == u.H
	return u
}

// layerWords is the number of words of a layer.
func (u *universe) layerWords() int { return u.Rows * u.planes * u.Stride }

// row is row i of a plane of the layer at a place.
func (u *universe) row(plane, i, place int) []uint64 {
	start := ((place*u.Rows+i)*u.planes + plane) * u.Stride
	return u.words[start : start+u.Stride : start+u.Stride]
}

// layer is the words of the layer at a place.
func (u *universe) layer(place int) []uint64 {
	n := u.layerWords()
	return u.words[place*n : (place+1)*n : (place+1)*n]
}

// fold returns the layer that is seen as layer z. inside is false if there is none.
func (u *universe) fold(z int) (layer int, inside bool) {
	if u.runs > 0 {
		return floorMod(z, u.topology.D), true
	}
	_, row, inside := u.topology.FoldVolume(0, 0, z)
	return row / u.H, inside
}

// copyLayer stores the layer that is seen as layer z. Beyond the ends of runs it has bit b+by of a layer as bit b.
func (u *universe) copyLayer(dst, layer []uint64, z int) {
	by := 0
	if u.runs > 0 {
		by = floorMod((z-floorMod(z, u.topology.D))/u.topology.D, u.runs)
	}
	if by == 0 {
		copy(dst, layer)
		return
	}
	for at := 0; at < len(layer); at += u.Stride {
		for j := at; j < at+(u.Vectors+2*u.Halo)*u.Lanes; j += u.Lanes {
			turnBits(dst[j:j+u.Lanes], layer[j:j+u.Lanes], by, u.runs)
		}
	}
}

// turnBits makes bit b of dst bit b+by of src, for b < n. The bits of a vector are numbered modulo n, and those
// from n on are zeros.
func turnBits(dst, src []uint64, by, n int) {
	down, right := by>>6, uint(by&63)
	up, left := (n-by)>>6, uint((n-by)&63)
	for k := range dst {
		var v uint64
		if k+down < len(src) {
			v = src[k+down] >> right
		}
		if k+down+1 < len(src) {
			v |= src[k+down+1] << 1 << (63 - right)
		}
		if k >= up {
			v |= src[k-up] << left
		}
		if k > up {
			v |= src[k-up-1] >> 1 >> (63 - left)
		}
		dst[k] = v
	}
	if n&63 > 0 {
		dst[n>>6] &= 1<<(n&63) - 1
	}
	for k := (n + 63) >> 6; k < len(dst); k++ {
		dst[k] = 0
	}
}

// foldRow returns the row of a layer that is seen as row y of it. inside is false if there is none.
func (u *universe) foldRow(y int) (row int, inside bool) {
	row = u.folded[y+u.reach]
	return row, row >= 0
}

// A sheet lists the rows of a layer, with those beyond its edges. Row i of plane k is number k·span + before + i, for
// -before ≤ i < Rows+reach. Rows before -reach are dead ones, with which sums may begin.
type sheet struct {
	u     *universe
	rows  []unsafe.Pointer
	words []uint64 // of rows beyond the edges that are no rows of the layer: their slabs are those of other rows
}

// span is the number of rows of a plane that a sheet lists.
func (u *universe) span() int { return u.before + u.Rows + u.reach }

// newSheet makes a sheet of dead rows.
func (u *universe) newSheet() *sheet {
	s := &sheet{u: u, rows: make([]unsafe.Pointer, u.planes*u.span())}
	for i := range s.rows {
		s.rows[i] = pointer(u.dead)
	}
	if u.Slabs > 1 {
		s.words = layout.AlignedWords(2 * u.reach * u.planes * u.Stride)
	}
	return s
}

// place is the place in the list of row i of a plane, for -before ≤ i < Rows+reach.
func (s *sheet) place(plane, i int) *unsafe.Pointer { return &s.rows[plane*s.u.span()+s.u.before+i] }

// row is row i of a plane.
func (s *sheet) row(plane, i int) []uint64 { return s.u.words64(*s.place(plane, i)) }

func pointer(row []uint64) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(row)) }

// words64 is the row at an address.
func (u *universe) words64(row unsafe.Pointer) []uint64 {
	return unsafe.Slice((*uint64)(row), u.Stride)
}

// set makes the sheet list the rows of a layer. The rows must stay where they are.
func (s *sheet) set(layer []uint64) {
	u := s.u
	for i := range u.Rows {
		for k := range u.planes {
			*s.place(k, i) = pointer(layer[(i*u.planes+k)*u.Stride:])
		}
	}
}

// kill makes the sheet list dead rows.
func (s *sheet) kill() {
	for i := range s.u.Rows + 2*s.u.reach {
		for k := range s.u.planes {
			*s.place(k, i-s.u.reach) = pointer(s.u.dead)
		}
	}
}

// close lists the rows beyond the edges of the layer, and stores their cells where they are no rows of it.
func (s *sheet) close() {
	u := s.u
	at := 0
	for k := range u.planes {
		for n := range 2 * u.reach {
			i := u.edge(n)
			row := s.place(k, i)
			if u.Slabs > 1 {
				*row = pointer(s.words[at:])
				at += u.Stride
			} else if y, inside := u.foldRow(i); inside {
				*row = *s.place(k, y)
			} else {
				*row = pointer(u.dead)
			}
		}
	}
	for m := range s.moves {
		u.do(&m)
	}
}

// move stores a slab of a row: one of another row, or dead cells if there is none. If slab is allSlabs, it stores all
// of another row, with the slabs turned by from.
type move struct {
	dst, src   []uint64
	slab, from int
}

const allSlabs = -1

func (u *universe) do(m *move) {
	switch {
	case m.slab == allSlabs:
		u.TurnSlabs(m.dst, m.src, m.from)
	case m.src == nil:
		u.ClearSlab(m.dst, m.slab)
	default:
		u.CopySlab(m.dst, m.slab, m.src, m.from)
	}
}

// edge is the number of a row beyond the edges of the slabs, 0 ≤ n < 2·reach.
func (u *universe) edge(n int) int {
	if n < u.reach {
		return n - u.reach
	}
	return n - u.reach + u.Rows
}

// moves yields what stores the cells beyond the edges, if slabs lie side by side.
func (s *sheet) moves(yield func(move) bool) {
	u := s.u
	if u.Slabs == 1 {
		return
	}
	// The first rows beyond the last one are in the padding of the last slabs.
	for y := u.H; y < min(u.H+u.reach, u.Slabs*u.Rows); y++ {
		for k := range u.planes {
			if !yield(s.beyond(s.row(k, y%u.Rows), k, y/u.Rows, y)) {
				return
			}
		}
	}
	for k := range u.planes {
		for n := range 2 * u.reach {
			i := u.edge(n)
			from := floorMod(i, u.Rows)
			if !yield(move{s.row(k, i), s.row(k, from), allSlabs, floorMod((i-from)/u.Rows, u.Slabs)}) {
				return
			}
		}
	}
	for k := range u.planes {
		for n := range 2 * u.reach {
			for slab := range u.Slabs {
				i := u.edge(n)
				if y := slab*u.Rows + i; !u.cyclic && (y < 0 || y >= u.H) && !yield(s.beyond(s.row(k, i), k, slab, y)) {
					return
				}
			}
		}
	}
}

// beyond stores row y, which lies beyond the edges of the layer, as a slab of a row.
func (s *sheet) beyond(dst []uint64, plane, slab, y int) move {
	if y, inside := s.u.foldRow(y); inside {
		return move{dst, s.row(plane, y%s.u.Rows), slab, y / s.u.Rows}
	}
	return move{dst: dst, slab: slab}
}

// population is that of package bands, layer by layer.
func (u *universe) population() uint64 {
	n := 0
	wide := u.Wide()
	for z := range u.topology.D {
		for i := range u.Rows {
			full := min(u.Slabs, max(0, (u.H-i+u.Rows-1)/u.Rows)) * wide // lanes that are rows of the universe
			for at, j := u.Halo*u.Lanes, 0; j < u.Vectors; at, j = at+u.Lanes, j+1 {
				for c := range full {
					var live uint64
					for k := range u.planes {
						live |= u.row(k, i, u.places[z])[at+c]
					}
					n += bits.OnesCount64(live & u.own[j*u.Lanes+c])
				}
			}
		}
	}
	return uint64(n)
}
