package multispin

import (
	"slices"

	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/dataflow"
	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/internal/ptx/lanes"
	"github.com/gosper-life/gosper/sim/cuda/internal/wavefront"
)

// A stepper writes the kernel that advances many universes. Each stays in the registers of one warp from the
// first generation to the last:
//
//	cells, generations, then for each parity that turns with the generations its word, then for programs with random bits their planes
//
// A launch of a program with parities that turn or random bits advances one generation.
//
// Rows of other lanes come by shuffles.
type stepper struct {
	shape
	k     *ptx.Kernel
	f     *warpprog.Program
	lane  ptx.B32
	zero  ptx.B32
	cells [][]ptx.B32     // by row of the lane and word
	other map[int]ptx.B32 // by how many lanes on: that lane
	// What programs with chance take beside the cells:
	turns   []ptx.B32
	first   ptx.B32 // the lane's first row
	chances []circuit.Chance
	random  [][][]ptx.B32            // by plane, as cells
	far     map[enteredRow][]ptx.B32 // rows of other lanes in this generation, as if all lanes were full
}

// enteredRow is a row of the cells, of plane -1, or of random bits.
type enteredRow struct{ plane, y int }

// writeStep adds the kernel to a module. randomPlane is the size in bytes of a plane of random bits of all universes.
func writeStep(m *ptx.Module, shape shape, f *warpprog.Program, randomPlane uint64) {
	k := m.Kernel("step", ptx.Lanes, 0)
	base, generations := k.Param64(), k.Param32()
	var turns []ptx.B32
	for range wavefront.Turning(f) {
		turns = append(turns, k.Param32())
	}
	var random ptx.B64
	if len(f.Chances()) > 0 {
		random = k.Param64()
	}
	s := newStepper(k, shape, f, turns)
	universe := k.Special("ctaid.x")
	home := s.home(s.universe(k, base, universe))
	s.cells = s.load(home)
	for plane := range s.chances {
		first := k.Add64(random, k.Const64(uint64(plane)*randomPlane))
		s.random = append(s.random, s.load(s.home(s.universe(k, first, universe))))
	}
	i, top := k.NewB32(), k.NewLabel()
	k.Assign(i, 0)
	k.Place(top)
	s.generation()
	k.Increase(i, 1)
	k.BranchIf(k.Compare("lt", i, generations), top)
	s.store(home)
}

// newStepper prepares a kernel to advance universes by its first warp.
func newStepper(k *ptx.Kernel, shape shape, f *warpprog.Program, turns []ptx.B32) *stepper {
	s := &stepper{shape: shape, k: k, f: f, other: map[int]ptx.B32{}, turns: turns, chances: f.Chances()}
	s.lane = k.RemU(k.Special("tid.x"), k.Const(s.used))
	s.first = k.MulN(s.lane, s.rows)
	s.zero = k.Const(0)
	for m := warpprog.FloorDiv(-f.Radius-s.short, s.rows); m <= warpprog.FloorDiv(s.rows-1+f.Radius+s.short, s.rows); m++ {
		if on := s.on(m); on != 0 && s.other[on] == 0 {
			s.other[on] = k.RemU(k.AddN(s.lane, on), k.Const(s.used))
		}
	}
	return s
}

// home is the address of the lane's rows in a universe.
func (s *stepper) home(universe ptx.B64) ptx.B64 {
	return s.k.MulWideN(s.lane, 4*s.perLane(), universe)
}

// eachWordOfLane calls do for every word of the lane, without the bits beyond the last column. some is whether the lane
// has the word; it is 0 if all lanes have it.
func (s *stepper) eachWordOfLane(do func(i int, v ptx.B32, some ptx.Pred)) {
	for r := range s.rows {
		for j := range s.words {
			c, some := s.cells[r][j], ptx.Pred(0)
			if mask := s.valid(j); mask != ^uint32(0) {
				c = s.k.AndN(c, mask)
			}
			if r >= s.rows-s.short { // the last lane has no such row
				some = s.k.CompareN("lt", s.lane, s.used-1)
			}
			do(r*s.words+j, c, some)
		}
	}
}

