// Package tiles advances the unbounded plane, and tori of which little changes. It computes only blocks of
// cells that can change.
package tiles

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
	"github.com/gosper-life/gosper/topology"
)

// tiles stores the parts of a universe where cells are or may soon be. Cells that are not stored are dead. A tile is
// divided into square blocks: a pass computes a block or leaves it alone.
//
//	side                256   512   1024
//	core, of a block     32, 64, 128 or 256 …   so that a pass reaches half a block at most
//	blocks of a tile    64 at most: a bit each
type tiles struct {
	planes int
	core   int                   // side of a block
	side   int                   // side of a tile
	shift  int                   // its logarithm
	across int                   // tiles of a row of a torus; 0: the plane is unbounded, or there is a seam
	down   int                   // the same of a column
	seam   *seam                 // joins the edges of a torus that is not made of whole tiles; else nil
	rows   map[int]map[int]*tile // the stored tiles, by their places: rows[y][x]
	held   int                   // how many are stored
	unused []*tile               // dead tiles, to be used again
	dead   []uint64              // zeros: the words of a tile that is not stored
}

// tile is a square of cells in columns of words, because passes go down columns. Word w of row y of plane k,
// with columns 64w to 64w+63 from the lowest bit up, is words[(k·side/64 + w)·side + y].
type tile struct {
	at     grid.TileAt // in tiles of this size
	words  []uint64
	near   [9]*tile // the tiles around it and, in the middle, itself; nil: not stored
	active uint64   // a bit for each block that the next pass must compute
}

// newTiles makes an empty universe, unbounded or a torus, in blocks of core×core cells. reach is how far a pass
// reaches.
func newTiles(planes, core int, t topology.Topology, reach int) *tiles {
	side := tileSide(core)
	ts := &tiles{
		planes: planes, core: core, side: side, shift: bits.Len(uint(side)) - 1,
		rows: map[int]map[int]*tile{}, dead: make([]uint64, planes*side*side/64),
	}
	switch {
	case !t.Bounded():
	case t.W%side == 0 && t.H%side == 0:
		ts.across, ts.down = t.W/side, t.H/side
	default:
		ts.seam = &seam{ts, t.W, t.H, reach}
	}
	return ts
}

// bounded reports whether the universe is a torus.
func (ts *tiles) bounded() bool { return ts.across > 0 || ts.seam != nil }

// tileSide is the side of tiles whose blocks have the given side.
func tileSide(core int) int { return max(core, grid.TileSide) }

// wrap folds the place of a tile into the torus.
func (ts *tiles) wrap(x, y int) grid.TileAt {
	if ts.across > 0 {
		x, y = (x%ts.across+ts.across)%ts.across, (y%ts.down+ts.down)%ts.down
	}
	return grid.TileAt{X: x, Y: y}
}

// direction is the index of a neighbour in tile.near, and its bit in a touch.
func direction(dx, dy int) int { return 3*(dy+1) + dx + 1 }

// opposite is the direction in which a neighbour sees this tile.
func opposite(d int) int { return 8 - d }

// around calls do for each direction.
func around(do func(dx, dy, d int)) {
	for d := range 9 {
		do(d%3-1, d/3-1, d)
	}
}

// stored returns the tile at a place, or nil if no tile is stored there.
func (ts *tiles) stored(p grid.TileAt) *tile { return ts.rows[p.Y][p.X] }

// all goes through the stored tiles, in no order.
func (ts *tiles) all(yield func(*tile) bool) {
	for _, row := range ts.rows {
		for _, t := range row {
			if !yield(t) {
				return
			}
		}
	}
}

// at returns the tile at a place. It makes one if none is stored there.
func (ts *tiles) at(p grid.TileAt) *tile {
	if t := ts.stored(p); t != nil {
		return t
	}
	var t *tile
	if n := len(ts.unused); n > 0 {
		t, ts.unused = ts.unused[n-1], ts.unused[:n-1]
	} else {
		t = &tile{words: make([]uint64, len(ts.dead))}
	}
	t.at = p
	if ts.rows[p.Y] == nil {
		ts.rows[p.Y] = map[int]*tile{}
	}
	ts.rows[p.Y][p.X] = t
	ts.held++
	around(func(dx, dy, d int) {
		if n := ts.stored(ts.wrap(p.X+dx, p.Y+dy)); n != nil {
			t.near[d], n.near[opposite(d)] = n, t
		}
	})
	return t
}

// drop removes a tile that is dead.
func (ts *tiles) drop(t *tile) {
	for d, n := range t.near {
		if n != nil {
			n.near[opposite(d)] = nil
		}
	}
	t.near = [9]*tile{}
	if delete(ts.rows[t.at.Y], t.at.X); len(ts.rows[t.at.Y]) == 0 {
		delete(ts.rows, t.at.Y)
	}
	ts.held--
	ts.unused = append(ts.unused, t)
}

