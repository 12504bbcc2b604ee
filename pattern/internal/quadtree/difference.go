package quadtree

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/grid"
)

// FirstDifference finds the first cell, in row-major order, that differs from the cell in another universe. It gives
// the same result as grid.FirstDifference. Of trees it takes time in proportion to their different squares.
func (t *Tree) FirstDifference(other grid.Source) (x, y int, found bool, err error) {
	return firstDifference(t, other)
}

// firstDifference numbers the squares of both patterns in one table, in which equal squares have equal
// numbers. It then only goes down into squares whose numbers differ.
func firstDifference(a, b grid.Source) (x, y int, found bool, err error) {
	n := numbering{
		nodes: map[[4]uint32]uint32{}, leaves: map[cells8]uint32{}, quarters: make([][4]uint32, 1),
		cells: make([]cells8, 1), rows: map[[2]uint32]int{},
	}
	level, pair := drawnLevel+1, [2]uint32{}
	for _, src := range []grid.Source{a, b} {
		box, err := src.Extent()
		if err != nil {
			return 0, 0, false, err
		}
		box.Y-- // the centre of a tree is above row 1
		if level = max(level, levelOf(box)); level > treeEnd {
			return 0, 0, false, fmt.Errorf("cells are too far apart; coordinates are within ±2^%d", treeEnd-1)
		}
	}
	for i, src := range []grid.Source{a, b} {
		if t, isTree := src.(*Tree); isTree {
			pair[i] = n.tree(t, level)
		} else if pair[i], err = n.source(src, level); err != nil {
			return 0, 0, false, err
		}
	}
	row := n.firstRow(pair, level)
	if row < 0 {
		return 0, 0, false, nil
	}
	half := 1 << (level - 1)
	return n.columnOf(pair, level, row) - half, row + 1 - half, true, nil
}

// cells8 is 8×8 cells: bit 8·y + x of each plane.
type cells8 [grid.MaxPlanes]uint64

// numbering gives equal squares of several trees equal numbers, 0 to those without cells.
type numbering struct {
	nodes    map[[4]uint32]uint32
	leaves   map[cells8]uint32
	quarters [][4]uint32       // by number
	cells    []cells8          // by number, of the squares of 8×8 cells
	rows     map[[2]uint32]int // the first row that differs in a pair of squares, -1 if there is none
}

// tree numbers the squares of a tree. It returns the number of the square of a level that contains all cells
// and has the tree's centre.
func (n *numbering) tree(t *Tree, level int) uint32 {
	if t.box(t.root).Empty() {
		return 0
	}
	numbers := make([]uint32, len(t.squares)+1)
	for i, s := range t.squares {
		switch place := uint32(i + 1); {
		case t.boxes[place].Empty():
		case s.Level == drawnLevel:
			var cells cells8
			t.drawn8(&cells, place, 0, 0)
			numbers[place] = n.leaf(cells)
		case s.Level > drawnLevel:
			var q [4]uint32
			for j, child := range s.Children {
				q[j] = numbers[child]
			}
			numbers[place] = n.node(q)
		}
	}
	root := numbers[t.root]
	for range level - t.level { // empty space around it
		q := n.quarters[root]
		for i, child := range q {
			var outer [4]uint32
			outer[3-i] = child
			q[i] = n.node(outer)
		}
		root = n.node(q)
	}
	for range t.level - level { // the cells are in the middle
		var q [4]uint32
		for i, quarter := range n.quarters[root] {
			q[i] = n.quarters[quarter][3-i]
		}
		root = n.node(q)
	}
	return root
}

// drawn8 draws a square into 8×8 cells, with its corner at (x, y).
func (t *Tree) drawn8(cells *cells8, square uint32, x, y int) {
	if square == 0 {
		return
	}
	s := &t.squares[square-1]
	switch {
	case s.Cells != 0:
		cells[0] = s.Cells
	case s.Level == statesLevel:
		for i, state := range s.Children {
			for k := range t.planes {
				cells[k] |= uint64(state>>k&1) << (8*(y+i>>1) + x + i&1)
			}
		}
	default:
		half := 1 << (s.Level - 1)
		for i, child := range s.Children {
			t.drawn8(cells, child, x+i&1*half, y+i>>1*half)
		}
	}
}

