package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/cells"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/background"
	"github.com/gosper-life/gosper/soup"
)

// maxArea is the most cells of an area that is changed at once. The universe stops meanwhile.
const maxArea = cells.MaxClip

// Fill gives all cells of an area a state. Undo takes it back, as it does all changes of an area.
func (w *writer) Fill(ctx context.Context, area grid.Rect, state uint8) error {
	return w.rewrite(ctx, area, state, func(g *grid.Grid, empty uint8) error {
		held := background.Exchange(state, empty)
		for y := range area.H {
			for x := range area.W {
				g.Set(x, y, held)
			}
		}
		return nil
	})
}

// Scatter fills an area with random cells, as FromSoup does a universe.
func (w *writer) Scatter(ctx context.Context, area grid.Rect, seed uint64, density float64) error {
	random, err := soup.New(seed, density)
	if err != nil {
		return err
	}
	return w.rewrite(ctx, area, 1, func(g *grid.Grid, empty uint8) error {
		g.Clear()
		for y := range area.H {
			random.Row(g.Row(0, y), uint64(y)*uint64(area.W), area.W)
		}
		cells.Exchange(g, empty)
		return nil
	})
}

// Turn turns the cells of an area around its middle. It returns where they are then. Live cells around the area
// stay if no live cell is turned there.
func (w *writer) Turn(ctx context.Context, area grid.Rect, how cells.Turn) (grid.Rect, error) {
	to := area
	if how == cells.Right || how == cells.Left {
		to = grid.Rect{X: area.X + (area.W-area.H)>>1, Y: area.Y + (area.H-area.W)>>1, W: area.H, H: area.W}
	}
	around := area.Union(to)
	return to, w.rewrite(ctx, around, 0, func(g *grid.Grid, _ uint8) error { // what differs from the background is turned
		x, y := area.X-around.X, area.Y-around.Y
		part, err := g.Crop(grid.Rect{X: x, Y: y, W: area.W, H: area.H})
		if err != nil {
			return err
		}
		turned, err := how.Of(part)
		if err != nil {
			return err
		}
		part.Clear()
		cells.Put(g, part, x, y, cells.Replace)
		cells.Put(g, turned, to.X-around.X, to.Y-around.Y, cells.Or)
		return nil
	})
}

// Paste puts cells over those of the universe. The first one goes to (x, y).
func (w *writer) Paste(ctx context.Context, clip *grid.Grid, x, y int, mode cells.Mode) error {
	highest := uint8(0)
	for state, n := range clip.Counts() {
		if n > 0 {
			highest = uint8(state)
		}
	}
	area := grid.Rect{X: x, Y: y, W: clip.W(), H: clip.H()}
	return w.rewrite(ctx, area, highest, func(g *grid.Grid, empty uint8) error {
		cells.Exchange(g, empty)
		cells.Put(g, clip, 0, 0, mode)
		cells.Exchange(g, empty)
		return nil
	})
}

// rewrite lets f change a copy of an area as the engine holds it, with state 0 and the background's state,
// empty, exchanged; and then the universe accordingly. highest is the highest state that f writes.
func (w *writer) rewrite(ctx context.Context, area grid.Rect, highest uint8,
	f func(g *grid.Grid, empty uint8) error,
) error {
	if err := checkArea(area); err != nil {
		return err
	}
	return w.mail.do(ctx, func() error {
		if err := w.u.editable(highest); err != nil {
			return err
		}
		old, err := w.u.read(area)
		if err != nil {
			return err
		}
		next, err := old.Copy()
		if err != nil {
			return err
		}
		if err := f(next, w.u.background()); err != nil {
			return err
		}
		var changed []Cell
		cells.Differences(old, next, func(x, y int, state uint8) {
			changed = append(changed, Cell{area.X + x, area.Y + y, state})
		})
		w.u.drawings++
		e := entry{by: personOf(ctx), drawing: w.u.drawings, first: !w.u.edited}
		for len(changed) > 0 && err == nil {
			var n int
			e.cells, n, err = w.u.write(changed, nil)
			changed = changed[n:]
			if len(e.cells) > 0 {
				w.past.draw(e)
				w.u.changed()
			}
		}
		return err
	})
}

// checkArea refuses areas without cells, too large ones, and places at which coordinates would
// overflow.
func checkArea(r grid.Rect) error {
	switch {
	case min(r.W, r.H) < 1:
		return errors.New("an area without cells")
	case grid.Product(uint64(r.W), uint64(r.H)) > maxArea:
		return fmt.Errorf("an area of %d×%d cells: want at most %d", r.W, r.H, maxArea)
	case min(r.X, r.Y) < -furthest || max(r.X, r.Y) > furthest-maxArea:
		return fmt.Errorf("the cell %d,%d is too far away", r.X, r.Y)
	}
	return nil
}
