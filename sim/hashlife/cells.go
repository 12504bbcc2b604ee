package hashlife

import (
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/hashlife/internal/tree"
	"github.com/gosper-life/gosper/topology"
)

// corner returns the position of the root's upper left cell.
func (e *engine) corner() (x, y int) {
	half := 1 << (e.tree.Level - 1)
	return e.centreX - half, e.centreY - half
}

// centre moves row y, 0 or 1, to the middle of the root of the unbounded plane. Macrocell files have row 1 in that
// place, so with 1 a tree and its file have the same squares. Otherwise it is row 0. All known futures become
// useless.
func (e *engine) centre(y int) error {
	if e.topology.Kind != topology.Unbounded || e.centreY == y {
		return nil
	}
	to := tree.Down
	if y > e.centreY {
		to = tree.Up
	}
	if err := e.tree.Shift(to); err != nil {
		return err
	}
	e.centreY = y
	return nil
}

// area returns the rectangle of the root.
func (e *engine) area() grid.Rect {
	x, y := e.corner()
	return grid.Rect{X: x, Y: y, W: 1 << e.tree.Level, H: 1 << e.tree.Level}
}

// Extent implements grid.Source.
func (e *engine) Extent() (grid.Rect, error) {
	if e.topology.Bounded() {
		return e.cells, nil
	}
	if err := e.settle(); err != nil {
		return grid.Rect{}, err
	}
	box := e.tree.Bounds()
	if !box.Empty() {
		x, y := e.corner()
		box.X, box.Y = box.X+x, box.Y+y
	}
	return box, nil
}

// Planes implements grid.Source.
func (e *engine) Planes() int { return e.tree.StatePlanes() }

// ReadRow implements grid.Source.
func (e *engine) ReadRow(dst []uint64, plane, x, y, n int) error {
	if n <= 0 {
		return nil
	}
	if err := e.settle(); err != nil {
		return err
	}
	clear(dst[:(n+63)/64])
	if row := (grid.Rect{X: x, Y: y, W: n, H: 1}).Intersect(e.area()); plane < e.tree.StatePlanes() && !row.Empty() {
		left, top := e.corner()
		e.tree.ReadRow(dst, plane, x-left, y-top, n)
	}
	return nil
}

// edits holds cells that were written but are not in the tree yet. It has whole squares, by their position from
// the middle of the root, counted in squares.
type edits struct {
	level   int
	most    uint64 // bytes of squares, before they go into the tree
	squares map[[2]int][]uint64
	// of a square of 64×64 cells, the columns with cells, in each eight rows
	occupied [8]uint64
	last     [2]int
	square   []uint64 // the last square used
}

// Edits have fewest bytes at first. Cells mostly come square by square. If rows so long come that a square is written
// again after it went into the tree, edits may have twice as many bytes from then on, up to mostEdits.
const (
	fewestEdits = 8 << 20
	mostEdits   = 256 << 20
)

func newEdits(e *engine) edits {
	const level = 8
	d := edits{level: max(level, e.tree.Leaf), most: fewestEdits}
	if e.topology.Kind != topology.Unbounded { // the root covers the universe and does not grow
		d.level = min(d.level, e.tree.Level-1)
	}
	d.squares = map[[2]int][]uint64{}
	return d
}

// bytes returns the memory that the edits take.
func (d *edits) bytes(planes int) uint64 {
	return uint64(len(d.squares)) * uint64(planes) << (2*d.level - 3)
}

// WriteRow implements grid.Sink. Cells further out than 2^60 are dropped.
func (e *engine) WriteRow(src []uint64, plane, x, y, n int) error {
	if n <= 0 || plane >= e.tree.StatePlanes() {
		return nil
	}
	most := e.edits.most
	if m := e.tree.Memory() / 4; m > 0 {
		most = min(most, m)
	}
	if e.edits.bytes(e.tree.Planes) > most {
		if err := e.settle(); err != nil {
			return err
		}
	}
	const far = 1 << 60
	row := grid.Rect{X: x, Y: y, W: n, H: 1}
	inside := row.Intersect(grid.Rect{X: -far, Y: -far, W: 2 * far, H: 2 * far})
	if e.topology.Kind != topology.Unbounded {
		inside = row.Intersect(e.cells)
	}
	if inside.Empty() {
		return nil
	}
	d := &e.edits
	u, v, side := e.centreX, e.centreY, 1<<d.level
	for at := inside.X; at < inside.X+inside.W; {
		place := [2]int{(at - u) >> d.level, (y - v) >> d.level}
		left := (at - u) & (side - 1)
		width := min(side-left, inside.X+inside.W-at)
		cells, err := e.edited(place)
		if err != nil {
			return err
		}
		//	bit of a square      plane · 4^level + row · 2^level + column
		to := plane<<(2*d.level) + ((y-v)&(side-1))<<d.level + left
		grid.CopyBits(cells, to, src, at-x, width)
		at += width
	}
	return nil
}

// edited returns the square at a position, for writing.
func (e *engine) edited(place [2]int) ([]uint64, error) {
	d := &e.edits
	if d.square != nil && d.last == place {
		return d.square, nil
	}
	cells := d.squares[place]
	if cells == nil {
		cells = make([]uint64, e.tree.Planes<<(2*d.level-6))
		if half := 1 << max(e.tree.Level-1-d.level, 0); e.tree.Level > d.level && max(place[0], place[1]) < half &&
			min(place[0], place[1]) >= -half {
			n := e.tree.Square(d.level, place[0]+half, place[1]+half)
			if n != 0 {
				d.most = min(2*d.most, mostEdits)
			}
			e.draw(cells, n, d.level, 0, 0)
		}
		d.squares[place] = cells
	}
	d.last, d.square = place, cells
	return cells, nil
}

