// Package patches writes the kernel that keeps a whole universe in the registers of a GPU for many generations,
// as text in PTX. Each warp has a patch of the universe and cells around it. The patches exchange these through
// the second-level cache, without waiting for any but their neighbours.
package patches

import (
	"slices"

	"github.com/gosper-life/gosper/internal/compile/dataflow"
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/internal/ptx/lanes"
)

// Plan describes how a patch lies in the registers of a warp. A lane has a few rows of it. A row has a few words of
// 32 cells, whose columns are interleaved as in package cells, so that the neighbours of most words are other words
// of the lane.
type Plan struct {
	Depth int // generations between two exchanges
	Words int // of a row: 1, 2 or 4
	Rows  int // of a lane
}

// Reach is the number of rows and columns around a patch that it holds as well: after Depth generations they
// are wrong, and are exchanged.
func (p Plan) Reach(f *warpprog.Program) int { return p.Depth * f.Radius }

// MostReach is the largest reach. The cells that a row gives both neighbours are one word.
const MostReach = 16

// Grid divides a universe into patches. Its columns are counted in bits of words. Patches differ by at most one bit
// in width and one row in height.
type Grid struct {
	Bits, Height int // of the universe
	Across, Down int // patches
}

// Divide returns the smallest grid of patches for a torus, and whether there is one.
func (p Plan) Divide(f *warpprog.Program, width, height int) (Grid, bool) {
	reach := p.Reach(f)
	if reach > MostReach || reach%p.Words != 0 || width%p.Words != 0 || width < 32*p.Words {
		return Grid{}, false
	}
	// A word of 32 bits holds the columns of the patch and, on both sides, `beside` bits of its
	// neighbours. The lanes hold the rows of the patch and, above and below, reach rows of its
	// neighbours:
	//
	//	word    │ beside │ most            │ beside │      32 bits
	//	rows    │ reach  │ tallest         │ reach  │      32 lanes × Rows
	beside := reach / p.Words
	most, tallest := 32-2*beside, ptx.Lanes*p.Rows-2*reach
	if most < beside || tallest < reach {
		return Grid{}, false
	}
	g := Grid{Bits: width / p.Words, Height: height}
	g.Across, g.Down = (g.Bits+most-1)/most, (height+tallest-1)/tallest
	// the cells around a patch are in the patches beside it
	return g, g.Bits/g.Across >= beside && g.Height/g.Down >= reach
}

// Patches is the number of patches.
func (g Grid) Patches() int { return g.Across * g.Down }

// ExchangeBytes is the memory through which the patches of a grid exchange cells. It starts as zeros.
func (p Plan) ExchangeBytes(f *warpprog.Program, g Grid) uint64 {
	return 2 * uint64(g.Patches()) * uint64(p.patchBytes(f))
}

// patchBytes is the size of a patch there: see exchange.
func (p Plan) patchBytes(f *warpprog.Program) int {
	return tagged * (2*p.edgeWords(f.Planes, p.Reach(f)) + f.Planes*ptx.Lanes*p.Rows)
}

// SharedBytes is the shared memory of a warp: the rows of a patch.
func (p Plan) SharedBytes(f *warpprog.Program) int {
	return 4 * f.Planes * p.Words * ptx.Lanes * p.Rows
}

// MostWarps is the most warps of a block. The warps of a block are spread evenly over the schedulers of a
// multiprocessor, which many blocks would not be.
const MostWarps = 4

// tagged is the size of a word and its tag.
const tagged = 8

// Arguments are the parameters of a launch, which has a warp for each patch.
type Arguments struct {
	Source, Target uint64 // addresses of group 0 of row 0 of plane 0, of the cells to read and of zeros to write to
	Plane          uint64 // bytes from a plane to the next
	Stride         int    // bytes from a row to the next
	Grid           Grid
	Generations    uint32
	Exchange       uint64 // address of ExchangeBytes bytes
	Exchanges      uint32 // how many there have been so far, modulo 2^32
}

// Append adds the arguments to a list as the kernel's parameters.
func (a *Arguments) Append(list []uint64) []uint64 {
	g := a.Grid
	return append(list, a.Source, a.Target, a.Plane, uint64(a.Stride), uint64(g.Bits), uint64(g.Height), uint64(g.Across),
		uint64(g.Down),
		uint64(a.Generations), a.Exchange, uint64(a.Exchanges))
}

// Exchanges returns the number of exchanges in a launch of the given number of generations.
func (p Plan) Exchanges(generations uint32) uint32 { return (generations - 1) / uint32(p.Depth) }

