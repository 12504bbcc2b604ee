package cuda

import (
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/logic"
)

// A batchStepper writes the kernel that advances many universes, each in the registers of one warp from the first generation to the
// last:
//
//	cells, generations
//
// A flow is run for all rows of a lane at once: what it remembers of earlier rows is the same value at another row here, made once and
// used again. Rows of other lanes come by shuffles.
type batchStepper struct {
	batchShape
	k     *ptx.Kernel
	f     *flow
	lane  ptx.B32
	cells [][]ptx.B32            // by row of the lane and word
	other map[int]ptx.B32        // by how many lanes on: that lane
	far   map[int][]ptx.B32      // rows of other lanes
	made  map[madeRow][]ptx.B32  // rows of nodes
	moves map[movedRow][]ptx.B32 // the same, moved
	zero  ptx.B32
}

// madeRow names the row that a node has when a row enters; movedRow the same moved.
type (
	madeRow  struct{ node, entering int }
	movedRow struct {
		madeRow
		dx int
	}
)

// writeBatchStep adds the kernel to a module.
func writeBatchStep(m *ptx.Module, shape batchShape, f *flow) {
	k := m.Kernel("step", lanes, 0)
	s := &batchStepper{batchShape: shape, k: k, f: f, other: map[int]ptx.B32{}}
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
	for m := floorDiv(-f.radius, s.rows); m <= floorDiv(s.rows-1+f.radius, s.rows); m++ {
		s.other[m] = k.RemU(k.AddN(s.lane, ((m%s.used)+s.used)%s.used), k.Const(s.used))
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
			k.Store(home, 4*(r*s.words+j), c)
		}
	}
}

func (s *batchStepper) generation() {
	s.far, s.made, s.moves = map[int][]ptx.B32{}, map[madeRow][]ptx.B32{}, map[movedRow][]ptx.B32{}
	next := make([][]ptx.B32, s.rows)
	for y := range next {
		out := s.f.out[0]
		for _, v := range s.row(movedRow{madeRow{out.node, y + s.f.up - out.delay}, out.dx}) {
			next[y] = append(next[y], s.k.Or(v, v)) // of its own, for the cells it may be are about to change
		}
	}
	for y, row := range next {
		for j, v := range row {
			s.k.Move(s.cells[y][j], v)
		}
	}
}

// row is the row of a node, moved.
func (s *batchStepper) row(m movedRow) []ptx.B32 {
	if v, ok := s.moves[m]; ok {
		return v
	}
	v := s.moved(s.k, s.node(m.madeRow), m.dx)
	s.moves[m] = v
	return v
}

// node is the row of a node.
func (s *batchStepper) node(m madeRow) []ptx.B32 {
	if v, ok := s.made[m]; ok {
		return v
	}
	k, n := s.k, &s.f.nodes[m.node]
	in := func(i int) []ptx.B32 {
		r := n.in[min(i, len(n.in)-1)]
		return s.row(movedRow{madeRow{r.node, m.entering - r.delay}, r.dx})
	}
	v := make([]ptx.B32, s.words)
	switch {
	case s.f.recurrent && m.entering < -s.f.radius:
		// A running sum starts from zeros, and sees zeros until the first row that counts.
		for j := range v {
			v[j] = s.zero
		}
	case n.kind == logic.Load:
		v = s.enter(m.entering)
	case n.kind == moved:
		v = in(0)
	case n.kind == logic.Const:
		for j := range v {
			v[j] = k.Const(-int(n.imm & 1))
		}
	default:
		a, b, c := in(0), in(1), in(2)
		if len(n.in) < 3 {
			c = a // as the tables of one and two inputs are made
		}
		if len(n.in) < 2 {
			b = a
		}
		for j := range v {
			v[j] = k.Lop3(n.imm, a[j], b[j], c[j])
		}
	}
	s.made[m] = v
	return v
}

// enter is a row of cells; rows below 0 and from `rows` on are those of other lanes.
func (s *batchStepper) enter(y int) []ptx.B32 {
	m := floorDiv(y, s.rows)
	row := s.cells[y-m*s.rows]
	if m%s.used == 0 {
		return row
	}
	if v, ok := s.far[y]; ok {
		return v
	}
	v := make([]ptx.B32, s.words)
	for j := range v {
		v[j] = s.k.ShuffleFrom(row[j], s.other[m])
	}
	s.far[y] = v
	return v
}