// beside returns the neighbour of a tile in a direction. It makes one if none is stored there.
func (ts *tiles) beside(t *tile, dx, dy int) *tile {
	if n := t.near[direction(dx, dy)]; n != nil {
		return n
	}
	return ts.at(ts.wrap(t.at.X+dx, t.at.Y+dy))
}

// words returns the words of a tile, or zeros where none is stored.
func (ts *tiles) words(t *tile) []uint64 {
	if t == nil {
		return ts.dead
	}
	return t.words
}

// wide is the words of a row of a tile.
func (ts *tiles) wide() int { return ts.side / 64 }

// column is the w-th words of all rows of a plane in the words of a tile.
func (ts *tiles) column(words []uint64, plane, w int) []uint64 {
	start := (plane*ts.wide() + w) * ts.side
	return words[start : start+ts.side : start+ts.side]
}

// row copies row y of a plane out of the words of a tile.
func (ts *tiles) row(dst *[maxWide]uint64, words []uint64, plane, y int) []uint64 {
	for w := range ts.wide() {
		dst[w] = ts.column(words, plane, w)[y]
	}
	return dst[:ts.wide()]
}

// maxWide is the most words of a row of a tile: a block of a rule of radius 500 has a side of 1024.
const maxWide = 16

func (t *tile) empty() bool {
	for _, v := range t.words {
		if v != 0 {
			return false
		}
	}
	return true
}

// alive reports whether block (bx, by) of a tile has cells.
func (ts *tiles) alive(t *tile, bx, by int) bool {
	mask := ^uint64(0)
	if ts.core < 64 {
		mask = (1<<ts.core - 1) << (bx * ts.core & 63)
	}
	for k := range ts.planes {
		for x := bx * ts.core; x < (bx+1)*ts.core; x += 64 {
			for _, v := range ts.column(t.words, k, x>>6)[by*ts.core : (by+1)*ts.core] {
				if v&mask != 0 {
					return true
				}
			}
		}
	}
	return false
}

func (ts *tiles) bytes() uint64 {
	return uint64(ts.held+len(ts.unused)+1) * uint64(len(ts.dead)) * 8
}

// population counts the cells not in state 0.
func (ts *tiles) population() uint64 {
	n := 0
	plane := ts.side * ts.wide()
	for t := range ts.all {
		if ts.planes == 1 && ts.seam == nil { // every word counts, and nothing else
			for _, v := range t.words {
				n += bits.OnesCount64(v)
			}
			continue
		}
		for w := range ts.wide() {
			rows, mask := ts.side, ^uint64(0)
			if ts.seam != nil {
				rows, mask = ts.seam.part(t, w)
			}
			for i := w * ts.side; i < w*ts.side+rows; i++ {
				var v uint64
				for k := range ts.planes {
					v |= t.words[k*plane+i]
				}
				n += bits.OnesCount64(v & mask)
			}
		}
	}
	return uint64(n)
}

// box is the bounding box of a tile's live cells.
func (ts *tiles) box(t *tile) grid.Rect {
	var columns [maxWide]uint64
	top, bottom := ts.side, 0
	for i, v := range t.words {
		if v != 0 {
			y := i % ts.side
			top, bottom = min(top, y), max(bottom, y+1)
			columns[i/ts.side%ts.wide()] |= v
		}
	}
	if bottom == 0 {
		return grid.Rect{}
	}
	left, right := -1, 0
	for w, v := range columns {
		if v != 0 {
			if left < 0 {
				left = 64*w + bits.TrailingZeros64(v)
			}
			right = 64*w + bits.Len64(v)
		}
	}
	return grid.Rect{X: t.at.X<<ts.shift + left, Y: t.at.Y<<ts.shift + top, W: right - left, H: bottom - top}
}

