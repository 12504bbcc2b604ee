package sparse

import (
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/grid"
)

// Universe is the unbounded plane with a few cells: a soup, or one object. The zero value is dead. A Batch advances it.
type Universe struct {
	generation  int
	side        int // which side of the tiles has the present cells
	tiles       []*tile
	awake       []*tile                      // the next pass must compute these
	computed    []*tile                      // the last one did
	central     *[tableSide][tableSide]*tile // a part of its own, so that all else of many universes is close together
	far         map[grid.TileAt]*tile        // tiles beyond the table
	unused      []*tile
	fresh       []tile   // never used
	escaped     []Glider // gliders that were removed
	undisturbed int      // generation before which nothing can come near them
	leaving     []Glider // scratch of StrikeGliders
}

// tableSide is the number of tiles each way that are found by their place in a table. It is enough for nearly
// all soups.
const tableSide = 64

// reset makes the universe dead.
func (u *Universe) reset() {
	for _, t := range u.tiles {
		u.forget(t)
	}
	clear(u.far)
	u.tiles, u.awake, u.escaped, u.generation, u.undisturbed = u.tiles[:0], u.awake[:0], u.escaped[:0], 0, 0
}

// forget removes a tile from the universe.
func (u *Universe) forget(t *tile) {
	if p := u.place(t.x, t.y); p != nil {
		*p = nil
	} else {
		delete(u.far, grid.TileAt{X: t.x, Y: t.y})
	}
	u.unused = append(u.unused, t)
}

// place returns the table's entry for the tile at (x, y); it is nil beyond the table.
func (u *Universe) place(x, y int) **tile {
	x, y = x+tableSide/2, y+tableSide/2
	if uint(x) < tableSide && uint(y) < tableSide {
		if u.central == nil {
			u.central = new([tableSide][tableSide]*tile)
		}
		return &u.central[y][x]
	}
	return nil
}

// find returns the tile at a place, or nil.
func (u *Universe) find(x, y int) *tile {
	if p := u.place(x, y); p != nil {
		return *p
	}
	return u.far[grid.TileAt{X: x, Y: y}]
}

// at returns the tile at a place. It makes one if necessary.
func (u *Universe) at(x, y int) *tile {
	if t := u.find(x, y); t != nil {
		return t
	}
	t := u.tile()
	t.near, t.x, t.y = lonely, x, y
	if p := u.place(x, y); p != nil {
		*p = t
	} else {
		if u.far == nil {
			u.far = map[grid.TileAt]*tile{}
		}
		u.far[grid.TileAt{X: x, Y: y}] = t
	}
	u.tiles = append(u.tiles, t)
	for d := range t.near {
		if n := u.find(x+d%3-1, y+d/3-1); n != nil {
			t.join(d, n)
		}
	}
	return t
}

// tilesAtOnce is the number of tiles that are allocated together. It is large enough that the allocator aligns them
// for vector loads. It does not align smaller allocations.
const tilesAtOnce = 64

// tile returns an empty tile that is not in the universe yet.
func (u *Universe) tile() *tile {
	if n := len(u.unused); n > 0 {
		t := u.unused[n-1]
		u.unused = u.unused[:n-1]
		clear(t.more)
		*t = tile{more: t.more}
		return t
	}
	if len(u.fresh) == 0 {
		u.fresh = make([]tile, tilesAtOnce)
	}
	t := &u.fresh[0]
	u.fresh = u.fresh[1:]
	return t
}

// wake makes the next pass compute some blocks of a tile. Whether the tile is awake already is hard to
// foretell, so nothing branches on it.
func (u *Universe) wake(t *tile, blocks uint32) {
	n := len(u.awake)
	u.awake = append(u.awake, t)
	if t.blocks == 0 {
		n++
	}
	u.awake = u.awake[:n]
	t.blocks |= blocks
}

// awake returns the rows of a tile from the first block to the last that the next pass computes.
func (t *tile) awake() (from, to int) {
	return blockRows * bits.TrailingZeros32(t.blocks), blockRows * bits.Len32(t.blocks)
}

// allBlocks are the blocks of a tile.
const allBlocks = 1<<tileBlocks - 1

