package tiles

import (
	"math/bits"

	"github.com/gosper-life/gosper/sim/cpu/internal/blocks"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// batch advances several blocks at once, one in each lane of a vector. Around each block it needs cells: half a block
// left and right, and m rows of margin above and below. Wrong cells at the outer edges spread inwards by at most half
// a block, so they do not reach the block.
//
//	          core/2       core      core/2
//	      ├───────────┼───────────┼───────────┤
//	 -m   · · · · · · · · · · · · · · · · · · ·
//	  0   · · · · · · ┌───────────┐ · · · · · ·
//	      · · · · · · │   block   │ · · · · · ·
//	core  · · · · · · └───────────┘ · · · · · ·
type batch struct {
	tiles   *tiles
	blocks  []*blocks.Blocks // by step of the background's orbit, or one
	columns int              // vectors of a row
	lanes   int
	cells   []uint64 // scratch: a row of a block with its surroundings, and room for one word more
	parts   []uint64 // scratch: changes by part of a block and lane
}

// job is a block and how a pass changes it.
type job struct {
	tile   *tile
	bx, by int
	// a bit for each cell that changed: rows of each plane, word by word, with those of other lanes between
	changed []uint64
	// a bit for each direction in which a changed cell lies within reach of another block; 0: nothing changed
	touch uint16
}

// newBatch makes a batch of blocks of each rule, which are all of one shape.
func newBatch(ts *tiles, rules []*blocks.Blocks) *batch {
	columns, lanes := rules[0].Vectors, rules[0].Lanes
	return &batch{
		tiles: ts, blocks: rules, columns: columns, lanes: lanes,
		cells: make([]uint64, columns+1), parts: make([]uint64, 3*lanes),
	}
}

// changesSize is the words needed for the changes of a batch.
func (b *batch) changesSize() int { return b.tiles.planes * b.tiles.core * b.columns * b.lanes }

// do computes jobs, at most one for each lane, by the blocks of a step. It stores their changes in changed.
func (b *batch) do(jobs []job, changed []uint64, step int, generation uint64, depth, reach int) {
	s := b.blocks[step]
	for lane := range jobs {
		jobs[lane].changed = changed[lane:]
	}
	switch {
	case b.columns > 1:
		for lane := range jobs {
			b.gather(s, &jobs[lane], lane)
		}
	case hasSpread() && s.Margin >= spreadRows && s.Input().Row%spreadLanes == 0:
		for lane := 0; lane < len(jobs); lane += spreadLanes {
			b.gatherLanes(s, jobs[lane:], lane)
		}
	default:
		for lane := range jobs {
			b.gatherWords(s, &jobs[lane], lane)
		}
	}
	out := s.Advance(generation, depth)
	if b.columns == 1 {
		b.compareWords(s, out, jobs, changed, reach)
		return
	}
	for lane := range jobs {
		b.compare(s, out, &jobs[lane], lane, reach)
	}
}

// gatherWords copies a block of 32 columns and what is around it into a lane: each row is one word, from two
// words of tiles.
func (b *batch) gatherWords(s *blocks.Blocks, j *job, lane int) {
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
	// The 64 columns from 16 before the block on:
	//
	//	bx even     bits 48 … 63 of the left word, then bits 0 … 47 of the right one
	//	bx odd      bits 16 … 63 of the left word, then bits 0 … 15 of the right one
	y0, y1 := j.by*32-s.Margin, j.by*32+32+s.Margin
	in := s.Input()
	words, step := in.Words, in.Row
	for k := range ts.planes {
		at := in.At(k, -s.Margin) + lane
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

// source is the source of a lane's rows: two columns of words, one below the other. A row takes the upper bits of the
// left word, moved down, and the lower bits of the right one, moved up. The numbers of bits are the first halves of
// vectors.
type source struct {
	left, right *uint64
	down, _     uint64
	up, _       uint64
}

// gatherLanes is gatherWords for some lanes at once.
func (b *batch) gatherLanes(s *blocks.Blocks, jobs []job, lane int) {
	ts := b.tiles
	in := s.Input()
	wide, last := ts.wide(), ts.side/32-1
	for k := range ts.planes {
		var above, inside, below [spreadLanes]source
		for i := range spreadLanes {
			j := &jobs[min(i, len(jobs)-1)] // in lanes without a job is another one's
			left := (j.bx*32 - 16) >> 6
			right := left + 1
			lx, rx := 1, 1 // columns of tiles around it
			if left < 0 {
				left, lx = wide-1, 0
			}
			if right == wide {
				right, rx = 0, 2
			}
			down := uint64(48)
			if j.bx&1 != 0 {
				down = 16
			}
			up := 64 - down
			left, right = (k*wide+left)*ts.side, (k*wide+right)*ts.side
			from := func(to *source, dy, y int) {
				to.left, to.right = &ts.words(j.tile.near[dy+lx])[left+y], &ts.words(j.tile.near[dy+rx])[right+y]
				to.down, to.up = down, up
			}
			y := j.by * 32
			from(&inside[i], 3, y)
			if j.by == 0 {
				from(&above[i], 0, ts.side-s.Margin)
			} else {
				from(&above[i], 3, y-s.Margin)
			}
			if j.by == last {
				from(&below[i], 6, 0)
			} else {
				from(&below[i], 3, y+32)
			}
		}
		stride := uintptr(in.Row)
		spread(&in.Words[in.At(k, -s.Margin)+lane], &above, stride, uintptr(s.Margin))
		spread(&in.Words[in.At(k, 0)+lane], &inside, stride, 32)
		spread(&in.Words[in.At(k, 32)+lane], &below, stride, uintptr(s.Margin))
	}
}

// compareWords finds out what has changed in blocks of 32 columns.
func (b *batch) compareWords(s *blocks.Blocks, out *blocks.Plate, jobs []job, changed []uint64, reach int) {
	//	bit     63 … 48     47 … 48-reach     …     16+reach-1 … 16     15 … 0
	//	         around         right                    left           around
	const core = 0xFFFFFFFF << 16
	left, right := uint64(1)<<(16+reach)-1<<16, core&^(uint64(1)<<(48-reach)-1)
	parts := b.parts
	clear(parts)
	s.Differences(changed, parts, out, reach)
	for lane := range jobs {
		j := &jobs[lane]
		top, bottom := parts[lane], parts[2*b.lanes+lane]
		touch := func(v uint64) uint16 { return some(v&left) | some(v&core)<<1 | some(v&right)<<2 }
		j.touch = touch(top) | touch(top|parts[b.lanes+lane]|bottom)<<3 | touch(bottom)<<6
	}
}

// some is 1 if any bit is set.
func some(v uint64) uint16 {
	if v != 0 {
		return 1
	}
	return 0
}

// gather copies any block and what is around it into a lane.
func (b *batch) gather(s *blocks.Blocks, j *job, lane int) {
	ts := b.tiles
	var scratch [maxWide]uint64
	x0 := j.bx*ts.core - ts.core/2
	in := s.Input()
	for k := range ts.planes {
		for y := -s.Margin; y < ts.core+s.Margin; y++ {
			clear(b.cells)
			ty := j.by*ts.core + y
			for offset := 0; offset < 2*ts.core; {
				x := x0 + offset
				from := x & (ts.side - 1)
				n := min(64, ts.side-from, 2*ts.core-offset)
				words := ts.words(j.tile.near[direction(x>>ts.shift, ty>>ts.shift)])
				layout.Store(b.cells, offset, layout.Load(ts.row(&scratch, words, k, ty&(ts.side-1)), from, n), n)
				offset += n
			}
			at := in.At(k, y) - s.Halo*s.Lanes
			s.Pack(in.Words[at:at+s.Stride], lane, b.cells)
		}
	}
}

// compare finds out what has changed in any block.
func (b *batch) compare(s *blocks.Blocks, out *blocks.Plate, j *job, lane, reach int) {
	ts := b.tiles
	before, after := make([]uint64, b.columns+1), make([]uint64, b.columns+1)
	in := s.Input()
	j.touch = 0
	for k := range ts.planes {
		for y := range ts.core {
			at, to := in.At(k, y)-s.Halo*s.Lanes, out.At(k, y)-s.Halo*s.Lanes
			s.Unpack(before, in.Words[at:at+s.Stride], lane)
			s.Unpack(after, out.Words[to:to+s.Stride], lane)
			for i := range b.columns {
				after[i] ^= before[i]
				j.changed[((k*ts.core+y)*b.columns+i)*b.lanes] = after[i]
			}
			for x := 0; x < ts.core; x += 64 {
				v := layout.Load(after, ts.core/2+x, 64)
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
	// The product repeats the columns in all three rows.
	j.touch |= rows & (columns * 0b001_001_001)
}

// apply makes the changes of a job.
func (b *batch) apply(j *job) {
	ts := b.tiles
	for k := range ts.planes {
		for x := 0; x < ts.core; x += 64 {
			cells := ts.column(j.tile.words, k, (j.bx*ts.core+x)>>6)[j.by*ts.core : (j.by+1)*ts.core]
			changed := j.changed[(k*ts.core*b.columns+(ts.core/2+x)>>6)*b.lanes:]
			at, step := 0, b.columns*b.lanes
			switch {
			case b.columns > 2: // whole words
				for y := range cells {
					cells[y] ^= changed[at]
					at += step
				}
			case b.columns == 2: // half of one word and half of the next
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
