package cpu

import (
	"math/bits"

	"github.com/gosper-life/gosper/topology"
)

// universe is the cells of a bounded universe, and the one place that knows what lies beyond its edges.
type universe struct {
	layout
	topology topology.Topology
	planes   int
	words    []uint64 // place p of plane k begins at (p·planes + k)·stride
	places   []int    // by row: where it is
	own      []uint64 // the bits of vectors 0 … nv-1 that are columns of the universe
	ghosts   []move   // make a row's ghosts from the row itself, as far as they lie in it
	edges    []int    // columns beyond the left and right edge that lie in other rows
	gathered []uint8  // by row, edge and slab, one bit a plane: what the edge columns hold, before rows are overwritten
}

// newUniverse makes a dead universe with some places for rows more than it has rows.
func newUniverse(t topology.Topology, planes int, l layout, spare int) *universe {
	u := &universe{layout: l, topology: t, planes: planes}
	u.words = universeWords((u.nh + spare) * planes * u.stride)
	u.places = make([]int, u.nh)
	for i := range u.places {
		u.places[i] = i
	}
	u.own = u.cells()
	if u.rowLocal() {
		u.ghosts = u.moves(func(x int) (int, bool) {
			if column, _, inside := t.Fold(x, 0); inside {
				return column, true
			}
			return none, true
		})
		return u
	}
	u.ghosts = u.moves(func(int) (int, bool) { return 0, false })
	for k := range u.ghost {
		u.edges = append(u.edges, -1-k, u.w+k)
	}
	u.gathered = make([]uint8, u.nh*len(u.edges)*u.slabs)
	return u
}

// rowLocal reports whether the cells beyond the left and right edge of a row are copies of cells of that row, or dead.
func (u *universe) rowLocal() bool { return rowLocal(u.topology) }

func rowLocal(t topology.Topology) bool {
	switch t.Kind {
	case topology.Plane:
		return true
	case topology.Torus:
		return t.Axis != topology.Vertical
	case topology.Klein:
		return t.Twist == topology.Horizontal
	default:
		return false
	}
}

// wrapsRows reports whether the rows beyond the top and bottom are copies of whole rows, unmoved.
func (u *universe) wrapsRows() bool {
	switch t := u.topology; t.Kind {
	case topology.Torus:
		return t.Axis != topology.Horizontal
	case topology.Klein:
		return t.Twist == topology.Vertical
	default:
		return false
	}
}

func (u *universe) row(plane, i int) []uint64 { return u.at(plane, u.places[i]) }

// at is the row at a place.
func (u *universe) at(plane, p int) []uint64 {
	start := (p*u.planes + plane) * u.stride
	return u.words[start : start+u.stride : start+u.stride]
}

func (u *universe) get(plane, x, y int) uint64 {
	word, bit := u.place(x, y/u.nh)
	return u.row(plane, y%u.nh)[word] >> bit & 1
}

// gather prepares rows i0 ≤ i < i1 for a pass while all cells are still as before it: notes the edge columns that lie in other
// rows, and stores in the padding of the last slabs the first around rows beyond the bottom.
func (u *universe) gather(i0, i1, around int) {
	for i := i0; i < i1; i++ {
		for e, x := range u.edges {
			for s := range u.slabs {
				var cell uint8
				if xx, yy, ok := u.topology.Fold(x, s*u.nh+i); ok {
					for k := range u.planes {
						cell |= uint8(u.get(k, xx, yy)) << k
					}
				}
				u.gathered[(i*len(u.edges)+e)*u.slabs+s] = cell
			}
		}
		for s := range u.slabs {
			if y := s*u.nh + i; u.h <= y && y < u.h+around {
				for k := range u.planes {
					u.beyond(u.row(k, i), k, s, y)
					u.mend(u.row(k, i), u.ghosts)
				}
			}
		}
	}
}

// enter makes the ghosts of row i of the universe right that a pass cannot make from the row alone.
func (u *universe) enter(i int) {
	for e, x := range u.edges {
		for s := range u.slabs {
			cell := u.gathered[(i*len(u.edges)+e)*u.slabs+s]
			for k := range u.planes {
				u.put(u.row(k, i), x, s, uint64(cell>>k&1))
			}
		}
	}
}

