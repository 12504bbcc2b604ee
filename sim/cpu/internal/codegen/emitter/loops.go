package emitter

import (
	"slices"

	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/linearscan"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/pipeline"
)

// eachRow emits a loop over the queue around the code for one row.
func (e *emitter) eachRow(row func()) {
	e.begin()
	again := e.text().Here()
	e.beginRow()
	row()
	e.endRow(again)
}

// eachOwn calls f once for each register for rows that is in use, in the order of the rows.
func (e *emitter) eachOwn(f func(register, row int)) {
	seen := map[int]bool{}
	for row := range e.entries + e.loop.Rows {
		if r, ok := e.own[row]; ok && !seen[r] {
			seen[r] = true
			f(r, row)
		}
	}
}

// storesOnly emits the code for rows without outputs. It computes only the rows that the program's streams keep for
// later rows.
func (e *emitter) storesOnly() {
	loop, outputs := e.loop, e.outputs
	e.loop, e.outputs = loop.StoresOnly(), slices.Repeat([]int{-1}, len(outputs))
	e.eachRow(e.row)
	e.loop, e.outputs = loop, outputs
}

// mostFetching is the longest body of a loop that fetches rows ahead. The vectors of longer ones take so long
// that the processor fetches them itself.
const mostFetching = 32

// row emits the iterations before column 0, then those from it on, several at a time, and then the
// last ones one by one:
//
//	prologue
//	if a row is ahead                      only for short bodies
//	    n iterations at a time, fetching n vectors of that row
//	else
//	    n iterations at a time
//	one iteration at a time, while any is left
//
// Both loops have the same registers at their beginning and at their end: those of carried.
func (e *emitter) row() {
	carried := e.carried()
	e.prologue(carried)
	e.countAll()
	switch n := e.unroll(); {
	case n > 1 && e.fetches() && len(e.loop.Body) <= mostFetching:
		done, near := e.text().NewLabel(), e.text().NewLabel()
		e.jumpIfNoneAhead(near)
		e.iterations(n, carried, true)
		e.jump(done)
		e.text().Bind(near)
		e.iterations(n, carried, false)
		e.text().Bind(done)
	case n > 1:
		e.iterations(n, carried, false)
	}
	done := e.text().NewLabel()
	e.jumpIfFewer(1, done)
	e.iterations(1, carried, false)
	e.text().Bind(done)
}

// carried lists which vectors an iteration finds in which registers.
func (e *emitter) carried() []linearscan.Binding {
	var carried []linearscan.Binding
	for i, v := range e.loop.Carried {
		carried = append(carried, linearscan.Binding{Vector: v, Register: i})
	}
	return carried
}

// line emits instructions in straight line. in says which vectors are in registers before it, out where they
// must be after it.
func (e *emitter) line(code []pipeline.Instr, in, out []linearscan.Binding) {
	e.spillSlots = max(e.spillSlots, linearscan.Emit(e, e.registers, code, in, out))
}

// long reports whether the main loop is a long one, whose instructions are put into another order.
func (e *emitter) long() bool { return e.reorders() && len(e.loop.Initial) > 0 }

// unroll is the number of iterations the main loop takes at a time. They make a body of some 64 instructions,
// or 256 of running sums, or fewer if then none is left over.
func (e *emitter) unroll() int {
	body := 64
	if e.long() {
		body = 256
	}
	most := min(8, max(1, body/max(1, len(e.loop.Body))))
	for n := most; n > 1 && n > most/2; n-- {
		if e.layout.Vectors%n == 0 {
			return n
		}
	}
	return most
}

// iterations emits a loop that runs n iterations at a time while at least n are left. With fetch it also prefetches
// the same number of vectors of a later row into the cache.
func (e *emitter) iterations(n int, carried []linearscan.Binding, fetch bool) {
	code := make([]pipeline.Instr, 0, n*len(e.loop.Body))
	for u := range n {
		for _, in := range e.loop.Body {
			code = append(code, in.At(u))
		}
	}
	var out []linearscan.Binding
	for _, b := range carried {
		out = append(out, linearscan.Binding{Vector: b.Vector.At(n), Register: b.Register})
	}
	if e.long() {
		code = e.ordered(code, carried, out)
	}
	end := e.text().NewLabel()
	if n > 1 {
		e.jumpIfFewer(n, end)
	}
	e.align(32)
	again := e.text().Here()
	if fetch {
		e.fetch(n)
	}
	e.line(code, carried, out)
	e.next(n, again)
	e.text().Bind(end)
}

// prologue emits the iterations before column 0, and fills the registers that the first iteration expects.
//
// A short one is straight-line code, as if the loop had begun some columns earlier without all of its
// instructions. A long one is a loop for each segment. It passes values on in memory, and setup then
// loads the registers of the main loop.
func (e *emitter) prologue(carried []linearscan.Binding) {
	if e.loop.StraightPrologue() {
		var code []pipeline.Instr
		for _, s := range e.loop.Prologue {
			for before := s.From; before > s.To; before-- {
				for _, in := range e.loop.Iteration(before) {
					code = append(code, in.At(-before))
				}
			}
		}
		e.line(code, nil, carried)
		return
	}
	if len(e.loop.Prologue) > 0 {
		e.back(e.loop.Prologue[0].From)
	}
	for _, s := range e.loop.Prologue {
		e.count(s.From - s.To)
		again := e.text().Here()
		e.line(e.loop.Iteration(s.From), nil, nil)
		e.next(1, again)
	}
	// A carry begins with a value that the program makes once for column 0.
	var out []linearscan.Binding
	for _, f := range e.loop.Initial {
		out = append(out, linearscan.Binding{Vector: f.From, Register: slices.Index(e.loop.Carried, f.Into)})
	}
	e.line(e.loop.Setup, nil, out)
}
