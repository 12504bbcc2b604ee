package session

import (
	"context"
	"errors"
	"fmt"
	"math/bits"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/soup"
)

// maxArea is the most cells of an area that is changed at once. The universe stops meanwhile.
const maxArea = 1 << 22

// Turn is a rotation or a reflection of cells.
type Turn uint8

// The turns. Right and Left are by a quarter, clockwise and back. Across exchanges left and right, Over exchanges top and bottom.
const (
	Right Turn = iota + 1
	Left
	Across
	Over
)

// Of returns the cells after a turn.
func (t Turn) Of(cells *grid.Grid) (*grid.Grid, error) {
	w, h := cells.W(), cells.H()
	if t == Right || t == Left {
		w, h = h, w
	}
	turned, err := grid.New(w, h, cells.Planes())
	if err != nil {
		return nil, err
	}
	for y := range h {
		for x := range w {
			fromX, fromY := x, y
			switch t {
			case Right:
				fromX, fromY = y, cells.H()-1-x
			case Left:
				fromX, fromY = cells.W()-1-y, x
			case Across:
				fromX = w - 1 - x
			case Over:
				fromY = h - 1 - y
			}
			turned.Set(x, y, cells.Get(fromX, fromY))
		}
	}
	return turned, nil
}

// Mode says what becomes of a cell when another one is pasted over it.
type Mode uint8

// The modes. Or leaves the cells below where nothing is pasted. Xor does, too, and kills those below that are in the state that is pasted. Replace
// leaves nothing of what is below.
const (
	Or Mode = iota + 1
	Xor
	Replace
)

// of returns the state of a cell in state below, over which one in state above is pasted.
func (m Mode) of(below, above uint8) uint8 {
	switch {
	case m == Replace:
		return above
	case above == 0:
		return below
	case m == Xor && above == below:
		return 0
	}
	return above
}

// Fill gives all cells of an area a state. Undo takes it back, as it does all changes of an area.
func (s *Session) Fill(ctx context.Context, area grid.Rect, state uint8) error {
	return s.rewrite(ctx, area, state, func(cells *grid.Grid) error {
		for y := range area.H {
			for x := range area.W {
				cells.Set(x, y, state)
			}
		}
		return nil
	})
}

// Scatter fills an area with random cells, as FromSoup does a universe.
func (s *Session) Scatter(ctx context.Context, area grid.Rect, seed uint64, density float64) error {
	random, err := soup.New(seed, density)
	if err != nil {
		return err
	}
	return s.rewrite(ctx, area, 1, func(cells *grid.Grid) error {
		cells.Clear()
		for y := range area.H {
			random.Row(cells.Row(0, y), uint64(y)*uint64(area.W), area.W)
		}
		return nil
	})
}

// Turn turns the cells of an area around its middle. It returns where they are then. Live cells around the area stay if no live cell is turned there.
func (s *Session) Turn(ctx context.Context, area grid.Rect, how Turn) (grid.Rect, error) {
	to := area
	if how == Right || how == Left {
		to = grid.Rect{X: area.X + (area.W-area.H)>>1, Y: area.Y + (area.H-area.W)>>1, W: area.H, H: area.W}
	}
	around := area.Union(to)
	return to, s.rewrite(ctx, around, 0, func(cells *grid.Grid) error {
		x, y := area.X-around.X, area.Y-around.Y
		part, err := cells.Crop(grid.Rect{X: x, Y: y, W: area.W, H: area.H})
		if err != nil {
			return err
		}
		turned, err := how.Of(part)
		if err != nil {
			return err
		}
		part.Clear()
		put(cells, part, x, y, Replace)
		put(cells, turned, to.X-around.X, to.Y-around.Y, Or)
		return nil
	})
}

// Paste puts cells over those of the universe. The first one goes to (x, y).
func (s *Session) Paste(ctx context.Context, clip *grid.Grid, x, y int, mode Mode) error {
	highest := uint8(0)
	for state, n := range clip.Counts() {
		if n > 0 {
			highest = uint8(state)
		}
	}
	area := grid.Rect{X: x, Y: y, W: clip.W(), H: clip.H()}
	return s.rewrite(ctx, area, highest, func(cells *grid.Grid) error {
		put(cells, clip, 0, 0, mode)
		return nil
	})
}

