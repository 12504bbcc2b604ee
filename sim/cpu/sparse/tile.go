package sparse

import (
	"math/bits"
	"unsafe"
)

// PassGenerations is the most generations of a pass under rules of radius 1. It is a multiple of 1, 2, 3 and 6, so
// oscillators of these periods do not change from pass to pass.
const PassGenerations = reach

// A universe consists of tiles of 52×64 cells. A row of a tile, with six columns of each neighbour, is one
// word. This is what a pass of six generations reads, because a cell depends on cells up to one column further
// in each generation. Under a rule of radius 2 or 3 a pass has two generations, and under one of up to 6 a single one:
//
//	bit   63    58 57                              6 5      0
//	      ┌───────┬─────────────────────────────────┬───────┐
//	      │ right │ columns 51 … 0 of the tile      │ left  │
//	      └───────┴─────────────────────────────────┴───────┘
//
// The outer bits are zero in a stored row; gather fills them from the tiles beside it. leftBits and rightBits
// are the columns that the tiles on the left and on the right read. A pass computes only a range of a tile's
// blocks of 8 rows, from the first to the last block that may change.
const (
	tileWidth  = 52
	tileHeight = 64
	blockRows  = 8
	tileBlocks = tileHeight / blockRows
	reach      = 6 // columns and rows around a tile that a pass reads, at most
	tileBits   = (1<<tileWidth - 1) << reach
	leftBits   = (1<<reach - 1) << reach
	rightBits  = leftBits << (tileWidth - reach)
)

// rows are the cells of a tile: column x in bit reach+x, the other bits zero.
type rows [tileHeight]uint64

// tile is a part of a universe. There is a tile wherever cells live or may live soon. A pass reads the rows of
// one side and writes those of the other, so tiles may be computed in any order. Universe.side says which side
// has the present cells. A block that a pass skips has the same rows on both sides.
type tile struct {
	x, y   int      // in tiles
	blocks uint32   // the blocks that the next pass must compute, bit k for rows 8k to 8k+7; 0 if the tile is asleep
	count  int32    // live cells, or -1 if not counted yet
	near   [9]*tile // the tiles around, row by row, with itself in the middle; &nowhere if there is none

	// more are the planes of states after the first, under rules of more than two states. There may be fewer than
	// the rule has, if all that are missing are zero.
	more     [][2]rows
	_        uint64  // puts sides where vectors load fast
	sides    [2]rows // the first plane
	envelope rows    // cells that were not in state 0 in some generation: see Batch.Envelope
}

// Offsets of the sides in a tile.
const (
	firstSide  = unsafe.Offsetof(tile{}.sides)
	secondSide = firstSide + unsafe.Sizeof(rows{})
)

// Outside all tiles, dead has the cells and nowhere is the tile. lonely has the neighbours of a tile that has none.
var (
	dead    rows
	nowhere tile
	lonely  = [9]*tile{&nowhere, &nowhere, &nowhere, &nowhere, &nowhere, &nowhere, &nowhere, &nowhere, &nowhere}
)

// join makes two tiles, or a tile with itself, neighbours: n lies in direction d from t.
func (t *tile) join(d int, n *tile) { t.near[d], n.near[8-d] = n, t }

// part undoes join.
func (t *tile) part(d int) {
	if n := t.near[d]; n != &nowhere {
		n.near[8-d] = &nowhere
	}
}

// plane returns a plane of one side, to be read.
func (t *tile) plane(k, side int) *rows {
	switch {
	case k == 0:
		return &t.sides[side]
	case k <= len(t.more):
		return &t.more[k-1][side]
	}
	return &dead
}

// grown returns a plane of one side, to be written. It makes the plane if the tile does not have it.
func (t *tile) grown(k, side int) *rows {
	for k > len(t.more) {
		t.more = append(t.more, [2]rows{})
	}
	return t.plane(k, side)
}

