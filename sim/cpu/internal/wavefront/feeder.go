package wavefront

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
)

// feeder fills the kernel's queue from lists made beforehand. It takes the steps in which levels compute wanted
// rows and nothing but the kernel touches these.
//
// Levels between read and write rings of n rows, so their part of the queue is the same every n steps. Only the
// rows that the first level reads and those that the last level writes have to be looked up:
//
//	step y     level 1     row y          read from the cells
//	           level 2     row y -   up   ┐ the same lists
//	           level 3     row y - 2·up   ┘ every n steps
//	           level 4     row y - 3·up   written to the cells
//
// While all levels are active, each may take several steps before the next one does: see stepsTogether.
type feeder struct {
	front  *Wavefront
	kernel *codegen.Machine
	lists  []lists // by depth less one
	// the rows of each plane that were read last, by row modulo a power of two, of which mask has the bits below
	entered []unsafe.Pointer
	mask    int
	enters  []entry // where in a queued row of the first level these belong
	given   []entry // where in a queued row of any level parities belong; they change from step to step
	leaves  int     // where in a queued row of the last level the outputs begin
}

// lists holds the rows of pointers that the kernel's queue gets in passes of one depth: one for steps one at a time,
// several for several steps at once. Both are indexed by the step modulo the rows of a ring.
type lists struct{ one, several [][]unsafe.Pointer }

// entry is a row of a level that is row y+dy of a plane, or of a parity.
type entry struct{ at, plane, dy int }

// The kernel is called when the queue has a limited number of pointers, which the first-level cache still
// holds, or rows of a limited number of operations on vectors. Those take about 300 µs, in which Go's scheduler
// cannot stop the goroutine.
const (
	mostQueued  = 512
	mostVectors = 1 << 20
)

// newFeeder returns nil for kernels without a queue, for programs that keep more than the last row of a stream,
// and for those with random bits, which take longer to make than a row takes to compute.
func newFeeder(w *Wavefront) *feeder {
	m, ok := w.kernel.(*codegen.Machine)
	if !ok || len(w.program.Chances) > 0 {
		return nil
	}
	p := w.program
	f := &feeder{
		front: w, kernel: m, mask: 1<<bits.Len(uint(p.Up-p.Down+w.together-1)) - 1,
		lists: make([]lists, len(w.levels)), leaves: 1 + len(w.loads) + len(p.Stores),
	}
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
	f.entered = make([]unsafe.Pointer, (f.mask+1)*p.Planes)
	return f
}

// prepare makes the lists for passes of the wavefront's depth, if that is the first pass of it.
func (f *feeder) prepare() {
	if f == nil {
		return
	}
	if made := &f.lists[f.front.depth-1]; made.one == nil {
		f.front.prepare(0)
		*made = lists{f.list(1), f.list(f.front.together)}
	}
}

// list makes the lists for the given number of steps at once.
func (f *feeder) list(steps int) [][]unsafe.Pointer {
	w := f.front
	phases := make([][]unsafe.Pointer, w.kept(w.depth))
	for y := range phases {
		for l := range w.depth {
			w.levels[l].first = math.MinInt / 2
			for s := range steps {
				rows := w.arguments(nil, nowhere{}, l, y+s-l*w.program.Up, true)
				phases[y] = codegen.AppendRow(phases[y], rows, nil)
			}
		}
	}
	return phases
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
	w, p, m, made := f.front, f.front.program, f.kernel, &f.lists[f.front.depth-1]
	width := m.RowPointers()
	most := min(mostQueued, width*(mostVectors/m.RowWork()))
	for y := from + p.Down; y < from+p.Up; y++ {
		f.enter(c, y)
	}
	active, at := 0, floorMod(from, len(made.one))
	for y := from; y < to; {
		if m.Queued() > most {
			m.Flush()
		}
		for active < w.depth && w.begin(active) <= y {
			active++
		}
		for w.end(active-1) <= y {
			active--
		}
		phases, steps := made.one, 1
		if active == w.depth && y+w.together <= min(to, w.end(active-1)) {
			phases, steps = made.several, w.together
		}
		rows := m.Queue(phases[at][:active*steps*width])
		for s := range steps {
			f.look(c, rows[s*width:], steps*width, y+s, active)
		}
		y += steps
		if at += steps; at >= len(phases) { // no division: a row of Conway takes as long as three
			at -= len(phases)
		}
	}
	m.Flush()
	clear(f.entered)
}

// look puts those rows of step y into its part of the queue that are the cells' or parities. The pointers of
// successive active levels are stride pointers apart.
func (f *feeder) look(c Cells, rows []unsafe.Pointer, stride, y, active int) {
	w, p := f.front, f.front.program
	f.enter(c, y+p.Up)
	rows[0] = unsafe.Pointer(unsafe.SliceData(c.Ahead(y + p.Up + 2)))
	for _, e := range f.enters {
		rows[e.at] = f.entered[(y+e.dy)&f.mask*p.Planes+e.plane]
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

// enter looks up row y of the cells.
func (f *feeder) enter(c Cells, y int) {
	at := y & f.mask * f.front.program.Planes
	for k := range f.front.program.Planes {
		f.entered[at+k] = unsafe.Pointer(unsafe.SliceData(c.Input(k, y)))
	}
}
