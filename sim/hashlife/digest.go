package hashlife

import (
	"context"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim/hashlife/internal/tree"
)

// SquareDigest implements grid.SquareTree.
func (e *engine) SquareDigest(ctx context.Context, s *grid.Squares, level int) (grid.Digest, error) {
	if err := e.settle(); err != nil {
		return grid.Digest{}, err
	}
	if err := e.centre(0); err != nil {
		return grid.Digest{}, err
	}
	t := e.tree
	t.Shrink()
	for t.Level < level {
		t.Grow()
	}
	d := &digests{Tree: t, ctx: ctx, squares: s, nodes: map[tree.Ref]grid.Digest{}, leaves: map[tree.Ref]grid.Digest{}}
	if level == t.Level {
		return d.of(t.Root, level)
	}
	if half := 1 << (t.Level - level); level > max(t.Leaf, grid.SquareLevel) {
		var quarters [4]grid.Digest
		for i := range quarters {
			var err error
			if quarters[i], err = d.of(t.Square(level-1, half-1+i&1, half-1+i>>1), level-1); err != nil {
				return grid.Digest{}, err
			}
		}
		return s.Join(quarters), nil
	}
	// No square is this small: the cells are in the middle of one.
	cells := make([]uint64, (t.StatePlanes()<<(2*level)+63)/64)
	side, corner := 1<<level, 1<<(t.Level-1)-1<<(level-1)
	row := make([]uint64, (side+63)/64)
	for k := range t.StatePlanes() {
		for y := range side {
			clear(row)
			t.ReadRow(row, k, corner, corner+y, side)
			grid.CopyBits(cells, k<<(2*level)+y<<level, row, 0, side)
		}
	}
	return d.ofCells(cells, level, level, 0, 0), nil
}

// digests holds the digests of squares computed so far.
type digests struct {
	*tree.Tree
	ctx           context.Context
	squares       *grid.Squares
	nodes, leaves map[tree.Ref]grid.Digest
}

// of returns the digest of a square.
func (d *digests) of(n tree.Ref, level int) (grid.Digest, error) {
	known := d.nodes
	if level == d.Leaf {
		known = d.leaves
	}
	if n == 0 {
		return d.squares.Dead(level), nil
	}
	if digest, ok := known[n]; ok {
		return digest, nil
	}
	if level == d.Leaf {
		digest := d.ofCells(d.Cells(n), level, level, 0, 0)
		known[n] = digest
		return digest, nil
	}
	if level == grid.SquareLevel { // of leaves half as wide
		digest := d.ofCells(d.drawn(n), level, level, 0, 0)
		known[n] = digest
		return digest, nil
	}
	const often = 1 << 12
	if len(known)%often == 0 {
		if err := d.ctx.Err(); err != nil {
			return grid.Digest{}, err
		}
	}
	var quarters [4]grid.Digest
	for i, child := range d.Children(n) {
		var err error
		if quarters[i], err = d.of(child, level-1); err != nil {
			return grid.Digest{}, err
		}
	}
	digest := d.squares.Join(quarters)
	known[n] = digest
	return digest, nil
}

// drawn returns the cells of a square of four leaves.
func (d *digests) drawn(n tree.Ref) []uint64 {
	side, level := 1<<d.Leaf, d.Leaf+1
	cells := make([]uint64, d.StatePlanes()<<(2*level-6))
	for i, leaf := range d.Children(n) {
		x, y := i&1*side, i>>1*side
		for k := range d.StatePlanes() {
			for row := range side {
				grid.CopyBits(cells, k<<(2*level)+(y+row)<<level+x, d.Cells(leaf), k<<(2*d.Leaf)+row<<d.Leaf, side)
			}
		}
	}
	return cells
}

// ofCells returns the digest of the square of a level at (x, y) of cells. The cells are a square of level whole.
func (d *digests) ofCells(cells []uint64, whole, level, x, y int) grid.Digest {
	if level > grid.SquareLevel {
		half := 1 << (level - 1)
		var quarters [4]grid.Digest
		for i := range quarters {
			quarters[i] = d.ofCells(cells, whole, level-1, x+i&1*half, y+i>>1*half)
		}
		return d.squares.Join(quarters)
	}
	const side = 1 << grid.SquareLevel
	rows := make([]byte, 0, d.StatePlanes()*2*side)
	live := false
	for k := range d.StatePlanes() {
		for row := range side {
			at := k<<(2*whole) + (y+row)<<whole + x
			bits := uint16(cells[at>>6] >> (at & 63))
			live = live || bits != 0
			rows = append(rows, byte(bits), byte(bits>>8))
		}
	}
	if !live {
		return d.squares.Dead(grid.SquareLevel)
	}
	return d.squares.Smallest(rows)
}
