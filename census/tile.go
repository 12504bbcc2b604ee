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
	rows     rows
	envelope rows     // cells that lived in some generation: see world.envelop
	around   [9]*rows // those of the tiles around, row by row, with its own in the middle
	near     [9]*tile // these tiles; nil: dead
	x, y     int      // in tiles
	awake    bool     // the next pass must compute it
}

// dead is what lies where no tile is, and nowhere is a tile with nothing in it or around it.
var (
	dead    rows
	nowhere = tile{around: [9]*rows{&dead, &dead, &dead, &dead, &dead, &dead, &dead, &dead, &dead}}
)

// join makes two tiles, or a tile with itself, neighbours: n lies in direction d from t.
func (t *tile) join(d int, n *tile) {
	t.near[d], t.around[d] = n, &n.rows
	n.near[8-d], n.around[8-d] = t, &t.rows
}

// part undoes join.
func (t *tile) part(d int) {
	if n := t.near[d]; n != nil {
		n.near[8-d], n.around[8-d] = nil, &dead
	}
}

func (t *tile) empty() bool { return t.rows == dead }

func (t *tile) population() int {
	n := 0
	for _, row := range t.rows {
		n += bits.OnesCount64(row)
	}
	return n
}

// gather stores a tile and what is within reach of it in every stride-th word.
func (t *tile) gather(words []uint64, stride int) {
	at := 0
	part := func(l, c, r *rows, from, to int) {
		for y := from; y < to; y++ {
			words[at] = c[y] | l[y]>>tileWidth | r[y]<<tileWidth
			at += stride
		}
	}
	part(t.around[0], t.around[1], t.around[2], tileHeight-reach, tileHeight)
	part(t.around[3], t.around[4], t.around[5], 0, tileHeight)
	part(t.around[6], t.around[7], t.around[8], 0, reach)
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
func (t *tile) scatter(next *rows, words []uint64, stride int) (changed, live bands) {
	at := 0
	part := func(i, from, to int) {
		var any, alive uint64
		for y := from; y < to; y++ {
			v := words[at] & tileBits
			at += stride
			any |= v ^ t.rows[y]
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