// stir wakes the blocks within reach of the changes of a tile, in the tile and around it. It makes missing tiles, even
// if this tile has no cell left, because cells of other tiles may come alive there after the change. The processor
// cannot predict which tiles are reached. The code therefore has only one branch that depends on it, the loop over the
// bits of tiles: bit 3·row + column belongs to the tile in that direction.
func (u *Universe) stir(t *tile, r reached) {
	const last = tileBlocks + 1 // the bit of the tiles below
	tiles := r.left&1 | r.middle&1<<1 | r.right&1<<2 |
		one(r.left)<<3 | one(r.middle)<<4 | one(r.right)<<5 |
		r.left>>last<<6 | r.middle>>last<<7 | r.right>>last<<8
	t.count |= -int32(one(r.middle))
	// The block above is the last one of its tile. With that in bit tileBlocks-1, each tile has a byte.
	blocks := (uint64(r.left) | uint64(r.middle)<<nextColumn | uint64(r.right)<<(2*nextColumn)) << (tileBlocks - 1)
	for ; tiles != 0; tiles &= tiles - 1 {
		d := bits.TrailingZeros32(tiles)
		n := t.near[d]
		if n == &nowhere {
			n = u.at(t.x+d%3-1, t.y+d/3-1)
		}
		u.wake(n, uint32(blocks>>blocksOf[d&15])&allBlocks)
	}
}

// nextColumn is the number of bits that the word blocks of stir has for each of three columns of tiles: the column left
// of a tile, its own, and the one right of it. Within a column the tile above, the tile in this row and the tile below
// have tileBlocks bits each, so one shift gives the blocks of any of the nine tiles:
//
//	bit   nextColumn·column + …   0 … 7         8 … 15            16 … 19
//	                              tile above    tile in the row   tile below
//
// Only the last block of the tile above and the first block of the tile below can be set. The tile below therefore
// needs only four bits: a mask of tileBlocks bits reaches into the next column there, but those bits are always 0.
const nextColumn = 20

// blocksOf says in which bit stir has the first block of the tile in direction d.
var blocksOf = func() (at [16]uint8) {
	for d := range 9 {
		at[d] = uint8(d%3*nextColumn + d/3*tileBlocks)
	}
	return at
}()

// one is 1 if some bit is set.
func one(bits uint32) uint32 {
	if bits != 0 {
		return 1
	}
	return 0
}

// WakeAll wakes every tile with cells and its neighbours within reach. It must be called after cells were
// written, and before a pass of another length.
func (u *Universe) WakeAll() {
	for _, t := range u.tiles[:len(u.tiles):len(u.tiles)] {
		u.stir(t, t.live(u.side))
	}
}

// live returns the blocks within reach of the cells of a tile on a side.
func (t *tile) live(side int) (r reached) {
	for y := range tileHeight {
		r.add(y, t.occupied(side, y))
	}
	return r
}

// Sweep drops the tiles that are dead and stay dead, and counts the cells.
func (u *Universe) Sweep() (population int) {
	kept := u.tiles[:0]
	for _, t := range u.tiles {
		n := t.population(u.side)
		if n > 0 || t.blocks != 0 {
			kept = append(kept, t)
			population += n
			continue
		}
		for d := range t.near {
			t.part(d)
		}
		u.forget(t)
	}
	u.tiles = kept
	return population
}

// Population is the number of cells that are not in state 0.
func (u *Universe) Population() int {
	n := 0
	for _, t := range u.tiles {
		n += t.population(u.side)
	}
	return n
}

// floorDiv returns the quotient rounded down, and the remainder.
func floorDiv(a, b int) (q, r int) {
	q, r = a/b, a%b
	if r < 0 {
		q, r = q-1, r+b
	}
	return q, r
}

// set gives a cell that was in state 0 another state. Then tiles must be woken: see WakeAll.
func (u *Universe) set(x, y int, state uint) {
	tx, cx := floorDiv(x, tileWidth)
	ty, cy := floorDiv(y, tileHeight)
	t := u.at(tx, ty)
	for plane := 0; state>>plane != 0; plane++ {
		if state>>plane&1 != 0 {
			t.grown(plane, u.side)[cy] |= 1 << (reach + cx)
		}
	}
	t.count = -1
}

// clear makes a live cell of an awake tile dead. It is still there on the other side, so the next pass must
// compute its block.
func (u *Universe) clear(x, y int) {
	tx, cx := floorDiv(x, tileWidth)
	ty, cy := floorDiv(y, tileHeight)
	if t := u.find(tx, ty); t != nil {
		t.sides[u.side][cy] &^= 1 << (reach + cx)
		t.count = -1
		u.wake(t, 1<<(cy/blockRows))
	}
}

// Cells lists the cells that are not in state 0, row by row.
func (u *Universe) Cells() []Cell {
	cells := u.AppendCells(make([]Cell, 0, u.Population()))
	slices.SortFunc(cells, ByRow)
	return cells
}

