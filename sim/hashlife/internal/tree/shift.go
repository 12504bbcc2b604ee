package tree

import "github.com/gosper-life/gosper/grid"

// Direction is the direction in which Shift moves cells.
type Direction bool

const (
	Up   Direction = false
	Down Direction = true
)

// Shift moves all cells by a row. The root becomes a level larger.
func (t *Tree) Shift(d Direction) error {
	t.Grow()
	for {
		s := shift{Tree: t, direction: d, known: map[shiftKey]Ref{}, leaf: make([]uint64, t.leafWords)}
		upper, lower := t.Root, Ref(0)
		if d == Down {
			upper, lower = 0, t.Root
		}
		if n := s.between(upper, lower, t.Level); n != unknown {
			t.Root = n
			return nil
		}
		if err := t.Reserve(t.nodeStore.used(), t.leafStore.used()); err != nil {
			return err
		}
	}
}

// shift makes the squares of shifted cells.
type shift struct {
	*Tree
	direction Direction
	known     map[shiftKey]Ref
	leaf      []uint64 // scratch
}

type shiftKey struct {
	upper, lower Ref
	isLeaf       bool
}

// between returns a square that overlaps two squares, one above the other. It is a row below the upper one (Up)
// or a row above the lower one (Down). It returns unknown if tables are full.
func (s *shift) between(upper, lower Ref, level int) Ref {
	if upper|lower == 0 {
		return 0
	}
	key := shiftKey{upper, lower, level == s.Leaf}
	if n, known := s.known[key]; known {
		return n
	}
	var n Ref
	if key.isLeaf {
		n = s.betweenLeaves(s.Cells(upper), s.Cells(lower))
	} else {
		// Three halves above each other cover the new square. Its upper half lies between the first two, its lower half
		// between the last two:
		//
		//	Up       upper half of upper     lower half of upper     upper half of lower
		//	Down     lower half of upper     upper half of lower     lower half of lower
		u, l := s.Children(upper), s.Children(lower)
		halves := [3][2]Ref{{u[0], u[1]}, {u[2], u[3]}, {l[0], l[1]}}
		if s.direction == Down {
			halves = [3][2]Ref{{u[2], u[3]}, {l[0], l[1]}, {l[2], l[3]}}
		}
		var q [4]Ref
		for i := range q {
			if q[i] = s.between(halves[i>>1][i&1], halves[i>>1+1][i&1], level-1); q[i] == unknown {
				return unknown
			}
		}
		n = s.Node(level, q[0], q[1], q[2], q[3])
	}
	if s.nodeStore.isFull() || s.leafStore.isFull() {
		return unknown
	}
	s.known[key] = n
	return n
}

// betweenLeaves takes all rows but one from one leaf, and the last row from the other.
func (s *shift) betweenLeaves(upper, lower []uint64) Ref {
	side := 1 << s.Leaf
	for k := range s.Planes {
		first := k << (2 * s.Leaf)
		last := first + (side-1)*side
		if s.direction == Up {
			grid.CopyBits(s.leaf, first, upper, first+side, (side-1)*side)
			grid.CopyBits(s.leaf, last, lower, first, side)
		} else {
			grid.CopyBits(s.leaf, first, upper, last, side)
			grid.CopyBits(s.leaf, first+side, lower, first, (side-1)*side)
		}
	}
	return s.LeafOf(s.leaf)
}
