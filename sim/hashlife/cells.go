package hashlife

import (
	"math"
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/grid"
)

// A root of level k is centred on (0, 0): its cells have coordinates -2^(k-1) … 2^(k-1)-1.

// grow makes a root one level larger, with the same cells in its middle.
func (t *tree) grow(root uint32) uint32 {
	q := t.nodes[root].child
	e := t.empty[t.level(root)-1]
	nw, ne := t.join(e, e, e, q[0]), t.join(e, e, q[1], e)
	sw, se := t.join(e, q[2], e, e), t.join(q[3], e, e, e)
	return t.join(nw, ne, sw, se)
}

// shrink makes a root as small as its cells allow, of level 4 at least.
func (t *tree) shrink(root uint32) uint32 {
	for t.level(root) > leafLevel+1 && t.isInMiddle(root) {
		root = t.middle(root)
	}
	return root
}

// isInMiddle reports whether all cells are in the middle, half as wide.
func (t *tree) isInMiddle(root uint32) bool {
	for i, quarter := range t.nodes[root].child {
		for j, n := range t.nodes[quarter].child {
			if j != 3-i && !t.isEmpty(n) {
				return false
			}
		}
	}
	return true
}

// readRow stores n cells from (x, y) rightwards, in coordinates of the square, into dst, which is zero.
func (t *tree) readRow(dst []uint64, n uint32, x, y, width int) {
	level := t.level(n)
	side := 1 << level
	if y < 0 || y >= side || x >= side || x+width <= 0 || t.isEmpty(n) {
		return
	}
	t.readPart(dst, n, x, y, width)
}

// readPart is readRow where the row meets the square: its cell 0 is column x.
func (t *tree) readPart(dst []uint64, n uint32, x, y, width int) {
	level := t.level(n)
	if level == leafLevel {
		row := t.cells(n) >> (8 * y) & 0xff
		for ; row != 0; row &= row - 1 {
			if i := bits.TrailingZeros64(row) - x; i >= 0 && i < width {
				dst[i>>6] |= 1 << (i & 63)
			}
		}
		return
	}
	half := 1 << (level - 1)
	q := t.nodes[n].child[y/half*2:]
	for i, child := range q[:2] {
		if from := x - i*half; from < half && from+width > 0 && !t.isEmpty(child) {
			t.readPart(dst, child, from, y%half, width)
		}
	}
}

// writeRow is the square with width cells of row y from column x on replaced by src, in coordinates of the square, all of them inside
// or beyond its sides.
func (t *tree) writeRow(n uint32, src []uint64, x, y, width int) uint32 {
	level := t.level(n)
	if level == leafLevel {
		cells := t.cells(n)
		for column := max(x, 0); column < min(x+width, 8); column++ {
			i := column - x
			bit := uint64(1) << (8*y + column)
			cells &^= bit
			if src[i>>6]>>(i&63)&1 != 0 {
				cells |= bit
			}
		}
		return t.leaf(cells)
	}
	half := 1 << (level - 1)
	q := t.nodes[n].child
	for i := range 2 {
		if from := x - i*half; from < half && from+width > 0 {
			child := &q[y/half*2+i]
			*child = t.writeRow(*child, src, from, y%half, width)
		}
	}
	return t.join(q[0], q[1], q[2], q[3])
}

// bounds is the bounding box of the cells of a root.
func (t *tree) bounds(root uint32) grid.Rect {
	if t.isEmpty(root) {
		return grid.Rect{}
	}
	half := 1 << (t.level(root) - 1)
	left, right := t.margin(root, leftSide), t.margin(root, rightSide)
	top, bottom := t.margin(root, topSide), t.margin(root, bottomSide)
	return grid.Rect{X: left - half, Y: top - half, W: 2*half - left - right, H: 2*half - top - bottom}
}

// side of a square: which children lie along it, and how far from it the first cells of a leaf are.
type side struct {
	near, far [2]int
	distance  func(cells uint64) int
}

var (
	topSide    = side{[2]int{0, 1}, [2]int{2, 3}, func(c uint64) int { return bits.TrailingZeros64(c) / 8 }}
	bottomSide = side{[2]int{2, 3}, [2]int{0, 1}, func(c uint64) int { return bits.LeadingZeros64(c) / 8 }}
	leftSide   = side{[2]int{0, 2}, [2]int{1, 3}, func(c uint64) int { return bits.TrailingZeros8(inColumns(c)) }}
	rightSide  = side{[2]int{1, 3}, [2]int{0, 2}, func(c uint64) int { return bits.LeadingZeros8(inColumns(c)) }}
)

// inColumns tells in which columns of a leaf there are cells.
func inColumns(cells uint64) uint8 {
	cells |= cells >> 32
	cells |= cells >> 16
	return uint8(cells | cells>>8)
}

// margin is the number of dead rows or columns along a side of a square that has cells. It goes down a level at a time with the squares
// that can have the first cells, each once.
func (t *tree) margin(n uint32, s side) int {
	margin := 0
	list := []uint32{n}
	for level := t.level(n); level > leafLevel; level-- {
		near := t.children(list, s.near)
		if len(near) == 0 {
			margin += 1 << (level - 1)
			near = t.children(list, s.far)
		}
		list = near
	}
	least := 8
	for _, n := range list {
		least = min(least, s.distance(t.cells(n)))
	}
	return margin + least
}

// children are the different children of the list, at two places, that have cells.
func (t *tree) children(list []uint32, places [2]int) (found []uint32) {
	for _, n := range list {
		for _, i := range places {
			if child := t.nodes[n].child[i]; !t.isEmpty(child) {
				found = append(found, child)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// population is the number of cells of a square, or math.MaxUint64 where it is that or more.
func (t *tree) population(n uint32) uint64 {
	if len(t.counts) < len(t.nodes) {
		t.counts = append(t.counts, make([]uint64, cap(t.nodes)-len(t.counts))...)
	}
	return t.count(n)
}

func (t *tree) count(n uint32) uint64 {
	switch {
	case t.counts[n] != 0:
		return t.counts[n]
	case t.isEmpty(n):
		return 0
	case t.level(n) == leafLevel:
		return uint64(bits.OnesCount64(t.cells(n)))
	}
	var total uint64
	for _, child := range t.nodes[n].child {
		sum, carry := bits.Add64(total, t.count(child), 0)
		total = sum | -carry
		if total == math.MaxUint64 {
			break
		}
	}
	t.counts[n] = total
	return total
}

// countBlocks adds the populations of the squares of a level to dst, w × h of them, row after row; (x, y) is the corner of n in squares
// of that level, seen from the first.
func (t *tree) countBlocks(dst []uint64, n uint32, x, y, w, h, level int) {
	side := 1 << (t.level(n) - level)
	if x >= w || y >= h || x+side <= 0 || y+side <= 0 || t.isEmpty(n) {
		return
	}
	if side == 1 {
		dst[y*w+x] = t.count(n)
		return
	}
	for i, child := range t.nodes[n].child {
		t.countBlocks(dst, child, x+i&1*side/2, y+i>>1*side/2, w, h, level)
	}
}
