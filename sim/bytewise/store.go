package bytewise

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// side is the width and height of a tile: a row is eight words of eight cells.
const side = 64

type place struct{ x, y int } // of a tile, in tiles

// placeOf returns the tile of a cell. The shift rounds down, also for negative coordinates; a division would not.
func placeOf(x, y int) place { return place{x >> 6, y >> 6} }

// index returns the index of a cell in its tile.
func index(x, y int) int { return y&(side-1)*side + x&(side-1) }

// tile is a square part of the universe. An edge of a bounded universe may cut its last tiles; cells beyond are 0.
type tile struct {
	place
	w, h  int
	cells []uint8 // row after row, side cells apart
	history
}

func (t *tile) rect() grid.Rect { return grid.Rect{X: t.x * side, Y: t.y * side, W: t.w, H: t.h} }

// tileBytes is approximately the memory of a tile in two generations.
const tileBytes = 2*side*side + 512

// store is the cells of a universe in tiles. Cells without a tile are dead. A bounded universe has all its tiles.
type store struct {
	topology topology.Topology
	memory   uint64 // bytes that it may take; 0: no limit
	allowed  uint64 // bytes that it may take until the next check
	tiles    map[place]*tile
	spare    []*tile // tiles that nobody needs any more, whose memory new ones take
}

// newStore makes the tiles of a bounded universe at once. Those of an infinite one are made when they
// are needed.
func newStore(t topology.Topology, memory uint64) (*store, error) {
	s := &store{topology: t, memory: memory, tiles: map[place]*tile{}}
	if !t.Bounded() {
		return s, nil
	}
	across, down := (t.W+side-1)/side, (t.H+side-1)/side
	if err := grid.Fits(grid.Product(uint64(across), uint64(down), tileBytes)); err != nil {
		return nil, fmt.Errorf("universe %d×%d at a byte a cell: %w", t.W, t.H, err)
	}
	for y := range down {
		for x := range across {
			s.add(place{x, y})
		}
	}
	return s, nil
}

func (s *store) bytes() uint64 { return uint64(len(s.tiles)) * tileBytes }

// add makes a tile at a place that has none.
func (s *store) add(at place) *tile {
	t := s.blank()
	t.place, t.w, t.h, t.changed = at, side, side, true
	if s.topology.W > 0 {
		t.w = min(side, s.topology.W-at.x*side)
	}
	if s.topology.H > 0 {
		t.h = min(side, s.topology.H-at.y*side)
	}
	s.tiles[at] = t
	return t
}

// blank returns a tile of dead cells, in the memory of a spare one if there is any.
func (s *store) blank() *tile {
	last := len(s.spare) - 1
	if last < 0 {
		return &tile{cells: make([]uint8, side*side)}
	}
	t := s.spare[last]
	s.spare = s.spare[:last]
	clear(t.cells)
	*t = tile{cells: t.cells}
	return t
}

// ensure makes the tile at a place if it does not exist. It returns an error if memory is short.
func (s *store) ensure(at place) error {
	if s.tiles[at] != nil {
		return nil
	}
	if held := s.bytes() + tileBytes; held > s.allowed {
		allowed, err := sim.AllowMemory(held, s.memory)
		if err != nil {
			return &sim.OutOfMemory{What: fmt.Sprintf("the universe has grown to %d tiles", len(s.tiles)), Why: err}
		}
		s.allowed = allowed
	}
	s.add(at)
	return nil
}

// eachRun visits the cells of a row in runs, each within one tile, or within none: length cells from the i-th on, at an
// index of the tile.
func (s *store) eachRun(x, y, n int, visit func(t *tile, at, i, length int)) {
	for i := 0; i < n; {
		length := min(side-(x+i)&(side-1), n-i)
		if t := s.tiles[placeOf(x+i, y)]; t != nil && y-t.y*side < t.h {
			if inside := min(length, t.w-(x+i-t.x*side)); inside > 0 {
				visit(t, index(x+i, y), i, inside)
			}
		}
		i += length
	}
}

// eachPart visits the parts of a rectangle of the unbounded plane that each lie in the tile of one place.
func eachPart(r grid.Rect, visit func(at place, part grid.Rect)) {
	for y := r.Y; y < r.Y+r.H; y = (y>>6 + 1) << 6 {
		for x := r.X; x < r.X+r.W; x = (x>>6 + 1) << 6 {
			at := placeOf(x, y)
			visit(at, grid.Rect{X: at.x * side, Y: at.y * side, W: side, H: side}.Intersect(r))
		}
	}
}

// read copies cells of the unbounded plane into an area.
func (s *store) read(a *area) {
	eachPart(a.rect, func(at place, part grid.Rect) {
		t := s.tiles[at]
		for y := part.Y; y < part.Y+part.H; y++ {
			to := a.row(y - a.rect.Y)[part.X-a.rect.X:][:part.W]
			if t == nil {
				clear(to)
			} else {
				copy(to, t.cells[index(part.X, y):])
			}
		}
	})
}

