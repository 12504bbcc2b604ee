// Package wavefront computes several generations of rows while it goes down them once (temporal blocking). Each row is read once and written
// once for all these generations. The package knows neither topology nor universe.
package wavefront

import (
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// A Wavefront computes several generations of some rows while it goes down them once.
//
// Level l computes generation l. A row enters at the bottom of level 1's window. The row that level 1 makes enters level 2, up rows higher,
// and so on. At step y of the way down:
//
//	row y - 2·up   ░░░░░░░░  level 3 computes row y-2·up of generation 3, which leaves
//	row y -   up   ▒▒▒▒▒▒▒▒  level 2 computes row y-up of generation 2
//	row y          ▓▓▓▓▓▓▓▓  level 1 computes row y of generation 1
//	row y +   up   ────────  enters
//
// Levels before the last compute rows around those wanted too, radius fewer at each level. So neighbouring wavefronts need not exchange
// anything on the way. The kernel fills the halo of each row from the row itself.
type Wavefront struct {
	program *rowprog.Program
	loads   []rowprog.Op // of the program
	kernel  codegen.Kernel
	vectors int // of a row
	radius  int // rows a generation reads around a cell
	levels  []level
	depth   int // the generations of this run
	y0, y1  int // the rows wanted

	given      [][2][]uint64 // rows of the program's parities, as they are at even sums of rows and generations and at odd ones; choices are even
	generation uint64        // of the cells before this run

	chances [][2]int // by number of the program's random bits: their draw, and their place there
	drawn   []draw
	source  Random

	zero, waste []uint64
	feeder      *feeder // nil where rows cannot be queued
}

// Cells is what a wavefront reads and writes.
type Cells interface {
	// Input is row y of a plane before the run, with its halo. Rows are asked for in rising order of the rows computed from them.
	Input(plane, y int) []uint64
	// Ahead is where row y will be, if that is known already, else any row or nil.
	Ahead(y int) []uint64
	// Output is where row y of a plane goes after the run.
	Output(plane, y int) []uint64
	// Outside reports whether some cells of row y lie beyond an edge where no cell may be born.
	Outside(y int) bool
	// Confine kills the cells of row y that lie there. It is called between generations, for rows that are Outside.
	Confine(row []uint64, y int)
}

// level is the state of one generation.
type level struct {
	cells   ring   // rows of the generation before; unused in level 1
	streams []ring // the program's streams
	random  []randoms
	first   int // the first row of cells that is there
	rows    [][]uint64
}

// New makes a wavefront of up to maxDepth generations over rows of a layout. The kernel is that of the program, and fills the halo of
// rows. Rows and columns are counted from even ones of the universe, by the places.
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
	var rings []*ring
	for i := range w.levels {
		lev := &w.levels[i]
		lev.cells = ring{n: p.Up - p.Down + stepsTogether, planes: p.Planes}
		if i > 0 {
			rings = append(rings, &lev.cells)
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
	for l := range depth {
		first := y0 - w.margin(l)
		w.levels[l].first = first - w.radius
		w.levels[l].cells.start(first - p.Warm + p.Down)
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

// begin and end are the steps in which level l computes wanted rows: begin(l) ≤ y < end(l). A higher level begins later than a lower one,
// and ends no later.
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

// margin is how many rows around those wanted level l (from 0) computes.
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
	if p.Column = false; p.At(0, y, w.generation+uint64(l)) {
		return w.given[i][1]
	}
	return w.given[i][0]
}
