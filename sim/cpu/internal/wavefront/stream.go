package wavefront

import (
	"math"
	"unsafe"

	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
)

// stream takes a walk through the steps in which levels compute wanted rows and nothing but the kernel touches these. The
// kernel is then fed from lists made beforehand: what a level is given depends on the row's place in rings of n rows only, but for
// what the first level reads and the last one writes.
//
//	step y     level 1     row y          from the cells of the walk
//	           level 2     row y -   up   ┐ the same lists
//	           level 3     row y - 2·up   ┘ every n steps
//	           level 4     row y - 3·up   to the cells of the walk
type stream struct {
	walk    *Walk
	kernel  *codegen.Machine
	n       int
	phases  []phase
	entered []unsafe.Pointer // the last n rows of each plane that the walk read, by row modulo n
	enters  []entry          // what of a queued row of the first level these are
	leaves  int              // where in a queued row of the last level the rows begin that the walk writes
}

// phase is what the kernel's queue holds for the steps y with the same y modulo n, by how many generations the walk takes, less one.
type phase [][]unsafe.Pointer

// entry is a row of the first level that is row y+dy of a plane.
type entry struct{ at, plane, dy int }

// The kernel is called when the queue has grown to so many pointers, of which the first-level cache holds little else, or its rows to
// so many operations on vectors, some 300 µs: Go's scheduler waits for it.
const (
	mostQueued  = 512
	mostVectors = 1 << 20
)

// newStream returns nil for kernels without a queue, and for programs that keep more than the last row of a stream.
func newStream(w *Walk) *stream {
	m, ok := w.kernel.(*codegen.Machine)
	if !ok {
		return nil
	}
	p := w.program
	s := &stream{walk: w, kernel: m, n: p.Up - p.Down + 1, leaves: 1 + len(w.loads) + len(p.Stores)}
	for i := range w.loads {
		op := &w.loads[i]
		switch {
		case op.Stream < p.Planes:
			s.enters = append(s.enters, entry{1 + i, op.Stream, op.DY})
		case w.levels[0].streams[op.Stream-p.Planes].n > 1:
			return nil
		}
	}
	s.entered = make([]unsafe.Pointer, s.n*p.Planes)
	s.phases = make([]phase, s.n)
	depth := len(w.levels)
	for y := range s.phases {
		for w.depth = 1; w.depth <= depth; w.depth++ {
			var rows []unsafe.Pointer
			for l := range w.depth {
				w.levels[l].first = math.MinInt / 2
				rows = append(rows, s.list(l, y-l*p.Up)...)
			}
			s.phases[y] = append(s.phases[y], rows)
		}
	}
	return s
}

// list is what the queue holds for row y of level l.
func (s *stream) list(l, y int) []unsafe.Pointer {
	return codegen.AppendRow(nil, s.walk.arguments(nil, nowhere{}, l, y, true), nil)
}

// nowhere stands for cells that are not known yet.
type nowhere struct{}

func (nowhere) Input(int, int) []uint64  { return nil }
func (nowhere) Ahead(int) []uint64       { return nil }
func (nowhere) Output(int, int) []uint64 { return nil }
func (nowhere) Outside(int) bool         { return false }
func (nowhere) Confine([]uint64, int)    {}

func floorMod(a, n int) int { return (a%n + n) % n }

// span narrows the steps begin ≤ y < end of the walk to those that run may take.
func (s *stream) span(c Cells, begin, end int) (from, to int) {
	if s == nil {
		return end, end
	}
	w := s.walk
	from, to = begin, end
	if w.program.Warm > 0 {
		from = w.begin(w.depth - 1) // no level warms up any more
	}
	for from < to && c.Outside(from-(w.depth-1)*w.program.Up) {
		from++
	}
	for from < to && c.Outside(to-1) {
		to--
	}
	return from, to
}

// run does what the steps from ≤ y < to of the walk would, with less ado for each row: the rows are queued for the kernel.
func (s *stream) run(c Cells, from, to int) {
	w, p, m := s.walk, s.walk.program, s.kernel
	width := m.RowPointers()
	most := min(mostQueued, width*(mostVectors/m.RowWork()))
	for y := from + p.Down; y < from+p.Up; y++ {
		s.enter(c, y)
	}
	at, active := floorMod(from, s.n), 0
	for y := from; y < to; y++ {
		if m.Queued() > most {
			m.Flush()
		}
		for active < w.depth && w.begin(active) <= y {
			active++
		}
		for w.end(active-1) <= y {
			active--
		}
		s.enter(c, y+p.Up)
		rows := m.Queue(s.phases[at][w.depth-1][:active*width])
		rows[0] = unsafe.Pointer(unsafe.SliceData(c.Ahead(y + p.Up + 2)))
		for _, e := range s.enters {
			rows[e.at] = s.entered[s.slot(at+e.dy)*p.Planes+e.plane]
		}
		if active == w.depth {
			last := rows[(w.depth-1)*width+s.leaves:]
			for k := range p.Out {
				last[k] = unsafe.Pointer(unsafe.SliceData(c.Output(k, y-(w.depth-1)*p.Up)))
			}
		}
		if at++; at == s.n {
			at = 0
		}
	}
	m.Flush()
	clear(s.entered)
}

// slot is r modulo n, for r that are not far off.
func (s *stream) slot(r int) int {
	switch {
	case r < 0:
		return r + s.n
	case r >= s.n:
		return r - s.n
	}
	return r
}

// enter looks row y of the walk's cells up.
func (s *stream) enter(c Cells, y int) {
	at := floorMod(y, s.n) * s.walk.program.Planes
	for k := range s.walk.program.Planes {
		s.entered[at+k] = unsafe.Pointer(unsafe.SliceData(c.Input(k, y)))
	}
}
