package cpu

import "github.com/gosper-life/gosper/logic"

// band is the rows y0 ≤ y < y1 of every slab of a universe, advanced in place. The rows around them, which other bands overwrite,
// are copied before any band starts; a row that leaves the walk waits until level 1 no longer needs the row it replaces.
type band struct {
	u       *universe
	walk    *walk
	y0, y1  int
	around  int        // halo rows above and below
	above   [][]uint64 // rows y0-around … y0-1, planes together
	below   [][]uint64 // rows y1 … y1+around-1
	entered int        // rows y0 … entered-1 have their ghosts
	delay   int        // rows that leave wait for so many more
	waiting ring
}

func newBand(u *universe, p *logic.Program, k kernel, depth, y0, y1 int) *band {
	b := &band{u: u, walk: newWalk(p, &u.layout, u.ghosts, depth, k), y0: y0, y1: y1}
	n := depth * b.walk.radius * u.planes
	halo := newRing(2*n, 1, u.stride)
	b.above, b.below = halo.rows[:n], halo.rows[n:]
	b.waiting = newRing(1-p.Down, u.planes, u.stride)
	return b
}

// gather and prepare copy what other bands overwrite, as it is before a pass: first every band must gather, then every band
// prepare, then every band run.
func (b *band) gather(depth int) {
	b.around = depth * b.walk.radius
	b.u.gather(b.y0, b.y1, b.around)
}

func (b *band) prepare() {
	for i := range b.around {
		for k := range b.u.planes {
			b.u.halo(b.above[i*b.u.planes+k], k, b.y0-b.around+i)
			b.u.halo(b.below[i*b.u.planes+k], k, b.y1+i)
		}
	}
}

// run advances the band by depth generations.
func (b *band) run(depth int) {
	p := b.walk.program
	// When level 1 has computed row y it is done with row y+Down, and the last level is at row y - (depth-1)·Up.
	b.delay = max(0, -p.Down-(depth-1)*p.Up)
	b.entered = b.y0
	b.walk.run(b, depth, b.y0, b.y1)
	for y := b.y1 - b.delay; y < b.y1; y++ {
		b.replace(y)
	}
}

// direct reports whether rows may be computed straight into the universe: level 1 has then been past them.
func (b *band) direct() bool { return b.walk.depth > 1 && b.delay == 0 }

func (b *band) input(plane, y int) []uint64 {
	switch {
	case y < b.y0:
		return b.above[(y-b.y0+b.around)*b.u.planes+plane]
	case y >= b.y1:
		return b.below[(y-b.y1)*b.u.planes+plane]
	}
	for ; b.entered <= y; b.entered++ {
		b.u.enter(b.entered)
	}
	return b.u.row(plane, y)
}

func (b *band) output(plane, y int) []uint64 {
	if b.direct() {
		return b.u.row(plane, y)
	}
	return b.waiting.row(plane, y)
}

func (b *band) left(y int) { b.replace(y - b.delay) }

func (b *band) outside(y int) bool { return b.u.outside(y) }

func (b *band) confine(row []uint64, y int) { b.u.confine(row, y) }

// replace writes a row that has waited long enough into the universe.
func (b *band) replace(y int) {
	if b.direct() || y < b.y0 {
		return
	}
	for k := range b.u.planes {
		copy(b.u.row(k, y), b.waiting.row(k, y))
	}
}
