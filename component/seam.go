package component

import (
	"slices"

	"github.com/gosper-life/gosper/topology"
)

// winding says how a path has crossed the edges of a universe. Imagine copies of the universe side by side on a
// plane, and a path that starts in the copy at (0, 0). The winding is the position of the copy in which it
// ends. z is of volumes, which are copied in three dimensions.
type winding struct{ x, y, z int }

// group composes windings. In a copy that is mirrored, right and left (or up and down) are exchanged:
//
//	torus           (a·b).x = a.x + b.x          (a·b).y = a.y + b.y          (a·b).z = a.z + b.z
//	Klein bottle    twisted left and right: (a·b).y = a.y ± b.y, minus where a.x is odd; the same with top and bottom
//	cross-surface   modulo 2, for going around twice can be undone there
type group struct {
	kind topology.Kind
	// Whether an odd number of crossings of the left and right edges exchanges up and down, and of the top and
	// bottom edges right and left. They are kept here because each step of a search asks for them.
	mirrorsY, mirrorsX bool
}

func groupOf(t topology.Topology) group {
	return group{
		kind: t.Kind, mirrorsY: t.Join(topology.Vertical) == topology.Mirror,
		mirrorsX: t.Join(topology.Horizontal) == topology.Mirror,
	}
}

// compose is the winding of a way that goes along a and then along b. On surfaces that mirror a
// direction, crossings in that direction count backwards after an odd number of mirrorings.
func (g group) compose(a, b winding) winding {
	switch {
	case g.kind == topology.Cross:
		return winding{x: (a.x + b.x) & 1, y: (a.y + b.y) & 1}
	case g.mirrorsY && a.x&1 != 0:
		return winding{x: a.x + b.x, y: a.y - b.y}
	case g.mirrorsX && a.y&1 != 0:
		return winding{x: a.x - b.x, y: a.y + b.y}
	}
	return winding{x: a.x + b.x, y: a.y + b.y, z: a.z + b.z}
}

// inverse is the winding of the way back.
func (g group) inverse(a winding) winding {
	// The inverse is the winding that composes with a to none. If a mirrors a direction, crossings of that direction
	// count the other way round after it, so they keep their sign.
	back := winding{x: -a.x, y: -a.y, z: -a.z}
	switch {
	case g.kind == topology.Cross:
		return a
	case g.mirrorsY && a.x&1 != 0:
		back.y = a.y
	case g.mirrorsX && a.y&1 != 0:
		back.x = a.x
	}
	return back
}

// span says how a closed path with this winding spans the universe. The result does not depend on where the
// path starts.
func (g group) span(a winding) Span {
	var s Span
	switch {
	case g.kind == topology.Cross:
		if a.x != a.y {
			return SpanBoth
		}
		return SpanNone
	case g.kind == topology.Sphere:
		return SpanNone
	case g.mirrorsY && a.x&1 != 0:
		a.y &= 1 // starting one copy further changes it by two
	case g.mirrorsX && a.y&1 != 0:
		a.x &= 1
	}
	if a.x != 0 {
		s |= SpanX
	}
	if a.y != 0 {
		s |= SpanY
	}
	if a.z != 0 {
		s |= SpanZ
	}
	return s
}

// perimeter holds the clusters of the cells along the edges of a rectangle; none for dead cells.
type perimeter struct {
	top, bottom []int32 // by column
	left, right []int32 // by row
}

// each calls keep for the clusters; keep may change them.
func (p *perimeter) each(keep func(*int32)) {
	for _, side := range [][]int32{p.top, p.bottom, p.left, p.right} {
		for i := range side {
			if side[i] != none {
				keep(&side[i])
			}
		}
	}
}

// at returns the cluster of a cell on the perimeter of w×h cells.
func (p *perimeter) at(x, y, w, h int) int32 {
	switch {
	case x == 0:
		return p.left[y]
	case x == w-1:
		return p.right[y]
	case y == 0:
		return p.top[x]
	}
	return p.bottom[x]
}

// seam joins clusters across the edges of a universe. Each node gets a winding, which says in which copy of the
// universe the node's cells lie, seen from its parent.
type seam struct {
	*forest
	*perimeter
	t        topology.Topology
	straight bool // t.WrapsStraight
	group    group
	from     []winding // by node; zero for a root
	span     Span
}

// close joins clusters that touch across the edges, and finds what spans the universe. Before it, every cluster
// lies within one copy of the universe, without crossing an edge.
func (f *forest) close(p *perimeter, t topology.Topology, c Connectivity) Span {
	if t.Kind == topology.Plane {
		return p.acrossPlane(f)
	}
	f.from = slices.Grow(f.from[:0], len(f.nodes))[:len(f.nodes)]
	clear(f.from)
	s := seam{
		forest: f, perimeter: p, t: t, straight: t.WrapsStraight(), group: groupOf(t),
		from: f.from,
	}
	s.side(p.left, winding{x: -1}, c)
	s.side(p.top, winding{y: -1}, c)
	if !s.straight { // otherwise the contacts are those of the other two sides
		s.side(p.right, winding{x: 1}, c)
		s.side(p.bottom, winding{y: 1}, c)
	}
	return s.span
}

