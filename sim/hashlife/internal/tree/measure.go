package tree

import (
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/grid"
)

// Population returns the number of cells of the root that are not in state 0, or math.MaxUint64 if there are
// too many to count.
func (t *Tree) Population() uint64 {
	if total := t.count(t.Root, t.Level); total != uncounted {
		return total
	}
	return math.MaxUint64
}

// uncounted marks the population of squares with that many cells or more.
const uncounted = math.MaxUint64 - 1

// BigPopulation returns the exact population.
func (t *Tree) BigPopulation() *big.Int {
	known := map[Ref]*big.Int{} // of squares with too many cells for counts
	var count func(n Ref, level int) *big.Int
	count = func(n Ref, level int) *big.Int {
		if total := t.count(n, level); total < uncounted {
			return new(big.Int).SetUint64(total)
		}
		total, ok := known[n]
		if !ok {
			total = new(big.Int)
			for _, child := range t.Children(n) {
				total.Add(total, count(child, level-1))
			}
			known[n] = total
		}
		return total
	}
	return count(t.Root, t.Level)
}

// count returns the population of a square, or uncounted. It remembers results until the next collection.
func (t *Tree) count(n Ref, level int) uint64 {
	switch {
	case n == 0:
		return 0
	case level == t.Leaf:
		return t.countLeaf(n)
	case int(n) < len(t.counts) && t.counts[n] != 0:
		return t.counts[n] - 1
	}
	var total uint64
	for _, child := range t.Children(n) {
		// An overflow sets all bits of the sum, so that the population becomes uncounted.
		sum, carry := bits.Add64(total, t.count(child, level-1), 0)
		if total = min(sum|-carry, uncounted); total == uncounted {
			break
		}
	}
	if len(t.counts) < len(t.nodes) {
		if counts, err := resized(t.counts, len(t.nodes)); err == nil {
			t.counts = counts
		}
	}
	if int(n) < len(t.counts) {
		t.counts[n] = total + 1
	}
	return total
}

// AddStateCounts adds the number of the root's cells in each state from 1 on to counts, modulo 2^64. It goes down level
// by level with the different squares and how often each of them occurs, so it looks at each square once.
func (t *Tree) AddStateCounts(counts []uint64) {
	times := map[Ref]uint64{t.Root: 1}
	for level := t.Level; level > t.Leaf; level-- {
		below := make(map[Ref]uint64, len(times))
		for n, often := range times {
			if n == 0 {
				continue
			}
			for _, child := range t.Children(n) {
				below[child] += often
			}
		}
		times = below
	}
	planes, of := make([][]uint64, t.StatePlanes()), make([]uint64, 1<<t.StatePlanes())
	for n, often := range times {
		clear(of)
		for k := range planes {
			planes[k] = t.Cells(n)[k*t.planeWords():][:t.planeWords()]
		}
		grid.CountStates(of, planes, 64*t.planeWords())
		for state, count := range of[1:] {
			counts[state+1] += often * count
		}
	}
}

func (t *Tree) countLeaf(n Ref) (total uint64) {
	for i := range t.planeWords() {
		total += uint64(bits.OnesCount64(t.live(n, i)))
	}
	return total
}

// live returns the cells of the i-th word of a leaf's planes that are not in state 0.
func (t *Tree) live(leaf Ref, i int) (live uint64) {
	words := t.planeWords()
	cells := t.at(leaf)[:t.StatePlanes()*words]
	for ; i < len(cells); i += words {
		live |= cells[i]
	}
	return live
}

// isDead reports whether a square of a level has no cells that are not in state 0.
func (t *Tree) isDead(n Ref, level int) bool { return n == 0 || t.Masked && t.count(n, level) == 0 }

