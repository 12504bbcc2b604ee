package window

import (
	"math/bits"

	"github.com/gosper-life/gosper/census/internal/card"
	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// A window is a square of cells in the registers of a warp. A lane has as many rows as a row has words.
type window int

// windows are the sizes that a soup goes through while it grows.
var windows = []window{4, 6, 8}

func (w window) side() int  { return ptx.Lanes * int(w) }
func (w window) words() int { return w.side() * int(w) }

// A record describes a soup that is or was in a window. It has a header and one or two parts of w² words for each lane
// of a window of w words:
//
//	header   shortHeader or headerWords words, see below
//	part 0   the present cells
//	part 1   the cells that are alive at some time in a period, only if the soup has settled
//
// A record in the output is shorter than one in a window. A part begins with the first lane that has a cell and ends
// with the last one, and the gliders of a settled soup are left out. The status says which lanes these are:
//
//	bit   31      24 23      16 15       8 7        0
//	      ┌─────────┬──────────┬──────────┬──────────┐
//	      │  lanes  │  first   │   fate   │  window  │
//	      └─────────┴──────────┴──────────┴──────────┘
//
// The record is padded to a multiple of unit words. Words of the header:
const (
	headerSoup       = iota // its number in the lot
	headerStatus            // lanes<<24 + first lane<<16 + status<<8 + window
	headerGeneration        // of the cells
	headerGliders           // how many have been struck
	headerGlider            // for each: its place and direction, and the generation in which it was there

	headerWords = 64
	shortHeader = 8                                // of a record without gliders
	mostGliders = (headerWords - headerGlider) / 2 // one less may be struck
)

// The fate of a soup: a card.Fate, or the need for a larger window.
const (
	growing     = 0
	settled     = int(card.Settled)
	returning   = int(card.Returning)
	unfinished  = int(card.Unfinished)
	again       = int(card.Again)
	settledLeft = int(card.SettledLeft)
)

const (
	passGenerations = sparse.PassGenerations
	passesOfCheck   = 8
	checksOfSave    = 8  // checks between two states that are remembered to be compared with later ones
	margin          = 8  // columns and rows that are dead when a pass begins
	clearance       = 12 // see sparse
)

// soupRows is the side of a soup: each row is a word.
const soupRows = card.SoupSide

// Bytes of a warp's shared memory: a header, a copy of the cells, and those that ever live.
func (w window) headerAt() int  { return 0 }
func (w window) nowAt() int     { return 4 * headerWords }
func (w window) everAt() int    { return w.nowAt() + 4*w.words() + 16 } // a glider's rows are read a word beyond
func (w window) warpBytes() int { return w.everAt() + 4*w.words() }

// unit is the number of words in which the output is counted.
const unit = 8

// warps of a block.
const warps = 4

// writer writes the kernel of a window.
type writer struct {
	stepper
	window
	gliders bool
	before  window // what it gets from that; 0 if it starts soups
	last    bool   // what outgrows it goes to the output

	lane, zero, row0 ptx.B32
	header           ptx.B32 // its address in shared memory
	own              ptx.B32 // offset of the lane's words
	generations      ptx.B32
	struck           ptx.B32 // gliders
	leaving          ptx.B32 // of the largest window: the bits of all that were struck there
	soup             ptx.B32
	status           ptx.B32
}

// newWriter makes the writer of a kernel whose cells nothing has been written to yet.
func newWriter(k *ptx.Kernel, f *warpprog.Program, w, before window, gliders, last bool) *writer {
	s := &writer{stepper: stepper{k: k, f: f}, window: w, gliders: gliders, before: before, last: last}
	thread := k.Special("tid.x")
	s.lane = k.AndN(thread, ptx.Lanes-1)
	s.zero = k.Const(0)
	s.above, s.below = k.AndN(k.AddN(s.lane, -1), ptx.Lanes-1), k.AndN(k.AddN(s.lane, 1), ptx.Lanes-1)
	s.row0 = k.MulN(s.lane, int(w))
	s.header = k.MulAdd(k.ShrN(thread, 5), k.Const(w.warpBytes()), k.Shared())
	s.own = k.Add(s.header, k.MulN(s.lane, 4*int(w*w)))
	s.quiet()
	for range w {
		row := make([]ptx.B32, w)
		for j := range row {
			row[j] = k.NewB32()
		}
		s.cells = append(s.cells, row)
	}
	s.generations, s.struck, s.soup, s.status, s.leaving = k.NewB32(), k.NewB32(), k.NewB32(), k.NewB32(), k.NewB32()
	return s
}

// emit writes a record to the output: a header, and parts of the window. all is the part that has every cell of
// the others.
func (s *writer) emit(out, count ptx.B64, header, all int, parts ...int) {
	k := s.k
	some := k.Const(0)
	s.each(func(i int, _ []ptx.B32) {
		for _, v := range k.LoadShared(s.own, all+4*i, 4) {
			some = k.Or(some, v)
		}
	})
	lanes := k.Ballot(k.CompareN("ne", some, 0))
	first := k.MinN(k.Clz(k.Reverse(lanes)), ptx.Lanes-1)
	n := k.MaxN(k.Sub(k.Sub(k.Const(ptx.Lanes), k.Clz(lanes)), first), 0)
	size := int(s.window * s.window) // words of a lane
	units := k.ShrN(k.AddN(k.MulN(n, len(parts)*size), header+unit-1), bits.Len(unit)-1)
	to := k.MulWideN(s.fetch(count, units), 4*unit, out)
	s.finish(to, k.Or(k.ShlN(n, 24), k.ShlN(first, 16)), header)
	place := k.Sub(s.lane, first)
	over := k.NewLabel()
	k.DivergeUnless(k.Below(place, n), over)
	for i, from := range parts {
		s.write(k.MulWide(k.MulN(n, i), k.Const(4*size), to), 4*header, from, place)
	}
	k.Place(over)
	k.WarpBarrier()
}

// word is all ones where p is true, else zero.
func (s *writer) word(p ptx.Pred) ptx.B32 { return s.k.SelectN(p, -1, 0) }

// everywhere reports whether p is true in all lanes; somewhere, whether v is not zero in any.
func (s *writer) everywhere(p ptx.Pred) ptx.Pred { return s.k.CompareN("eq", s.k.Ballot(p), -1) }

func (s *writer) somewhere(v ptx.B32) ptx.Pred {
	return s.k.CompareN("ne", s.k.Ballot(s.k.CompareN("ne", v, 0)), 0)
}

// fetch adds n to a number in global memory and returns what was there before, in all lanes.
func (s *writer) fetch(at ptx.B64, n ptx.B32) ptx.B32 {
	k, v, over := s.k, s.k.NewB32(), s.k.NewLabel()
	k.Assign(v, 0)
	k.DivergeIf(k.CompareN("ne", s.lane, 0), over)
	k.Move(v, k.FetchAdd(at, 0, n))
	k.Place(over)
	k.WarpBarrier()
	return k.ShuffleFrom(v, s.zero)
}

// begin puts soup i in the middle of the window.
func (s *writer) begin(soups ptx.B64, i ptx.B32) {
	k := s.k
	k.Move(s.soup, i)
	k.Assign(s.generations, 0)
	k.Assign(s.struck, 0)
	at := k.MulWideN(i, 4*soupRows, soups)
	for r := range s.cells {
		y := k.AddN(s.row0, r-(s.side()-soupRows)/2)
		in := k.Below(y, k.Const(soupRows))
		v := k.Load(k.MulWideN(k.Select(in, y, s.zero), 4, at), 0, 1)[0]
		v = k.Select(in, v, s.zero)
		for j := range s.cells[r] {
			switch j {
			case int(s.window)/2 - 1:
				k.Move(s.cells[r][j], k.ShlN(v, 16))
			case int(s.window) / 2:
				k.Move(s.cells[r][j], k.ShrN(v, 16))
			default:
				k.Assign(s.cells[r][j], 0)
			}
		}
	}
}

// resume puts the cells of record i of a smaller window into the middle.
func (s *writer) resume(records ptx.B64, i ptx.B32) {
	k, old := s.k, s.before
	left := int(s.window-old) / 2 // words
	at := k.MulWideN(i, 4*(headerWords+old.words()), records)
	k.WarpBarrier() // the header's last readers are done
	header := k.LoadChanging(k.MulWideN(s.lane, 8, at), 0, 2)
	k.StoreShared(k.Add(s.header, k.ShlN(s.lane, 3)), s.headerAt(), header...)
	k.WarpBarrier()
	first := k.LoadShared(s.header, 0, 4)
	k.Move(s.soup, first[headerSoup])
	k.Move(s.generations, first[headerGeneration])
	k.Move(s.struck, first[headerGliders])
	for r := range s.cells {
		y := k.AddN(s.row0, r-(s.side()-old.side())/2)
		in := k.Below(y, k.Const(old.side()))
		row := k.MulWideN(k.Select(in, y, s.zero), 4*int(old), at)
		for j := range s.cells[r] {
			if j < left || j >= left+int(old) {
				k.Assign(s.cells[r][j], 0)
				continue
			}
			v := k.LoadChanging(row, 4*(headerWords+j-left), 1)[0]
			k.Move(s.cells[r][j], k.Select(in, v, s.zero))
		}
	}
}

// hash is a number that depends on the lane's cells.
func (s *writer) hash() ptx.B32 {
	k := s.k
	factor, sum := k.Const(0x9E3779B1-1<<32), k.Const(0)
	for _, row := range s.cells {
		h := row[0]
		for _, v := range row[1:] {
			h = k.MulAdd(h, factor, v)
		}
		h = k.Lop3(lut.Xor, h, k.ShrN(h, 15), s.zero)
		sum = k.MulAdd(sum, factor, h)
	}
	return sum
}

// atMargin reports whether a cell lives near the edge of the window.
func (s *writer) atMargin(atEdge ptx.B32) ptx.Pred {
	k, last := s.k, int(s.window)-1
	var left, right, all ptx.B32
	for r, row := range s.cells {
		for j, v := range row {
			if r == 0 && j == 0 {
				all = v
			} else {
				all = k.Or(all, v)
			}
		}
		if r == 0 {
			left, right = row[0], row[last]
		} else {
			left, right = k.Or(left, row[0]), k.Or(right, row[last])
		}
	}
	return s.somewhere(k.Or(k.And(all, atEdge), k.Or(k.AndN(left, 1<<margin-1), k.AndN(right, ^uint32(1<<(32-margin)-1)))))
}

// copyTo copies the cells to shared memory.
func (s *writer) copyTo(at int) {
	k := s.k
	k.WarpBarrier()
	s.each(func(i int, v []ptx.B32) { k.StoreShared(s.own, at+4*i, v...) })
	k.WarpBarrier()
}

// each calls do for the lane's cells, in groups that can be stored with one instruction.
func (s *writer) each(do func(i int, v []ptx.B32)) {
	var all []ptx.B32
	for _, row := range s.cells {
		all = append(all, row...)
	}
	for i := 0; i < len(all); i += 4 {
		do(i, all[i:i+4])
	}
}

// remember adds the cells to those that ever live.
func (s *writer) remember() {
	k := s.k
	s.each(func(i int, v []ptx.B32) {
		ever := k.LoadShared(s.own, s.everAt()+4*i, 4)
		for j := range ever {
			ever[j] = k.Or(ever[j], v[j])
		}
		k.StoreShared(s.own, s.everAt()+4*i, ever...)
	})
}

// returned reports whether the cells are those that were copied.
func (s *writer) returned() ptx.Pred {
	k, differ := s.k, s.k.Const(0)
	s.each(func(i int, v []ptx.B32) {
		for j, was := range k.LoadShared(s.own, s.nowAt()+4*i, 4) {
			differ = k.Or(differ, k.Lop3(lut.Xor, v[j], was, was))
		}
	})
	return s.everywhere(k.CompareN("eq", differ, 0))
}

// finish completes the header and writes its first words.
func (s *writer) finish(to ptx.B64, lanes ptx.B32, words int) {
	k := s.k
	over, end := k.NewLabel(), k.NewLabel()
	k.WarpBarrier()
	k.DivergeIf(k.CompareN("ne", s.lane, 0), over)
	k.StoreShared(s.header, 0, s.soup, k.Or(lanes, k.OrN(k.ShlN(s.status, 8), uint32(s.window))), s.generations, s.struck)
	k.Place(over)
	k.WarpBarrier()
	k.DivergeIf(k.CompareN("ge", s.lane, words/2), end)
	k.Store(k.MulWideN(s.lane, 8, to), 0, k.LoadShared(k.Add(s.header, k.ShlN(s.lane, 3)), s.headerAt(), 2)...)
	k.Place(end)
	k.WarpBarrier()
}

// write copies the lane's cells from shared memory to those of lane number place.
func (s *writer) write(to ptx.B64, offset, from int, place ptx.B32) {
	k := s.k
	at := k.MulWideN(place, 4*int(s.window*s.window), to)
	s.each(func(i int, _ []ptx.B32) { k.Store(at, offset+4*i, k.LoadShared(s.own, from+4*i, 4)...) })
}