// AppendCells appends the cells that are not in state 0, tile by tile.
func (u *Universe) AppendCells(cells []Cell) []Cell {
	for _, t := range u.tiles {
		for y := range tileHeight {
			for row := t.occupied(u.side, y); row != 0; row &= row - 1 {
				at := bits.TrailingZeros64(row)
				cell := Cell{X: t.x*tileWidth + at - reach, Y: t.y*tileHeight + y}
				if len(t.more) > 0 {
					cell.Age = t.age(u.side, y, at)
				}
				cells = append(cells, cell)
			}
		}
	}
	return cells
}

// Changes calls f for each cell that the last pass has changed, tile by tile, with its states before and after. It must
// come right after the pass.
func (u *Universe) Changes(f func(x, y int, from, to uint8)) {
	for _, t := range u.computed {
		for y := range tileHeight {
			changed := t.sides[0][y] ^ t.sides[1][y]
			for k := range t.more {
				changed |= t.more[k][0][y] ^ t.more[k][1][y]
			}
			for ; changed != 0; changed &= changed - 1 {
				at := bits.TrailingZeros64(changed)
				f(t.x*tileWidth+at-reach, t.y*tileHeight+y, t.state(1-u.side, y, at), t.state(u.side, y, at))
			}
		}
	}
}

// Generation counts from Load, or from that of LoadAt.
func (u *Universe) Generation() int { return u.generation }

// Awake is the number of tiles that the next pass computes.
func (u *Universe) Awake() int { return len(u.awake) }

// IsAsleep reports whether the universe only repeats with a period that divides a pass.
func (u *Universe) IsAsleep() bool { return len(u.awake) == 0 }

// LoadCentred is Load, with the middle of the cells moved to the middle of a tile. Fewer tiles are awake then.
func (u *Universe) LoadCentred(cells []Cell, bounds grid.Rect) {
	u.load(cells, tileWidth/2-bounds.X-bounds.W/2, tileHeight/2-bounds.Y-bounds.H/2)
}

// Load sets exactly the given cells at generation 0.
func (u *Universe) Load(cells []Cell) { u.load(cells, 0, 0) }

// LoadAt sets exactly the given cells at a generation.
func (u *Universe) LoadAt(cells []Cell, generation int) {
	u.Load(cells)
	u.generation = generation
}

// LoadWindow sets cells of a window of two states at a generation when gliders have been removed: its rows from
// row top on, the lowest bit of a word on the left. More cells and the gliders are counted from the middle of
// the window.
func (u *Universe) LoadWindow(side, top int, words []uint32, more []Cell, generation int, escaped []Glider) {
	u.reset()
	const x0, y0 = tileWidth / 2, tileHeight / 2 // of the middle: see LoadCentred
	for i, word := range words {
		for ; word != 0; word &= word - 1 {
			at := 32*i + bits.TrailingZeros32(word)
			u.set(at%side-side/2+x0, at/side+top-side/2+y0, 1)
		}
	}
	for _, c := range more {
		u.set(c.X+x0, c.Y+y0, 1)
	}
	for _, g := range escaped {
		g.X, g.Y = g.X+x0, g.Y+y0
		u.escaped = append(u.escaped, g)
	}
	u.generation = generation
	u.WakeAll()
}

// load sets cells that are moved by (dx, dy).
func (u *Universe) load(cells []Cell, dx, dy int) {
	u.reset()
	for _, c := range cells {
		u.set(c.X+dx, c.Y+dy, uint(c.Age)+1)
	}
	u.WakeAll()
}

// IsWider reports whether the cells take more than limit columns or rows.
func (u *Universe) IsWider(limit int) bool {
	if len(u.tiles) == 0 {
		return false
	}
	b := extent(u.tiles)
	if (b.Right-b.Left+1)*tileWidth <= limit && (b.Bottom-b.Top+1)*tileHeight <= limit {
		return false
	}
	b, ok := u.Bounds()
	return ok && (b.Right-b.Left >= limit || b.Bottom-b.Top >= limit)
}

// Bounds is the box of the cells. ok is false if the universe is empty.
func (u *Universe) Bounds() (b Box, ok bool) {
	for _, t := range u.tiles {
		for y := range tileHeight {
			row := t.occupied(u.side, y)
			if row == 0 {
				continue
			}
			left, right, y := t.x*tileWidth+bits.TrailingZeros64(row)-reach, t.x*tileWidth+63-bits.LeadingZeros64(row)-reach,
				t.y*tileHeight+y
			if !ok {
				b, ok = Box{left, y, right, y}, true
			}
			b = b.With(left, y).With(right, y)
		}
	}
	return b, ok
}

// extent is the box of tiles, counted in tiles. There must be at least one tile.
func extent(tiles []*tile) Box {
	b := Box{tiles[0].x, tiles[0].y, tiles[0].x, tiles[0].y}
	for _, t := range tiles[1:] {
		b = b.With(t.x, t.y)
	}
	return b
}