// A writer writes the kernel. A patch has a frame of cells around it, reach cells wide:
//
//	lane 0   ┌───────────────┐ ─┬─ reach rows of the patch above
//	   ⋮     │  ┌─────────┐  │ ─┘
//	         │  │  patch   │  │     bit b of word j is column words·b + j of the frame
//	         │  └─────────┘  │ ─┬─ reach rows of the patch below
//	lane 31  └───────────────┘ ─┘  and perhaps some that nobody needs
//
// Generation after generation the frame becomes wrong from outside in. When it is used up, patches exchange cells:
// each writes the rows and columns at its edges to memory, and reads those of its neighbours. A word is written
// together with the number of the exchange, its tag, as one number of 64 bits. As a result, a reader sees from the
// word itself whether it is there yet, and reads again until it is. There are two places for each word, used in
// turns. A patch that writes to a place has read what its neighbours wrote since they read what was there before, so
// nothing is overwritten too early. No other order is needed between reads and writes.
type writer struct {
	Plan
	f *warpprog.Program
	k *ptx.Kernel

	reach, beside int // columns around the patch, and bits of each word

	lane, row0 ptx.B32     // the lane, and its first row in the frame
	wide, tall ptx.B32     // bits and rows of the patch
	cells      [][]ptx.B32 // by row of the lane, and by plane·words + word
}

// Suits reports whether a program can run in patches.
func Suits(f *warpprog.Program) bool {
	return !f.Recurrent && !f.Drifts && len(f.Given()) == 0 && len(f.Chances()) == 0
}

// Write adds the kernel to a module.
func Write(m *ptx.Module, name string, f *warpprog.Program, p Plan) {
	s := &writer{Plan: p, f: f, k: m.Kernel(name, MostWarps*ptx.Lanes, leastResident), reach: p.Reach(f)}
	s.beside = s.reach / s.Words
	s.write()
}

// leastResident is the smallest number of blocks that must fit on a multiprocessor. It is so small that a
// thread may use all registers.
const leastResident = 2

// write writes the kernel: it loads a patch, advances it in rounds of depth generations with an
// exchange after each but the last, and stores it.
func (s *writer) write() {
	k := s.k
	source, target, plane := k.Param64(), k.Param64(), k.Param64()
	stride, bits, height, across, down := k.Param32(), k.Param32(), k.Param32(), k.Param32(), k.Param32()
	generations, exchange, exchanges := k.Param32(), k.Param64(), k.Param32()

	thread, threads := k.Special("tid.x"), k.Special("ntid.x")
	s.lane = k.AndN(thread, ptx.Lanes-1)
	s.row0 = k.MulN(s.lane, s.Rows)
	number := k.ShrN(k.MulAdd(k.Special("ctaid.x"), threads, thread), 5)
	k.ReturnIf(k.Compare("ge", number, k.Mul(across, down)))
	patchRow := k.DivU(number, across)
	patchColumn := k.Sub(number, k.Mul(patchRow, across))
	begin := func(i, of, n ptx.B32) ptx.B32 { return k.DivU(k.Mul(i, of), n) }
	x, y := begin(patchColumn, bits, across), begin(patchRow, height, down)
	s.wide = k.Sub(begin(k.AddN(patchColumn, 1), bits, across), x)
	s.tall = k.Sub(begin(k.AddN(patchRow, 1), height, down), y)

	s.load(source, plane, stride, bits, height, x, y)
	e := s.newExchange(exchange, exchanges, across, down, patchRow, patchColumn, height)

	left, i := k.NewB32(), k.NewB32()
	k.Move(left, generations)
	round, end := k.NewLabel(), k.NewLabel()
	k.Place(round)
	k.Move(i, k.MinN(left, s.Depth))
	k.Move(left, k.Sub(left, i))
	for _, n := range slices.Compact([]int{s.unrolled(), 1}) {
		s.generations(i, n)
	}
	k.BranchUnless(k.CompareN("gt", left, 0), end)
	e.run()
	k.Branch(round)
	k.Place(end)
	s.store(target, plane, stride, x, y)
}

