package sums

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
)

// task is an area of cells to compute, and the box of the cells within reach of it.
type task struct{ area, cells grid.Rect }

// farthest bounds the coordinates of cells that are advanced. Tiles store some farther away.
const farthest = math.MaxInt / 8

// advance makes the next generation. If it fails, it has changed nothing. It fails soon after ctx is done.
func (e *engine) advance(ctx context.Context) error {
	e.Trim()
	tasks := e.tasks()
	for _, t := range tasks {
		if b := t.area; b.X < -farthest || b.Y < -farthest || b.X+b.W > farthest || b.Y+b.H > farthest {
			return &sim.OutOfSpace{What: "cells would be farther away than coordinates reach"}
		}
	}
	next, err := grid.NewTiles(e.Planes())
	if err != nil {
		return err
	}
	if err := e.fits(tasks); err != nil {
		return err
	}
	var taken atomic.Int64
	var writing sync.Mutex
	work := func() {
		for i := taken.Add(1) - 1; int(i) < len(tasks); i = taken.Add(1) - 1 {
			a := newArea(ctx, e.counter, e.Tiles, tasks[i])
			if ctx.Err() != nil {
				return
			}
			a.advance(ctx, next, &writing)
		}
	}
	var wg sync.WaitGroup
	for range min(e.threads, len(tasks)) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	e.Tiles = next
	return nil
}

// fits checks that there is memory for the next generation.
func (e *engine) fits(tasks []task) error {
	held := 2 * uint64(e.Len()) * e.tileBytes()
	largest := uint64(0)
	for _, t := range tasks {
		largest = max(largest, grid.Product(uint64(t.cells.W), uint64(t.cells.H), 2))
	}
	held += largest * uint64(min(e.threads, max(len(tasks), 1)))
	if _, err := sim.AllowMemory(held, e.memory); err != nil {
		return &sim.OutOfMemory{What: fmt.Sprintf("the universe has grown to %d tiles", e.Len()), Why: err}
	}
	return nil
}

// tasks divides what can live in the next generation. Cells too far from each other for a common neighbour are apart, and large areas are cut.
func (e *engine) tasks() (all []task) {
	reach := e.counter.radius
	side := max(8*reach, 1024)
	for _, parts := range apart(e.parts(), 2*reach) {
		box := around(parts)
		area := grid.Rect{X: box.X - reach, Y: box.Y - reach, W: box.W + 2*reach, H: box.H + 2*reach}
		for y := area.Y; y < area.Y+area.H; y += side {
			for x := area.X; x < area.X+area.W; x += side {
				t := task{area: grid.Rect{X: x, Y: y, W: min(side, area.X+area.W-x), H: min(side, area.Y+area.H-y)}}
				near := grid.Rect{X: t.area.X - reach, Y: t.area.Y - reach, W: t.area.W + 2*reach, H: t.area.H + 2*reach}
				for _, part := range parts {
					t.cells = t.cells.Union(part.Intersect(near))
				}
				if !t.cells.Empty() {
					all = append(all, t)
				}
			}
		}
	}
	return all
}

// parts returns the bounding boxes of the cells of each tile.
func (e *engine) parts() (parts []grid.Rect) {
	for at, tile := range e.All() {
		box := tile.Bounds()
		parts = append(parts, grid.Rect{X: at.X*grid.TileSide + box.X, Y: at.Y*grid.TileSide + box.Y, W: box.W, H: box.H})
	}
	return parts
}

// apart divides rectangles into groups with more than gap columns or rows between them.
func apart(parts []grid.Rect, gap int) (groups [][]grid.Rect) {
	for _, span := range []func(r grid.Rect) (from, end int){
		func(r grid.Rect) (from, end int) { return r.X, r.X + r.W },
		func(r grid.Rect) (from, end int) { return r.Y, r.Y + r.H },
	} {
		if cut := cutAt(parts, gap, span); len(cut) > 1 {
			for _, group := range cut {
				groups = append(groups, apart(group, gap)...)
			}
			return groups
		}
	}
	if len(parts) > 0 {
		groups = append(groups, parts)
	}
	return groups
}

// cutAt divides rectangles where their spans leave more than a gap.
func cutAt(parts []grid.Rect, gap int, span func(r grid.Rect) (from, end int)) (groups [][]grid.Rect) {
	parts = slices.SortedFunc(slices.Values(parts), func(a, b grid.Rect) int {
		fromA, _ := span(a)
		fromB, _ := span(b)
		return cmp.Compare(fromA, fromB)
	})
	reached := 0
	for i, part := range parts {
		from, end := span(part)
		if i == 0 || from > reached+gap {
			groups = append(groups, nil)
			reached = end
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], part)
		reached = max(reached, end)
	}
	return groups
}

func around(parts []grid.Rect) (box grid.Rect) {
	for _, p := range parts {
		box = box.Union(p)
	}
	return box
}