// put pastes cells into a grid.
func put(onto, clip *grid.Grid, x, y int, mode Mode) {
	for j := range clip.H() {
		for i := range clip.W() {
			below := onto.Get(x+i, y+j)
			if state := mode.of(below, clip.Get(i, j)); state != below {
				onto.Set(x+i, y+j, state)
			}
		}
	}
}

// Cells returns a copy of an area. Cells beyond the universe are dead.
func (s *Session) Cells(ctx context.Context, area grid.Rect) (cells *grid.Grid, err error) {
	if err := checkArea(area); err != nil {
		return nil, err
	}
	err = s.do(ctx, func() error {
		if err := s.editable(0); err != nil {
			return err
		}
		cells, err = s.read(area)
		return err
	})
	return cells, err
}

// Shrink returns the smallest area that has all live cells of an area. It is empty if there is none.
func (s *Session) Shrink(ctx context.Context, area grid.Rect) (grid.Rect, error) {
	cells, err := s.Cells(ctx, area)
	if err != nil {
		return grid.Rect{}, err
	}
	box := cells.BoundingBox()
	return grid.Rect{X: area.X + box.X, Y: area.Y + box.Y, W: box.W, H: box.H}, nil
}

// rewrite lets f change a copy of an area, and then the universe accordingly. highest is the highest state that f writes.
func (s *Session) rewrite(ctx context.Context, area grid.Rect, highest uint8, f func(cells *grid.Grid) error) error {
	if err := checkArea(area); err != nil {
		return err
	}
	return s.do(ctx, func() error {
		if err := s.editable(highest); err != nil {
			return err
		}
		old, err := s.read(area)
		if err != nil {
			return err
		}
		next, err := old.Copy()
		if err != nil {
			return err
		}
		if err := f(next); err != nil {
			return err
		}
		cells := differences(old, next, area)
		s.drawings++
		e := entry{by: personOf(ctx), drawing: s.drawings}
		for len(cells) > 0 && err == nil {
			var n int
			e.cells, n, err = s.write(cells, nil)
			cells = cells[n:]
			if len(e.cells) > 0 {
				s.history.draw(e)
				s.changed()
			}
		}
		return err
	})
}

// editable refuses changes of areas that cannot be made at the moment.
func (s *Session) editable(highest uint8) error {
	states := s.config.Rule.States
	switch {
	case !s.changeable():
		return ErrMaking
	case int(highest) >= states:
		return fmt.Errorf("state %d: the rule has states 0 to %d", highest, states-1)
	case s.background() != 0:
		return errors.New("the background is alive: step to a generation where it is dead")
	}
	return nil
}

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

// read copies an area. Cells beyond a bounded universe are dead in the copy.
func (s *Session) read(area grid.Rect) (*grid.Grid, error) {
	cells, err := grid.New(area.W, area.H, s.engine.Planes())
	if err != nil {
		return nil, err
	}
	part := area
	if t := s.config.Topology; t.Bounded() {
		if part = area.Intersect(grid.Rect{W: t.W, H: t.H}); part.Empty() {
			return cells, nil
		}
	}
	return cells, grid.Copy(cells, s.engine, part, part.X-area.X, part.Y-area.Y)
}

// differences lists the cells that differ, by rows, with their new states and places in the universe.
func differences(old, next *grid.Grid, at grid.Rect) (cells []Cell) {
	for y := range old.H() {
		for i := range old.Row(0, y) {
			var changed uint64
			for k := range old.Planes() {
				changed |= old.Row(k, y)[i] ^ next.Row(k, y)[i]
			}
			for ; changed != 0; changed &= changed - 1 {
				x := 64*i + bits.TrailingZeros64(changed)
				cells = append(cells, Cell{at.X + x, at.Y + y, next.Get(x, y)})
			}
		}
	}
	return cells
}
