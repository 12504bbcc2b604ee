package multispin

import (
	"slices"

	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/dataflow"
	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/sim/cuda/internal/wavefront"
)

// A stepper writes the kernel that advances many universes. Each stays in the registers of one warp from the first generation to the last:
//
//	cells, generations, then for each parity that turns with the generations its word, then for programs with random bits their planes
//
// A launch of a program with parities that turn or random bits advances one generation.
//
// A program runs for all rows of a lane at once. Instead of remembering the value of an earlier row, it uses the value of another row, which is
// computed once. Rows of other lanes come by shuffles.
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
	random  [][][]ptx.B32 // by plane, as cells
	// The fields below are computed again for each generation.
	entered map[enteredRow][]ptx.B32
	far     map[enteredRow][]ptx.B32 // rows of other lanes, as if all lanes were full
	made    map[madeRow][]ptx.B32    // rows of nodes
	moves   map[movedRow][]ptx.B32   // the same, moved
}

// enteredRow is a row of the cells, of plane -1, or of random bits.
type enteredRow struct{ plane, y int }

// madeRow names the row that a node has when a row enters; movedRow the same moved.
type (
	madeRow  struct{ node, entering int }
	movedRow struct {
		madeRow
		dx int
	}
)

// writeStep adds the kernel to a module. A plane of random bits of all universes has so many bytes.
func writeStep(m *ptx.Module, shape shape, f *warpprog.Program, randomPlane uint64) {
	k := m.Kernel("step", ptx.Lanes, 0)
	s := &stepper{shape: shape, k: k, f: f, other: map[int]ptx.B32{}, chances: f.Chances()}
	base, generations := k.Param64(), k.Param32()
	for range wavefront.Turning(f) {
		s.turns = append(s.turns, k.Param32())
	}
	var random ptx.B64
	if len(s.chances) > 0 {
		random = k.Param64()
	}
	s.lane = k.RemU(k.Special("tid.x"), k.Const(s.used))
	s.first = k.MulN(s.lane, s.rows)
	universe := k.Special("ctaid.x")
	home := k.MulWideN(s.lane, 4*s.perLane(), s.universe(k, base, universe))
	s.zero = k.Const(0)
	s.cells = s.load(home)
	for plane := range s.chances {
		first := k.Add64(random, k.Const64(uint64(plane)*randomPlane))
		s.random = append(s.random, s.load(k.MulWideN(s.lane, 4*s.perLane(), s.universe(k, first, universe))))
	}
	for m := warpprog.FloorDiv(-f.Radius-s.short, s.rows); m <= warpprog.FloorDiv(s.rows-1+f.Radius+s.short, s.rows); m++ {
		if on := s.on(m); on != 0 && s.other[on] == 0 {
			s.other[on] = k.RemU(k.AddN(s.lane, on), k.Const(s.used))
		}
	}
	i, top := k.NewB32(), k.NewLabel()
	k.Assign(i, 0)
	k.Place(top)
	s.generation()
	k.Increase(i, 1)
	k.BranchIf(k.Compare("lt", i, generations), top)
	for r := range s.rows {
		for j := range s.words {
			c := s.cells[r][j]
			if mask := s.valid(j); mask != ^uint32(0) {
				c = k.AndN(c, mask)
			}
			if r < s.rows-s.short {
				k.Store(home, 4*(r*s.words+j), c)
			} else { // the last lane has no such row
				k.StoreIf(k.CompareN("lt", s.lane, s.used-1), home, 4*(r*s.words+j), c)
			}
		}
	}
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
	s.entered, s.far = map[enteredRow][]ptx.B32{}, map[enteredRow][]ptx.B32{}
	s.made, s.moves = map[madeRow][]ptx.B32{}, map[movedRow][]ptx.B32{}
	next := make([][]ptx.B32, s.rows)
	for y := range next {
		out := s.f.Out[0]
		for _, v := range s.row(movedRow{madeRow{out.Node, y + s.f.Up - out.Delay}, out.DX}) {
			next[y] = append(next[y], s.k.Or(v, v)) // a copy, because the cells that it may be are about to change
		}
	}
	for y, row := range next {
		for j, v := range row {
			s.k.Move(s.cells[y][j], v)
		}
	}
}

// row is the row of a node, moved.
func (s *stepper) row(m movedRow) []ptx.B32 {
	if v, ok := s.moves[m]; ok {
		return v
	}
	var v []ptx.B32
	if n := &s.f.Nodes[m.node]; n.Kind == dataflow.Given {
		v = slices.Repeat([]ptx.B32{s.parity(n.Parity, m.entering, m.dx)}, s.words)
	} else {
		v = s.moved(s.k, s.node(m.madeRow), m.dx)
	}
	s.moves[m] = v
	return v
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

// node is the row of a node.
func (s *stepper) node(m madeRow) []ptx.B32 {
	if v, ok := s.made[m]; ok {
		return v
	}
	k, n := s.k, &s.f.Nodes[m.node]
	in := func(i int) []ptx.B32 {
		r := n.In[min(i, n.N-1)]
		return s.row(movedRow{madeRow{r.Node, m.entering - r.Delay}, r.DX})
	}
	v := make([]ptx.B32, s.words)
	switch {
	case s.f.Recurrent && m.entering < -s.f.Radius:
		// A running sum starts from zeros, and sees zeros until the first row that counts.
		for j := range v {
			v[j] = s.zero
		}
	case n.Kind == dataflow.Input:
		v = s.enter(enteredRow{-1, m.entering})
	case n.Kind == dataflow.Random:
		v = s.enter(enteredRow{slices.Index(s.chances, n.Chance), m.entering})
	case n.Kind == dataflow.Moved:
		v = in(0)
	case n.Kind == dataflow.Const:
		for j := range v {
			v[j] = k.Const(-int(n.Imm & 1))
		}
	default:
		a, b, c := in(0), in(1), in(2)
		if n.N < 3 {
			c = a // as the tables of one and two inputs are made
		}
		if n.N < 2 {
			b = a
		}
		for j := range v {
			v[j] = k.Lop3(n.Imm, a[j], b[j], c[j])
		}
	}
	s.made[m] = v
	return v
}

// enter returns a row of the cells or of random bits, counted from the lane's first one on: its own or another lane's.
func (s *stepper) enter(e enteredRow) []ptx.B32 {
	if v, ok := s.entered[e]; ok {
		return v
	}
	v, y := s.fetch(e), e.y
	if s.short > 0 && (y < 0 || y >= s.rows-s.short) {
		// Beyond the last row and before the first, rows are counted as if the last lane had as many rows as the others.
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
		v = selected
	}
	s.entered[e] = v
	return v
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