// source numbers the squares of any other source.
func (n *numbering) source(src grid.Source, level int) (uint32, error) {
	parts, err := grid.Occupied(src)
	if err != nil {
		return 0, err
	}
	type square struct {
		x, y   int // in squares of its level
		number uint32
	}
	var list []square
	planes, top := src.Planes(), 1-1<<(level-1)
	for _, part := range parts {
		left, wide := part.X&^7, (part.W+7+63)/64
		words := make([]uint64, 8*planes*wide)
		for y := top + (part.Y-top)&^7; y < part.Y+part.H; y += 8 {
			for i := range 8 * planes {
				if err := src.ReadRow(words[i*wide:], i/8, left, y+i%8, 64*wide); err != nil {
					return 0, err
				}
			}
			for x := range 8 * wide {
				var cells cells8
				for i := range 8 * planes {
					cells[i/8] |= words[i*wide+x/8] >> (8 * (x % 8)) & 0xff << (8 * (i % 8))
				}
				if number := n.leaf(cells); number != 0 {
					list = append(list, square{left>>3 + x, (y - top) >> 3, number})
				}
			}
		}
	}
	half := 1 << (level - 1 - drawnLevel)
	for i := range list {
		list[i].x += half
	}
	// so that the squares of a larger square follow each other, on every level
	slices.SortFunc(list, func(a, b square) int {
		if bits.Len(uint(a.y^b.y)) >= bits.Len(uint(a.x^b.x)) {
			return cmp.Compare(a.y, b.y)
		}
		return cmp.Compare(a.x, b.x)
	})
	list = slices.Compact(list) // parts may touch in a square
	for range level - drawnLevel {
		joined := list[:0]
		for len(list) > 0 {
			x, y := list[0].x>>1, list[0].y>>1
			var q [4]uint32
			for ; len(list) > 0 && list[0].x>>1 == x && list[0].y>>1 == y; list = list[1:] {
				q[list[0].y&1<<1|list[0].x&1] = list[0].number
			}
			joined = append(joined, square{x, y, n.node(q)})
		}
		list = joined
	}
	if len(list) == 0 {
		return 0, nil
	}
	return list[0].number, nil
}

func (n *numbering) leaf(cells cells8) uint32 {
	number, known := n.leaves[cells]
	if !known && cells != (cells8{}) {
		number = n.add([4]uint32{}, cells)
		n.leaves[cells] = number
	}
	return number
}

func (n *numbering) node(quarters [4]uint32) uint32 {
	number, known := n.nodes[quarters]
	if !known && quarters != [4]uint32{} {
		number = n.add(quarters, cells8{})
		n.nodes[quarters] = number
	}
	return number
}

func (n *numbering) add(quarters [4]uint32, cells cells8) uint32 {
	n.quarters, n.cells = append(n.quarters, quarters), append(n.cells, cells)
	return uint32(len(n.quarters) - 1)
}

// firstRow returns the first row that differs between two squares of a level, or -1 if they are equal.
func (n *numbering) firstRow(pair [2]uint32, level int) int {
	if pair[0] == pair[1] {
		return -1
	}
	if level == drawnLevel {
		return bits.TrailingZeros64(n.differing(pair)) / 8
	}
	row, known := n.rows[pair]
	if known {
		return row
	}
	row = -1
	for i := range 4 {
		if i == 2 && row >= 0 {
			break
		}
		if r := n.firstRow(n.quarter(pair, i), level-1); r >= 0 {
			if r += i >> 1 << (level - 1); row < 0 || r < row {
				row = r
			}
		}
	}
	n.rows[pair] = row
	return row
}

// columnOf returns the first column that differs in a row of a pair of squares of a level. No row above it differs.
func (n *numbering) columnOf(pair [2]uint32, level, row int) int {
	x := 0
	for ; level > drawnLevel; level-- {
		half := 1 << (level - 1)
		west, east := n.quarter(pair, row/half*2), n.quarter(pair, row/half*2+1)
		row &= half - 1
		if pair = west; n.firstRow(west, level-1) != row {
			pair = east
			x += half
		}
	}
	return x + bits.TrailingZeros64(n.differing(pair)>>(8*row))
}

func (n *numbering) quarter(pair [2]uint32, i int) [2]uint32 {
	return [2]uint32{n.quarters[pair[0]][i], n.quarters[pair[1]][i]}
}

// differing has a bit for each cell that differs in a pair of squares of 8×8 cells.
func (n *numbering) differing(pair [2]uint32) (cells uint64) {
	a, b := n.cells[pair[0]], n.cells[pair[1]]
	for k := range a {
		cells |= a[k] ^ b[k]
	}
	return cells
}

// levelOf is the level of the smallest square around the origin that holds a box.
func levelOf(box grid.Rect) int {
	level := 0
	if !box.Empty() {
		for _, c := range []int{box.X, box.Y, box.X + box.W - 1, box.Y + box.H - 1} {
			level = max(level, bits.Len(uint(c^c>>(bits.UintSize-1)))+1)
		}
	}
	return level
}
