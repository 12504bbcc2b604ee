package term

import (
	"strconv"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/term/internal/canvas"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
)

// view is the part of the universe that the terminal has room for.
type view struct {
	orders        *orders
	display       *display
	columns, rows int // of the terminal
	camera        scene.Camera
	braille       bool
	slice         scene.Slice // of a volume; none for other universes
	autoFit       bool
	ruler         bool   // coordinates stand along the edges
	hover         *pixel // where the mouse is, with a ruler; nil if that is not known
}

// pixel is a place on the picture.
type pixel struct{ x, y int }

// keepInView moves the camera so that a cell is visible.
func (v *view) keepInView(x, y int) {
	w, h := v.size()
	r := v.camera.Region(w, h)
	v.camera.X += min(0, x-r.X) + max(0, x-(r.X+(r.W-2)<<r.Scale))
	v.camera.Y += min(0, y-r.Y) + max(0, y-(r.Y+(r.H-2)<<r.Scale))
}

// size is the pixels of the picture.
func (v *view) size() (w, h int) {
	columns, rows := v.margins()
	return canvas.Size(v.columns-columns, v.rows-statusRows-rows, v.braille)
}

// tooSmall reports whether the terminal, if its size is known, has no room for a picture.
func (v *view) tooSmall() bool { return v.columns < leastColumns || v.rows < leastRows }

// pan moves by tenths of the screen.
func (v *view) pan(dx, dy int) {
	w, h := v.size()
	v.autoFit = false
	v.camera = v.camera.Pan(dx*max(w/10, 1), dy*max(h/10, 1))
}

// zoom changes the zoom about the middle.
func (v *view) zoom(by int) {
	w, h := v.size()
	v.camera = v.camera.Magnify(by, w, h, w/2, h/2)
}

func (v *view) zoomTo(zoom int) { v.zoom(zoom - v.camera.Zoom) }

func (v *view) fit() {
	w, h := v.size()
	v.camera = scene.Fit(v.box(), w, h, mostFit)
}

// mostFit is the largest zoom that fitting uses. With more, a few cells would fill the screen.
const mostFit = 0

func (v *view) toggleAutoFit() {
	v.autoFit = !v.autoFit
	v.orders.say(onOff("keeping everything in view", v.autoFit))
}

// middle goes to the middle of a bounded universe, or to the origin of an infinite one.
func (v *view) middle() { v.camera.X, v.camera.Y = v.sheet().W/2, v.sheet().H/2 }

func (v *view) toggleBraille() {
	w, h := v.size()
	x, y := v.camera.At(w, h, w/2, h/2)
	v.braille = !v.braille
	v.camera.X, v.camera.Y = x, y
}

// toggleRuler shows or hides the coordinates along the upper and the left edge.
func (v *view) toggleRuler() {
	v.ruler, v.hover = !v.ruler, nil
	v.orders.say(onOff("coordinates along the edges", v.ruler))
}

// margins are the columns and rows of characters that the ruler takes.
func (v *view) margins() (columns, rows int) {
	if !v.ruler {
		return 0, 0
	}
	// The columns are wide enough for the longest possible number, but they leave most of the screen to the picture.
	_, corner := pattern.Corner(v.sheet())
	_, h := canvas.Size(1, v.rows-statusRows-1, v.braille)
	r := v.camera.Region(1, h)
	longest := max(len(strconv.Itoa(r.Y+corner)), len(strconv.Itoa(r.Y+r.H<<r.Scale+corner)))
	return min(max(longest, 4)+1, v.columns/2), 1
}

// stateName returns the name of the state of a cell. It is empty if the frame does not show the cell.
func (v *view) stateName(x, y int) string {
	f := v.display.frame
	if f == nil || f.Scale > 0 || !f.Cells().Contains(x, y) {
		return ""
	}
	if t := v.sheet(); t.Bounded() && (x < 0 || y < 0 || x >= t.W || y >= t.H) {
		return ""
	}
	state := f.State(x-f.X, y-f.Y)
	if v.display.status.Background != 0 {
		state ^= 1
	}
	if file := v.display.status.Config.Rule.File; file != nil && file.Names[state] != "" {
		return console.Plain(file.Names[state])
	}
	if v.display.status.States == 2 {
		return [2]string{"dead", "alive"}[state]
	}
	return "state " + strconv.Itoa(int(state))
}

// block returns the block of cells around (x, y) that the picture shows as one pixel. It is a single cell unless the
// view is zoomed out.
func (v *view) block(x, y int) grid.Rect {
	k := max(-v.camera.Zoom, 0)
	return grid.Rect{X: x >> k << k, Y: y >> k << k, W: 1 << k, H: 1 << k}
}
