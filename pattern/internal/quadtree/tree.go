// Package quadtree holds universes as the trees of squares that macrocell files have: their cells may be as far
// apart as coordinates allow.
package quadtree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"sort"

	"github.com/gosper-life/gosper/grid"
)

// Levels of the lowest squares of a Quadtree.
const (
	drawnLevel  = 3 // of two states
	statesLevel = 1 // of more
)

// tileShift is log2 of grid.TileSide.
const tileShift = 8

// treeEnd bounds the level of a Tree's root, so that sums of a few coordinates are ints.
const treeEnd = bits.UintSize - 3

// Tree is a Quadtree in memory. Its cells may be as far apart as coordinates allow: it is measured and compared
// in time proportional to its different squares, and read row by row in time proportional to the squares with
// cells. Reading is not safe from several goroutines, because a Tree keeps the squares that it has drawn last.
type Tree struct {
	planes  int
	level   int // of the root
	root    uint32
	squares []grid.Square // numbered from 1, as children are
	boxes   []grid.Rect   // the bounding box of the cells of each square, relative to its corner

	below int    // the row of tiles read last, counted from the corner of the root; -1 before the first
	row   []spot // its tiles with cells, from left to right
	drawn map[uint32]raster
}

// spot is a square at column x, relative to the corner of the root.
type spot struct {
	x      int
	square uint32
}

// New makes a Tree of squares in the order of Quadtree's, with their root last. Squares without cells are
// allowed. It fails if the cells are too far apart.
func New(squares []grid.Square, planes int) (*Tree, error) {
	t := &Tree{planes: planes, squares: squares, root: uint32(len(squares)), below: -1}
	if len(squares) == 0 {
		return t, nil
	}
	live := make([]bool, len(squares)+1)
	for i, s := range squares {
		live[i+1] = s.Cells != 0 || slices.ContainsFunc(s.Children[:], func(child uint32) bool {
			return child != 0 && (s.Level == statesLevel || live[child])
		})
	}
	if t.level = squares[t.root-1].Level; t.level <= drawnLevel {
		return nil, fmt.Errorf("a tree of %d×%d cells: want 16×16 or more", 1<<t.level, 1<<t.level)
	}
	if !live[t.root] {
		return t, nil
	}
	for t.level > treeEnd {
		if err := t.shrink(live); err != nil {
			return nil, err
		}
		live = append(live, true)
	}
	t.measure()
	return t, nil
}

// Of makes a Tree of a source that is stored as one.
func Of(ctx context.Context, src grid.Quadtree) (*Tree, error) {
	if t, isTree := src.(*Tree); isTree {
		return t, nil
	}
	const often = 1 << 12
	var squares []grid.Square
	for s := range src.Squares() {
		if len(squares)%often == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		squares = append(squares, s)
	}
	if len(squares) == 0 {
		if box, err := src.Extent(); err != nil || !box.Empty() {
			return nil, cmp.Or(err, errors.New("there is too little memory to list the squares of the tree"))
		}
	}
	return New(squares, src.Planes())
}

// shrink replaces the root by the square in its middle.
func (t *Tree) shrink(live []bool) error {
	middle := grid.Square{Level: t.level - 1}
	for i, child := range t.squares[t.root-1].Children {
		if child == 0 {
			continue
		}
		for j, grandchild := range t.squares[child-1].Children {
			switch {
			case j == 3-i:
				middle.Children[i] = grandchild
			case live[grandchild]:
				return fmt.Errorf("cells are too far apart; coordinates are within ±2^%d", treeEnd-1)
			}
		}
	}
	t.squares = append(slices.Clip(t.squares), middle)
	t.root, t.level = uint32(len(t.squares)), t.level-1
	return nil
}

// measure computes the bounding boxes.
func (t *Tree) measure() {
	t.drawn = map[uint32]raster{}
	t.boxes = make([]grid.Rect, len(t.squares)+1)
	for i, s := range t.squares {
		if s.Level > treeEnd {
			continue
		}
		var box grid.Rect
		for j, child := range s.Children {
			half := 1 << (s.Level - 1)
			quarter := grid.Rect{W: 1, H: 1}
			if s.Level > statesLevel {
				quarter = t.boxes[child]
			}
			if child != 0 && !quarter.Empty() {
				quarter.X, quarter.Y = quarter.X+j&1*half, quarter.Y+j>>1*half
				box = box.Union(quarter)
			}
		}
		if s.Cells != 0 {
			first, end := bits.TrailingZeros64(s.Cells)/8, (bits.Len64(s.Cells)+7)/8
			var columns uint64
			for cells := s.Cells; cells != 0; cells >>= 8 {
				columns |= cells & 0xff
			}
			left, right := grid.BitSpan([]uint64{columns})
			box = grid.Rect{X: left, Y: first, W: right - left, H: end - first}
		}
		t.boxes[i+1] = box
	}
}

