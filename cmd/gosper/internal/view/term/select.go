package term

import (
	"context"
	"errors"
	"image/color"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/cells"
	"github.com/gosper-life/gosper/grid"
)

// selection is an area of cells that something is to be done with.
type selection struct {
	at   grid.Rect // the cursor: what a pixel shows, a cell or a block of cells
	from grid.Rect // the area's other corner; empty: the cursor moves alone
	area grid.Rect // empty: nothing is selected yet
	held bool      // arrows without shift stretch the area, too
	drag bool      // the mouse does
}

// selector changes what is selected, and the cells there.
type selector struct {
	orders   *orders
	display  *display
	view     *view
	selected *selection        // nil: nothing is being selected
	share    func(text string) // offers a text to the terminal's clipboard
}

// The colours of areas, which are mixed with those of cells.
var (
	selectedTint = color.RGBA{0x3a, 0x7b, 0xd5, 0xff}
	floatingTint = color.RGBA{0xd5, 0x4a, 0x3a, 0xff}
)

var errNoArea = errors.New("select cells first: space and arrows, or the mouse")

// startSelecting begins to select, with the cursor in the middle of the view.
func (m *model) startSelecting() {
	if m.selected == nil && !m.refusesVolume() {
		m.pen, m.help = nil, false
		m.selected = &selection{at: m.block(m.camera.X, m.camera.Y)}
	}
}

func (s *selector) stopSelecting() { s.selected = nil }

// selectAll selects a bounded universe, or all live cells of an infinite one.
func (m *model) selectAll() {
	if m.refusesVolume() {
		return
	}
	area := m.status.Box
	if t := m.status.Topology; t.Bounded() {
		area = grid.Rect{W: t.W, H: t.H}
	}
	if area.Empty() {
		m.fail(errors.New("no cell is alive"))
		return
	}
	m.startSelecting()
	m.choose(area)
}

// choose makes an area the selection. The cursor stays where it is.
func (s *selector) choose(area grid.Rect) {
	if c := s.selected; c != nil {
		c.area, c.from, c.held = area, grid.Rect{}, false
	}
}

// moveCursor moves the cursor of the selection by pixels, and stretches the area if it is asked to.
func (s *selector) moveCursor(dx, dy int, stretch bool) {
	c := s.selected
	switch {
	case !stretch && !c.held:
		c.from = grid.Rect{}
	case c.from.Empty():
		c.from = c.at
	}
	now := s.view.block(c.at.X, c.at.Y)
	c.at = s.view.block(now.X+dx*now.W, now.Y+dy*now.H)
	s.stretch()
	s.view.keepInView(c.at.X, c.at.Y)
}

// stretch selects the rectangle between the two corners, as far as it lies in the universe.
func (s *selector) stretch() {
	c := s.selected
	if c.from.Empty() {
		return
	}
	c.area = c.from.Union(c.at)
	if t := s.display.status.Topology; t.Bounded() {
		c.area = c.area.Intersect(grid.Rect{W: t.W, H: t.H})
	}
}

// beginArea lets the arrows stretch an area that begins at the cursor, or ends that.
func (s *selector) beginArea() {
	c := s.selected
	if c.held = !c.held; c.held {
		c.from = c.at
		s.stretch()
	}
}

// dragArea selects with the mouse, from the cell where it went down.
func (m *model) dragArea(x, y int, begins bool) {
	m.startSelecting()
	s := m.selected
	s.at = m.block(x, y)
	if begins {
		s.from, s.held, s.drag = s.at, false, true
	}
	m.stretch()
}

// onSelection does something with the selected area.
func (s *selector) onSelection(do func(area grid.Rect)) {
	if s.selected.area.Empty() {
		s.orders.fail(errNoArea)
		return
	}
	do(s.selected.area)
}

func (s *selector) fillSelection(state uint8) {
	s.onSelection(func(area grid.Rect) {
		s.orders.send(func(ctx context.Context) error { return s.orders.session.Fill(ctx, area, state) }, "")
	})
}

// clearSelection clears the selected area.
func (s *selector) clearSelection() { s.fillSelection(0) }

func (s *selector) turnSelection(how cells.Turn) {
	s.onSelection(func(area grid.Rect) {
		s.sendChoice(func(ctx context.Context) (grid.Rect, error) { return s.orders.session.Turn(ctx, area, how) })
	})
}

func (s *selector) shrinkSelection() {
	s.onSelection(func(area grid.Rect) {
		s.sendChoice(func(ctx context.Context) (grid.Rect, error) { return s.orders.session.Shrink(ctx, area) })
	})
}

// selectWhole selects the objects that have live cells in the selected area or, without one, under the cursor.
func (s *selector) selectWhole() {
	area := s.selected.area
	if area.Empty() {
		area = s.selected.at
	}
	reach := cells.Reach(s.display.status.Config.Rule)
	s.sendChoice(func(ctx context.Context) (grid.Rect, error) {
		return cells.Whole(ctx, area, reach, s.orders.session.Apart)
	})
}

// sendChoice queues a command that reports the selection at that time.
func (s *selector) sendChoice(do func(ctx context.Context) (grid.Rect, error)) {
	var to grid.Rect
	s.orders.sendThen(func(ctx context.Context) (err error) {
		to, err = do(ctx)
		return err
	}, func(m *model) {
		if to.Empty() {
			m.fail(errors.New("no cell is alive there"))
			return
		}
		m.choose(to)
	})
}
