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

// The colours of areas, which are mixed with those of cells.
var (
	selectedTint = color.RGBA{0x3a, 0x7b, 0xd5, 0xff}
	floatingTint = color.RGBA{0xd5, 0x4a, 0x3a, 0xff}
)

var errNoArea = errors.New("select cells first: space and arrows, or the mouse")

// block returns the block of cells around (x, y) that the picture shows as one pixel. It is a single cell unless the
// view is zoomed out.
func (m *model) block(x, y int) grid.Rect {
	k := max(-m.camera.Zoom, 0)
	return grid.Rect{X: x >> k << k, Y: y >> k << k, W: 1 << k, H: 1 << k}
}

// startSelecting begins to select, with the cursor in the middle of the view.
func (m *model) startSelecting() {
	if m.selected == nil && !m.refusesVolume() {
		m.pen, m.help = nil, false
		m.selected = &selection{at: m.block(m.camera.X, m.camera.Y)}
	}
}

func (m *model) stopSelecting() { m.selected = nil }

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
func (m *model) choose(area grid.Rect) {
	if s := m.selected; s != nil {
		s.area, s.from, s.held = area, grid.Rect{}, false
	}
}

// moveCursor moves the cursor of the selection by pixels, and stretches the area if it is asked to.
func (m *model) moveCursor(dx, dy int, stretch bool) {
	s := m.selected
	switch {
	case !stretch && !s.held:
		s.from = grid.Rect{}
	case s.from.Empty():
		s.from = s.at
	}
	now := m.block(s.at.X, s.at.Y)
	s.at = m.block(now.X+dx*now.W, now.Y+dy*now.H)
	m.stretch()
	m.keepInView(s.at.X, s.at.Y)
}

// stretch makes the selection what lies between its corners, as far as that is in the universe.
func (m *model) stretch() {
	s := m.selected
	if s.from.Empty() {
		return
	}
	s.area = s.from.Union(s.at)
	if t := m.status.Topology; t.Bounded() {
		s.area = s.area.Intersect(grid.Rect{W: t.W, H: t.H})
	}
}

// beginArea lets the arrows stretch an area that begins at the cursor, or ends that.
func (m *model) beginArea() {
	s := m.selected
	if s.held = !s.held; s.held {
		s.from = s.at
		m.stretch()
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
func (m *model) onSelection(do func(area grid.Rect)) {
	if m.selected.area.Empty() {
		m.fail(errNoArea)
		return
	}
	do(m.selected.area)
}

func (m *model) fillSelection(state uint8) {
	m.onSelection(func(area grid.Rect) {
		m.send(func(ctx context.Context) error { return m.session.Fill(ctx, area, state) }, "")
	})
}

// clearSelection clears the selected area.
func (m *model) clearSelection() { m.fillSelection(0) }

func (m *model) turnSelection(how cells.Turn) {
	m.onSelection(func(area grid.Rect) {
		m.sendChoice(func(ctx context.Context) (grid.Rect, error) { return m.session.Turn(ctx, area, how) })
	})
}

func (m *model) shrinkSelection() {
	m.onSelection(func(area grid.Rect) {
		m.sendChoice(func(ctx context.Context) (grid.Rect, error) { return m.session.Shrink(ctx, area) })
	})
}

// selectWhole selects the objects that have live cells in the selected area or, without one, under the cursor.
func (m *model) selectWhole() {
	area := m.selected.area
	if area.Empty() {
		area = m.selected.at
	}
	reach := cells.Reach(m.status.Config.Rule)
	m.sendChoice(func(ctx context.Context) (grid.Rect, error) { return cells.Whole(ctx, area, reach, m.session.Apart) })
}

// sendChoice queues a command that reports the selection at that time.
func (m *model) sendChoice(do func(ctx context.Context) (grid.Rect, error)) {
	var to grid.Rect
	m.sendThen(func(ctx context.Context) (err error) {
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
