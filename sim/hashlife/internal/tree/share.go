package tree

import (
	"math"
	"sync/atomic"
)

// share is the part of a step that is done. The first worker counts the squares, at a level some way below the
// root, whose futures it has found or computed. A square above that level counts as all the squares that it is
// made of.
type share struct {
	level  int // the squares that are counted
	whole  [MaxLevel + 1]float64
	needed [MaxLevel + 1]float64 // for squares that are advanced only as far as the step needs
	seen   float64
	done   atomic.Uint64 // the bits of a float64 from 0 to 1
}

// counted is the distance in levels from the root to the squares that are counted: some five million.
const counted = 6

// begin prepares for the step that the tree is about to make. A whole square of a level needs nine of
// the level below, and then four. A square that advances less may need only the four: see Tree.future.
func (s *share) begin(t *Tree) {
	s.done.Store(0)
	s.seen = 0
	s.level = max(t.Base(), t.Level-counted)
	s.whole[s.level], s.needed[s.level] = 1, 1
	for level := s.level + 1; level <= t.Level; level++ {
		below := level - 1
		s.whole[level] = 13 * s.whole[below]
		s.needed[level] = 4 * s.of(t, below, false)
		if t.partial[level] > t.Generations(below) {
			s.needed[level] += 9 * s.whole[below]
		}
	}
}

// of returns the count of a square of a level.
func (s *share) of(t *Tree, level int, whole bool) float64 {
	if t.isWhole(level, whole) {
		return s.whole[level]
	}
	return s.needed[level]
}

// add counts squares of a level that were known, and others that have been computed.
func (w *worker) add(level, known, computed int, whole bool) {
	s := &w.share
	if level > s.level {
		computed = 0 // their parts have been counted
	}
	s.seen += float64(known+computed) * s.of(w.Tree, level, whole)
	if done := min(s.seen/s.of(w.Tree, w.Level, false), 1); done > w.Share() { // an abandoned step is counted again
		s.done.Store(math.Float64bits(done))
	}
}

// ForgetShare makes Share 0.
func (t *Tree) ForgetShare() { t.share.done.Store(0) }

// Share returns the part of the current step that is done, from 0 to 1, as if all squares took the same time.
// Any goroutine may call it.
func (t *Tree) Share() float64 { return math.Float64frombits(t.share.done.Load()) }
