package census

import "math/bits"

// A world is the unbounded plane of one soup, in tiles of 52×32 cells. A row of a tile with six columns of each neighbour is a word:
// what a pass of six generations needs.
const (
	tileWidth  = 52
	tileHeight = 32
	reach      = 6 // generations of a pass, and so columns and rows around a tile that it looks at
	tileBits   = (1<<tileWidth - 1) << reach
	leftBits   = (1<<reach - 1) << reach
	rightBits  = leftBits << (tileWidth - reach)
)

// rows are the cells of a tile: column x in bit reach+x, the other bits zero.
type rows [tileHeight]uint64

// tile is a part of a world. It is there where cells live, or may soon.
type tile struct {
	states   [2]rows
	envelope rows     // cells that lived in some generation: see world.envelop
	near     [9]*tile // those around, row by row, and itself in the middle; nil: dead
	x, y     int      // in tiles
	now      int      // which of the states is the present
	awake    bool     // the next pass must compute it
}

func (t *tile) cells() *rows { return &t.states[t.now] }

// dead is what lies where no tile is.
var dead rows

// beside returns the cells of the neighbour in a direction, 0 to 8.
func (t *tile) beside(d int) *rows {
	if n := t.near[d]; n != nil {
		return n.cells()
	}
	return &dead
}

func (t *tile) empty() bool { return *t.cells() == dead }

func (t *tile) population() int {
	n := 0
	for _, row := range t.cells() {
		n += bits.OnesCount64(row)
	}
	return n
}

// gather stores a tile and what is within reach of it in every stride-th word.
func (t *tile) gather(words []uint64, stride int) {
	at := 0
	c, l, r := t.beside(1), t.beside(0), t.beside(2)
	for y := tileHeight - reach; y < tileHeight; y++ {
		words[at] = c[y] | l[y]>>tileWidth | r[y]<<tileWidth
		at += stride
	}
	c, l, r = t.cells(), t.beside(3), t.beside(5)
	for y := range c {
		words[at] = c[y] | l[y]>>tileWidth | r[y]<<tileWidth
		at += stride
	}
	c, l, r = t.beside(7), t.beside(6), t.beside(8)
	for y := range reach {
		words[at] = c[y] | l[y]>>tileWidth | r[y]<<tileWidth
		at += stride
	}
}

// bands is the columns in which something is so, in the rows near the top of a tile, in between and near the bottom.
type bands [3]uint64

// directions are the neighbours within reach of it, as bits.
func (b *bands) directions() uint {
	around := [3]uint64{b[0], b[0] | b[1] | b[2], b[2]}
	var d uint
	for i, columns := range around {
		d |= (some(columns&leftBits) | some(columns)<<1 | some(columns&rightBits)<<2) << (3 * i)
	}
	return d
}

// some is 1 where any bit is set.
func some(v uint64) uint {
	if v != 0 {
		return 1
	}
	return 0
}

// scatter takes the next state of a tile from every stride-th word, and tells where it differs from this one and where it lives.
func (t *tile) scatter(words []uint64, stride int) (changed, live bands) {
	at := 0
	c, next := t.cells(), &t.states[t.now^1]
	part := func(i, from, to int) {
		var any, alive uint64
		for y := from; y < to; y++ {
			v := words[at] & tileBits
			at += stride
			any |= v ^ c[y]
			alive |= v
			next[y] = v
		}
		changed[i], live[i] = any, alive
	}
	part(0, 0, reach)
	part(1, reach, tileHeight-reach)
	part(2, tileHeight-reach, tileHeight)
	return changed, live
}
