package cpu

import (
	"math"
	"unsafe"
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
	walk    *walk
	kernel  *machine
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
func newStream(w *walk) *stream {
	m, ok := w.kernel.(*machine)
	if !ok || m == nil || w.ghosts == nil {
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
	list := []unsafe.Pointer{nil}
	for _, row := range s.walk.arguments(nil, nowhere{}, l, y, true) {
		list = append(list, unsafe.Pointer(unsafe.SliceData(row)))
	}
	return list
}

// nowhere stands for cells that are not known yet.
type nowhere struct{}

func (nowhere) input(int, int) []uint64  { return nil }
func (nowhere) ahead(int) []uint64       { return nil }
func (nowhere) output(int, int) []uint64 { return nil }
func (nowhere) outside(int) bool         { return false }
func (nowhere) confine([]uint64, int)    {}

func floorMod(a, n int) int { return (a%n + n) % n }

// span narrows the steps begin ≤ y < end of the walk to those that run may take.
func (s *stream) span(c cells, begin, end int) (from, to int) {
	if s == nil {
		return end, end
	}
	w := s.walk
	from, to = begin, end
	if w.program.Warm > 0 {
		from = w.begin(w.depth - 1) // no level warms up any more
	}
	for from < to && c.outside(from-(w.depth-1)*w.program.Up) {
		from++
	}
	for from < to && c.outside(to-1) {
		to--
	}
	return from, to
}

// run does what the steps from ≤ y < to of the walk would, with less ado for each row: the rows are queued for the kernel.
func (s *stream) run(c cells, from, to int) {
	w, p, m := s.walk, s.walk.program, s.kernel
	width := 1 + m.entries
	most := min(mostQueued, width*(mostVectors/(len(m.schedule.list)*m.vectors)))
	for y := from + p.Down; y < from+p.Up; y++ {
		s.enter(c, y)
	}
	at, active := floorMod(from, s.n), 0
	for y := from; y < to; y++ {
		if len(m.queue) > most {
			m.flush()
		}
		for active < w.depth && w.begin(active) <= y {
			active++
		}
		for w.end(active-1) <= y {
			active--
		}
		s.enter(c, y+p.Up)
		begin := len(m.queue)
		m.queue = append(m.queue, s.phases[at][w.depth-1][:active*width]...)
		rows := m.queue[begin:]
		rows[0] = unsafe.Pointer(unsafe.SliceData(c.ahead(y + p.Up + 2)))
		for _, e := range s.enters {
			rows[e.at] = s.entered[s.slot(at+e.dy)*p.Planes+e.plane]
		}
		if active == w.depth {
			last := rows[(w.depth-1)*width+s.leaves:]
			for k := range p.Out {
				last[k] = unsafe.Pointer(unsafe.SliceData(c.output(k, y-(w.depth-1)*p.Up)))
			}
		}
		if at++; at == s.n {
			at = 0
		}
	}
	m.flush()
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
func (s *stream) enter(c cells, y int) {
	at := floorMod(y, s.n) * s.walk.program.Planes
	for k := range s.walk.program.Planes {
		s.entered[at+k] = unsafe.Pointer(unsafe.SliceData(c.input(k, y)))
	}
}