// store writes the lane's rows.
func (s *stepper) store(home ptx.B64) {
	s.eachWordOfLane(func(i int, v ptx.B32, some ptx.Pred) {
		if some == 0 {
			s.k.Store(home, 4*i, v)
		} else {
			s.k.StoreIf(some, home, 4*i, v)
		}
	})
}

// load reads the lane's rows.
func (s *stepper) load(home ptx.B64) [][]ptx.B32 {
	rows := make([][]ptx.B32, s.rows)
	for r := range rows {
		for j := range s.words {
			c := s.k.NewB32()
			s.k.Move(c, s.k.LoadChanging(home, 4*(r*s.words+j), 1)[0])
			rows[r] = append(rows[r], c)
		}
	}
	return rows
}

func (s *stepper) generation() {
	s.far = map[enteredRow][]ptx.B32{}
	l := lanes.Stepper{
		Kernel: s.k, Program: s.f, Words: s.words, Enter: s.enter, Zero: slices.Repeat([]ptx.B32{s.zero}, s.words),
		Move: func(_ int, row []ptx.B32, dx int) []ptx.B32 { return s.moved(s.k, row, dx) },
		Given: func(n *dataflow.Node, y, dx int) []ptx.B32 {
			return slices.Repeat([]ptx.B32{s.parity(n.Parity, y, dx)}, s.words)
		},
	}
	l.Generation(s.cells)
}

// parity is a word of a parity, the same for all words of a row, dx columns moved.
func (s *stepper) parity(p circuit.Parity, y, dx int) ptx.B32 {
	k, columns := s.k, 0
	if p.Column {
		columns = 0x55555555
		if dx&1 == 0 {
			columns = ^columns
		}
	}
	v := k.Const(columns)
	if p.Row {
		odd := k.BitMask(k.AddN(s.first, y), 0)
		v = k.Lop3(lut.Xor, v, odd, odd)
	}
	if p.Cycle > 0 {
		bit := k.BitMask(s.turns[slices.Index(wavefront.Turning(s.f), p)], 0)
		v = k.Lop3(lut.Xor, v, bit, bit)
	}
	return v
}

// enter returns a row of the cells or of random bits: the lane's own or another lane's.
func (s *stepper) enter(leaf *dataflow.Node, y int) []ptx.B32 {
	e := enteredRow{-1, y}
	if leaf.Kind == dataflow.Random {
		e.plane = slices.Index(s.chances, leaf.Chance)
	}
	v := s.fetch(e)
	if s.short == 0 || y >= 0 && y < s.rows-s.short {
		return v
	}
	// Beyond the last row and before the first, rows are counted as if the last lane had as many rows as the others.
	//
	// Eight rows in three lanes. The last lane is short by one row, so row 8 is not its third row, but row 0:
	//
	//	lane         0         1         2
	//	rows       0 1 2     3 4 5     6 7 ·
	k, beyond := s.k, s.fetch(enteredRow{e.plane, y + s.short})
	around := k.CompareN("ge", s.lane, (s.h-y+s.rows-1)/s.rows)
	if y < 0 {
		beyond = s.fetch(enteredRow{e.plane, y - s.short})
		around = k.CompareN("lt", s.lane, (s.rows-1-y)/s.rows)
	}
	selected := make([]ptx.B32, s.words)
	for j := range v {
		selected[j] = k.Select(around, beyond[j], v[j])
	}
	return selected
}

// on is the number of lanes to the lane that lies m lanes away, cyclically.
func (s *stepper) on(m int) int { return ((m % s.used) + s.used) % s.used }

// fetch returns a row, counted as if all lanes were full.
func (s *stepper) fetch(e enteredRow) []ptx.B32 {
	m := warpprog.FloorDiv(e.y, s.rows)
	rows := s.cells
	if e.plane >= 0 {
		rows = s.random[e.plane]
	}
	row := rows[e.y-m*s.rows]
	if s.on(m) == 0 {
		return row
	}
	if v, ok := s.far[e]; ok {
		return v
	}
	v := make([]ptx.B32, s.words)
	for j := range v {
		v[j] = s.k.ShuffleFrom(row[j], s.other[s.on(m)])
	}
	s.far[e] = v
	return v
}