// draw copies a square of the tree into a square of edits, with its corner at (x, y).
func (e *engine) draw(cells []uint64, n tree.Ref, level, x, y int) {
	switch {
	case n == 0:
	case level > e.tree.Leaf:
		half := 1 << (level - 1)
		for i, child := range e.tree.Children(n) {
			e.draw(cells, child, level-1, x+i&1*half, y+i>>1*half)
		}
	default:
		d, side := e.edits.level, 1<<level
		leaf := e.tree.Cells(n)
		for k := range e.tree.Planes {
			for row := range side {
				grid.CopyBits(cells, k<<(2*d)+(y+row)<<d+x, leaf, k<<(2*level)+row<<level, side)
			}
		}
	}
}

// settle puts the edits into the tree.
func (e *engine) settle() error {
	d, t := &e.edits, e.tree
	if len(d.squares) == 0 {
		return nil
	}
	// The root has 2^(Level-1-level) squares from its middle to each side. It grows until the farthest edit fits.
	reach := 1
	for place := range d.squares {
		reach = max(reach, place[0]+1, place[1]+1, -place[0], -place[1])
	}
	for !e.isTorus() && (t.Level <= d.level || reach > 1<<(t.Level-1-d.level)) {
		t.Grow()
	}
	leaves := len(d.squares) << (2 * (d.level - t.Leaf))
	if err := t.Reserve(leaves/2+len(d.squares)*(t.Level-d.level+1), leaves); err != nil {
		return err
	}
	leaf := make([]uint64, t.Planes<<(2*t.Leaf-6))
	for place, cells := range d.squares {
		half := 1 << (t.Level - 1 - d.level)
		t.Put(e.squareOf(cells, leaf, d.level, 0, 0), d.level, place[0]+half, place[1]+half)
	}
	clear(d.squares)
	d.square = nil
	return nil
}

// squareOf returns the square of a level at (x, y) of an edit; leaf is scratch.
func (e *engine) squareOf(cells, leaf []uint64, level, x, y int) tree.Ref {
	t := e.tree
	if e.edits.level >= wordLevel && level <= wordLevel {
		if level == wordLevel {
			e.occupy(cells, x, y)
		}
		if e.isDead(level, x, y) {
			return 0
		}
	}
	if level > t.Leaf {
		side := 1 << level
		var q [4]tree.Ref
		for i := range q {
			q[i] = e.squareOf(cells, leaf, level-1, x+i&1*side/2, y+i>>1*side/2)
		}
		return t.Node(level, q[0], q[1], q[2], q[3])
	}
	e.cut(leaf, cells, x, y)
	return t.LeafOf(leaf)
}

// wordLevel is the level of squares as wide as a word: 64×64 cells.
const wordLevel = 6

// occupy notes the cells of the square of 64×64 cells at (x, y) of an edit for isDead.
func (e *engine) occupy(cells []uint64, x, y int) {
	d := &e.edits
	for i := range d.occupied {
		var live uint64
		for k := range e.tree.Planes {
			at := (k<<(2*d.level) + (y+8*i)<<d.level + x) >> 6
			for range 8 {
				live |= cells[at]
				at += 1 << d.level >> 6
			}
		}
		d.occupied[i] = live
	}
}

// isDead reports whether a square of a level of 3 to wordLevel at (x, y) is dead. It lies in the square of 64×64 cells
// that was noted last.
func (e *engine) isDead(level, x, y int) bool {
	var live uint64
	first := y >> 3 & 7
	for _, row := range e.edits.occupied[first : first+1<<level>>3] {
		live |= row
	}
	return live>>(x&63)<<(64-1<<level) == 0 // without the columns left of the square, and those right of it
}

// cut stores the leaf at (x, y) of an edit.
func (e *engine) cut(leaf, cells []uint64, x, y int) {
	level, d := e.tree.Leaf, e.edits.level
	side := 1 << level
	clear(leaf)
	for k := range e.tree.Planes {
		to, from := k<<(2*level), k<<(2*d)+y<<d+x
		for range side {
			if level > wordLevel {
				grid.CopyBits(leaf, to, cells, from, side)
			} else {
				leaf[to>>6] |= cells[from>>6] >> (from & 63) & (1<<side - 1) << (to & 63)
			}
			to, from = to+side, from+1<<d
		}
	}
}

var _ sim.Counter = (*engine)(nil)

// Counts implements sim.Counter, for blocks of 2×2 cells and more.
func (e *engine) Counts(dst []uint64, area grid.Rect, scale int) (bool, error) {
	if err := e.settle(); err != nil {
		return false, err
	}
	t := e.tree
	const part = 6 // highest level at which parts of a leaf can be counted
	if scale == 0 || scale > part && scale < t.Leaf || scale >= t.Level && e.isTorus() || scale > tree.MaxLevel-2 {
		return false, nil
	}
	if err := e.centre(0); err != nil {
		return false, err
	}
	for t.Level < scale+1 {
		t.Grow() // so that the corner of a block is at (0, 0)
	}
	x, y := e.corner()
	clear(dst[:(area.W>>scale)*(area.H>>scale)])
	t.Counts(dst, (x-area.X)>>scale, (y-area.Y)>>scale, area.W>>scale, area.H>>scale, scale)
	return true, nil
}
