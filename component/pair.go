package component

import (
	"math/bits"
	"slices"
)

// rowPair is two rows of cells, or one. Two cells in neighbouring columns of two rows always touch, at least at a
// corner. Therefore, if corners count, a cluster's part of a pair is a run of columns, and labelling two rows at
// once costs as much as one:
//
//	· o · · · o        cells of the upper row
//	o · · o · o        of the lower row
//	o o · o · o        any: three pieces
//
// If not all corners count, a pair has one row. Runs also end at the edges of words; the pieces of such a run
// have the same label.
type rowPair struct {
	cells  [2][]uint64
	height int
	any    []uint64 // columns with a live cell
	labels []int32  // by column: the cluster of a piece, where the piece begins
	pieces []int32  // columns where pieces begin
}

// rows is the height of pairs.
func (c Connectivity) rows() int {
	if c == Eight {
		return 2
	}
	return 1
}

func (s *rowPair) resize(words int) {
	s.any = slices.Grow(s.any[:0], words)[:words]
	s.labels = slices.Grow(s.labels[:0], 64*words)[:64*words]
	s.pieces = s.pieces[:0]
}

// find finds the pieces. Each gets a cluster of its own, unless it continues from one word to the next.
func (s *rowPair) find(f *forest) {
	upper := s.cells[0][:len(s.any)]
	lower, second := upper, uint64(0)
	if s.height == 2 {
		lower, second = s.cells[1][:len(s.any)], ^uint64(0)
	}
	f.grow(32 * len(s.any))
	s.pieces = slices.Grow(s.pieces[:0], 32*len(s.any))
	nodes, pieces := f.nodes, s.pieces
	carry, last := uint64(0), none
	for i := range s.any {
		u, d := upper[i], lower[i]&second
		either := u | d
		s.any[i] = either
		for rest := either; rest != 0; {
			// The lowest piece, by the carry of an addition:
			//
			//	rest           0 1 1 0 1 1 1 0 0
			//	first          0 0 0 0 0 0 1 0 0
			//	rest + first   0 1 1 1 0 0 0 0 0
			//	piece          0 0 0 0 1 1 1 0 0
			first := rest & -rest
			piece := rest &^ (rest + first)
			rest &^= piece
			size := uint64(bits.OnesCount64(u&piece) + bits.OnesCount64(d&piece))
			x := int32(64*i + bits.TrailingZeros64(first))
			if first&carry == 0 {
				last = int32(len(nodes))
				nodes = append(nodes, node{last, size})
			} else {
				nodes[last].size += size
			}
			s.labels[x] = last
			pieces = append(pieces, x)
		}
		carry = either >> 63
	}
	f.nodes, s.pieces = nodes, pieces
}

// start returns the column where the piece that contains column x of word i begins.
func (s *rowPair) start(i int, x uint) int {
	return 64*i + bits.Len64(^s.any[i]&(1<<x-1))
}

// at returns the cluster of the cell in column x of row k, none if the cell is dead.
func (s *rowPair) at(x, k int) int32 {
	i, b := x>>6, uint(x&63)
	if s.cells[k][i]>>b&1 == 0 {
		return none
	}
	return s.labels[s.start(i, b)]
}

// spread stores the clusters of the cells of row k by column, none for dead cells.
func (s *rowPair) spread(dst []int32, k int) {
	for x := range dst {
		dst[x] = s.at(x, k)
	}
}

// join joins clusters that touch between the last row of the upper pair and the first of the lower. From the
// contacts
//
//	over an edge      o     over corners   o ·     · o
//	                  o                    · o     o ·
//
// (the first of the corners alone if cells have six neighbours), it takes only those that no other implies: the
// first in a row of contacts at edges, and corners where neither of the other two cells lives.
func (l *Labeller) join(c Connectivity) {
	up, down := l.above.cells[l.above.height-1][:len(l.below.any)], l.below.cells[0][:len(l.below.any)]
	var upLeft, downLeft, edgeLeft uint64 // the last bits of the words to the left
	for i, d := range down {
		u := up[i]
		if d == 0 {
			edgeLeft, downLeft, upLeft = 0, 0, u>>63
			continue
		}
		edge := u & d
		begin := edge &^ (edge<<1 | edgeLeft)
		edgeLeft = edge >> 63
		var fromLeft, fromRight uint64
		if c != Four {
			var upRight, downRight uint64
			if i+1 < len(up) {
				upRight, downRight = up[i+1]<<63, down[i+1]<<63
			}
			alone := d &^ u
			fromLeft = alone & (u<<1 | upLeft) &^ (d<<1 | downLeft)
			if c == Eight {
				fromRight = alone & (u>>1 | upRight) &^ (d>>1 | downRight)
			}
			upLeft, downLeft = u>>63, d>>63
		}
		for begin != 0 {
			l.touch(i, begin, 0)
			begin &= begin - 1
		}
		for fromLeft != 0 {
			l.touch(i, fromLeft, -1)
			fromLeft &= fromLeft - 1
		}
		for fromRight != 0 {
			l.touch(i, fromRight, 1)
			fromRight &= fromRight - 1
		}
	}
}

// touch joins two clusters: that of the first of some columns of word i of the lower pair, and that of the
// column dx to the right in the upper pair.
func (l *Labeller) touch(i int, columns uint64, dx int) {
	x := uint(bits.TrailingZeros64(columns))
	over := 64*i + int(x) + dx
	l.union(l.above.labels[l.above.start(over>>6, uint(over&63))], l.below.labels[l.below.start(i, x)])
}
