package cpu

import (
	"math/bits"

	"github.com/gosper-life/gosper/logic"
)

// batch advances several blocks at once, one in each lane of a vector, with enough of the cells around them. A block with its
// surroundings is nv columns of strips and some rows, joined to a torus: what is wrong at its edges reaches half a block inwards
// at most, and that half is not the block's.
//
//	        16·nv      32·nv      16·nv
//	      ├─────────┼───────────┼─────────┤
//	 -m   · · · · · · · · · · · · · · · · ·   m = depth·radius rows above
//	  0   · · · · · ┌───────────┐ · · · · ·
//	      · · · · · │   block   │ · · · · ·
//	core  · · · · · └───────────┘ · · · · ·
type batch struct {
	tiles    *tiles
	layout   // of a row of a plate: each slab is a block
	margin   int
	steppers []stepper // by program
	cells    []uint64  // scratch: a row of a block with its surroundings, and room for one word more
	any      []uint64  // scratch: changes by part of a block and lane
}

// job is a block and how a pass changes it.
type job struct {
	tile    *tile
	bx, by  int
	changed []uint64 // the cells that come out different: rows of each plane, word by word; those of other lanes lie between
	touch   uint16   // a bit for each direction in which a changed cell lies within reach of other blocks; 0: nothing changed
}

// stepper computes generations of the blocks in a plate. What it returns holds the blocks, and is valid until the next call.
type stepper interface {
	plate() *plate
	advance(depth int) *plate
	// differences stores how core rows of the two plates differ and, for rows near the top, in between and near the bottom, all
	// their differences together; only for one word a row.
	differences(changed, any []uint64, before, after *plate, reach int)
}

// plate is rows of vectors: vector j of row y of plane k begins at words[first + k·plane + y·row + j·lanes].
type plate struct {
	words             []uint64
	first, plane, row int
}

func (p *plate) at(plane, y int) int { return p.first + plane*p.plane + y*p.row }

// batchLayout returns the layout for blocks of a core: rows from -margin to core+margin.
func batchLayout(core, lanes, margin, ghost int) layout {
	return newLayout(2*core, lanes*(core+2*margin), lanes, lanes, ghost)
}

// coreFor returns the side of blocks of which a pass that reaches so far spoils no more than it may.
func coreFor(reach int) int { return 32 << bits.Len(uint(max(0, (reach-1)/16))) }

// quick reports whether the code is fast enough to make up for what it computes around the blocks.
func (b *batch) quick() bool {
	_, ok := b.steppers[0].(*wordStepper)
	return ok
}

// changesSize is the words needed for the changes of a batch.
func (b *batch) changesSize() int { return b.tiles.planes * b.tiles.core * b.nv * b.lanes }

// do computes jobs, no more than there are lanes, and puts what changes into changed.
func (b *batch) do(jobs []job, changed []uint64, parity uint64, depth, reach int) {
	s := b.steppers[parity%uint64(len(b.steppers))]
	in := s.plate()
	for lane := range jobs {
		j := &jobs[lane]
		j.changed = changed[lane:]
		if b.nv == 1 {
			b.gatherWords(in, j, lane)
		} else {
			b.gather(in, j, lane)
		}
	}
	out := s.advance(depth)
	if b.nv == 1 {
		b.compareWords(s, out, jobs, changed, reach)
		return
	}
	for lane := range jobs {
		b.compare(in, out, &jobs[lane], lane, reach)
	}
}

