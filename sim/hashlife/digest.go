package hashlife

import (
	"context"

	"github.com/gosper-life/gosper/grid"
)

// SquareDigest implements grid.SquareTree.
func (e *engine) SquareDigest(ctx context.Context, s *grid.Squares, level int) (grid.Digest, error) {
	t := e.tree
	root := t.shrink(e.root)
	for t.level(root) < level {
		root = t.grow(root)
	}
	d := &digests{tree: t, ctx: ctx, squares: s, places: make([]uint32, len(t.nodes))}
	return d.of(root)
}

// digests are those of squares, as far as they were asked for.
type digests struct {
	tree    *tree
	ctx     context.Context
	squares *grid.Squares
	places  []uint32 // by square: 1 + where in found its digest is; 0: not yet asked for
	found   []grid.Digest
}

// of is the digest of a square of grid.SquareLevel or more.
func (d *digests) of(n uint32) (grid.Digest, error) {
	t := d.tree
	switch place := d.places[n]; {
	case place != 0:
		return d.found[place-1], nil
	case t.isEmpty(n):
		return d.squares.Dead(t.level(n)), nil
	}
	const often = 1 << 12
	if len(d.found)%often == 0 {
		if err := d.ctx.Err(); err != nil {
			return grid.Digest{}, err
		}
	}
	digest, err := d.make(n)
	if err == nil {
		d.found = append(d.found, digest)
		d.places[n] = uint32(len(d.found))
	}
	return digest, err
}

func (d *digests) make(n uint32) (grid.Digest, error) {
	t := d.tree
	q := t.nodes[n].child
	if t.level(n) == grid.SquareLevel { // four leaves
		var rows [32]byte
		for i, leaf := range q {
			cells := t.cells(leaf)
			for y := range 8 {
				rows[16*(i>>1)+2*y+i&1] = byte(cells >> (8 * y))
			}
		}
		return d.squares.Smallest(rows[:]), nil
	}
	var quarters [4]grid.Digest
	for i, child := range q {
		var err error
		if quarters[i], err = d.of(child); err != nil {
			return grid.Digest{}, err
		}
	}
	return d.squares.Join(quarters), nil
}