// across is a cell beyond an edge.
type across struct {
	i     int // its position along the edge, that of the cell it faces
	label int32
	x, y  int // in the universe
	over  winding
}

// facing finds the cell that faces cell i of a side. With -1 and the side's length it finds the cells beyond
// the corners.
func (s *seam) facing(i int, out winding) across {
	switch { // most cells of most universes
	case s.straight && out.x < 0 && uint(i) < uint(s.t.H):
		return across{i: i, label: s.right[i], x: s.t.W - 1, y: i, over: out}
	case s.straight && out.y < 0 && uint(i) < uint(s.t.W):
		return across{i: i, label: s.bottom[i], x: i, y: s.t.H - 1, over: out}
	}
	x, y := i, i
	switch {
	case out.x < 0:
		x = -1
	case out.x > 0:
		x = s.t.W
	case out.y < 0:
		y = -1
	default:
		y = s.t.H
	}
	a := across{i: i, label: none, over: winding{x: beyond(x, s.t.W), y: beyond(y, s.t.H)}}
	var inside bool
	if a.x, a.y, inside = s.t.Fold(x, y); inside {
		a.label = s.at(a.x, a.y, s.t.W, s.t.H)
	}
	return a
}

// besides reports whether two cells are neighbours in one copy of the universe, without crossing an edge.
func (a across) besides(b across) bool {
	dx, dy := a.x-b.x, a.y-b.y
	return a.over == b.over && dx*dx+dy*dy == 1
}

// side joins the cells along an edge with those beyond it. If neighbouring cells face neighbouring cells, one
// contact implies the other, so the second is left out.
func (s *seam) side(own []int32, out winding, c Connectivity) {
	var before, at, after across
	known := -2 // the i for which at was computed
	for i, label := range own {
		if label == none {
			continue
		}
		if known == i-1 {
			before, at = at, after
		} else {
			before, at = s.facing(i-1, out), s.facing(i, out)
		}
		after, known = s.facing(i+1, out), i
		lives := func(i int) bool { return i >= 0 && i < len(own) && own[i] != none }
		if at.label != none && !(lives(i-1) && before.label != none && at.besides(before)) {
			s.join(label, at.label, at.over)
		}
		for _, corner := range s.corners(before, after, out, c) {
			switch {
			case corner.label == none, lives(corner.i), at.label != none && at.besides(corner):
			default:
				s.join(label, corner.label, corner.over)
			}
		}
	}
}

// corners returns those of the cells beyond an edge, diagonally before and after a cell, that touch it.
func (s *seam) corners(before, after across, out winding, c Connectivity) []across {
	switch {
	case c == Eight:
		return []across{before, after}
	case c == Four:
		return nil
	case out.x+out.y < 0: // up or left
		return []across{before}
	}
	return []across{after}
}

// beyond returns -1, 0 or 1 for a coordinate before, on or after an axis of n cells.
func beyond(v, n int) int {
	switch {
	case v < 0:
		return -1
	case v >= n:
		return 1
	}
	return 0
}

// find returns the root of a node and the winding from there to the node.
func (s *seam) find(i int32) (root int32, w winding) {
	for s.nodes[i].parent != i {
		w = s.group.compose(s.from[i], w)
		i = s.nodes[i].parent
	}
	return i, w
}

// join joins the clusters of two neighbours, the second of which lies beyond the edge. If both are already in
// one cluster, a path has closed.
func (s *seam) join(a, b int32, over winding) {
	rootA, toA := s.find(a)
	rootB, toB := s.find(b)
	between := s.group.compose(s.group.compose(toA, over), s.group.inverse(toB)) // from one root to the other
	if rootA == rootB {
		s.span |= s.group.span(between)
		return
	}
	if s.nodes[rootA].size < s.nodes[rootB].size { // so that paths stay short
		rootA, rootB, between = rootB, rootA, s.group.inverse(between)
	}
	s.nodes[rootB].parent = rootA
	s.nodes[rootA].size += s.nodes[rootB].size
	s.from[rootB] = between
}

// acrossPlane finds clusters that touch opposite edges.
func (p *perimeter) acrossPlane(f *forest) (s Span) {
	if f.touch(p.left, p.right) {
		s |= SpanX
	}
	if f.touch(p.top, p.bottom) {
		s |= SpanY
	}
	return s
}

// touch reports whether two sides have a cluster in common.
func (f *forest) touch(one, other []int32) bool {
	seen := map[int32]bool{}
	for _, label := range one {
		if label != none {
			seen[f.find(label)] = true
		}
	}
	for _, label := range other {
		if label != none && seen[f.find(label)] {
			return true
		}
	}
	return false
}