// gatherWords copies a block of 32 columns and what is around it into a lane: each row is one word, from two words of tiles.
func (b *batch) gatherWords(in *plate, j *job, lane int) {
	ts := b.tiles
	wide := ts.wide()
	left := (j.bx*32 - 16) >> 6
	right := left + 1
	var lx, rx int // the tiles these words are in
	if left < 0 {
		left, lx = wide-1, -1
	}
	if right == wide {
		right, rx = 0, 1
	}
	y0, y1 := j.by*32-b.margin, j.by*32+32+b.margin
	words, step := in.words, in.row
	for k := range ts.planes {
		at := in.at(k, -b.margin) + lane
		for dy := -1; dy <= 1; dy++ {
			from, to := max(y0, dy*ts.side)-dy*ts.side, min(y1, (dy+1)*ts.side)-dy*ts.side
			if from >= to {
				continue
			}
			l := ts.column(ts.words(j.tile.near[direction(lx, dy)]), k, left)[from:to]
			r := ts.column(ts.words(j.tile.near[direction(rx, dy)]), k, right)[from:to]
			r = r[:len(l)]
			if j.bx&1 == 0 { // shifts by constants are the fastest
				for i, v := range l {
					words[at] = v>>48 | r[i]<<16
					at += step
				}
			} else {
				for i, v := range l {
					words[at] = v>>16 | r[i]<<48
					at += step
				}
			}
		}
	}
}

// compareWords finds out what has changed in blocks of 32 columns.
func (b *batch) compareWords(s stepper, out *plate, jobs []job, changed []uint64, reach int) {
	const core = 0xFFFFFFFF << 16
	left, right := uint64(1)<<(16+reach)-1<<16, core&^(uint64(1)<<(48-reach)-1)
	any := b.any
	clear(any)
	s.differences(changed, any, s.plate(), out, reach)
	for lane := range jobs {
		j := &jobs[lane]
		rows := [3]uint64{any[lane], any[lane] | any[b.lanes+lane] | any[2*b.lanes+lane], any[2*b.lanes+lane]}
		j.touch = 0
		for i, v := range rows {
			j.touch |= (some(v&left) | some(v&core)<<1 | some(v&right)<<2) << (3 * i)
		}
	}
}

// some is 1 where any bit is set.
func some(v uint64) uint16 {
	if v != 0 {
		return 1
	}
	return 0
}

// gather copies any block and what is around it into a lane.
func (b *batch) gather(in *plate, j *job, lane int) {
	ts := b.tiles
	var scratch [maxWide]uint64
	x0 := j.bx*ts.core - ts.core/2
	for k := range ts.planes {
		for y := -b.margin; y < ts.core+b.margin; y++ {
			clear(b.cells)
			ty := j.by*ts.core + y
			for offset := 0; offset < 2*ts.core; {
				x := x0 + offset
				from := x & (ts.side - 1)
				n := min(64, ts.side-from, 2*ts.core-offset)
				words := ts.words(j.tile.near[direction(x>>ts.shift, ty>>ts.shift)])
				store(b.cells, offset, load(ts.row(&scratch, words, k, ty&(ts.side-1)), from, n), n)
				offset += n
			}
			at := in.at(k, y) - b.ghost*b.lanes
			b.pack(in.words[at:at+b.stride], lane, b.cells)
		}
	}
}

// compare finds out what has changed in any block.
func (b *batch) compare(in, out *plate, j *job, lane, reach int) {
	ts := b.tiles
	before, after := make([]uint64, b.nv+1), make([]uint64, b.nv+1)
	j.touch = 0
	for k := range ts.planes {
		for y := range ts.core {
			at, to := in.at(k, y)-b.ghost*b.lanes, out.at(k, y)-b.ghost*b.lanes
			b.unpack(before, in.words[at:at+b.stride], lane)
			b.unpack(after, out.words[to:to+b.stride], lane)
			for i := range b.nv {
				after[i] ^= before[i]
				j.changed[((k*ts.core+y)*b.nv+i)*b.lanes] = after[i]
			}
			for x := 0; x < ts.core; x += 64 {
				v := load(after, ts.core/2+x, 64)
				for ; v != 0; v &= v - 1 {
					j.touched(x+bits.TrailingZeros64(v), y, ts.core, reach)
				}
			}
		}
	}
}

// touched notes that cell (x, y) of a block has changed.
func (j *job) touched(x, y, core, reach int) {
	columns, rows := uint16(2), uint16(0b000_111_000)
	if x < reach {
		columns |= 1
	}
	if x >= core-reach {
		columns |= 4
	}
	if y < reach {
		rows |= 0b000_000_111
	}
	if y >= core-reach {
		rows |= 0b111_000_000
	}
	j.touch |= rows & (columns * 0b001_001_001)
}