// write stores the cells of an area in the unbounded plane. Dead cells make no tiles.
func (s *store) write(a *area) {
	eachPart(a.rect, func(at place, part grid.Rect) {
		t := s.tiles[at]
		for y := part.Y; y < part.Y+part.H; y++ {
			from := a.row(y - a.rect.Y)[part.X-a.rect.X:][:part.W]
			if t == nil && anyOf(from) {
				t = s.add(at)
			}
			if t != nil {
				copy(t.cells[index(part.X, y):], from)
			}
		}
	})
}

// ReadRow implements grid.Source.
func (s *store) ReadRow(dst []uint64, plane, x, y, n int) error {
	clear(dst[:(n+63)/64])
	s.eachRun(x, y, n, func(t *tile, at, i, length int) { pack(dst, i, t.cells[at:at+length], plane) })
	return nil
}

// WriteRow implements grid.Sink.
func (s *store) WriteRow(src []uint64, plane, x, y, n int) error {
	if err := s.ensureRow(src, x, y, n); err != nil {
		return err
	}
	s.eachRun(x, y, n, func(t *tile, at, i, length int) {
		t.changed = true
		unpack(t.cells[at:at+length], src, i, plane)
	})
	return nil
}

// ensureRow makes the tiles for the cells of a row whose bits are set.
func (s *store) ensureRow(src []uint64, x, y, n int) error {
	t := s.topology
	if t.Bounded() || t.H > 0 && (y < 0 || y >= t.H) {
		return nil
	}
	for w, word := range src[:(n+63)/64] {
		if rest := n - w*64; rest < 64 {
			word &= 1<<rest - 1
		}
		for ; word != 0; word &= word - 1 {
			at := x + w*64 + bits.TrailingZeros64(word)
			if t.W > 0 && (at < 0 || at >= t.W) {
				continue
			}
			if err := s.ensure(placeOf(at, y)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Population returns the number of cells that are not in state 0.
func (s *store) Population() (cells uint64, err error) {
	const low, high = 0x7f7f7f7f7f7f7f7f, 0x8080808080808080
	for _, t := range s.tiles {
		for i := 0; i < len(t.cells); i += atOnce {
			eight := binary.LittleEndian.Uint64(t.cells[i:])
			cells += uint64(bits.OnesCount64((eight&low + low | eight) & high)) // the highest bit of each byte that is not 0
		}
	}
	return cells, nil
}

// box is the bounding box of the cells of a tile that are not in state 0.
func (t *tile) box() grid.Rect {
	var columns [side]uint8
	top, end := side, 0
	for y := range side {
		if row := t.cells[y*side:][:side]; !empty(row, side) {
			top, end = min(top, y), y+1
			collect(columns[:], row, side)
		}
	}
	if end == 0 {
		return grid.Rect{}
	}
	left, right := 0, side
	for columns[left] == 0 {
		left++
	}
	for columns[right-1] == 0 {
		right--
	}
	return grid.Rect{X: t.x*side + left, Y: t.y*side + top, W: right - left, H: end - top}
}

// Extent returns the rectangle of the universe, or if it is infinite, the bounding box of its cells.
func (s *store) Extent() (box grid.Rect, err error) {
	if s.topology.Bounded() {
		return grid.Rect{W: s.topology.W, H: s.topology.H}, nil
	}
	for _, t := range s.tiles {
		box = box.Union(t.box())
	}
	return box, nil
}

// Occupied returns areas that contain all cells of the population, for grid.Occupied: the tiles with cells, row by row.
func (s *store) Occupied() (parts []grid.Rect) {
	if s.topology.Bounded() {
		return []grid.Rect{{W: s.topology.W, H: s.topology.H}}
	}
	for _, t := range s.live() {
		parts = append(parts, t.rect())
	}
	return parts
}

// live returns the tiles with cells, row by row.
func (s *store) live() (live []*tile) {
	for _, t := range s.tiles {
		if !t.isDead() {
			live = append(live, t)
		}
	}
	slices.SortFunc(live, func(a, b *tile) int { return cmp.Or(cmp.Compare(a.y, b.y), cmp.Compare(a.x, b.x)) })
	return live
}

// trim drops the tiles without cells of an infinite universe.
func (s *store) trim() {
	maps.DeleteFunc(s.tiles, func(_ place, t *tile) bool { return t.isDead() })
}

func (t *tile) isDead() bool { return empty(t.cells, len(t.cells)) }

func anyOf(cells []uint8) bool {
	return slices.ContainsFunc(cells, func(c uint8) bool { return c != 0 })
}
