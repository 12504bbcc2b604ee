package cells

import (
	"context"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
)

// Whole returns the smallest area that has all cells of the objects of which an area has a live cell:
// everything alive that is connected with these cells by steps of at most reach columns and rows. It is empty
// if no cell of the area is alive. read returns a copy of an area of the universe, in which cells beyond the
// universe are dead and cells of its background are; Whole reads more until the objects end. An object that
// crosses the edge of a torus ends there.
func Whole(ctx context.Context, area grid.Rect, reach int,
	read func(context.Context, grid.Rect) (apart *grid.Grid, empty uint8, err error),
) (grid.Rect, error) {
	for margin := 32 + reach; ; margin *= 2 {
		around := grid.Rect{X: area.X - margin, Y: area.Y - margin, W: area.W + 2*margin, H: area.H + 2*margin}
		g, _, err := read(ctx, around)
		if err != nil {
			return grid.Rect{}, err
		}
		box := connected(g, grid.Rect{X: margin, Y: margin, W: area.W, H: area.H}, reach)
		if box.Empty() || min(box.X, box.Y) >= reach && box.X+box.W <= g.W()-reach && box.Y+box.H <= g.H()-reach {
			return grid.Rect{X: around.X + box.X, Y: around.Y + box.Y, W: box.W, H: box.H}, nil
		}
	}
}

// Reach is the largest distance, in columns and in rows, between neighbouring cells of one object under a rule. At
// this distance their neighbourhoods still share a cell.
func Reach(r rule.Rule) int { return 2 * max(r.Radius(), 1) }

// connected returns the bounding box of the live cells that are connected with those of an area. It takes them
// out of the grid.
func connected(g *grid.Grid, area grid.Rect, reach int) (box grid.Rect) {
	type cell struct{ x, y int }
	var found []cell
	take := func(r grid.Rect) {
		r = r.Intersect(g.Bounds())
		for y := r.Y; y < r.Y+r.H; y++ {
			for x := r.X; x < r.X+r.W; x++ {
				if g.Get(x, y) != 0 {
					g.Set(x, y, 0)
					box = box.Union(grid.Rect{X: x, Y: y, W: 1, H: 1})
					found = append(found, cell{x, y})
				}
			}
		}
	}
	for take(area); len(found) > 0; {
		c := found[len(found)-1]
		found = found[:len(found)-1]
		take(grid.Rect{X: c.x - reach, Y: c.y - reach, W: 2*reach + 1, H: 2*reach + 1})
	}
	return box
}
