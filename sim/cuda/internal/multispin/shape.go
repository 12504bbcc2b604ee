package multispin

import (
	"math/bits"

	"github.com/gosper-life/gosper/internal/ptx"
)

// shape describes how a warp holds one of many small universes, a torus of w×h cells: whole rows in words of 32
// cells, and the same number of consecutive rows in each lane. The last lane may have fewer. Lanes that are left over
// repeat the work of others.
//
//	lane 0   row 0        ┌ word 0 ┬ word 1 ┬ … ┐     bit b of word j is column 32·j + b
//	         row 1        └────────┴────────┴───┘
//	lane 1   row 2 …
//
// In memory the words of a universe follow each other, row after row, and universe after universe; bits beyond
// column w-1 are zero.
type shape struct {
	w, h  int
	words int // of a row
	used  int // lanes that differ
	rows  int // of a lane
	short int // rows that the last lane in use has fewer
}

// newShape divides rows between lanes. If the height has no divisor near 32, the last lane has fewer
// rows.
func newShape(w, h int) shape {
	s := shape{w: w, h: h, words: (w + 31) / 32, used: min(h, ptx.Lanes)}
	// The most lanes that divide the height evenly.
	for h%s.used != 0 {
		s.used--
	}
	s.rows = h / s.used
	if least := (h + ptx.Lanes - 1) / ptx.Lanes; s.rows > 2*least { // even, but with too few lanes
		s.rows, s.used = least, (h+least-1)/least
		s.short = s.rows*s.used - h
	}
	return s
}

// perLane is the words of a lane, perUniverse of all of them.
func (s shape) perLane() int     { return s.rows * s.words }
func (s shape) perUniverse() int { return s.h * s.words }

// valid are the bits of word j of a row that are columns.
func (s shape) valid(j int) uint32 {
	return ^uint32(0) >> max(0, 32*(j+1)-s.w)
}

// at returns the 32 columns of a row from column x on, -w < x < 2w. After the last column comes the first. Only
// the lowest need bits are valid.
func (s shape) at(k *ptx.Kernel, row []ptx.B32, x, need int) ptx.B32 {
	x = ((x % s.w) + s.w) % s.w
	j, shift := x/32, x%32
	left := s.w - x // columns before the row begins again
	if left >= need || s.w%32 == 0 {
		if shift == 0 {
			return row[j]
		}
		if left <= 32-shift && left >= need {
			return k.ShrN(row[j], shift)
		}
		return k.FunnelR(row[j], row[(j+1)%s.words], shift)
	}
	v := row[j]
	switch {
	case shift > 0 && j+1 < s.words:
		v = k.FunnelR(v, row[j+1], shift)
	case shift > 0:
		v = k.ShrN(v, shift)
	}
	v = k.AndN(v, 1<<left-1)
	// The columns that are missing are those from column 0 on.
	return k.Or(v, k.ShlN(s.at(k, row, 0, need-left), left))
}

// moved returns a row whose column x is column x+dx of another row. Bits beyond column w-1 are not valid.
func (s shape) moved(k *ptx.Kernel, row []ptx.B32, dx int) []ptx.B32 {
	if dx%s.w == 0 {
		return row
	}
	out := make([]ptx.B32, s.words)
	for j := range out {
		out[j] = s.at(k, row, 32*j+dx, bits.Len32(s.valid(j)))
	}
	return out
}

// universe is the address of the block's universe.
func (s shape) universe(k *ptx.Kernel, base ptx.B64, block ptx.B32) ptx.B64 {
	return k.MulWideN(block, 4*s.perUniverse(), base)
}

// each writes a loop over n items that the threads of a block share: thread t has items t, t+threads, … In the last
// turn some threads may have none.
func each(k *ptx.Kernel, t ptx.B32, threads, n int, do func(i ptx.B32)) {
	if n == threads {
		do(t)
		return
	}
	i := k.NewB32()
	k.Move(i, t)
	top, end := k.NewLabel(), k.NewLabel()
	k.DivergeIf(k.CompareN("ge", i, n), end)
	if n > threads {
		k.Place(top)
	}
	do(i)
	if n > threads {
		k.Increase(i, threads)
		k.DivergeIf(k.CompareN("lt", i, n), top)
	}
	k.Place(end)
}

// place returns the row of word i of a universe, and the number of the word in the row.
func (s shape) place(k *ptx.Kernel, i ptx.B32) (y, j ptx.B32) {
	if s.words&(s.words-1) == 0 {
		return k.ShrN(i, bits.Len(uint(s.words))-1), k.AndN(i, uint32(s.words-1))
	}
	y = k.DivU(i, k.Const(s.words))
	return y, k.Sub(i, k.MulN(y, s.words))
}
