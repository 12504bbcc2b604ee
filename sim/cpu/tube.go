package cpu

import (
	"context"
	"errors"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
)

// tube advances a universe that is infinite in one direction. It holds a bounded universe of the same width that is
// too long for any cell to be affected by its ends. It is replaced by a longer one before that could happen.
type tube struct {
	sim.Engine // bounded; holds the cells from offset on
	cfg        sim.Config
	reach      int // cells a generation
	length     int // of the bounded universe along the infinite direction
	offset     int // of its first row (or column) from row 0 of the tube
	room       int // generations before a cell can reach an end; 0: not known
}

const leastLength = 1024

func openTube(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
	t := &tube{cfg: cfg, reach: max(1, cfg.Rule.Radius())}
	t.length, t.offset = t.longEnough(0), -t.longEnough(0)/2
	var err error
	t.Engine, err = t.bounded(ctx)
	return t, err
}

// longEnough is a length that gives n cells room for many generations. It is even, and so is the offset, as
// rules of 2×2 blocks need them.
func (t *tube) longEnough(n int) int { return (max(leastLength, 4*n, n+256*t.reach) + 1) &^ 1 }

// bounded opens a universe of the tube's present length.
func (t *tube) bounded(ctx context.Context) (sim.Engine, error) {
	cfg := t.cfg
	if t.upright() {
		cfg.Topology.H = t.length
	} else {
		cfg.Topology.W = t.length
	}
	return openChecked(ctx, cfg)
}

// upright reports whether the tube is infinite up and down rather than left and right.
func (t *tube) upright() bool { return t.cfg.Topology.H == 0 }

// inner converts a place of the tube to the bounded universe.
func (t *tube) inner(x, y int) (int, int) {
	if t.upright() {
		return x, y - t.offset
	}
	return x - t.offset, y
}

// Step implements sim.Engine.
func (t *tube) Step(ctx context.Context, n uint64) (done uint64, err error) {
	for done < n {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		if t.room == 0 {
			box, err := t.Extent()
			if err != nil {
				return done, err
			}
			if err := t.extend(ctx, box); err != nil {
				return done, err
			}
		}
		k, err := t.Engine.Step(ctx, min(n-done, uint64(t.room)))
		done += k
		t.room -= int(k)
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// extend makes room around a box that holds all live cells.
func (t *tube) extend(ctx context.Context, box grid.Rect) error {
	first, n := box.X, box.W
	if t.upright() {
		first, n = box.Y, box.H
	}
	before, after := first-t.offset, t.offset+t.length-first-n
	if n > 0 && (before < 64*t.reach || after < 64*t.reach) {
		longer := &tube{cfg: t.cfg, reach: t.reach, length: t.longEnough(n)}
		longer.offset = (first - (longer.length-n)/2) &^ 1
		var err error
		if longer.Engine, err = longer.bounded(ctx); err != nil {
			return err
		}
		longer.Engine.SetGeneration(t.Generation())
		cells, err := t.Extent()
		if err == nil {
			err = grid.Copy(longer, t, cells, cells.X, cells.Y)
		}
		if err != nil {
			return errors.Join(err, longer.Engine.Close())
		}
		if err := t.Engine.Close(); err != nil {
			return err
		}
		*t = *longer
		before, after = first-t.offset, t.offset+t.length-first-n
	}
	t.room = max(min(before, after)/t.reach-1, 1)
	return nil
}

// Extent implements grid.Source: the bounding box of the cells not in state 0.
func (t *tube) Extent() (grid.Rect, error) {
	whole, err := t.Engine.Extent()
	if err != nil {
		return grid.Rect{}, err
	}
	var box grid.Rect
	row := make([]uint64, (whole.W+63)/64)
	for y := range whole.H {
		for k := range t.Planes() {
			if err := t.Engine.ReadRow(row, k, 0, y, whole.W); err != nil {
				return grid.Rect{}, err
			}
			if first, end := grid.BitSpan(row); first < end {
				box = box.Union(grid.Rect{X: first, Y: y, W: end - first, H: 1})
			}
		}
	}
	if !box.Empty() {
		if t.upright() {
			box.Y += t.offset
		} else {
			box.X += t.offset
		}
	}
	return box, nil
}

// ReadRow implements grid.Source.
func (t *tube) ReadRow(dst []uint64, plane, x, y, n int) error {
	x, y = t.inner(x, y)
	return t.Engine.ReadRow(dst, plane, x, y, n)
}

// WriteRow implements grid.Sink. It fails if there is no memory for cells so far away.
func (t *tube) WriteRow(src []uint64, plane, x, y, n int) error {
	t.room = 0
	if first, end := grid.BitSpan(src[:(n+63)/64]); first < end {
		if err := t.reachTo(grid.Rect{X: x + first, Y: y, W: end - first, H: 1}); err != nil {
			return err
		}
	}
	x, y = t.inner(x, y)
	return t.Engine.WriteRow(src, plane, x, y, n)
}

// reachTo makes room for cells in a box, if a part of the box lies between the tube's sides.
func (t *tube) reachTo(box grid.Rect) error {
	whole, err := t.Engine.Extent()
	if err != nil {
		return err
	}
	if x, y := t.inner(box.X, box.Y); within(whole, x, y, box.W) || !t.crosses(box) {
		return nil
	}
	cells, err := t.Extent()
	if err != nil {
		return err
	}
	return t.extend(context.Background(), cells.Union(box))
}

// crosses reports whether any of a box lies between the tube's sides.
func (t *tube) crosses(box grid.Rect) bool {
	if t.upright() {
		return box.X < t.cfg.Topology.W && box.X+box.W > 0
	}
	return 0 <= box.Y && box.Y < t.cfg.Topology.H
}

// within reports whether n cells from (x, y) on lie in a rectangle.
func within(r grid.Rect, x, y, n int) bool { return r.Contains(x, y) && r.Contains(x+n-1, y) }