// corner is the position of the root's upper left cell.
func (t *Tree) corner() (x, y int) {
	half := 1 << (t.level - 1)
	return -half, 1 - half // Quadtree's centre
}

// box is the bounding box of a square's cells, relative to its corner.
func (t *Tree) box(square uint32) grid.Rect {
	if t.boxes == nil {
		return grid.Rect{}
	}
	return t.boxes[square]
}

// Extent implements Source.
func (t *Tree) Extent() (grid.Rect, error) {
	box := t.box(t.root)
	if !box.Empty() {
		x, y := t.corner()
		box.X, box.Y = box.X+x, box.Y+y
	}
	return box, nil
}

// Planes implements Source.
func (t *Tree) Planes() int { return t.planes }

// Squares implements Quadtree.
func (t *Tree) Squares() iter.Seq[grid.Square] {
	if t.box(t.root).Empty() {
		return func(func(grid.Square) bool) {}
	}
	return slices.Values(t.squares)
}

// Population is the number of cells not in state 0, or math.MaxUint64 if it is that or more.
func (t *Tree) Population() uint64 {
	if n := t.BigPopulation(); n.IsUint64() {
		return n.Uint64()
	}
	return math.MaxUint64
}

// BigPopulation is the exact number of cells not in state 0.
func (t *Tree) BigPopulation() *big.Int {
	small, large := make([]uint64, len(t.squares)+1), map[uint32]*big.Int{}
	total := func(square uint32) *big.Int {
		if n, isLarge := large[square]; isLarge {
			return n
		}
		return new(big.Int).SetUint64(small[square])
	}
	for i, s := range t.squares {
		place, sum, over := uint32(i+1), uint64(bits.OnesCount64(s.Cells)), uint64(0)
		for _, child := range s.Children {
			n := uint64(min(child, 1))
			if s.Level > statesLevel {
				n = small[child]
			}
			var carry uint64
			sum, carry = bits.Add64(sum, n, 0)
			over |= carry
			if s.Level > statesLevel && large[child] != nil {
				over = 1
			}
		}
		if small[place] = sum; over != 0 {
			n := new(big.Int)
			for _, child := range s.Children {
				n.Add(n, total(child))
			}
			large[place] = n
		}
	}
	return total(t.root)
}

// tileLevel is the level of the squares that are drawn at once.
func (t *Tree) tileLevel() int { return min(t.level, tileShift) }

// Tiles is the number of squares of 256×256 cells that have cells, or math.MaxUint64 if it is that or more.
func (t *Tree) Tiles() uint64 {
	counts := make([]uint64, len(t.squares)+1)
	for i, s := range t.squares {
		switch {
		case t.box(uint32(i + 1)).Empty():
		case s.Level <= tileShift:
			counts[i+1] = 1
		default:
			for _, child := range s.Children {
				sum, carry := bits.Add64(counts[i+1], counts[child], 0)
				counts[i+1] = sum | -carry
			}
		}
	}
	return counts[t.root]
}

// Occupied returns the squares of 256×256 cells that have cells, from top to bottom and from left to right. The
// caller knows from Tiles that they are not too many.
func (t *Tree) Occupied() []grid.Rect {
	list, _ := t.Tiled(context.Background()) // never fails: it is not cancelled
	return list
}

// Tiled is Occupied, but ends with ctx's error soon after ctx is done.
func (t *Tree) Tiled(ctx context.Context) ([]grid.Rect, error) {
	if t.box(t.root).Empty() {
		return nil, nil
	}
	left, top := t.corner()
	side := 1 << t.tileLevel()
	list := make([]grid.Rect, 0, min(t.Tiles(), 1<<20))
	t.tileRows(0, math.MaxInt, func(down int, row []spot) bool {
		for _, s := range row {
			list = append(list, grid.Rect{X: left + s.x, Y: top + down*side, W: side, H: side})
		}
		return ctx.Err() == nil
	})
	return list, ctx.Err()
}

