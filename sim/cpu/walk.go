package cpu

import (
	"github.com/gosper-life/gosper/logic"
)

// A walk computes several generations of some rows while it goes down them once.
//
// Level l computes generation l. A row enters at the bottom of level 1's window; what level 1 makes of it enters level 2, up rows
// higher, and so on, so that each row is read once and written once for all its generations:
//
//	row y - 2·up   ░░░░░░░░  level 3 computes row y-2·up of generation 3, which leaves
//	row y -   up   ▒▒▒▒▒▒▒▒  level 2 computes row y-up of generation 2
//	row y          ▓▓▓▓▓▓▓▓  level 1 computes row y of generation 1
//	row y +   up   ────────  enters
//
// Levels before the last compute the rows around those wanted too, radius fewer at each level, so that neighbouring walks need not
// talk to each other on the way. Columns are either mended after each row, from the row itself, or like rows computed
// redundantly.
type walk struct {
	layout  *layout
	program *logic.Program
	loads   []logic.Op // of the program
	kernel  kernel
	radius  int    // rows and columns a generation reads around a cell
	ghosts  []move // mend each row; nil: compute the columns around instead
	levels  []level
	depth   int // the generations of this walk
	y0, y1  int // the rows wanted

	zero, waste []uint64
	stream      *stream // nil where rows cannot be queued
}

// cells is what a walk reads and writes.
type cells interface {
	// input is row y of a plane before the walk, asked for in rising order of the rows computed from it.
	input(plane, y int) []uint64
	// ahead is where row y will be, if that is known already, else any row.
	ahead(y int) []uint64
	// output is where row y of a plane after the walk is to be put.
	output(plane, y int) []uint64
	// confine mends row y between generations where outside says so.
	outside(y int) bool
	confine(row []uint64, y int)
}

// level is the state of one generation of a walk.
type level struct {
	cells   ring   // rows of the generation before; unused in level 1
	streams []ring // the program's streams
	first   int    // the first row of cells that is there
	rows    [][]uint64
}

// ring keeps the last n rows of some planes.
type ring struct {
	n, planes int
	rows      [][]uint64
	base      int // a multiple of n at or shortly below the rows in use: rows are found without a division
}

func newRing(n, planes, stride int) ring {
	r := ring{n: n, planes: planes}
	r.place(alignedWords(n*planes*stride), stride)
	return r
}

// place puts the rows into the first words, and returns the others.
func (r *ring) place(words []uint64, stride int) (rest []uint64) {
	r.rows = make([][]uint64, r.n*r.planes)
	for i := range r.rows {
		r.rows[i], words = words[:stride:stride], words[stride:]
	}
	return words
}

// start prepares for rows from y on, and those shortly before.
func (r *ring) start(y int) {
	r.base = y - y%r.n
	if y < r.base {
		r.base -= r.n
	}
}

// row returns the place of row y of a plane; y goes up by and by.
func (r *ring) row(plane, y int) []uint64 { return r.rows[r.slot(y)*r.planes+plane] }

func (r *ring) slot(y int) int {
	slot := y - r.base
	for slot >= r.n {
		slot -= r.n
		if slot >= r.n {
			r.base += r.n
		}
	}
	for slot < 0 {
		slot += r.n
	}
	return slot
}

func (r *ring) clear() {
	for _, row := range r.rows {
		clear(row)
	}
}

