package grid

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"sync/atomic"
)

const (
	// TileSide is the width and height of a Tile in cells.
	TileSide = 256

	tileShift = 8 // log2 TileSide
	tileWords = TileSide / 64

	// tilesEnd bounds the coordinates: |x|, |y| < 2^62 (2^30 if int has 32 bits), so that the width of any box is an int.
	tilesEnd = 1 << (bits.UintSize - 2)
)

// storable is the rectangle of all cells that Tiles can store.
var storable = Rect{1 - tilesEnd, 1 - tilesEnd, 2*tilesEnd - 1, 2*tilesEnd - 1}

// Tiles is the unbounded universe. It stores only the 256×256 tiles with cells, in a map by their position.
// Cells may be anywhere with |x|, |y| < 2^62; cells written beyond are ignored.
//
//	tile (−1, −1)        │ tile (0, −1)
//	x −256…−1, y −256…−1 │ x 0…255, y −256…−1
//	─────────────────────┼────────────────────
//	tile (−1, 0)         │ tile (0, 0)
//	x −256…−1, y 0…255   │ x 0…255, y 0…255
//
// Reading is safe from many goroutines, writing is not.
type Tiles struct {
	planes int
	tiles  map[TileAt]*Tile
}

// TileAt is the position of a tile: its cells have the coordinates 256·X to 256·X+255 and 256·Y to 256·Y+255.
type TileAt struct{ X, Y int }

// Tile is 256×256 cells in bit planes: planes × 256 rows × 4 words. Bit i of word w of a row is column 64·w + i.
type Tile struct{ words []uint64 }

// NewTiles makes an empty unbounded universe with 1 to MaxPlanes bit planes.
func NewTiles(planes int) (*Tiles, error) {
	if planes < 1 || planes > MaxPlanes {
		return nil, fmt.Errorf("tiles of %d bit planes: want 1 to %d", planes, MaxPlanes)
	}
	return &Tiles{planes, map[TileAt]*Tile{}}, nil
}