// apply makes the changes of a job.
func (b *batch) apply(j *job) {
	ts := b.tiles
	for k := range ts.planes {
		for x := 0; x < ts.core; x += 64 {
			cells := ts.column(j.tile.words, k, (j.bx*ts.core+x)>>6)[j.by*ts.core : (j.by+1)*ts.core]
			changed := j.changed[(k*ts.core*b.nv+(ts.core/2+x)>>6)*b.lanes:]
			at, step := 0, b.nv*b.lanes
			switch {
			case b.nv > 2: // whole words
				for y := range cells {
					cells[y] ^= changed[at]
					at += step
				}
			case b.nv == 2: // half of one word and half of the next
				for y := range cells {
					cells[y] ^= changed[at]>>32 | changed[at+b.lanes]<<32
					at += step
				}
			case j.bx&1 == 0:
				for y := range cells {
					cells[y] ^= changed[at] >> 16 & 0xFFFFFFFF
					at += step
				}
			default:
				for y := range cells {
					cells[y] ^= changed[at] >> 16 << 32
					at += step
				}
			}
		}
	}
}

// rowStepper advances blocks row by row, for any program and kernel.
type rowStepper struct {
	walk    *walk
	layout  *layout
	in, out plate
	planes  int
	margin  int
	core    int
}

func newRowStepper(plan Plan, p *logic.Program, b *batch) (*rowStepper, error) {
	l, core, margin := &b.layout, b.tiles.core, b.margin
	ghosts := l.moves(func(x int) (int, bool) { return (x%l.w + l.w) % l.w, true })
	k, err := newKernel(plan.Code, p, l, ghosts)
	if err != nil {
		return nil, err
	}
	s := &rowStepper{walk: newWalk(p, l, ghosts, plan.Depth, k), layout: l, planes: p.Planes, margin: margin, core: core}
	row := p.Planes * l.stride
	s.in = plate{alignedWords((core + 2*margin) * row), margin*row + l.ghost*l.lanes, l.stride, row}
	s.out = plate{alignedWords(core * row), l.ghost * l.lanes, l.stride, row}
	return s, nil
}

func (s *rowStepper) plate() *plate { return &s.in }

func (s *rowStepper) advance(depth int) *plate {
	for y := -s.margin; y < s.core+s.margin; y++ {
		for k := range s.planes {
			s.layout.mend(s.input(k, y), s.walk.ghosts)
		}
	}
	s.walk.run(s, depth, 0, s.core)
	return &s.out
}

// row is a whole row, with its ghosts.
func (s *rowStepper) row(p *plate, plane, y int) []uint64 {
	at := p.at(plane, y) - s.layout.ghost*s.layout.lanes
	return p.words[at : at+s.layout.stride : at+s.layout.stride]
}

// These implement cells.
func (s *rowStepper) input(plane, y int) []uint64  { return s.row(&s.in, plane, y) }
func (s *rowStepper) ahead(int) []uint64           { return s.walk.zero }
func (s *rowStepper) output(plane, y int) []uint64 { return s.row(&s.out, plane, y) }
func (s *rowStepper) outside(int) bool             { return false }
func (s *rowStepper) confine([]uint64, int)        {}

func (s *rowStepper) differences(changed, any []uint64, before, after *plate, reach int) {
	lanes := s.layout.lanes
	for k := range s.planes {
		for y := range s.core {
			part := any[lanes:]
			if y < reach {
				part = any
			} else if y >= s.core-reach {
				part = any[2*lanes:]
			}
			from, to := before.words[before.at(k, y):][:lanes], after.words[after.at(k, y):][:lanes]
			for lane, v := range from {
				v ^= to[lane]
				changed[(k*s.core+y)*lanes+lane] = v
				part[lane] |= v
			}
		}
	}
}
