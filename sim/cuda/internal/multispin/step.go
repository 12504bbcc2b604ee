package multispin

import (
	"github.com/gosper-life/gosper/internal/compile/dataflow"
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/ptx"
)

// A stepper writes the kernel that advances many universes. Each stays in the registers of one warp from the first generation to the last:
//
//	cells, generations
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
	// The fields below are computed again for each generation.
	entered map[int][]ptx.B32      // rows of cells
	far     map[int][]ptx.B32      // those of other lanes, as if all lanes were full
	made    map[madeRow][]ptx.B32  // rows of nodes
	moves   map[movedRow][]ptx.B32 // the same, moved
}

// madeRow names the row that a node has when a row enters; movedRow the same moved.
type (
	madeRow  struct{ node, entering int }
	movedRow struct {
		madeRow
		dx int
	}
)

// writeStep adds the kernel to a module.
func writeStep(m *ptx.Module, shape shape, f *warpprog.Program) {
	k := m.Kernel("step", ptx.Lanes, 0)
	s := &stepper{shape: shape, k: k, f: f, other: map[int]ptx.B32{}}
	base, generations := k.Param64(), k.Param32()
	s.lane = k.RemU(k.Special("tid.x"), k.Const(s.used))
	home := k.MulWideN(s.lane, 4*s.perLane(), s.universe(k, base, k.Special("ctaid.x")))
	s.zero = k.Const(0)
	for r := range s.rows {
		s.cells = append(s.cells, nil)
		for j := range s.words {
			c := k.NewB32()
			k.Move(c, k.LoadChanging(home, 4*(r*s.words+j), 1)[0])
			s.cells[r] = append(s.cells[r], c)
		}
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

func (s *stepper) generation() {
	s.entered = map[int][]ptx.B32{}
	s.far, s.made, s.moves = map[int][]ptx.B32{}, map[madeRow][]ptx.B32{}, map[movedRow][]ptx.B32{}
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
	v := s.moved(s.k, s.node(m.madeRow), m.dx)
	s.moves[m] = v
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
		v = s.enter(m.entering)
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

// enter returns row y of the cells, counted from the lane's first one on: its own or another lane's.
func (s *stepper) enter(y int) []ptx.B32 {
	if v, ok := s.entered[y]; ok {
		return v
	}
	v := s.fetch(y)
	if s.short > 0 && (y < 0 || y >= s.rows-s.short) {
		// Beyond the last row and before the first, rows are counted as if the last lane had as many rows as the others.
		k, beyond := s.k, s.fetch(y+s.short)
		around := k.CompareN("ge", s.lane, (s.h-y+s.rows-1)/s.rows)
		if y < 0 {
			beyond = s.fetch(y - s.short)
			around = k.CompareN("lt", s.lane, (s.rows-1-y)/s.rows)
		}
		selected := make([]ptx.B32, s.words)
		for j := range v {
			selected[j] = k.Select(around, beyond[j], v[j])
		}
		v = selected
	}
	s.entered[y] = v
	return v
}

// on is the number of lanes to the lane that lies m lanes away, cyclically.
func (s *stepper) on(m int) int { return ((m % s.used) + s.used) % s.used }

// fetch returns row y, counted as if all lanes were full.
func (s *stepper) fetch(y int) []ptx.B32 {
	m := warpprog.FloorDiv(y, s.rows)
	row := s.cells[y-m*s.rows]
	if s.on(m) == 0 {
		return row
	}
	if v, ok := s.far[y]; ok {
		return v
	}
	v := make([]ptx.B32, s.words)
	for j := range v {
		v[j] = s.k.ShuffleFrom(row[j], s.other[s.on(m)])
	}
	s.far[y] = v
	return v
}
