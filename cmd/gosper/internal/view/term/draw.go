package term

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
)

// pen is the drawing cursor.
type pen struct {
	x, y  int
	state uint8 // the state that the mouse draws
	down  bool  // the mouse is drawing
	with  uint8 // the state it draws now
}

// drag is the cell that stays under the pointer while the mouse moves the camera.
type drag struct{ x, y int }

// drawer changes single cells.
type drawer struct {
	orders  *orders
	display *display
	view    *view
	pen     *pen // nil: nothing is being drawn
}

// draw starts or ends drawing. Single cells must be visible.
func (m *model) draw() {
	if m.pen != nil {
		m.stop()
		return
	}
	if m.camera.Zoom < 0 {
		m.zoomTo(0)
	}
	w, h := m.size()
	x, y := m.camera.At(w, h, w/2, h/2)
	m.pen = &pen{x: x, y: y, state: 1}
	m.help, m.selected = false, nil
}

func (d *drawer) stop() {
	d.pen = nil
	d.orders.say("")
}

// key handles a key.
func (m *model) key(k tea.KeyPressMsg) {
	name := k.String()
	if m.asked != nil {
		m.answering(k)
		return
	}
	m.say("")
	switch {
	case m.help && m.scroll(name):
		return
	case m.help && (name == "esc" || name == "enter" || name == "space"):
		m.help = false
		return
	case m.pen != nil && m.floating == nil && m.penKey(name):
		return
	}
	do := m.keys[name]
	if own := m.selectKeys[name]; own != nil && m.selected != nil {
		do = own
	}
	if own := m.pasteKeys[name]; own != nil && m.floating != nil {
		do = own
	}
	if do != nil {
		do(m)
	}
}

// penKey handles a key while drawing. It reports whether the key had a meaning.
func (d *drawer) penKey(name string) bool {
	p := d.pen
	switch name {
	case "esc":
		d.stop()
		return true
	case "left", "h":
		p.x--
	case "right", "l":
		p.x++
	case "up", "k":
		p.y--
	case "down", "j":
		p.y++
	case "space":
		d.put(p.x, p.y, d.opposite(p.x, p.y))
		return true
	case "0", "1", "2", "3", "4", "5", "6", "7", "8", "9":
		state := name[0] - '0'
		if int(state) < d.display.status.States {
			p.state = max(state, 1)
			d.put(p.x, p.y, state)
		}
		return true
	default:
		return false
	}
	d.view.keepInView(p.x, p.y)
	return true
}

// opposite returns the state that the pen gives a cell: its own state if the cell is dead, else dead.
func (d *drawer) opposite(x, y int) uint8 {
	f := d.display.frame
	if f == nil || f.Scale > 0 || !f.Cells().Contains(x, y) || f.State(x-f.X, y-f.Y) == d.display.status.Background {
		return d.pen.state
	}
	return 0
}

// put changes a cell.
func (d *drawer) put(x, y int, state uint8) {
	if d.view.slice.Axis != 0 {
		var ok bool
		if x, y, ok = d.view.slice.Stored(d.display.status.Topology, x, y); !ok {
			return
		}
	}
	d.orders.send(func(ctx context.Context) error {
		return d.orders.session.Edit(ctx, []session.Cell{{X: x, Y: y, State: state}})
	}, "")
}

// mouse handles the mouse: the wheel zooms, dragging moves the camera, draws or selects, and what
// floats follows. Terminals report characters. A character shows several pixels, so the pointer is
// taken to be at the first of them, and the cell follows from the pixel.
func (m *model) mouse(msg tea.MouseMsg) {
	if m.tooSmall() {
		return
	}
	w, h := m.size()
	at := msg.Mouse()
	left, top := m.margins()
	columns, rows := m.columns-left, m.rows-statusRows-top
	at.X, at.Y = at.X-left, at.Y-top
	px, py := at.X*w/columns, at.Y*h/rows
	onPicture := at.X >= 0 && at.Y >= 0 && at.X < columns && at.Y < rows
	if m.hover = nil; m.ruler && onPicture {
		m.hover = &pixel{px, py}
	}
	x, y := m.camera.At(w, h, px, py)
	switch msg.(type) {
	case tea.MouseWheelMsg:
		if m.help {
			m.scroll(map[tea.MouseButton]string{tea.MouseWheelUp: "up", tea.MouseWheelDown: "down"}[at.Button])
			return
		}
		switch at.Button {
		case tea.MouseWheelUp:
			m.camera = m.camera.Magnify(1, w, h, px, py)
		case tea.MouseWheelDown:
			m.camera = m.camera.Magnify(-1, w, h, px, py)
		}
	case tea.MouseClickMsg:
		switch {
		case !onPicture:
		case m.floating != nil && at.Button == tea.MouseLeft:
			m.floatAt(x, y)
			m.putDown()
		case at.Button == tea.MouseRight && m.floating == nil,
			at.Button == tea.MouseLeft && m.pen == nil && (m.selected != nil || at.Mod != 0):
			m.dragArea(x, y, true)
		case at.Button != tea.MouseLeft:
		case m.pen != nil:
			m.pen.x, m.pen.y, m.pen.down = x, y, true
			m.pen.with = m.opposite(x, y)
			m.put(x, y, m.pen.with)
		default:
			m.drag = &drag{x, y}
		}
	case tea.MouseMotionMsg:
		switch p := m.pen; {
		case m.floating != nil:
			if onPicture {
				m.floatAt(x, y)
			}
		case m.selected != nil && m.selected.drag:
			x, y := m.camera.At(w, h, max(0, min(px, w-1)), max(0, min(py, h-1)))
			m.dragArea(x, y, false)
		case p != nil && p.down && onPicture:
			m.stroke(x, y)
		case m.drag != nil:
			m.autoFit = false
			m.camera.X, m.camera.Y = m.camera.X+m.drag.x-x, m.camera.Y+m.drag.y-y
		}
	case tea.MouseReleaseMsg:
		m.drag = nil
		if m.selected != nil {
			m.selected.drag = false
		}
		if m.pen != nil {
			m.pen.down = false
		}
	}
}

// stroke draws a line from the pen's position.
func (d *drawer) stroke(x, y int) {
	p := d.pen
	dx, dy := x-p.x, y-p.y
	n := max(dx, -dx, dy, -dy)
	if n == 0 {
		return
	}
	var cells []session.Cell
	state := p.with
	// A fast mouse skips cells. All cells on the straight line to the new position change, in one edit
	// that a single undo takes back.
	for i := 1; i <= n; i++ {
		cells = append(cells, session.Cell{X: p.x + rounded(i*dx, n), Y: p.y + rounded(i*dy, n), State: state})
	}
	p.x, p.y = x, y
	d.orders.send(func(ctx context.Context) error { return d.orders.session.Edit(ctx, cells) }, "")
}

// rounded returns a/n rounded to the nearest integer.
func rounded(a, n int) int {
	if a < 0 {
		return -rounded(-a, n)
	}
	return (a + n/2) / n
}
