package sparse

import (
	"math/bits"
	"unsafe"
)

// PassGenerations is the most generations of a pass. It is a multiple of 1, 2, 3 and 6, so oscillators of these periods do not change from pass to
// pass.
const PassGenerations = reach

// A universe consists of tiles of 52×32 cells. A row of a tile, with six columns of each neighbour, is one word: exactly what a pass of six
// generations needs.
const (
	tileWidth  = 52
	tileHeight = 32
	reach      = 6 // columns and rows around a tile that a pass reads: one for each generation
	tileBits   = (1<<tileWidth - 1) << reach
	leftBits   = (1<<reach - 1) << reach
	rightBits  = leftBits << (tileWidth - reach)
)

// rows are the cells of a tile: column x in bit reach+x, the other bits zero.
type rows [tileHeight]uint64

// tile is a part of a universe. There is a tile wherever cells live or may live soon. A pass reads the rows of one side and writes those of the
// other, so tiles may be computed in any order. Universe.side says which side has the present cells. A tile that a pass skips has the same rows on
// both sides.
type tile struct {
	x, y  int      // in tiles
	due   uint64   // the last pass of its universe that computed it, or the next that must
	count int      // live cells, or -1 if not counted yet
	near  [9]*tile // the tiles around, row by row, with itself in the middle; &nowhere if there is none

	// more are the planes of states after the first, under rules of more than two states. There may be fewer than the rule has, if all that are
	// missing are zero. With these three words before them, sides are where vectors load fast.
	more     [][2]rows
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

// occupied is a row of a side: the cells that are not in state 0.
func (t *tile) occupied(side, y int) uint64 {
	row := t.sides[side][y]
	for k := range t.more {
		row |= t.more[k][side][y]
	}
	return row
}

// age is the age of the cell at a bit of a row, which is not in state 0.
func (t *tile) age(side, y, bit int) uint8 {
	state := t.sides[side][y] >> bit & 1
	for k := range t.more {
		state |= t.more[k][side][y] >> bit & 1 << (k + 1)
	}
	return uint8(state - 1)
}

// population counts the cells of a tile on a side.
func (t *tile) population(side int) int {
	if t.count < 0 {
		n := 0
		for y, row := range &t.sides[side] {
			for k := range t.more {
				row |= t.more[k][side][y]
			}
			n += bits.OnesCount64(row)
		}
		t.count = n
	}
	return t.count
}

// gather stores a plane of one side of a tile, with the cells within reach of it, in every stride-th word.
func (t *tile) gather(words []uint64, stride, plane, side int) {
	at := 0
	part := func(l, c, r *tile, from, to int) {
		left, middle, right := l.plane(plane, side), c.plane(plane, side), r.plane(plane, side)
		for y := from; y < to; y++ {
			words[at] = middle[y] | left[y]>>tileWidth | right[y]<<tileWidth
			at += stride
		}
	}
	part(t.near[0], t.near[1], t.near[2], tileHeight-reach, tileHeight)
	part(t.near[3], t.near[4], t.near[5], 0, tileHeight)
	part(t.near[6], t.near[7], t.near[8], 0, reach)
}

// bands holds columns in which some condition is true: in the rows near the top of a tile, in the middle, and near the bottom.
type bands [3]uint64

// directions returns, as bits, the neighbours that have such a column within reach.
func (b *bands) directions() uint {
	around := [3]uint64{b[0], b[0] | b[1] | b[2], b[2]}
	var d uint
	for i, columns := range around {
		d |= (some(columns&leftBits) | some(columns)<<1 | some(columns&rightBits)<<2) << (3 * i)
	}
	return d
}

// some is 1 if any bit is set.
func some(v uint64) uint {
	if v != 0 {
		return 1
	}
	return 0
}

// scatter reads a plane of the next state of a tile from every stride-th word and stores it in the other side. It adds to where the tile changes.
func (t *tile) scatter(words []uint64, stride, plane, side int, changed *bands) {
	next := t.grown(plane, 1-side)
	now := t.plane(plane, side)
	at := 0
	part := func(i, from, to int) {
		var differ uint64
		for y := from; y < to; y++ {
			v := words[at] & tileBits
			at += stride
			differ |= v ^ now[y]
			next[y] = v
		}
		changed[i] |= differ
	}
	part(0, 0, reach)
	part(1, reach, tileHeight-reach)
	part(2, tileHeight-reach, tileHeight)
}