// load reads the frame.
func (s *writer) load(source, plane ptx.B64, stride, bits, height, x, y ptx.B32) {
	k := s.k
	// The 32 bits of a word begin at any bit of a group. They consist of up to three parts:
	//
	//	low      from the first bit to the end of its group
	//	high     the beginning of the next group
	//	again    the beginning of the row, if the row ends within the word
	first := k.RemU(k.Add(k.AddN(x, -s.beside), bits), bits)
	group, shift := k.ShrN(first, 5), k.AndN(first, 31)
	after := k.AddN(group, 1)
	after = k.Select(k.Compare("lt", k.ShlN(after, 5), bits), after, group)
	wrapped := k.Sub(bits, first) // the number of bits after which the row begins again
	mask := k.Shl(k.Const(-1), wrapped)
	top := k.Add(k.Add(k.AddN(y, -s.reach), height), s.row0)
	for i := range s.Rows {
		row := k.MulWide(k.RemU(k.AddN(top, i), height), stride, source)
		s.cells = append(s.cells, nil)
		for p := range s.f.Planes {
			if p > 0 {
				row = k.Add64(row, plane)
			}
			load := func(group ptx.B32) []ptx.B32 { return k.Load(k.MulWideN(group, 4*s.Words, row), 0, s.Words) }
			low, high, again := load(group), load(after), k.Load(row, 0, s.Words)
			for j := range low {
				c := k.NewB32()
				k.Move(c, k.Lop3(choose, mask, k.Shl(again[j], wrapped), k.FunnelRBy(low[j], high[j], shift)))
				s.cells[i] = append(s.cells[i], c)
			}
		}
	}
}

// store writes the patch. Neighbours may share a word, so each sets its bits.
func (s *writer) store(target, plane ptx.B64, stride, x, y ptx.B32) {
	k := s.k
	group, shift := k.ShrN(x, 5), k.AndN(x, 31)
	mask := k.Not(k.Shl(k.Const(-1), s.wide))
	// A patch may begin and end within a group, so its columns lie in one word or in two. The bits are
	// added by atomic operations, since the patch beside it adds its own bits to the same words at the
	// same time.
	rest := k.Sub(k.Const(32), shift)
	both := k.Compare("gt", s.wide, rest)
	for i := range s.Rows {
		within := k.AddN(s.row0, i-s.reach) // the patch
		p := k.Below(within, s.tall)
		q := k.AndPred(p, both)
		word := k.MulWideN(group, 4*s.Words, k.MulWide(k.Add(y, within), stride, target))
		for n := range s.f.Planes {
			if n > 0 {
				word = k.Add64(word, plane)
			}
			for j := range s.Words {
				v := k.And(k.ShrN(s.cells[i][n*s.Words+j], s.beside), mask)
				k.OrAtomicIf(p, word, 4*j, k.Shl(v, shift))
				k.OrAtomicIf(q, word, 4*(s.Words+j), k.Shr(v, rest))
			}
		}
	}
}

// unrolled returns the number of generations in a turn of the loop. It is limited so that the code stays short.
func (s *writer) unrolled() int {
	const most = 500 // tables
	n := s.Depth
	for n > 1 && (s.Depth%n > 0 || n*s.f.Tables()*s.Words*(s.Rows+s.f.Radius) > most) {
		n--
	}
	return n
}

// generations writes a loop that advances the frame by n generations in each turn. It counts down left and ends when
// left is less than n.
func (s *writer) generations(left ptx.B32, n int) {
	k := s.k
	top, end := k.NewLabel(), k.NewLabel()
	k.BranchIf(k.CompareN("lt", left, n), end)
	k.Place(top)
	for range n {
		s.generation()
	}
	k.Increase(left, -n)
	k.BranchIf(k.CompareN("ge", left, n), top)
	k.Place(end)
}

// generation advances the frame. Rows and columns at its edges become wrong.
func (s *writer) generation() {
	l := lanes.Stepper{Kernel: s.k, Program: s.f, Words: s.Words, Enter: s.enter, Move: s.move}
	l.Generation(s.cells)
}

// move moves a row. Beyond its ends are any cells.
func (s *writer) move(_ int, row []ptx.B32, dx int) []ptx.B32 {
	v := make([]ptx.B32, s.Words)
	for j := range v {
		word, bits := warpprog.Split(j+dx, s.Words)
		switch {
		case bits == 0:
			v[j] = row[word]
		case bits > 0:
			v[j] = s.k.ShrN(row[word], bits)
		default:
			v[j] = s.k.ShlN(row[word], -bits)
		}
	}
	return v
}

// enter returns a row of a plane, of this lane or another. Beyond the frame it is any row.
func (s *writer) enter(leaf *dataflow.Node, y int) []ptx.B32 {
	on := warpprog.FloorDiv(y, s.Rows)
	row := s.cells[y-on*s.Rows][leaf.Plane*s.Words:][:s.Words]
	if on == 0 {
		return row
	}
	v := make([]ptx.B32, s.Words)
	for j := range v {
		if on > 0 {
			v[j] = s.k.ShuffleDown(row[j], on)
		} else {
			v[j] = s.k.ShuffleUp(row[j], -on)
		}
	}
	return v
}
