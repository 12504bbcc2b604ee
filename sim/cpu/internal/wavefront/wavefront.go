// Package wavefront computes several generations of rows while it goes down them once (temporal blocking). Each row
// is read once and written once for all these generations. The package is independent of topologies and universes.
package wavefront

import (
	"math"

	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// A Wavefront computes several generations of some rows while it goes down them once.
//
// Level l computes generation l. A row enters at the bottom of level 1's window. The row that level 1 makes
// enters level 2, up rows higher, and so on. At step y of the way down:
//
//	row y - 2·up   ░░░░░░░░  level 3 computes row y-2·up of generation 3, which leaves
//	row y -   up   ▒▒▒▒▒▒▒▒  level 2 computes row y-up of generation 2
//	row y          ▓▓▓▓▓▓▓▓  level 1 computes row y of generation 1
//	row y +   up   ────────  enters
//
// Levels before the last also compute rows around the wanted ones, radius fewer at each level. Neighbouring
// wavefronts therefore need not exchange anything on the way. The kernel fills the halo of each row from the row
// itself.
type Wavefront struct {
	program  *rowprog.Program
	loads    []rowprog.Op // of the program
	kernel   codegen.Kernel
	vectors  int // of a row
	radius   int // rows a generation reads around a cell
	levels   []level
	rings    []ring // rows of the generations between: see generationsApart
	together int    // steps that a level takes before the next one does, at most
	depth    int    // the generations of this run
	y0, y1   int    // the rows wanted

	// rows of the program's parities, as they are at even sums of rows and generations and at odd ones; choices
	// are even
	given      [][2][]uint64
	generation uint64 // of the cells before this run

	chances [][2]int // by number of the program's random bits: their draw, and their place there
	drawn   []draw
	source  Random

	zero, waste []uint64
	feeder      *feeder // nil where rows cannot be queued
}

// Cells gives a wavefront its rows to read and write.
type Cells interface {
	// Input is row y of a plane before the run, with its halo. Rows are asked for in rising order of the rows
	// computed from them.
	Input(plane, y int) []uint64
	// Ahead is the place where row y will be, if that is known already, else any row or nil.
	Ahead(y int) []uint64
	// Output is the place where row y of a plane goes after the run.
	Output(plane, y int) []uint64
	// Outside reports whether some cells of row y lie beyond an edge where no cell may be born.
	Outside(y int) bool
	// Confine kills the cells of row y outside the universe. It is called between generations, for rows that are
	// Outside.
	Confine(row []uint64, y int)
}

// level is the state of one generation.
type level struct {
	cells   *ring  // rows of the generation before; nil in level 1
	streams []ring // the program's streams
	random  []randoms
	first   int // the first row of cells that is there
	rows    [][]uint64
}

// New makes a wavefront of up to maxDepth generations over rows of a layout. The kernel is that of the program,
// and fills the halo of rows. Rows and columns are counted from even ones of the universe, by the places.
func New(p *rowprog.Program, l *layout.Layout, at layout.Places, maxDepth int, k codegen.Kernel) *Wavefront {
	w := &Wavefront{program: p, vectors: l.Vectors, kernel: k, radius: p.Radius()}
	for _, op := range p.Ops {
		if op.Kind == rowprog.Load {
			w.loads = append(w.loads, op)
		}
	}
	for _, parity := range p.Given {
		var rows [2][]uint64
		for odd := range rows {
			rows[odd] = l.Parities(at, parity.Column, parity.Row, odd == 1)
		}
		w.given = append(w.given, rows)
	}
	w.draws()
	w.zero = layout.AlignedWords(l.Stride)
	w.waste = layout.AlignedWords(l.Stride)
	w.levels = make([]level, maxDepth)
	w.together = w.stepsTogether(l)
	w.rings = make([]ring, min(maxDepth-1, generationsApart(p)))
	var rings []*ring
	for i := range w.rings {
		w.rings[i] = ring{n: w.kept(maxDepth), planes: p.Planes}
		rings = append(rings, &w.rings[i])
	}
	for i := range w.levels {
		lev := &w.levels[i]
		if i > 0 {
			lev.cells = &w.rings[(i-1)%len(w.rings)]
		}
		lev.random = w.randoms(l.Stride)
		for k, s := range p.Streams[p.Kept():] {
			rows := s.Depth + 1
			if w.kernel.InPlace(p.Kept() + k) {
				rows = 1
			}
			lev.streams = append(lev.streams, ring{n: rows, planes: 1})
		}
		for k := range lev.streams {
			rings = append(rings, &lev.streams[k])
		}
	}
	// Side by side, so that together they fill the sets of the first-level cache evenly.
	total := 0
	for _, r := range rings {
		total += r.n * r.planes * l.Stride
	}
	words := layout.AlignedWords(total)
	for _, r := range rings {
		words = r.place(words, l.Stride)
	}
	w.feeder = newFeeder(w)
	return w
}

// generationsApart returns the number of generations after which row y may overwrite the older row y, because all
// rows that are computed from the older one exist by then. It is also the number of rings that the generations of a
// pass use in turn. For Conway's rule that is two:
//
//	generation 3     row y                       takes the place of row y of generation 1
//	generation 2     rows y - 1, y, y + 1        of these it is made, which were made with that row
//	generation 1     rows y - 2 … y + 2
func generationsApart(p *rowprog.Program) int {
	if p.Up == 0 {
		return math.MaxInt
	}
	return max(2, 1+(p.Up-1-p.Down)/p.Up)
}

// kept is the number of rows a ring has in passes of a depth: from the row made last of the first generation
// that it keeps, to the first row that is still read of the last one.
func (w *Wavefront) kept(depth int) int {
	n := w.together + w.program.Up - w.program.Down
	if rings := len(w.rings); rings > 0 {
		n += max(0, depth-2) / rings * rings * w.program.Up
	}
	return n
}

// stepsTogether is the number of steps a level takes before the next one does, at most. Two steps read nearly
// the same rows, which the second step then finds in the first-level cache, even if all rows of all levels do
// not fit there. If the rows of two steps do not fit either, one has to do.
func (w *Wavefront) stepsTogether(l *layout.Layout) int {
	rows := w.program.Planes + 2*len(w.program.Out)
	for i := range w.loads {
		if w.loads[i].Stream < w.program.Planes {
			rows++
		}
	}
	const cache = 32 << 10
	if l.Lanes == 8 && rows*l.Stride*8 > cache { // shorter vectors need more operations, so this does not matter to them
		return 1
	}
	return 2
}

// Choose sets the bits of the chosen rules (code.Of): vector gives those of number bit for all strips.
func (w *Wavefront) Choose(vector func(bit int) []uint64) {
	for i, p := range w.program.Given {
		if p.Choice == 0 {
			continue
		}
		row, v := w.given[i][0], vector(p.Choice-1)
		for at := 0; at+len(v) <= len(row); at += len(v) {
			copy(row[at:], v)
		}
	}
}

// Run computes rows y0 ≤ y < y1 as they are depth generations after a generation.
func (w *Wavefront) Run(c Cells, generation uint64, depth, y0, y1 int) {
	p := w.program
	w.generation, w.depth, w.y0, w.y1 = generation, depth, y0, y1
	w.feeder.prepare()
	w.prepare(y0 - w.margin(0))
	for l := range depth {
		first := y0 - w.margin(l)
		w.levels[l].first = first - w.radius
		for i := range w.levels[l].streams {
			w.levels[l].streams[i].start(first - p.Warm)
			w.levels[l].streams[i].clear()
		}
	}
	begin, end := w.begin(0)-p.Warm, w.end(0)
	from, to := w.feeder.span(c, begin, end)
	w.steps(c, begin, from)
	if from < to {
		w.feeder.run(c, from, to)
	}
	w.steps(c, to, end)
}

// prepare resets the rings for a pass. Row y is the first row that enters them.
func (w *Wavefront) prepare(y int) {
	for i := range w.rings {
		w.rings[i].n = w.kept(w.depth)
		w.rings[i].start(y)
	}
}

// begin and end are the steps in which level l computes wanted rows: begin(l) ≤ y < end(l). A higher
// level begins later than a lower one, and ends no later. With radius 1, up = 1, depth 3, and the rows
// 0 to 9 wanted:
//
//	l   rows         steps
//	0   -2 … 11      -2 … 11
//	1   -1 … 10       0 … 11
//	2    0 … 9        2 … 11
func (w *Wavefront) begin(l int) int { return w.y0 - w.margin(l) + l*w.program.Up }
func (w *Wavefront) end(l int) int   { return w.y1 + w.margin(l) + l*w.program.Up }

// steps takes the steps from ≤ y < to one by one.
func (w *Wavefront) steps(c Cells, from, to int) {
	for y := from; y < to; y++ {
		for l := range w.depth {
			if w.begin(l)-w.program.Warm <= y && y < w.end(l) {
				w.step(c, l, y-l*w.program.Up)
			}
		}
	}
}

// margin is the number of rows around those wanted level l (from 0) computes.
func (w *Wavefront) margin(l int) int { return (w.depth - 1 - l) * w.radius }

// step computes row r of level l. Rows before those wanted only warm up the streams.
func (w *Wavefront) step(c Cells, l, r int) {
	lev := &w.levels[l]
	last, wanted := l == w.depth-1, r >= w.y0-w.margin(l)
	lev.rows = w.arguments(lev.rows[:0], c, l, r, wanted)
	rows := lev.rows
	var ahead []uint64
	if l == 0 {
		ahead = c.Ahead(r + w.program.Up + 2)
	}
	w.kernel.Run(rows, ahead, 0, w.vectors, wanted)
	if wanted && !last && c.Outside(r) {
		for _, row := range rows[len(rows)-len(w.program.Out):] {
			c.Confine(row, r)
		}
	}
}

// arguments appends the kernel's arguments for row r of level l.
func (w *Wavefront) arguments(rows [][]uint64, c Cells, l, r int, wanted bool) [][]uint64 {
	p, lev := w.program, &w.levels[l]
	for i := range w.loads {
		op := &w.loads[i]
		switch y := r + op.DY; {
		case op.Stream >= p.Kept():
			rows = append(rows, lev.streams[op.Stream-p.Kept()].row(0, y))
		case op.Stream >= p.Random():
			rows = append(rows, w.random(op.Stream-p.Random(), l, y))
		case op.Stream >= p.Planes:
			rows = append(rows, w.parity(op.Stream-p.Planes, l, y))
		case y < lev.first:
			rows = append(rows, w.zero)
		case l > 0:
			rows = append(rows, lev.cells.row(op.Stream, y))
		default:
			rows = append(rows, c.Input(op.Stream, y))
		}
	}
	for _, s := range p.Stores {
		rows = append(rows, lev.streams[s.Stream-p.Kept()].row(0, r))
	}
	for k := range p.Out {
		switch {
		case !wanted:
			rows = append(rows, w.waste)
		case l == w.depth-1:
			rows = append(rows, c.Output(k, r))
		default:
			rows = append(rows, w.levels[l+1].cells.row(k, r))
		}
	}
	return rows
}

// parity is row y of a parity, as level l needs it.
func (w *Wavefront) parity(i, l, y int) []uint64 {
	p := w.program.Given[i]
	if p.Column = false; p.At(0, y, 0, w.generation+uint64(l)) {
		return w.given[i][1]
	}
	return w.given[i][0]
}
