package cpu

import (
	"github.com/gosper-life/gosper/logic"
)

// band advances the rows y0 ≤ y < y1 of a universe by some generations in one walk down its rows, in place.
//
// Level l computes generation l. A row enters at the bottom of level 1's window; what level 1 makes of it enters level 2, up rows
// higher, and so on; the last level writes back into the universe, over rows that level 1 no longer needs:
//
//	row y - 2·up   ░░░░░░░░  level 3 writes generation 3 back
//	row y -   up   ▒▒▒▒▒▒▒▒  level 2 computes row y-up
//	row y          ▓▓▓▓▓▓▓▓  level 1 computes row y
//	row y +   up   ────────  enters
//
// Levels below the last compute the rows and columns around the band and the strips too, radius fewer at each level, so that
// neither bands nor strips need to talk to each other during a pass.
type band struct {
	u           *universe
	program     *logic.Program
	kernel      kernel
	radius      int
	y0, y1      int
	depth       int        // the generations of the pass being run
	above       [][]uint64 // halo rows y0-depth·radius … y0-1, planes together
	below       [][]uint64 // halo rows y1 … y1+depth·radius-1
	levels      []level
	out         ring // rows of the last level that may not be written back yet
	delay       int  // how many rows they must wait
	zero, waste []uint64
	rows        [][]uint64 // the kernel's arguments
}

// level is the state of one generation of a walk.
type level struct {
	cells   ring   // rows of the generation before; unused in level 1
	streams []ring // the program's streams
	first   int    // the first row of cells that holds anything
}

// ring keeps the last n rows of some planes.
type ring struct {
	n, planes int
	rows      [][]uint64
}

func newRing(n, planes, stride int) ring {
	r := ring{n: n, planes: planes, rows: make([][]uint64, n*planes)}
	words := make([]uint64, n*planes*stride)
	for i := range r.rows {
		r.rows[i] = words[i*stride : (i+1)*stride : (i+1)*stride]
	}
	return r
}

func (r *ring) row(plane, y int) []uint64 {
	slot := y % r.n
	if slot < 0 {
		slot += r.n
	}
	return r.rows[slot*r.planes+plane]
}

func (r *ring) clear() {
	for _, row := range r.rows {
		clear(row)
	}
}

func newBand(u *universe, p *logic.Program, k kernel, radius, maxDepth, y0, y1 int) *band {
	b := &band{u: u, program: p, kernel: k, radius: radius, y0: y0, y1: y1}
	b.zero = make([]uint64, u.stride)
	b.waste = make([]uint64, u.stride)
	halo := newRing(2*maxDepth*radius, u.planes, u.stride)
	b.above = halo.rows[:maxDepth*radius*u.planes]
	b.below = halo.rows[maxDepth*radius*u.planes:]
	b.levels = make([]level, maxDepth)
	for i := range b.levels {
		l := &b.levels[i]
		if i > 0 {
			l.cells = newRing(p.Up-p.Down+1, u.planes, u.stride)
		}
		for _, s := range p.Streams[p.Planes:] {
			l.streams = append(l.streams, newRing(s.Depth+1, 1, u.stride))
		}
	}
	b.out = newRing(1-p.Down, u.planes, u.stride)
	return b
}

// prepare copies the halo rows, before any band of the universe writes.
func (b *band) prepare(depth int) {
	b.depth = depth
	n := depth * b.radius
	for i := range n {
		for k := range b.u.planes {
			b.u.halo(b.above[i*b.u.planes+k], k, b.y0-n+i)
			b.u.halo(b.below[i*b.u.planes+k], k, b.y1+i)
		}
	}
}

// run advances the band by the generations given to prepare.
func (b *band) run() {
	p, depth := b.program, b.depth
	// Level 1 is done with row y+down when it has computed row y; the last level is then at row y - (depth-1)·up.
	b.delay = max(0, -p.Down-(depth-1)*p.Up)
	begin, end := b.y1, b.y0
	for l := range depth {
		reach := (depth - 1 - l) * b.radius
		begin = min(begin, b.y0-reach-p.Warm+l*p.Up)
		end = max(end, b.y1+reach+l*p.Up)
		b.levels[l].first = b.y0 - reach - b.radius
		for i := range b.levels[l].streams {
			b.levels[l].streams[i].clear()
		}
	}
	entered := b.y0
	for y := begin; y < end; y++ {
		for ; entered < b.y1 && entered <= y+p.Up; entered++ {
			for k := range b.u.planes {
				b.u.fill(b.u.row(k, entered), k, entered)
			}
		}
		for l := range depth {
			reach := (depth - 1 - l) * b.radius
			r := y - l*p.Up
			if b.y0-reach-p.Warm <= r && r < b.y1+reach {
				b.step(l, r, reach)
			}
		}
	}
	for r := b.y1 - b.delay; r < b.y1; r++ {
		b.flush(r)
	}
}

// step computes row r of level l (from 0) and reach columns around it.
func (b *band) step(l, r, reach int) {
	p, lev := b.program, &b.levels[l]
	last := l == b.depth-1
	rows := b.rows[:0]
	for _, op := range p.Ops {
		switch {
		case op.Kind != logic.Load:
		case op.Stream >= p.Planes:
			rows = append(rows, lev.streams[op.Stream-p.Planes].row(0, r+op.DY))
		default:
			rows = append(rows, b.input(l, op.Stream, r+op.DY))
		}
	}
	for _, s := range p.Stores {
		rows = append(rows, lev.streams[s.Stream-p.Planes].row(0, r))
	}
	real := r >= b.y0-reach // or only warming up
	for k := range p.Out {
		switch {
		case !real:
			rows = append(rows, b.waste)
		case !last:
			rows = append(rows, b.levels[l+1].cells.row(k, r))
		case b.direct():
			rows = append(rows, b.u.row(k, r))
		default:
			rows = append(rows, b.out.row(k, r))
		}
	}
	b.rows = rows
	b.kernel.run(rows, -reach, b.u.nv+reach)
	switch {
	case !real:
	case !last:
		for _, row := range rows[len(rows)-len(p.Out):] {
			b.u.confine(row, r)
		}
	case !b.direct() && r-b.delay >= b.y0:
		b.flush(r - b.delay)
	}
}

// direct reports whether the last level may write its rows straight into the universe.
func (b *band) direct() bool { return b.depth > 1 && b.delay == 0 }

// flush writes a finished row back into the universe.
func (b *band) flush(r int) {
	if b.direct() || r < b.y0 {
		return
	}
	for k := range b.u.planes {
		copy(b.u.row(k, r)[b.u.ghost:b.u.ghost+b.u.nv], b.out.row(k, r)[b.u.ghost:])
	}
}

// input is row y of a plane of the cells that level l reads.
func (b *band) input(l, plane, y int) []uint64 {
	switch n := b.depth * b.radius; {
	case y < b.levels[l].first:
		return b.zero // only while warming up
	case l > 0:
		return b.levels[l].cells.row(plane, y)
	case y < b.y0:
		return b.above[(y-b.y0+n)*b.u.planes+plane]
	case y >= b.y1:
		return b.below[(y-b.y1)*b.u.planes+plane]
	default:
		return b.u.row(plane, y)
	}
}