// live lists the tiles with cells, row by row of tiles.
func (ts *tiles) live() []*tile {
	var all []*tile
	for t := range ts.all {
		if !t.empty() {
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(a, b *tile) int { return cmp.Or(cmp.Compare(a.at.Y, b.at.Y), cmp.Compare(a.at.X, b.at.X)) })
	return all
}

// Planes implements grid.Source.
func (ts *tiles) Planes() int { return ts.planes }

// Extent implements grid.Source.
func (ts *tiles) Extent() (grid.Rect, error) {
	switch {
	case ts.seam != nil:
		return ts.seam.cells(), nil
	case ts.across > 0:
		return grid.Rect{W: ts.across * ts.side, H: ts.down * ts.side}, nil
	}
	var all grid.Rect
	for t := range ts.all {
		all = all.Union(ts.box(t))
	}
	return all, nil
}

// Occupied lists the tiles with live cells. Package grid's functions use it where the bounding box is mostly empty.
func (ts *tiles) Occupied() []grid.Rect {
	var all []grid.Rect
	for _, t := range ts.live() {
		area := grid.Rect{X: t.at.X << ts.shift, Y: t.at.Y << ts.shift, W: ts.side, H: ts.side}
		if ts.seam != nil {
			area = area.Intersect(ts.seam.cells())
		}
		if !area.Empty() {
			all = append(all, area)
		}
	}
	return all
}

// OccupiedRows lists the tiles with live cells, without the rows above and below these.
func (ts *tiles) OccupiedRows() []grid.Rect {
	all := ts.Occupied()
	for i := range all {
		t := ts.stored(grid.TileAt{X: all[i].X >> ts.shift, Y: all[i].Y >> ts.shift})
		rows := ts.box(t)
		rows.X, rows.W = all[i].X, all[i].W
		all[i] = all[i].Intersect(rows)
	}
	return slices.DeleteFunc(all, grid.Rect.Empty) // a tile may have only copies of cells beyond the edges
}

// All yields copies of the tiles that have cells, from top to bottom and left to right.
func (ts *tiles) All() iter.Seq2[grid.TileAt, *grid.Tile] {
	return func(yield func(grid.TileAt, *grid.Tile) bool) {
		live := ts.live()
		for len(live) > 0 {
			n := 1 // tiles side by side
			for n < len(live) && live[n].at.Y == live[0].at.Y {
				n++
			}
			for part := range ts.side / grid.TileSide {
				for _, t := range live[:n] {
					if !ts.each(t, part, yield) {
						return
					}
				}
			}
			live = live[n:]
		}
	}
}

// each yields a row of the grid.Tiles that make up a tile.
func (ts *tiles) each(t *tile, part int, yield func(grid.TileAt, *grid.Tile) bool) bool {
	parts := ts.side / grid.TileSide
	var scratch [maxWide]uint64
	for i := range parts {
		one, err := grid.NewTiles(ts.planes)
		if err != nil {
			return false
		}
		at := grid.TileAt{X: t.at.X*parts + i, Y: t.at.Y*parts + part}
		for k := range ts.planes {
			for y := range grid.TileSide {
				row := ts.row(&scratch, t.words, k, part*grid.TileSide+y)[i*grid.TileSide/64:]
				grid.InMemory(one.WriteRow(row, k, at.X*grid.TileSide, at.Y*grid.TileSide+y, grid.TileSide))
			}
		}
		if tile := one.Tile(at); tile != nil && !yield(at, tile) {
			return false
		}
	}
	return true
}

// ReadRow implements grid.Source. It takes time in proportion to the number of cells, plus the smaller of two
// numbers: the tiles that the row crosses, and the tiles stored in that row of tiles.
func (ts *tiles) ReadRow(dst []uint64, plane, x, y, n int) error {
	clear(dst[:(n+63)/64])
	beside := ts.rows[y>>ts.shift]
	first, last := x>>ts.shift, (x+n-1)>>ts.shift
	if last-first >= len(beside) {
		for _, t := range beside {
			ts.readFrom(t, dst, plane, x, y, n)
		}
		return nil
	}
	for at := first; at <= last; at++ {
		if t := beside[at]; t != nil {
			ts.readFrom(t, dst, plane, x, y, n)
		}
	}
	return nil
}

// readFrom stores the cells of a row that lie in a tile.
func (ts *tiles) readFrom(t *tile, dst []uint64, plane, x, y, n int) {
	left := t.at.X << ts.shift
	from, to := max(x, left), min(x+n, left+ts.side)
	if s := ts.seam; s != nil { // beyond it are copies
		from, to = max(from, 0), min(to, s.w)
		if y < 0 || y >= s.h {
			return
		}
	}
	if from >= to {
		return
	}
	var scratch [maxWide]uint64
	row := ts.row(&scratch, t.words, plane, y&(ts.side-1))
	for c := from; c < to; c += 64 {
		k := min(64, to-c)
		layout.Store(dst, c-x, layout.Load(row, c-left, k), k)
	}
}

// WriteRow stores cells as grid.Sink says.
func (ts *tiles) WriteRow(src []uint64, plane, x, y, n int) error {
	inside := func(p grid.TileAt) bool { return ts.across == 0 || p == ts.wrap(p.X, p.Y) }
	begin := 0
	if s := ts.seam; s != nil {
		if y < 0 || y >= s.h {
			return nil
		}
		begin, n = max(0, -x), min(n, s.w-x)
	}
	var t *tile
	var found grid.TileAt // of t
	for offset := begin; offset < n; {
		word := (x + offset) &^ 63
		k := min(word+64-x-offset, n-offset)
		p := grid.TileAt{X: word >> ts.shift, Y: y >> ts.shift}
		if offset == begin || p != found {
			t, found = ts.stored(p), p
		}
		v := layout.Load(src, offset, k)
		if t == nil && v != 0 && inside(p) {
			t = ts.at(p)
		}
		if t != nil {
			layout.Replace(ts.column(t.words, plane, word&(ts.side-1)>>6)[y&(ts.side-1):], x+offset-word, v, k)
		}
		offset += k
	}
	return nil
}