// envelop adds the cells of a side that are not in state 0 to the envelope.
func (t *tile) envelop(side int) {
	for y, row := range &t.sides[side] {
		t.envelope[y] |= row
	}
	for k := range t.more {
		for y, row := range &t.more[k][side] {
			t.envelope[y] |= row
		}
	}
}

// occupied is a row of a side: the cells that are not in state 0.
func (t *tile) occupied(side, y int) uint64 {
	row := t.sides[side][y]
	for k := range t.more {
		row |= t.more[k][side][y]
	}
	return row
}

// state is the state of the cell at a bit of a row.
func (t *tile) state(side, y, bit int) uint8 {
	state := t.sides[side][y] >> bit & 1
	for k := range t.more {
		state |= t.more[k][side][y] >> bit & 1 << (k + 1)
	}
	return uint8(state)
}

// age is the age of the cell at a bit of a row, which is not in state 0.
func (t *tile) age(side, y, bit int) uint8 { return t.state(side, y, bit) - 1 }

// population counts the cells of a tile on a side.
func (t *tile) population(side int) int {
	if t.count < 0 {
		n := 0
		if len(t.more) == 0 {
			rows := &t.sides[side]
			for y := 0; y < tileHeight; y += 4 { // four at once are faster
				n += bits.OnesCount64(rows[y]) + bits.OnesCount64(rows[y+1]) + bits.OnesCount64(rows[y+2]) +
					bits.OnesCount64(rows[y+3])
			}
		} else {
			for y := range tileHeight {
				n += bits.OnesCount64(t.occupied(side, y))
			}
		}
		t.count = int32(n)
	}
	return int(t.count)
}

// gather stores a plane of one side of some blocks of a tile, with the cells within reach of them, in every
// stride-th word. Above and below there are margin rows, at most reach.
func (t *tile) gather(words []uint64, stride, margin, plane, side, first, blocks int) {
	at := 0
	part := func(near []*tile, from, to int) {
		left, middle, right := near[0].plane(plane, side), near[1].plane(plane, side), near[2].plane(plane, side)
		for y := from; y < to; y++ {
			words[at] = middle[y] | left[y]>>tileWidth | right[y]<<tileWidth
			at += stride
		}
	}
	from, to := first*blockRows, (first+blocks)*blockRows
	if first == 0 {
		part(t.near[:3], tileHeight-margin, tileHeight)
	}
	part(t.near[3:6], max(0, from-margin), min(tileHeight, to+margin))
	if to == tileHeight {
		part(t.near[6:], 0, margin)
	}
}

// reached says which blocks around a tile are within reach of cells of the tile for which some condition is true. It
// has a word for each of three columns of tiles: left of the tile, its own, and right of it. The bits of a word, from
// the top of the universe down, are:
//
//	bit   0                the last block of the tile above
//	bit   1 … tileBlocks   blocks 0 … tileBlocks-1 of the tile in the row of this one
//	bit   tileBlocks + 1   the first block of the tile below
type reached struct{ left, middle, right uint32 }

// add adds the blocks within reach of some columns of row y.
func (r *reached) add(y int, columns uint64) {
	if columns == 0 {
		return
	}
	blocks := uint32(1<<((y-reach+blockRows)/blockRows) | 1<<(y/blockRows+1) | 1<<((y+reach+blockRows)/blockRows))
	r.middle |= blocks
	if columns&leftBits != 0 {
		r.left |= blocks
	}
	if columns&rightBits != 0 {
		r.right |= blocks
	}
}

// scatter reads a plane of the next state of some blocks of a tile from every stride-th word and stores it in the other
// side. It adds the blocks within reach of a change to changed.
func (t *tile) scatter(words []uint64, stride, plane, side, first, blocks int, changed *reached) {
	next := t.grown(plane, 1-side)
	now := t.plane(plane, side)
	at := 0
	for y := first * blockRows; y < (first+blocks)*blockRows; y++ {
		v := words[at] & tileBits
		at += stride
		changed.add(y, v^now[y])
		next[y] = v
	}
}
