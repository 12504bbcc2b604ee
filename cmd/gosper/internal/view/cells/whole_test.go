package cells

import (
	"context"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/grid"
)

// universe reads areas of a grid as a session does.
func universe(t *rapid.T, g *grid.Grid) func(context.Context, grid.Rect) (*grid.Grid, uint8, error) {
	return func(_ context.Context, area grid.Rect) (*grid.Grid, uint8, error) {
		part, err := grid.New(area.W, area.H, 1)
		if err != nil {
			t.Fatal(err)
		}
		for y := range area.H {
			for x := range area.W {
				if from := (grid.Rect{X: area.X + x, Y: area.Y + y, W: 1, H: 1}); !from.Intersect(g.Bounds()).Empty() {
					part.Set(x, y, g.Get(from.X, from.Y))
				}
			}
		}
		return part, 0, nil
	}
}

// TestWhole compares with components that grow until they do not any more, of sparse cells in universes wider
// than what is read at first.
func TestWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 200).Draw(t, "w"), rapid.IntRange(1, 30).Draw(t, "h")
		g, err := grid.New(w, h, 1)
		if err != nil {
			t.Fatal(err)
		}
		type point struct{ x, y int }
		live := map[point]bool{}
		for range rapid.IntRange(0, 120).Draw(t, "cells") {
			p := point{rapid.IntRange(0, w-1).Draw(t, "x"), rapid.IntRange(0, h-1).Draw(t, "y")}
			live[p] = true
			g.Set(p.x, p.y, 1)
		}
		reach := rapid.IntRange(1, 6).Draw(t, "reach")
		area := grid.Rect{
			X: rapid.IntRange(-5, w).Draw(t, "left"), Y: rapid.IntRange(-5, h).Draw(t, "top"),
			W: rapid.IntRange(1, 9).Draw(t, "wide"), H: rapid.IntRange(1, 9).Draw(t, "high"),
		}
		in := map[point]bool{}
		var want grid.Rect
		add := func(p point) bool {
			if in[p] {
				return false
			}
			in[p], want = true, want.Union(grid.Rect{X: p.x, Y: p.y, W: 1, H: 1})
			return true
		}
		for p := range live {
			if !(grid.Rect{X: p.x, Y: p.y, W: 1, H: 1}).Intersect(area).Empty() {
				add(p)
			}
		}
		for grown := true; grown; {
			grown = false
			for p := range live {
				for q := range in {
					if max(p.x-q.x, q.x-p.x, p.y-q.y, q.y-p.y) <= reach && add(p) {
						grown = true
						break
					}
				}
			}
		}
		got, err := Whole(t.Context(), area, reach, universe(t, g))
		if err != nil || got.Empty() != want.Empty() || !want.Empty() && got != want {
			t.Fatalf("%v, %v; want %v", got, err, want)
		}
	})
}

// TestWholeEnds: what has no end in what can be read is an error, not a search without end.
func TestWholeEnds(t *testing.T) {
	tooLarge := errors.New("too large")
	_, err := Whole(t.Context(), grid.Rect{W: 1, H: 1}, 2,
		func(_ context.Context, area grid.Rect) (*grid.Grid, uint8, error) {
			if area.W > 1000 {
				return nil, 0, tooLarge
			}
			g, err := grid.New(area.W, area.H, 1)
			for x := range area.W {
				g.Set(x, -area.Y, 1)
			}
			return g, 0, err
		})
	if !errors.Is(err, tooLarge) {
		t.Errorf("%v, want %v", err, tooLarge)
	}
}