// countParts adds the populations of a leaf's squares of a level, of 64 cells a side at most, to counts, row after row.
func (t *Tree) countParts(counts []uint64, leaf Ref, level int) {
	wide := t.Leaf - level // logarithm of the number of squares in a row
	for at := 0; at < 1<<(2*t.Leaf); at += 1 << level {
		// The bit of a cell in a leaf has the number y·2^Leaf + x, so a piece of 2^level cells of a row lies in one word.
		row := t.live(leaf, at>>6) >> (at & 63) & (^uint64(0) >> (64 - 1<<level))
		x, y := at>>level&(1<<wide-1), at>>(t.Leaf+level)
		counts[y<<wide+x] += uint64(bits.OnesCount64(row))
	}
}

// Counts adds the populations of the root's squares of a level, 6 or at least that of the leaves, to dst: of w
// × h of them, row after row. (x, y) is the corner of the root relative to the first of them, in squares of
// that level.
func (t *Tree) Counts(dst []uint64, x, y, w, h, level int) {
	var add func(n Ref, at, x, y int)
	add = func(n Ref, at, x, y int) {
		side := 1 << (at - level)
		if x >= w || y >= h || x+side <= 0 || y+side <= 0 || n == 0 {
			return
		}
		if side == 1 {
			dst[y*w+x] = t.count(n, at)
			return
		}
		if at == t.Leaf {
			parts := make([]uint64, side*side)
			t.countParts(parts, n, level)
			for i, count := range parts {
				if x, y := x+i%side, y+i/side; x >= 0 && x < w && y >= 0 && y < h {
					dst[y*w+x] = count
				}
			}
			return
		}
		for i, child := range t.Children(n) {
			add(child, at-1, x+i&1*side/2, y+i>>1*side/2)
		}
	}
	add(t.Root, t.Level, x, y)
}

// Bounds returns the bounding box of the root's cells, relative to its corner.
func (t *Tree) Bounds() grid.Rect {
	if t.isDead(t.Root, t.Level) {
		return grid.Rect{}
	}
	side := 1 << t.Level
	left, right, top, bottom := t.margin(leftSide), t.margin(rightSide), t.margin(topSide), t.margin(bottomSide)
	return grid.Rect{X: left, Y: top, W: side - left - right, H: side - top - bottom}
}

// side is a side of a square. It says which children are along it.
type side struct {
	near, far [2]int
	columns   bool // it is the left or the right one
	end       bool // it is the right or the bottom one
}

var (
	topSide    = side{near: [2]int{0, 1}, far: [2]int{2, 3}}
	bottomSide = side{near: [2]int{2, 3}, far: [2]int{0, 1}, end: true}
	leftSide   = side{near: [2]int{0, 2}, far: [2]int{1, 3}, columns: true}
	rightSide  = side{near: [2]int{1, 3}, far: [2]int{0, 2}, columns: true, end: true}
)

// margin returns the number of dead rows or columns along a side of the root, which must have cells. It goes
// down level by level with the different squares that can have the first cells.
func (t *Tree) margin(s side) int {
	margin := 0
	list := []Ref{t.Root}
	for level := t.Level; level > t.Leaf; level-- {
		near := t.along(list, level-1, s.near)
		if len(near) == 0 {
			margin += 1 << (level - 1)
			near = t.along(list, level-1, s.far)
		}
		list = near
	}
	least := 1 << t.Leaf
	for _, n := range list {
		least = min(least, t.distance(n, s))
	}
	return margin + least
}

