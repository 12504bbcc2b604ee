// Package cells says which cell of a universe is which bit of a GPU's memory. It also writes the kernels that
// fill, find, count, copy and hash cells there.
package cells

import "math/bits"

// Layout says which cell is which bit of a universe in a GPU's memory. Columns are interleaved: the columns of a
// group take turns among its words. As a result, the left and right neighbours of a cell mostly lie at the same bit
// of another word:
//
//	words = 2       word 0 of group g               word 1 of group g
//	bit             0   1   2  …  31                0   1   2  …  31
//	column 64·g +   0   2   4  …  62                1   3   5  …  63
//
// A row is a number of groups and halo groups on both sides; planes follow one another, each with halo rows
// above and below:
//
//	plane   ┌────────┬──────────────────────┬────────┐  ─┬─ above
//	        │ halo   │ row 0                │ halo   │   │
//	        │        │  ⋮                   │        │   │
//	        └────────┴──────────────────────┴────────┘  ─┴─ below
//	        Before·Words words, rounded up to a line unless rows are packed
type Layout struct {
	W, H, Planes  int
	Words         int
	Groups        int // that hold columns of the universe
	Before, After int // halo groups
	Above, Below  int // halo rows
	Shift         int // rows by which two copies in one buffer differ in place; 0: each has its own
	Stride        int // bytes of a row
	Margin        int // bytes of a row before group 0
}

// line is the unit in which memory is fetched.
const line = 128

// New returns the layout of a universe of w×h cells in the given number of bit planes, with halo groups on both
// sides of a row and halo rows above and below a plane.
func New(w, h, planes, words, haloGroups, above, below int) Layout {
	l := Layout{
		W: w, H: h, Planes: planes, Words: words, Before: haloGroups, After: haloGroups, Above: above,
		Below: below,
	}
	l.Groups = (w + 32*words - 1) / (32 * words)
	l.Margin = roundUp(4*words*l.Before, line)
	l.Stride = l.Margin + roundUp(4*words*(l.Groups+l.After), line)
	return l
}

// Pack moves rows of at most half a line together, for warps that read many rows at once.
func (l *Layout) Pack() {
	margin := 4 * l.Words * l.Before
	if row := margin + 4*l.Words*(l.Groups+l.After); row <= line/2 {
		l.Margin, l.Stride = margin, row
	}
}

// log2 is the logarithm of a power of two.
func log2(n int) int { return bits.Len(uint(n)) - 1 }

func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }

// PlaneBytes is the distance from a plane to the next.
func (l *Layout) PlaneBytes() uint64 { return uint64(l.Above+l.H+l.Below+l.Shift) * uint64(l.Stride) }

// Bytes is the size of a universe.
func (l *Layout) Bytes() uint64 { return uint64(l.Planes) * l.PlaneBytes() }

// Origin is the offset of group 0 of row 0 of plane 0.
func (l *Layout) Origin() uint64 { return uint64(l.Above)*uint64(l.Stride) + uint64(l.Margin) }

// PlainStride is the size in bytes of a plain row. It has whole groups, because several words are read together.
func (l *Layout) PlainStride() int { return roundUp(4*l.Words*l.Groups, 16) }