// TilesOf copies all cells of a source. It fails if they cannot be read, or if they are too far apart, and with
// ctx's error soon after ctx is done.
func TilesOf(ctx context.Context, src Source) (*Tiles, error) {
	const most = 1 << 40
	t, err := NewTiles(src.Planes())
	if err != nil {
		return nil, err
	}
	parts, err := Occupied(src)
	if err != nil {
		return nil, err
	}
	total := uint64(0)
	for _, part := range parts {
		if total += min(Product(uint64(part.W), uint64(part.H)), most+1); total > most {
			return nil, fmt.Errorf("the cells are spread over %d×%d, too far apart to read", part.W, part.H)
		}
		for y := part.Y; y < part.Y+part.H; y += TileSide {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := Copy(t, src, Rect{part.X, y, part.W, min(TileSide, part.Y+part.H-y)}, part.X, y); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

// Row returns row y, 0 to 255, of a plane: 4 words, shared with the tile.
func (t *Tile) Row(plane, y int) []uint64 {
	first := (plane<<tileShift + y) * tileWords
	return t.words[first : first+tileWords : first+tileWords]
}

// Empty reports whether all cells of the tile are in state 0.
func (t *Tile) Empty() bool {
	for _, word := range t.words {
		if word != 0 {
			return false
		}
	}
	return true
}

// Bounds is the bounding box of the cells not in state 0, within the tile.
func (t *Tile) Bounds() Rect {
	var columns [tileWords]uint64
	top, bottom := TileSide, -1
	for i, word := range t.words {
		if word != 0 {
			y := i / tileWords % TileSide
			top, bottom = min(top, y), max(bottom, y)
			columns[i%tileWords] |= word
		}
	}
	left, right := BitSpan(columns[:])
	return between(left, top, right, bottom+1)
}

// population is the number of cells not in state 0.
func (t *Tile) population() int {
	const plane = TileSide * tileWords
	n := 0
	for i, word := range t.words[:plane] {
		for k := plane; k < len(t.words); k += plane {
			word |= t.words[k+i]
		}
		n += bits.OnesCount64(word)
	}
	return n
}

// rect returns the cells of the tile at this position.
func (at TileAt) rect() Rect {
	return Rect{at.X << tileShift, at.Y << tileShift, TileSide, TileSide}
}

// Planes is the number of bit planes.
func (t *Tiles) Planes() int { return t.planes }

// Len is the number of tiles stored, empty ones included.
func (t *Tiles) Len() int { return len(t.tiles) }

// Tile returns the tile at a position, or nil if the universe stores no tile there. The tile is shared with the
// universe.
func (t *Tiles) Tile(at TileAt) *Tile { return t.tiles[at] }

// All yields the stored tiles from top to bottom and from left to right. It leaves out tiles that are added or
// removed before their turn.
func (t *Tiles) All() iter.Seq2[TileAt, *Tile] {
	return func(yield func(TileAt, *Tile) bool) {
		for _, at := range t.places() {
			if tile := t.tiles[at]; tile != nil && !yield(at, tile) {
				return
			}
		}
	}
}

// places returns the positions of the stored tiles, in the order of All.
func (t *Tiles) places() []TileAt {
	places := make([]TileAt, 0, len(t.tiles))
	for at := range t.tiles {
		places = append(places, at)
	}
	slices.SortFunc(places, func(a, b TileAt) int { return cmp.Or(cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X)) })
	return places
}

// Get returns the state of the cell (x, y).
func (t *Tiles) Get(x, y int) uint8 {
	tile := t.tiles[TileAt{x >> tileShift, y >> tileShift}]
	if tile == nil {
		return 0
	}
	var state uint8
	for k := range t.planes {
		state |= uint8(loadBits(tile.Row(k, y&(TileSide-1)), x&(TileSide-1), 1)) << k
	}
	return state
}

// Set changes the state of the cell (x, y). It ignores bits of state for which there is no plane.
func (t *Tiles) Set(x, y int, state uint8) {
	at := TileAt{x >> tileShift, y >> tileShift}
	tile := t.tiles[at]
	if tile == nil {
		if state&(1<<t.planes-1) == 0 || !storable.Contains(x, y) {
			return
		}
		tile = t.add(at)
	}
	for k := range t.planes {
		word := &tile.Row(k, y&(TileSide-1))[x&(TileSide-1)>>6]
		mergeBits(word, x&63, uint64(state>>k&1), 1)
	}
}

// add stores an empty tile at a position.
func (t *Tiles) add(at TileAt) *Tile {
	tile := &Tile{make([]uint64, t.planes*TileSide*tileWords)}
	t.tiles[at] = tile
	return tile
}

// ReadRow implements Source. A row across many tiles costs a look-up for each, stored or not.
func (t *Tiles) ReadRow(dst []uint64, plane, x, y, n int) error {
	if n <= 0 {
		return nil
	}
	clear(dst[:wordsFor(n)])
	if plane >= t.planes {
		return nil
	}
	t.eachPart(x, y, n, func(at TileAt, column, offset, width int) {
		if tile := t.tiles[at]; tile != nil {
			CopyBits(dst, offset, tile.Row(plane, y&(TileSide-1)), column, width)
		}
	})
	return nil
}

// WriteRow implements Sink. Dead cells do not create tiles. Tiles that become empty stay until Trim. Rows of
// planes that the universe does not have are ignored.
func (t *Tiles) WriteRow(src []uint64, plane, x, y, n int) error {
	if n <= 0 || plane >= t.planes {
		return nil
	}
	t.eachPart(x, y, n, func(at TileAt, column, offset, width int) {
		tile := t.tiles[at]
		if tile == nil {
			if !anyBits(src, offset, width) {
				return
			}
			tile = t.add(at)
		}
		CopyBits(tile.Row(plane, y&(TileSide-1)), column, src, offset, width)
	})
	return nil
}

// eachPart divides the n cells from (x, y) to the right at the edges of tiles. Each part is width cells, in the
// tile from its column on, and in the caller's row from offset on. Cells beyond the largest coordinates are
// left out.
func (t *Tiles) eachPart(x, y, n int, visit func(at TileAt, column, offset, width int)) {
	row := Rect{x, y, n, 1}.Intersect(storable)
	for left, right := row.X, row.X+row.W; left < right; {
		column := left & (TileSide - 1)
		width := min(TileSide-column, right-left)
		visit(TileAt{left >> tileShift, y >> tileShift}, column, left-x, width)
		left += width
	}
}

// anyBits reports whether any of n bits of src from bit s on is set.
func anyBits(src []uint64, s, n int) bool {
	for ; n > 0; s, n = s+64, n-64 {
		if loadBits(src, s, min(n, 64)) != 0 {
			return true
		}
	}
	return false
}

// Trim removes empty tiles.
func (t *Tiles) Trim() {
	for at, tile := range t.tiles {
		if tile.Empty() {
			delete(t.tiles, at)
		}
	}
}

// Bounds is the bounding box of the cells not in state 0; the zero Rect if there are none.
func (t *Tiles) Bounds() Rect {
	var box Rect
	for at, tile := range t.tiles {
		all := at.rect()
		if !box.Empty() && box.Union(all) == box {
			continue // no cell in it can enlarge the box
		}
		if in := tile.Bounds(); !in.Empty() {
			box = box.Union(Rect{all.X + in.X, all.Y + in.Y, in.W, in.H})
		}
	}
	return box
}

// Extent implements Source: Bounds.
func (t *Tiles) Extent() (Rect, error) { return t.Bounds(), nil }

// Population is the number of cells not in state 0.
func (t *Tiles) Population() uint64 {
	tiles := make([]*Tile, 0, len(t.tiles))
	for _, tile := range t.tiles {
		tiles = append(tiles, tile)
	}
	var total atomic.Uint64
	inBands(len(tiles), bandWords/(TileSide*tileWords), func(from, to int) {
		n := 0
		for _, tile := range tiles[from:to] {
			n += tile.population()
		}
		total.Add(uint64(n))
	})
	return total.Load()
}

// Occupied returns the stored tiles in the order of All. Together they contain every cell not in state 0. Use
// them if the bounding box may be too large to read, as when two gliders have flown apart for long.
func (t *Tiles) Occupied() []Rect {
	rects := make([]Rect, 0, len(t.tiles))
	for _, at := range t.places() {
		rects = append(rects, at.rect())
	}
	return rects
}

// OccupiedRows returns the stored tiles that have cells, without the rows above and below these.
func (t *Tiles) OccupiedRows() []Rect {
	rects := make([]Rect, 0, len(t.tiles))
	for _, at := range t.places() {
		if in := t.tiles[at].Bounds(); !in.Empty() {
			all := at.rect()
			rects = append(rects, Rect{all.X, all.Y + in.Y, all.W, in.H})
		}
	}
	return rects
}
