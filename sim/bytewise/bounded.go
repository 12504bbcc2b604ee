package bytewise

import (
	"math/bits"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
)

// torus is a torus as a creature sees it: cells beyond an edge are those at the other side.
type torus struct {
	universe
	w, h int
	part [pitch / 64]uint64
}

// Bound makes a stepper one for bounded universes: a creature must not see itself around a torus, and must not reach
// the edges of a plane. It returns false for other universes.
func (s *Stepper) Bound(t topology.Topology) bool {
	s.bounds = grid.Rect{W: t.W, H: t.H}
	s.wraps = t.WrapsStraight()
	return t.Bounded() && (s.wraps || t.Kind == topology.Plane)
}

// inside reports whether a box is far enough from the edges, or on a torus from itself.
func (s *Stepper) inside(box grid.Rect) bool {
	switch r := s.radius; {
	case s.bounds.Empty():
		return true
	case s.wraps:
		return box.W+4*r <= s.bounds.W && box.H+4*r <= s.bounds.H
	default:
		return box.Empty() || box.X >= r && box.Y >= r && box.X+box.W+r <= s.bounds.W && box.Y+box.H+r <= s.bounds.H
	}
}

// Find returns the box of the cells of a bounded universe that are not in state 0, if it is small enough. On a
// torus it may reach over the edges.
func (s *Stepper) Find(u grid.Source) (box grid.Rect, ok bool, err error) {
	columns, rows := make([]uint64, (s.bounds.W+63)/64), make([]uint64, (s.bounds.H+63)/64)
	row := make([]uint64, len(columns))
	for y := range s.bounds.H {
		for plane := range s.planes {
			if err := u.ReadRow(row, plane, 0, y, s.bounds.W); err != nil {
				return grid.Rect{}, false, err
			}
			for i, v := range row {
				columns[i] |= v
				if v != 0 {
					rows[y/64] |= 1 << (y % 64)
				}
			}
		}
		if y%16 == 0 && (count(columns) > widest || count(rows) > widest) {
			return grid.Rect{}, false, nil
		}
	}
	box.X, box.W = s.span(columns, s.bounds.W)
	box.Y, box.H = s.span(rows, s.bounds.H)
	return box, s.Takes(box), nil
}

func count(words []uint64) (n int) {
	for _, v := range words {
		n += bits.OnesCount64(v)
	}
	return n
}

// span is the shortest run of lines that holds all that are set, from a first one on. On a torus of n lines it
// may go over the edge.
func (s *Stepper) span(lines []uint64, n int) (first, length int) {
	if !s.wraps {
		first, end := grid.BitSpan(lines)
		return first, end - first
	}
	// On a torus the lines form a ring. The shortest run is all of the ring except the widest gap.
	widest, before, begin := 0, -1, -1 // the widest gap, and the set line that ends it
	for i := range n {
		if lines[i/64]>>(i%64)&1 == 0 {
			continue
		}
		if begin < 0 {
			begin = i
		} else if i-before > widest {
			widest, first = i-before, i
		}
		before = i
	}
	if begin < 0 {
		return 0, 0
	}
	if around := begin + n - before; around >= widest {
		widest, first = around, begin
	}
	return first, n - widest + 1
}

// within is the universe as a creature sees it.
func (s *Stepper) within(u universe) universe {
	if !s.wraps {
		return u
	}
	return &torus{universe: u, w: s.bounds.W, h: s.bounds.H}
}

// pieces calls do for the parts of a row of n cells that lie on one side of the edge: where they are, how many,
// and how many come before.
func (t *torus) pieces(x, y, n int, do func(x, y, n, before int) error) error {
	x, y = (x%t.w+t.w)%t.w, (y%t.h+t.h)%t.h
	first := min(n, t.w-x)
	if err := do(x, y, first, 0); err != nil || first == n {
		return err
	}
	return do(0, y, n-first, first)
}

// ReadRow implements grid.Source.
func (t *torus) ReadRow(dst []uint64, plane, x, y, n int) error {
	clear(dst[:(n+63)/64])
	return t.pieces(x, y, n, func(x, y, n, before int) error {
		if err := t.universe.ReadRow(t.part[:], plane, x, y, n); err != nil {
			return err
		}
		grid.CopyBits(dst, before, t.part[:], 0, n)
		return nil
	})
}

// WriteRow implements grid.Sink.
func (t *torus) WriteRow(src []uint64, plane, x, y, n int) error {
	return t.pieces(x, y, n, func(x, y, n, before int) error {
		clear(t.part[:])
		grid.CopyBits(t.part[:], 0, src, before, n)
		return t.universe.WriteRow(t.part[:], plane, x, y, n)
	})
}
