package cpu

import (
	"math/bits"

	"github.com/gosper-life/gosper/grid"
)

const tileSide = grid.TileSide

// tiles holds the unbounded universe: squares of 256×256 cells, in strips like every universe here, for the places where cells
// are or may soon be. What is not stored is dead.
type tiles struct {
	layout // of a row of a tile: 4 words and ghosts
	planes int
	stored map[grid.TileAt]*tile
	border borders
}

// tile is 256×256 cells; row y of plane k is words[(y·planes+k)·nv:][:nv].
type tile struct {
	at      grid.TileAt
	words   []uint64
	changed span // rows the last pass changed
	live    bool
}

// span is the rows lo ≤ y < hi.
type span struct{ lo, hi int }

var wholeTile = span{0, tileSide}

func (s span) empty() bool { return s.lo >= s.hi }

func (s span) union(o span) span {
	switch {
	case s.empty():
		return o
	case o.empty():
		return s
	}
	return span{min(s.lo, o.lo), max(s.hi, o.hi)}
}

func (s span) clip(o span) span { return span{max(s.lo, o.lo), min(s.hi, o.hi)} }

func newTiles(planes, ghost int) *tiles {
	return &tiles{
		layout: newLayout(tileSide, tileSide, 1, 1, ghost), planes: planes, stored: map[grid.TileAt]*tile{},
		border: newBorders(ghost),
	}
}

// at returns the tile there, made if need be.
func (ts *tiles) at(p grid.TileAt) *tile {
	t := ts.stored[p]
	if t == nil {
		t = &tile{at: p, words: make([]uint64, tileSide*ts.planes*ts.nv)}
		ts.stored[p] = t
	}
	return t
}

// row returns the words of a row of the tile at p, nil where there is none.
func (ts *tiles) row(p grid.TileAt, plane, y int) []uint64 {
	if t := ts.stored[p]; t != nil {
		return t.row(ts, plane, y)
	}
	return nil
}

func (t *tile) row(ts *tiles, plane, y int) []uint64 {
	start := (y*ts.planes + plane) * ts.nv
	return t.words[start : start+ts.nv : start+ts.nv]
}

// padded returns a copy of a tile's row with room for ghosts, as the layout wants it.
func (ts *tiles) padded(inner []uint64) []uint64 {
	row := make([]uint64, ts.stride)
	copy(row[ts.ghost:], inner)
	return row
}

func (ts *tiles) bytes() uint64 {
	return uint64(len(ts.stored)) * tileBytes(ts.planes)
}

func tileBytes(planes int) uint64 { return uint64(planes) * tileSide * tileSide / 8 }

// fillGhosts makes the ghosts of a row from its inner words and those of the rows beside it: beside[i] is the row i+1 tiles to the
// left (or right).
func (ts *tiles) fillGhosts(row []uint64, left, right [][]uint64) {
	inner := row[ts.ghost : ts.ghost+ts.nv]
	at := func(side [][]uint64, i, j int) uint64 {
		if i == 0 {
			return inner[j]
		}
		return side[i-1][j]
	}
	for k := range ts.ghost {
		q, j := k/ts.nv+1, k%ts.nv // so many strips away
		away, bit := q/64, q%64
		lo := at(left, away, ts.nv-1-j) << bit
		hi := at(right, away, j) >> bit
		if bit > 0 {
			lo |= at(left, away+1, ts.nv-1-j) >> (64 - bit)
			hi |= at(right, away+1, j) << (64 - bit)
		}
		row[ts.ghost-1-k], row[ts.ghost+ts.nv+k] = lo, hi
	}
}

// borders finds out which neighbours of a tile its cells can reach in a pass.
type borders struct {
	reach       int                   // cells
	around      int                   // the same in tiles
	left, right [tileSide / 64]uint64 // bits of each word of a row within reach of an edge
}

func newBorders(reach int) borders {
	b := borders{reach: min(reach, tileSide), around: (reach + tileSide - 1) / tileSide}
	for x := range b.reach {
		b.left[x%len(b.left)] |= 1 << (x / len(b.left))
		x = tileSide - 1 - x
		b.right[x%len(b.right)] |= 1 << (x / len(b.right))
	}
	return b
}

// neighbours calls need for every neighbouring tile that lies within reach of a live cell of t, and perhaps for some farther ones.
func (b *borders) neighbours(t *tile, need func(dx, dy int)) {
	var column [tileSide / 64]uint64
	rowWords := len(t.words) / tileSide
	top, bottom := false, false
	for y := range tileSide {
		var any uint64
		for i, v := range t.words[y*rowWords : (y+1)*rowWords] {
			column[i%len(column)] |= v
			any |= v
		}
		if any != 0 {
			top = top || y < b.reach
			bottom = bottom || y >= tileSide-b.reach
		}
	}
	left, right := false, false
	for j, v := range column {
		left = left || v&b.left[j] != 0
		right = right || v&b.right[j] != 0
	}
	for dy := -b.around; dy <= b.around; dy++ {
		for dx := -b.around; dx <= b.around; dx++ {
			if (dx >= 0 || left) && (dx <= 0 || right) && (dy >= 0 || top) && (dy <= 0 || bottom) {
				need(dx, dy)
			}
		}
	}
}

// population counts the cells not in state 0.
func (ts *tiles) population() uint64 {
	n := 0
	for _, t := range ts.stored {
		if !t.live {
			continue
		}
		for y := range tileSide {
			for j := range ts.nv {
				var v uint64
				for k := range ts.planes {
					v |= t.words[(y*ts.planes+k)*ts.nv+j]
				}
				n += bits.OnesCount64(v)
			}
		}
	}
	return uint64(n)
}

// box is the bounding box of a tile's live cells, in its own coordinates.
func (ts *tiles) box(t *tile) grid.Rect {
	var cells [tileSide / 64]uint64
	row := make([]uint64, ts.stride)
	y0, y1 := tileSide, 0
	for y := range tileSide {
		var any uint64
		for k := range ts.planes {
			for j, v := range t.row(ts, k, y) {
				row[ts.ghost+j] |= v
				any |= v
			}
		}
		if any != 0 {
			y0, y1 = min(y0, y), y+1
		}
	}
	ts.unpack(cells[:], row, 0)
	x0, x1 := tileSide, 0
	for i, v := range cells {
		if v != 0 {
			x0 = min(x0, 64*i+bits.TrailingZeros64(v))
			x1 = 64*i + bits.Len64(v)
		}
	}
	if y1 == 0 {
		return grid.Rect{}
	}
	return grid.Rect{X: x0, Y: y0, W: x1 - x0, H: y1 - y0}
}

// setLive notes whether a tile has live cells.
func (t *tile) setLive() {
	t.live = false
	for _, v := range t.words {
		if v != 0 {
			t.live = true
			return
		}
	}
}
