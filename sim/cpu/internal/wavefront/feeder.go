package wavefront

import (
	"math"
	"unsafe"

	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
)

// feeder fills the kernel's queue from lists made beforehand. It takes the steps in which levels compute wanted rows and nothing but the
// kernel touches these.
//
// Intermediate levels read and write rings of n rows, so their part of the queue is the same every n steps. Only the rows that the first
// level reads and those that the last level writes have to be looked up:
//
//	step y     level 1     row y          read from the cells
//	           level 2     row y -   up   ┐ the same lists
//	           level 3     row y - 2·up   ┘ every n steps
//	           level 4     row y - 3·up   written to the cells
//
// While all levels are active, each takes two steps before the next one does. Both read nearly the same rows, which the second step then finds in the
// first-level cache, even if all rows of all levels do not fit there.
type feeder struct {
	front   *Wavefront
	kernel  *codegen.Machine
	n       int
	phases  []phase
	pairs   []phase          // the same for two steps
	entered []unsafe.Pointer // the last n rows of each plane that were read, by row modulo n
	enters  []entry          // where in a queued row of the first level these belong
	given   []entry          // where in a queued row of any level parities belong; they change from step to step
	leaves  int              // where in a queued row of the last level the outputs begin
}

// stepsTogether is how many steps a level takes before the next one does, at most.
const stepsTogether = 2

// phase is what the kernel's queue holds for all steps y with the same y modulo n, by the number of generations less one.
type phase [][]unsafe.Pointer

// entry is a row of a level that is row y+dy of a plane, or of a parity.
type entry struct{ at, plane, dy int }

// The kernel is called when the queue has a limited number of pointers, which the first-level cache still holds, or rows of a limited number of
// operations on vectors. Those take about 300 µs, in which Go's scheduler cannot stop the goroutine.
const (
	mostQueued  = 512
	mostVectors = 1 << 20
)

// newFeeder returns nil for kernels without a queue, for programs that keep more than the last row of a stream, and for those with random bits, which
// take longer to make than a row takes to compute.
func newFeeder(w *Wavefront) *feeder {
	m, ok := w.kernel.(*codegen.Machine)
	if !ok || len(w.program.Chances) > 0 {
		return nil
	}
	p := w.program
	f := &feeder{front: w, kernel: m, n: p.Up - p.Down + stepsTogether, leaves: 1 + len(w.loads) + len(p.Stores)}
	for i := range w.loads {
		op := &w.loads[i]
		switch {
		case op.Stream < p.Planes:
			f.enters = append(f.enters, entry{1 + i, op.Stream, op.DY})
		case op.Stream < p.Kept() && p.Given[op.Stream-p.Planes].Choice > 0: // the same row in every step
		case op.Stream < p.Kept():
			f.given = append(f.given, entry{1 + i, op.Stream - p.Planes, op.DY})
		case w.levels[0].streams[op.Stream-p.Kept()].n > 1:
			return nil
		}
	}
	f.entered = make([]unsafe.Pointer, f.n*p.Planes)
	f.phases, f.pairs = f.lists(1), f.lists(stepsTogether)
	return f
}

// lists makes the phases of so many steps at once.
func (f *feeder) lists(steps int) []phase {
	w := f.front
	phases := make([]phase, f.n)
	for y := range phases {
		for depth := 1; depth <= len(w.levels); depth++ {
			w.depth = depth
			var rows []unsafe.Pointer
			for l := range depth {
				w.levels[l].first = math.MinInt / 2
				for s := range steps {
					rows = append(rows, f.list(l, y+s-l*w.program.Up)...)
				}
			}
			phases[y] = append(phases[y], rows)
		}
	}
	return phases
}

// list is what the queue holds for row y of level l.
func (f *feeder) list(l, y int) []unsafe.Pointer {
	return codegen.AppendRow(nil, f.front.arguments(nil, nowhere{}, l, y, true), nil)
}

// nowhere stands for cells that are not known yet.
type nowhere struct{}

func (nowhere) Input(int, int) []uint64  { return nil }
func (nowhere) Ahead(int) []uint64       { return nil }
func (nowhere) Output(int, int) []uint64 { return nil }
func (nowhere) Outside(int) bool         { return false }
func (nowhere) Confine([]uint64, int)    {}

func floorMod(a, n int) int { return (a%n + n) % n }

// span narrows the steps begin ≤ y < end to those that run may take.
func (f *feeder) span(c Cells, begin, end int) (from, to int) {
	if f == nil {
		return end, end
	}
	w := f.front
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

// run takes the steps from ≤ y < to, as Wavefront.steps does, but queues the rows for the kernel.
func (f *feeder) run(c Cells, from, to int) {
	w, p, m := f.front, f.front.program, f.kernel
	width := m.RowPointers()
	most := min(mostQueued, width*(mostVectors/m.RowWork()))
	for y := from + p.Down; y < from+p.Up; y++ {
		f.enter(c, y)
	}
	active := 0
	for y, steps := from, 0; y < to; y += steps {
		if m.Queued() > most {
			m.Flush()
		}
		for active < w.depth && w.begin(active) <= y {
			active++
		}
		for w.end(active-1) <= y {
			active--
		}
		at, phases := floorMod(y, f.n), f.phases
		steps = 1
		if active == w.depth && y+stepsTogether <= min(to, w.end(active-1)) {
			phases, steps = f.pairs, stepsTogether
		}
		rows := m.Queue(phases[at][w.depth-1][:active*steps*width])
		for s := range steps {
			f.look(c, rows[s*width:], steps*width, y+s, active)
		}
	}
	m.Flush()
	clear(f.entered)
}

// look puts those rows of step y into its part of the queue that are the cells' or parities. The rows of the levels, as many as are active, lie
// stride pointers apart.
func (f *feeder) look(c Cells, rows []unsafe.Pointer, stride, y, active int) {
	w, p := f.front, f.front.program
	f.enter(c, y+p.Up)
	rows[0] = unsafe.Pointer(unsafe.SliceData(c.Ahead(y + p.Up + 2)))
	at := floorMod(y, f.n)
	for _, e := range f.enters {
		rows[e.at] = f.entered[f.slot(at+e.dy)*p.Planes+e.plane]
	}
	for _, e := range f.given {
		for l := range active {
			rows[l*stride+e.at] = unsafe.Pointer(unsafe.SliceData(w.parity(e.plane, l, y-l*p.Up+e.dy)))
		}
	}
	if active == w.depth {
		last := rows[(w.depth-1)*stride+f.leaves:]
		for k := range p.Out {
			last[k] = unsafe.Pointer(unsafe.SliceData(c.Output(k, y-(w.depth-1)*p.Up)))
		}
	}
}

// slot is r modulo n, for r that are not far off.
func (f *feeder) slot(r int) int {
	switch {
	case r < 0:
		return r + f.n
	case r >= f.n:
		return r - f.n
	}
	return r
}

// enter looks up row y of the cells.
func (f *feeder) enter(c Cells, y int) {
	at := floorMod(y, f.n) * f.front.program.Planes
	for k := range f.front.program.Planes {
		f.entered[at+k] = unsafe.Pointer(unsafe.SliceData(c.Input(k, y)))
	}
}
