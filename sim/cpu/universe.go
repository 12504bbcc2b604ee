package cpu

import (
	"math/bits"

	"github.com/gosper-life/gosper/topology"
)

// universe is the cells of a bounded universe in strips, and the one place that knows what lies beyond its edges.
type universe struct {
	layout
	topology topology.Topology
	h        int
	planes   int
	words    []uint64 // row y of plane k begins at (y·planes + k)·stride
	inside   []uint64 // by word of a row, ghosts included: the bits that are cells of the universe or copies of such
	own      []uint64 // by word 0 … nv-1: the bits that are a cell's own place
	edges    []edge
	gathered []uint8 // by row and edge, one bit a plane: the edge cells where these lie in other rows
}

// edge is a ghost column beyond the universe's left or right edge.
type edge struct {
	x      int
	source int // the column of the same row it copies; -1 where there is none
	places []place
}

func newUniverse(t topology.Topology, planes, ghost int) *universe {
	u := &universe{layout: newLayout(t.W, ghost), topology: t, h: t.H, planes: planes}
	u.words = make([]uint64, u.h*planes*u.stride)
	for x := -ghost; x < u.w+ghost; x++ {
		if 0 <= x && x < u.w {
			continue
		}
		e := edge{x: x, source: -1, places: u.places(x)}
		if u.rowLocal() {
			if source, _, ok := t.Fold(x, 0); ok {
				e.source = source
			}
		}
		u.edges = append(u.edges, e)
	}
	if !u.rowLocal() {
		u.gathered = make([]uint8, u.h*len(u.edges))
	}
	u.inside = make([]uint64, u.stride)
	u.own = make([]uint64, u.nv)
	for x := range u.w {
		u.own[x%u.nv] |= 1 << (x / u.nv)
	}
	copy(u.inside[ghost:], u.own)
	u.fillGhosts(u.inside, nil, nil)
	for _, e := range u.edges {
		for _, p := range e.places {
			u.inside[p.word] &^= 1 << p.bit
		}
	}
	return u
}

// rowLocal reports whether the cells beyond the left and right edge of a row are copies of cells of that row, or dead.
func (u *universe) rowLocal() bool {
	switch t := u.topology; t.Kind {
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

func (u *universe) row(plane, y int) []uint64 {
	start := (y*u.planes + plane) * u.stride
	return u.words[start : start+u.stride : start+u.stride]
}

func (u *universe) get(plane, x, y int) uint64 { return u.layout.get(u.row(plane, y), x) }

// gather notes the edge cells of rows y0 ≤ y < y1 that lie in other rows, before these are overwritten.
func (u *universe) gather(y0, y1 int) {
	if u.gathered == nil {
		return
	}
	for y := y0; y < y1; y++ {
		cells := u.gathered[y*len(u.edges):]
		for i, e := range u.edges {
			cells[i] = 0
			if x, yy, ok := u.topology.Fold(e.x, y); ok {
				for k := range u.planes {
					cells[i] |= uint8(u.get(k, x, yy)) << k
				}
			}
		}
	}
}

// fill makes the ghosts of a row right; y is the row of the universe whose cells it holds.
func (u *universe) fill(row []uint64, plane, y int) {
	u.fillGhosts(row, nil, nil)
	for i, e := range u.edges {
		var bit uint64
		switch {
		case u.gathered != nil:
			bit = uint64(u.gathered[y*len(u.edges)+i] >> plane & 1)
		case e.source >= 0:
			bit = u.layout.get(row, e.source)
		}
		put(row, e.places, bit)
	}
}

func put(row []uint64, places []place, bit uint64) {
	for _, p := range places {
		row[p.word] = row[p.word]&^(1<<p.bit) | bit<<p.bit
	}
}

// halo stores row y of a plane with its ghosts in dst, for any y, also beyond the top and bottom.
func (u *universe) halo(dst []uint64, plane, y int) {
	switch {
	case 0 <= y && y < u.h:
		copy(dst, u.row(plane, y))
		u.fill(dst, plane, y)
	case u.topology.Kind == topology.Plane:
		clear(dst)
	case u.wrapsRows():
		_, fy, _ := u.topology.Fold(0, y)
		copy(dst, u.row(plane, fy))
		u.fill(dst, plane, fy)
	default:
		for x := range u.w {
			fx, fy, _ := u.topology.Fold(x, y)
			dst[u.ghost+x%u.nv] = dst[u.ghost+x%u.nv]&^(1<<(x/u.nv)) | u.get(plane, fx, fy)<<(x/u.nv)
		}
		u.fillGhosts(dst, nil, nil)
		for _, e := range u.edges {
			fx, fy, _ := u.topology.Fold(e.x, y)
			put(dst, e.places, u.get(plane, fx, fy))
		}
	}
}

// confine kills the cells of a computed row that lie outside a plane: they must not be born there.
func (u *universe) confine(row []uint64, y int) {
	if u.topology.Kind != topology.Plane {
		return
	}
	if y < 0 || y >= u.h {
		clear(row)
		return
	}
	for j, m := range u.inside {
		row[j] &= m
	}
}

func (u *universe) population() uint64 {
	n := 0
	for y := range u.h {
		for j, own := range u.own {
			var live uint64
			for k := range u.planes {
				live |= u.words[(y*u.planes+k)*u.stride+u.ghost+j]
			}
			n += bits.OnesCount64(live & own)
		}
	}
	return uint64(n)
}
