package volumes

import (
	"slices"
	"unsafe"

	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
	"github.com/gosper-life/gosper/topology"
)

// lists advances a small volume. There it would take longer to list the rows for the kernel than to compute them.
// The universe therefore has two copies of its cells, and each generation is computed from one copy into the other.
// The rows that the kernel reads and writes are the same in every other generation, and are listed once.
type lists struct {
	stack   *stack // lists the rows, and does nothing else
	kernel  *codegen.Machine
	sums    bool      // the kernel adds up sums from row to row, which start again in each layer
	cycle   int       // of the program, in generations
	current int       // the copy that has the cells
	copies  [2]level  // the layers of each copy, and dead ones beyond the edges
	closing [2][]call // make the rows beyond the edges of the layers of each copy
	delays  [][]delay // by layer, unless there are sums
	calls   [][]call  // by copy and generation of a cycle
}

// call is a part of a generation: moves, or rows for a kernel, as in its queue.
type call struct {
	moves   []move
	kernel  *codegen.Machine // nil for moves
	rows    []unsafe.Pointer
	vectors int  // of a row
	warm    bool // only for what is kept for later rows
	clear   bool // the delay lines are cleared before
}

// newLists makes the lists of a universe of two copies, the second one behind the first.
func newLists(s *stack, code codegen.Code) (*lists, error) {
	u, p := s.u, s.program
	l := &lists{stack: s, kernel: s.kernel.(*codegen.Machine), sums: sums(p), cycle: p.Cycle()}
	l.calls = make([][]call, 2*l.cycle)
	if !l.sums {
		for range u.topology.D {
			l.delays = append(l.delays, newDelays(u, p, s.kernel))
		}
	}
	for i := range l.copies {
		at := &l.copies[i]
		for z := range u.topology.D {
			sh := u.newSheet()
			sh.set(u.layer(i*u.topology.D + z))
			sh.close()
			at.sheets = append(at.sheets, sh)
		}
		var err error
		if l.closing[i], err = u.closing(at.sheets, code); err != nil {
			return nil, err
		}
		if u.topology.Kind != topology.Torus {
			for range p.Layers {
				at.sheets = append(at.sheets, u.newSheet())
			}
		}
	}
	return l, nil
}

// sums reports whether a program adds up sums from row to row: what it keeps of a row depends on what it has
// kept of others.
func sums(p *rowprog.Program) bool {
	needed := make([]bool, len(p.Ops))
	for _, s := range p.Stores {
		needed[s.Value.Value] = true
	}
	for i, op := range slices.Backward(p.Ops) {
		if needed[i] && op.Kind == rowprog.Load && op.Stream >= p.Kept() {
			return true
		}
		for _, o := range op.In[:op.N] {
			needed[o.Value] = needed[o.Value] || needed[i]
		}
	}
	return false
}

// closing returns the calls and moves of close for some sheets. Machine code turns the slabs.
func (u *universe) closing(sheets []*sheet, code codegen.Code) (calls []call, err error) {
	var before, after []move
	turns := make([][]unsafe.Pointer, u.Slabs) // by how far
	for _, sh := range sheets {
		to := &before
		for m := range sh.moves {
			if m.slab != allSlabs {
				*to = append(*to, m)
				continue
			}
			turns[m.from] = append(turns[m.from], nil, pointer(m.src), pointer(m.dst)) // no row ahead
			to = &after
		}
	}
	calls = append(calls, call{moves: before})
	for by, rows := range turns {
		if len(rows) > 0 {
			c := call{rows: rows, vectors: u.Vectors + 2*u.Halo}
			if c.kernel, err = u.turner(code, by); err != nil {
				return nil, err
			}
			calls = append(calls, c)
		}
	}
	return append(calls, call{moves: after}), nil
}

// turner makes a kernel that turns the slabs of rows, with their halos.
func (u *universe) turner(code codegen.Code, by int) (*codegen.Machine, error) {
	l := layout.New(64*u.Lanes*(u.Vectors+2*u.Halo), 1, u.Lanes, 1, 0)
	p := &rowprog.Program{
		Planes: 1, Streams: make([]rowprog.Stream, 1), Out: []rowprog.Operand{{Value: 1}},
		Ops: []rowprog.Op{{Kind: rowprog.Load}, {Kind: rowprog.Table, Imm: lut.A, N: 1}},
	}
	return codegen.NewMachine(code, p, &l, nil, map[int]int{1: 64 * by * u.Wide()})
}

// run advances the universe by one generation.
func (l *lists) run(generation uint64) {
	u := l.stack.u
	number := l.current*l.cycle + int(generation%uint64(l.cycle))
	if l.calls[number] == nil {
		l.calls[number] = l.list(generation)
	}
	for i := range l.calls[number] {
		c := &l.calls[number][i]
		for i := range c.moves {
			u.do(&c.moves[i])
		}
		if c.clear {
			for i := range l.stack.delays {
				clear(l.stack.delays[i].words)
			}
		}
		switch {
		case c.warm:
			c.kernel.RunStores(c.rows, 0, c.vectors)
		case c.kernel != nil:
			c.kernel.RunPart(c.rows, 0, c.vectors)
		}
	}
	l.current ^= 1
	for z := range u.places {
		u.places[z] = l.current*u.topology.D + z
	}
}

// list lists the calls of a generation.
func (l *lists) list(generation uint64) []call {
	s, u := l.stack, l.stack.u
	calls := slices.Clone(l.closing[l.current])
	chunk := max(1, mostVectors/l.kernel.RowWork()) * l.kernel.RowPointers()
	var warm, wanted []unsafe.Pointer
	for z := range u.topology.D {
		if !l.sums {
			s.delays = l.delays[z]
		}
		s.list(generation, &l.copies[l.current], z, u.layer((1-l.current)*u.topology.D+z))
		for y := range s.program.Warm + u.Rows {
			to := &wanted
			if y < s.program.Warm {
				to = &warm
			}
			*to = append(*to, nil) // no row ahead
			for _, line := range s.lines {
				*to = append(*to, line[y])
			}
		}
		if !l.sums && z < u.topology.D-1 {
			continue
		}
		if len(warm) > 0 {
			calls = append(calls, call{kernel: l.kernel, rows: warm, vectors: u.Vectors, warm: true, clear: l.sums})
		}
		for rows := range slices.Chunk(wanted, chunk) {
			calls = append(calls, call{kernel: l.kernel, rows: rows, vectors: u.Vectors})
		}
		warm, wanted = nil, nil
	}
	return calls
}