// tileRows calls visit for each row of tiles with cells from the first up to but not including end, until visit returns
// false. The rows and their tiles are counted from the corner of the root. The tiles of a row are in their order.
func (t *Tree) tileRows(first, end int, visit func(y int, row []spot) bool) {
	if t.box(t.root).Empty() {
		return
	}
	lists := make([][]spot, t.level+1)
	var down func(level, y int) bool
	down = func(level, y int) bool { // y is counted in squares of the level
		if level == t.tileLevel() {
			return visit(y, lists[level])
		}
		for half := range 2 {
			below, shift := 2*y+half, level-1-t.tileLevel()
			if (below+1)<<shift <= first || below<<shift >= end {
				continue
			}
			next := lists[level-1][:0]
			for _, s := range lists[level] {
				for i, child := range t.squares[s.square-1].Children[2*half:][:2] {
					if child != 0 && !t.boxes[child].Empty() {
						next = append(next, spot{s.x + i<<(level-1), child})
					}
				}
			}
			if lists[level-1] = next; len(next) > 0 && !down(level-1, below) {
				return false
			}
		}
		return true
	}
	lists[t.level] = []spot{{0, t.root}}
	down(t.level, 0)
}

// ReadRow implements Source.
func (t *Tree) ReadRow(dst []uint64, plane, x, y, n int) error {
	if n <= 0 {
		return nil
	}
	clear(dst[:(n+63)/64])
	if t.boxes == nil {
		return nil
	}
	left, top := t.corner()
	inside := grid.Rect{X: x, Y: y, W: n, H: 1}.Intersect(grid.Rect{X: left, Y: top, W: 1 << t.level, H: 1 << t.level})
	if inside.Empty() || plane >= t.planes {
		return nil
	}
	if down := (y - top) >> t.tileLevel(); down != t.below {
		t.draw(down)
	}
	side := 1 << t.tileLevel()
	from, end := inside.X-left, inside.X-left+inside.W
	for _, s := range t.row[sort.Search(len(t.row), func(i int) bool { return t.row[i].x+side > from }):] {
		if s.x >= end {
			break
		}
		begin := max(s.x, from)
		grid.CopyBits(dst, begin+left-x, t.tile(s.square).row(plane, (y-top)&(side-1)), begin-s.x, min(s.x+side, end)-begin)
	}
	return nil
}

// Get returns the state of a cell. It descends to the cell, so its time depends on the depth of the tree and not on
// the number of squares.
func (t *Tree) Get(x, y int) uint8 {
	if t.boxes == nil {
		return 0
	}
	left, top := t.corner()
	if x -= left; x < 0 || x >= 1<<t.level {
		return 0
	}
	if y -= top; y < 0 || y >= 1<<t.level {
		return 0
	}
	for square := t.root; square != 0; {
		s := &t.squares[square-1]
		if s.Cells != 0 {
			return uint8(s.Cells >> (8*y + x) & 1)
		}
		half := 1 << (s.Level - 1)
		child := s.Children[y/half*2+x/half]
		if s.Level == statesLevel {
			return uint8(child)
		}
		square, x, y = child, x&(half-1), y&(half-1)
	}
	return 0
}

// draw finds the tiles of a row of tiles. Each is drawn when it is read.
func (t *Tree) draw(down int) {
	const most = 1 << 12 // tiles
	if len(t.drawn) > most {
		clear(t.drawn)
	}
	t.below, t.row = down, t.row[:0]
	t.tileRows(down, down+1, func(_ int, row []spot) bool {
		t.row = append(t.row, row...)
		return true
	})
}

// raster is the cells of a tile: 256×256 cells in bit planes: planes × 256 rows × 4 words.
type raster []uint64

func (d raster) row(plane, y int) []uint64 {
	return d[(plane<<tileShift|y)*grid.TileSide/64:][:grid.TileSide/64]
}

// tile returns the cells of a square of the level of tiles.
func (t *Tree) tile(square uint32) raster {
	d := t.drawn[square]
	if d == nil {
		d = make(raster, t.planes*grid.TileSide*grid.TileSide/64)
		t.render(d, square, 0, 0)
		t.drawn[square] = d
	}
	return d
}

// render draws a square into a raster, with its corner at (x, y).
func (t *Tree) render(d raster, square uint32, x, y int) {
	if square == 0 || t.boxes[square].Empty() {
		return
	}
	s := &t.squares[square-1]
	switch {
	case s.Cells != 0: // byte i is row i, and its lowest bit is on the left
		for i := range 1 << drawnLevel {
			d.row(0, y+i)[x>>6] |= s.Cells >> (8 * i) & 0xff << (x & 63)
		}
	case s.Level == statesLevel:
		for i, state := range s.Children {
			x, y := x+i&1, y+i>>1
			for k := range t.planes {
				d.row(k, y)[x>>6] |= uint64(state>>k&1) << (x & 63)
			}
		}
	default:
		half := 1 << (s.Level - 1)
		for i, child := range s.Children {
			t.render(d, child, x+i&1*half, y+i>>1*half)
		}
	}
}