// newWalk makes a walk over rows of a layout, of up to maxDepth generations.
func newWalk(p *logic.Program, l *layout, ghosts []move, maxDepth int, k kernel) *walk {
	w := &walk{layout: l, program: p, ghosts: ghosts, kernel: k, radius: radius(p)}
	for _, op := range p.Ops {
		if op.Kind == logic.Load {
			w.loads = append(w.loads, op)
		}
	}
	w.zero = alignedWords(l.stride)
	w.waste = alignedWords(l.stride)
	w.levels = make([]level, maxDepth)
	var rings []*ring
	for i := range w.levels {
		lev := &w.levels[i]
		lev.cells = ring{n: p.Up - p.Down + 1, planes: p.Planes}
		if i > 0 {
			rings = append(rings, &lev.cells)
		}
		for k, s := range p.Streams[p.Planes:] {
			rows := s.Depth + 1
			if w.kernel.inPlace(p.Planes + k) {
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
		total += r.n * r.planes * l.stride
	}
	words := alignedWords(total)
	for _, r := range rings {
		words = r.place(words, l.stride)
	}
	w.stream = newStream(w)
	return w
}

// radius is how far a program reads around a cell, in rows or columns.
func radius(p *logic.Program) int { return max(p.Up, -p.Down, p.Reach) }

// run computes rows y0 ≤ y < y1 after depth generations.
func (w *walk) run(c cells, depth, y0, y1 int) {
	p := w.program
	w.depth, w.y0, w.y1 = depth, y0, y1
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
	from, to := w.stream.span(c, begin, end)
	w.steps(c, begin, from)
	if from < to {
		w.stream.run(c, from, to)
	}
	w.steps(c, to, end)
}

// begin and end are the steps in which level l computes wanted rows: begin(l) ≤ y < end(l). Higher levels begin later, and do not end
// later.
func (w *walk) begin(l int) int { return w.y0 - w.margin(l) + l*w.program.Up }
func (w *walk) end(l int) int   { return w.y1 + w.margin(l) + l*w.program.Up }

// steps takes the steps from ≤ y < to one by one.
func (w *walk) steps(c cells, from, to int) {
	for y := from; y < to; y++ {
		for l := range w.depth {
			if w.begin(l)-w.program.Warm <= y && y < w.end(l) {
				w.step(c, l, y-l*w.program.Up)
			}
		}
	}
}

// margin is how many rows around those wanted level l (from 0) computes.
func (w *walk) margin(l int) int { return (w.depth - 1 - l) * w.radius }

// step computes row r of level l. Rows before those wanted only warm up the streams.
func (w *walk) step(c cells, l, r int) {
	lev := &w.levels[l]
	last, margin := l == w.depth-1, w.margin(l)
	wanted := r >= w.y0-margin
	lev.rows = w.arguments(lev.rows[:0], c, l, r, wanted)
	rows := lev.rows
	var ahead []uint64
	if l == 0 {
		ahead = c.ahead(r + w.program.Up + 2)
	}
	beside := 0
	if w.ghosts == nil {
		beside = margin
	}
	w.kernel.run(rows, ahead, -beside, w.layout.nv+beside, wanted)
	if wanted && !last && c.outside(r) {
		for _, row := range rows[len(rows)-len(w.program.Out):] {
			c.confine(row, r)
		}
	}
}

// arguments appends the kernel's arguments for row r of level l.
func (w *walk) arguments(rows [][]uint64, c cells, l, r int, wanted bool) [][]uint64 {
	p, lev := w.program, &w.levels[l]
	for i := range w.loads {
		op := &w.loads[i]
		switch y := r + op.DY; {
		case op.Stream >= p.Planes:
			rows = append(rows, lev.streams[op.Stream-p.Planes].row(0, y))
		case y < lev.first:
			rows = append(rows, w.zero)
		case l > 0:
			rows = append(rows, lev.cells.row(op.Stream, y))
		default:
			rows = append(rows, c.input(op.Stream, y))
		}
	}
	for _, s := range p.Stores {
		rows = append(rows, lev.streams[s.Stream-p.Planes].row(0, r))
	}
	for k := range p.Out {
		switch {
		case !wanted:
			rows = append(rows, w.waste)
		case l == w.depth-1:
			rows = append(rows, c.output(k, r))
		default:
			rows = append(rows, w.levels[l+1].cells.row(k, r))
		}
	}
	return rows
}
