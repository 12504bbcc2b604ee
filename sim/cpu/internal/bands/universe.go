package bands

import (
	"math/bits"

	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
	"github.com/gosper-life/gosper/topology"
)

// universe is the cells of a bounded universe, and the one place that knows what lies beyond its edges.
type universe struct {
	layout.Layout
	topology topology.Topology
	planes   int
	words    []uint64      // place p of plane k begins at (p·planes + k)·stride
	places   []int         // by row: where it is
	own      []uint64      // the bits of vectors 0 … Vectors-1 that are columns of the universe
	halo     []layout.Move // fill a row's halo as far as its cells lie in the row itself
	edges    []int         // columns beyond the left and right edge that are copies of cells in other rows
	gathered []uint8       // what the edge columns held before rows were overwritten: by row, edge and slab, one bit a plane
}

// newUniverse makes a dead universe with some places for rows more than it has rows.
func newUniverse(t topology.Topology, planes int, l layout.Layout, spare int) *universe {
	u := &universe{Layout: l, topology: t, planes: planes}
	u.words = universeWords((u.Rows + spare) * planes * u.Stride)
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
	u.halo = u.Moves(func(int) (int, bool) { return 0, false })
	for k := range u.Halo {
		u.edges = append(u.edges, -1-k, u.W+k)
	}
	u.gathered = make([]uint8, u.Rows*len(u.edges)*u.Slabs)
	return u
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

// gather prepares rows i0 ≤ i < i1 for a pass, while all cells are as before it. It notes the edge columns that lie in other rows. In the
// padding of the last slabs it stores the first rows beyond the bottom, as many as around says.
func (u *universe) gather(i0, i1, around int) {
	for e, x := range u.edges {
		for s := range u.Slabs {
			for r := range u.runs(x, s*u.Rows+i0, 0, 1, i1-i0) {
				for j := range r.n {
					var cell uint8
					for k := range u.planes {
						cell |= uint8(u.get(k, r.x+j*r.dx, r.y+j*r.dy)) << k
					}
					u.gathered[((i0+r.first+j)*len(u.edges)+e)*u.Slabs+s] = cell
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

// enter fills what a pass cannot fill from row i alone of its halo.
func (u *universe) enter(i int) {
	for e, x := range u.edges {
		for s := range u.Slabs {
			cell := u.gathered[(i*len(u.edges)+e)*u.Slabs+s]
			for k := range u.planes {
				u.put(u.row(k, i), x, s, uint64(cell>>k&1))
			}
		}
	}
}

// put stores a bit in every place of column x of slab s, which lies beyond an edge.
func (u *universe) put(row []uint64, x, s int, value uint64) {
	for b := max(0, (x-u.Halo)/u.Vectors); b < u.Strips && b*u.Vectors <= x+u.Halo; b++ {
		word := &row[(u.Halo+x-b*u.Vectors)*u.Lanes+s*u.Wide()+b>>6]
		*word = *word&^(1<<(b&63)) | value<<(b&63)
	}
}

// copyRow stores row i of a plane with its halo in dst, for any i, also beyond the top and bottom of the slabs.
func (u *universe) copyRow(dst []uint64, plane, i int) {
	// Each slab continues in the next one.
	turns := i / u.Rows
	if i < 0 {
		turns = (i+1)/u.Rows - 1
	}
	u.turnSlabs(dst, u.row(plane, i-turns*u.Rows), ((turns%u.Slabs)+u.Slabs)%u.Slabs)
	if around := u.topology.WrapsRows() && u.Slabs*u.Rows == u.H; turns != 0 && !around { // else the last goes on in the first
		for s := range u.Slabs {
			if y := s*u.Rows + i; y < 0 || y >= u.H {
				u.beyond(dst, plane, s, y)
			}
		}
	}
	for _, x := range u.edges {
		for s := range u.Slabs {
			if xx, yy, ok := u.topology.Fold(x, s*u.Rows+i); ok {
				u.put(dst, x, s, u.get(plane, xx, yy))
			}
		}
	}
}

// turnSlabs stores a row with its halo; slab s+by of src becomes slab s.
func (u *universe) turnSlabs(dst, src []uint64, by int) {
	if by == 0 {
		copy(dst, src)
		return
	}
	cut := by * u.Wide()
	for at := 0; at < (2*u.Halo+u.Vectors)*u.Lanes; at += u.Lanes {
		to, from := dst[at:at+u.Lanes], src[at:at+u.Lanes]
		copy(to, from[cut:])
		copy(to[u.Lanes-cut:], from[:cut])
	}
}

// beyond stores row y, which lies beyond the top or bottom, as slab s of a row, with the part of the halo that can be made from the row itself.
func (u *universe) beyond(dst []uint64, plane, s, y int) {
	switch {
	case u.topology.Kind == topology.Plane:
		u.clearSlab(dst, s)
	case u.topology.WrapsRows():
		_, y, _ = u.topology.Fold(0, y)
		u.copySlab(dst, s, u.row(plane, y%u.Rows), y/u.Rows)
	default:
		u.Pack(dst, s, u.turned(plane, y))
		u.FillHaloSlab(dst, s, u.halo)
	}
}

// copySlab stores a slab of src with its halo as slab s of a row.
func (u *universe) copySlab(dst []uint64, s int, src []uint64, from int) {
	wide := u.Wide()
	for at := 0; at < (2*u.Halo+u.Vectors)*u.Lanes; at += u.Lanes {
		for k := at; k < at+wide; k++ {
			dst[k+s*wide] = src[k+from*wide]
		}
	}
}

func (u *universe) clearSlab(row []uint64, s int) {
	wide := u.Wide()
	for at := 0; at < (2*u.Halo+u.Vectors)*u.Lanes; at += u.Lanes {
		clear(row[at+s*wide : at+(s+1)*wide])
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
			u.clearSlab(row, s)
		}
	}
}

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

// closed fills the halo of strips, each of which is either closed to a ring or dead beyond its ends.
func closed(l *layout.Layout, dead bool) []layout.Move {
	var all []layout.Move
	for k := range l.Halo {
		for _, m := range []layout.Move{
			{Dst: -1 - k, Src: ((-1-k)%l.Vectors + l.Vectors) % l.Vectors},
			{Dst: l.Vectors + k, Src: k % l.Vectors},
		} {
			if dead {
				m.Src = layout.None
			}
			all = append(all, m)
		}
	}
	return all
}