// put stores a bit in every place that stands for column x of slab s, which lies beyond an edge.
func (u *universe) put(row []uint64, x, s int, value uint64) {
	for b := range u.strips {
		j := x - b*u.nv
		if j < -u.ghost {
			return
		}
		if j < u.nv+u.ghost {
			word := &row[(u.ghost+j)*u.lanes+s*u.wide()+b>>6]
			*word = *word&^(1<<(b&63)) | value<<(b&63)
		}
	}
}

// halo stores row i of a plane with its ghosts in dst, for any i, also beyond the top and bottom of the slabs.
func (u *universe) halo(dst []uint64, plane, i int) {
	switch {
	case 0 <= i && i < u.nh:
		copy(dst, u.row(plane, i))
		if u.rowLocal() {
			return // with its ghosts
		}
	case u.wrapsRows() && u.rowLocal() && u.slabs*u.nh == u.h:
		// each slab goes on in the next, the last in the first
		turns := i / u.nh
		if i < 0 {
			turns = (i+1)/u.nh - 1
		}
		u.turnSlabs(dst, u.row(plane, i-turns*u.nh), ((turns%u.slabs)+u.slabs)%u.slabs)
		return
	default:
		for s := range u.slabs {
			if y := s*u.nh + i; 0 <= y && y < u.h {
				u.copySlab(dst, s, u.row(plane, y%u.nh), y/u.nh)
			} else {
				u.beyond(dst, plane, s, y)
			}
		}
	}
	u.mend(dst, u.ghosts)
	for _, x := range u.edges {
		for s := range u.slabs {
			if xx, yy, ok := u.topology.Fold(x, s*u.nh+i); ok {
				u.put(dst, x, s, u.get(plane, xx, yy))
			}
		}
	}
}

// turnSlabs stores a row, ghosts and all, with slab s+by of src as slab s.
func (u *universe) turnSlabs(dst, src []uint64, by int) {
	cut := by * u.wide()
	for at := 0; at < (2*u.ghost+u.nv)*u.lanes; at += u.lanes {
		to, from := dst[at:at+u.lanes], src[at:at+u.lanes]
		copy(to, from[cut:])
		copy(to[u.lanes-cut:], from[:cut])
	}
}

// beyond stores row y, which lies beyond the top or bottom, as slab s of a row, without ghosts.
func (u *universe) beyond(dst []uint64, plane, s, y int) {
	switch {
	case u.topology.Kind == topology.Plane:
		u.clearSlab(dst, s)
	case u.wrapsRows():
		_, y, _ = u.topology.Fold(0, y)
		u.copySlab(dst, s, u.row(plane, y%u.nh), y/u.nh)
	default:
		for x := range u.w {
			xx, yy, _ := u.topology.Fold(x, y)
			word, bit := u.place(x, s)
			dst[word] = dst[word]&^(1<<bit) | u.get(plane, xx, yy)<<bit
		}
	}
}

func (u *universe) copySlab(dst []uint64, s int, src []uint64, from int) {
	wide := u.wide()
	for at := u.ghost * u.lanes; at < (u.ghost+u.nv)*u.lanes; at += u.lanes {
		copy(dst[at+s*wide:at+(s+1)*wide], src[at+from*wide:])
	}
}

func (u *universe) clearSlab(row []uint64, s int) {
	wide := u.wide()
	for at := 0; at < (2*u.ghost+u.nv)*u.lanes; at += u.lanes {
		clear(row[at+s*wide : at+(s+1)*wide])
	}
}

// outside reports whether some slab of row i lies beyond the top or bottom of a plane, where no cell may be born.
func (u *universe) outside(i int) bool {
	return u.topology.Kind == topology.Plane && (i < 0 || i >= u.nh || (u.slabs-1)*u.nh+i >= u.h)
}

// confine kills the cells of a row that lie beyond the top or bottom of a plane.
func (u *universe) confine(row []uint64, i int) {
	for s := range u.slabs {
		if y := s*u.nh + i; y < 0 || y >= u.h {
			u.clearSlab(row, s)
		}
	}
}

func (u *universe) population() uint64 {
	n := 0
	wide := u.wide()
	for i := range u.nh {
		full := min(u.slabs, max(0, (u.h-i+u.nh-1)/u.nh)) * wide // lanes that are rows of the universe
		for at, j := u.ghost*u.lanes, 0; j < u.nv; at, j = at+u.lanes, j+1 {
			for c := range full {
				var live uint64
				for k := range u.planes {
					live |= u.row(k, i)[at+c]
				}
				n += bits.OnesCount64(live & u.own[j*u.lanes+c])
			}
		}
	}
	return uint64(n)
}
