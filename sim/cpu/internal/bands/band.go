package bands

import (
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
	"github.com/gosper-life/gosper/sim/cpu/internal/wavefront"
)

// band is the rows y0 ≤ y < y1 of every slab of a universe. Other bands overwrite the rows around them, so
// these are copied before any band starts.
//
// A pass needs no second universe: its rows go where level 1 does not need the old rows any more. If that is
// some rows higher, the band drifts upwards in its memory, round and round:
//
//	memory    ┌─────┬─────────────────────────┐          ┌─────────────────────────┬─────┐
//	before    │     │ y0 …              y1-1  │  after   │ y0 …              y1-1  │     │
//	          └─────┴─────────────────────────┘          └─────────────────────────┴─────┘
//	          drift
type band struct {
	u          *universe
	program    *rowprog.Program
	front      *wavefront.Wavefront
	y0, y1     int
	around     int        // halo rows above and below
	above      [][]uint64 // rows y0-around … y0-1, planes together
	below      [][]uint64 // rows y1 … y1+around-1
	entered    int        // the margin of rows y0 … entered-1 is filled
	room       places     // the places of the universe's memory that this band has
	from, into int        // the place in room of row y0 before and after the pass
}

// maxDrift is the number of places that a band needs in addition to its rows.
func maxDrift(p *rowprog.Program) int { return 1 - p.Down }

// newBand makes a band of rows y0 to y1. It can hold copies of the rows around it that a pass reads,
// because the bands beside it overwrite those. room is how far the band may drift from its place.
func newBand(u *universe, p *rowprog.Program, at layout.Places, k codegen.Kernel, depth, y0, y1, index int) *band {
	b := &band{u: u, program: p, front: wavefront.New(p, &u.Layout, at, depth, k), y0: y0, y1: y1}
	n := depth * p.Radius() * u.planes
	b.above, b.below = rows(n, u.Stride), rows(n, u.Stride)
	b.room = places{y0 + index*maxDrift(p), y1 + (index+1)*maxDrift(p)}
	b.settle()
	return b
}

// rows makes n dead rows.
func rows(n, stride int) [][]uint64 {
	rows, words := make([][]uint64, n), layout.AlignedWords(n*stride)
	for i := range rows {
		rows[i] = words[i*stride : (i+1)*stride : (i+1)*stride]
	}
	return rows
}

// places are the places lo ≤ p < hi of a universe's memory.
type places struct{ lo, hi int }

// settle records the places of the rows in the universe.
func (b *band) settle() {
	for y := b.y0; y < b.y1; y++ {
		b.u.places[y] = b.place(b.from, y)
	}
}

// place is the place of row y in the universe's memory if row y0 is at place first of the room.
func (b *band) place(first, y int) int {
	at := b.room.lo + first + y - b.y0
	if at >= b.room.hi {
		at -= b.room.hi - b.room.lo
	}
	return at
}

// gather and prepare copy rows that other bands are going to overwrite. Before a pass all bands gather, if the universe
// gathers anything, then all bands prepare, then all bands run.
func (b *band) gather(depth int) { b.u.gather(b.y0, b.y1, depth*b.program.Radius()) }

// prepare copies the rows around the band, before any band begins its pass.
func (b *band) prepare(depth int) {
	b.around = depth * b.program.Radius()
	for i := range b.around {
		for k := range b.u.planes {
			b.u.copyRow(b.above[i*b.u.planes+k], k, b.y0-b.around+i, b.around)
			b.u.copyRow(b.below[i*b.u.planes+k], k, b.y1+i, b.around)
		}
	}
}

// run advances the band from a generation on by depth generations.
func (b *band) run(generation uint64, depth int) {
	p := b.program
	// When level 1 has computed row y it is done with row y+Down, and the last level is at row y - (depth-1)·Up.
	drift := max(0, -p.Down-(depth-1)*p.Up)
	if depth == 1 {
		drift++ // level 1 is the last: it still reads row y+Down
	}
	b.into = b.from - drift
	if b.into < 0 {
		b.into += b.room.hi - b.room.lo
	}
	b.entered = b.y0
	b.front.Run(b, generation, depth, b.y0, b.y1)
	b.from = b.into
	b.settle()
}

// Input implements wavefront.Cells.
func (b *band) Input(plane, y int) []uint64 {
	switch {
	case y < b.y0:
		return b.above[(y-b.y0+b.around)*b.u.planes+plane]
	case y >= b.y1:
		return b.below[(y-b.y1)*b.u.planes+plane]
	}
	if b.u.reach > 0 {
		for ; b.entered <= y; b.entered++ {
			b.u.enter(b.entered, b.around)
		}
	}
	return b.u.at(plane, b.place(b.from, y))
}

// Ahead implements wavefront.Cells.
func (b *band) Ahead(y int) []uint64 {
	return b.u.at(0, b.place(b.from, max(b.y0, min(y, b.y1-1))))
}

// Output implements wavefront.Cells.
func (b *band) Output(plane, y int) []uint64 { return b.u.at(plane, b.place(b.into, y)) }

// Outside implements wavefront.Cells.
func (b *band) Outside(y int) bool { return b.u.outside(y) }

// Confine implements wavefront.Cells.
func (b *band) Confine(row []uint64, y int) { b.u.confine(row, y) }