// along returns the different children at two places of the squares in list that have cells. They are of a level.
func (t *Tree) along(list []Ref, level int, places [2]int) (found []Ref) {
	for _, n := range list {
		for _, i := range places {
			if child := t.Children(n)[i]; !t.isDead(child, level) {
				found = append(found, child)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// distance returns the distance from a side of a leaf to its first cells. The leaf must have cells.
func (t *Tree) distance(leaf Ref, s side) int {
	width := 1 << t.Leaf
	rows := make([]uint64, (width+63)/64) // a bit for each row, or column, with cells
	cells := t.at(leaf)[:t.StatePlanes()*t.planeWords()]
	// A piece of a row lies in one word: a whole row, or 64 cells of a wider one. at counts the bits of all planes, one
	// plane after the other.
	part := min(width, 64)
	for at := 0; at < len(cells)*64; at += part {
		live := cells[at>>6] >> (at & 63) & (^uint64(0) >> (64 - part))
		x, y := at%width, at/width%width
		switch {
		case live == 0:
		case s.columns:
			rows[x>>6] |= live << (x & 63)
		default:
			rows[y>>6] |= 1 << (y & 63)
		}
	}
	first, end := grid.BitSpan(rows)
	if s.end {
		return width - end
	}
	return first
}

// ReadRow stores width cells of a plane from (x, y) of the root rightwards in dst, which is zero. Cells beyond
// the root are dead.
func (t *Tree) ReadRow(dst []uint64, plane, x, y, width int) {
	if y >= 0 && y < 1<<t.Level {
		t.readRow(dst, t.Root, t.Level, plane, x, y, width)
	}
}

// readRow goes down to the leaves that the row crosses. Dead squares leave zeros.
func (t *Tree) readRow(dst []uint64, n Ref, level, plane, x, y, width int) {
	side := 1 << level
	if n == 0 || x >= side || x+width <= 0 {
		return
	}
	if level > t.Leaf {
		half := side / 2
		q := t.Children(n)
		for i, child := range q[y/half*2:][:2] {
			t.readRow(dst, child, level-1, plane, x-i*half, y%half, width)
		}
		return
	}
	from, end := max(0, x), min(side, x+width)
	grid.CopyBits(dst, from-x, t.at(n), plane<<(2*level)+y<<level+from, end-from)
}

// Put replaces the square of a level at (x, y), counted in squares of that level from the corner of the root.
func (t *Tree) Put(n Ref, level, x, y int) { t.Root = t.put(t.Root, t.Level, n, level, x, y) }

// put makes new squares on the way to the replaced one. The old tree shares all others.
func (t *Tree) put(in Ref, at int, n Ref, level, x, y int) Ref {
	if at == level {
		return n
	}
	q := t.Children(in)
	half := 1 << (at - 1 - level)
	child := &q[y/half*2+x/half]
	*child = t.put(*child, at-1, n, level, x%half, y%half)
	return t.Node(at, q[0], q[1], q[2], q[3])
}

// Square returns the square of a level at (x, y), counted in squares of that level from the corner of the root.
func (t *Tree) Square(level, x, y int) Ref {
	n := t.Root
	for at := t.Level; at > level && n != 0; at-- {
		half := 1 << (at - 1 - level)
		n = t.Children(n)[y/half*2+x/half]
		x, y = x%half, y%half
	}
	return n
}

// Occupied lists the squares of a level that have cells, relative to the corner of the root. If the root is
// smaller it lists the root. It returns false if there are more than most.
func (t *Tree) Occupied(level, most int) (list []grid.Rect, few bool) {
	if level = min(level, t.Level); t.squares(t.Root, t.Level, level, map[Ref]uint64{}) > uint64(most) {
		return nil, false
	}
	side := 1 << level
	var add func(n Ref, at, x, y int)
	add = func(n Ref, at, x, y int) {
		switch {
		case t.isDead(n, at):
		case at == level:
			list = append(list, grid.Rect{X: x, Y: y, W: side, H: side})
		default:
			half := 1 << (at - 1)
			for i, child := range t.Children(n) {
				add(child, at-1, x+i&1*half, y+i>>1*half)
			}
		}
	}
	add(t.Root, t.Level, 0, 0)
	return list, true
}

// squares returns the number of squares of a level with cells, or math.MaxUint64 if it is that or more.
func (t *Tree) squares(n Ref, at, level int, known map[Ref]uint64) uint64 {
	switch {
	case t.isDead(n, at):
		return 0
	case at == level:
		return 1
	}
	total, ok := known[n]
	if ok {
		return total
	}
	for _, child := range t.Children(n) {
		sum, carry := bits.Add64(total, t.squares(child, at-1, level, known), 0)
		total = sum | -carry
	}
	known[n] = total
	return total
}
