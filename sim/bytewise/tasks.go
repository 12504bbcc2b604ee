package bytewise

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
)

// task is an area of cells to compute, and the box of the cells within reach of it.
type task struct{ area, cells grid.Rect }

// advance makes the next generation. If it fails, it has changed nothing. It fails soon after ctx is done.
func (e *sums) advance(ctx context.Context) error {
	e.trim()
	tasks := e.tasks()
	for _, t := range tasks {
		if b := t.area; b.X < -farthest || b.Y < -farthest || b.X+b.W > farthest || b.Y+b.H > farthest {
			return &sim.OutOfSpace{What: "cells would be farther away than coordinates reach"}
		}
	}
	if err := e.fits(tasks); err != nil {
		return err
	}
	next, err := newStore(e.topology, e.memory)
	if err != nil {
		return err
	}
	next.allowed, next.spare, e.spare = e.allowed, e.spare, nil
	var writing sync.Mutex
	share(e.threads, len(tasks), func() func(i int) {
		return func(i int) {
			if ctx.Err() != nil {
				return
			}
			a, _ := e.idle.Get().(*running)
			if a == nil {
				a = &running{counter: e.counter}
			}
			defer e.idle.Put(a)
			a.read(e.store, tasks[i])
			if to := a.advance(ctx); to != nil {
				writing.Lock()
				defer writing.Unlock()
				next.write(to)
			}
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	next.spare = slices.Collect(maps.Values(e.tiles))
	e.store = next
	return nil
}

// fits checks that the memory suffices for the next generation.
func (e *sums) fits(tasks []task) error {
	held := e.bytes()
	largest := uint64(0)
	for _, t := range tasks {
		read, written := grid.Product(uint64(t.cells.W), uint64(t.cells.H), 2),
			grid.Product(uint64(t.area.W), uint64(t.area.H))
		largest = max(largest, read+written)
	}
	held += largest * uint64(min(e.threads, max(len(tasks), 1)))
	if held <= e.allowed {
		return nil
	}
	allowed, err := sim.AllowMemory(held, e.memory)
	if err != nil {
		return &sim.OutOfMemory{What: fmt.Sprintf("the universe has grown to %d tiles", len(e.tiles)), Why: err}
	}
	e.allowed = allowed
	return nil
}

// tasks divides the area of cells that can live in the next generation. Cells too far from each other for a common
// neighbour are apart, and large areas are cut.
func (e *sums) tasks() (all []task) {
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
func (e *sums) parts() (parts []grid.Rect) {
	for _, t := range e.live() {
		parts = append(parts, t.box())
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
