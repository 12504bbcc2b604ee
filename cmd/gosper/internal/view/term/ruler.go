package term

import (
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/term/internal/canvas"
	"github.com/gosper-life/gosper/pattern"
)

// label is a coordinate of the ruler, and its distance from the ruler's beginning in characters.
type label struct{ at, value int }

// labels are the round coordinates along n characters of pixels pixels each. from is the coordinate of
// the first pixel, and the others follow as the camera has them: 2^zoom pixels a cell, or 2^-zoom
// cells a pixel. There are at least apart characters from one to the next. The distance is 1, 2, 5,
// 10, 20, 50, 100 … cells.
func labels(n, pixels, zoom, from, apart int) (all []label) {
	up, scale := max(zoom, 0), max(-zoom, 0)
	step := 1
	for factors, i := []int{2, 5, 10}, 0; step<<up < apart*pixels<<scale; i++ {
		step = factors[i%3]
		for range i / 3 {
			step *= 10
		}
	}
	last := from + (n*pixels-1)>>up<<scale
	first := from - floorMod(from, step)
	if first < from {
		first += step
	}
	for value := first; value <= last; value += step {
		all = append(all, label{characterOf(value-from, pixels, zoom), value})
	}
	return all
}

// floorMod is a − n·⌊a/n⌋.
func floorMod(a, n int) int { return (a%n + n) % n }

// Distances between numbers of the ruler, in characters.
const (
	acrossEvery = 10
	downEvery   = 4
)

// framed puts the ruler around the lines of a picture, with marks at the cell that the second line tells of.
func (m *model) framed(lines []string) []string {
	f := m.frame
	if !m.ruler || f == nil {
		return lines
	}
	margin, _ := m.margins()
	across, down := canvas.Size(1, 1, m.braille)
	cx, cy := pattern.Corner(m.sheet())
	top := []rune(strings.Repeat(" ", m.columns))
	for _, l := range labels(m.columns-margin, across, m.shown.Zoom, f.X+cx,
		max(acrossEvery, len(strconv.Itoa(f.X+cx))+3)) {
		if text := []rune("╷" + strconv.Itoa(l.value)); margin+l.at+len(text) <= len(top) {
			copy(top[margin+l.at:], text)
		}
	}
	left := make([][]rune, len(lines))
	for i := range left {
		left[i] = []rune(strings.Repeat(" ", margin))
	}
	for _, l := range labels(len(lines), down, m.shown.Zoom, f.Y+cy, downEvery) {
		if text := []rune(strconv.Itoa(l.value) + "╴"); len(text) <= margin {
			copy(left[l.at][margin-len(text):], text)
		}
	}
	x, y := m.pointed()
	if at := characterOf(x-f.X, across, m.shown.Zoom); at >= 0 && margin+at < len(top) {
		top[margin+at] = '▾'
	}
	if at := characterOf(y-f.Y, down, m.shown.Zoom); at >= 0 && at < len(left) {
		left[at][margin-1] = '▸'
	}
	framed := []string{dim.Render(string(top))}
	for i, line := range lines {
		framed = append(framed, dim.Render(string(left[i]))+line)
	}
	return framed
}

// characterOf returns the index of the character that shows a cell at a distance from the first cell. The picture has
// the given number of pixels.
func characterOf(distance, pixels, zoom int) int {
	if distance < 0 {
		return -1
	}
	return distance >> max(-zoom, 0) << max(zoom, 0) / pixels
}

// pointed returns the cell that the second line describes: the first cell of floating cells, or the cell of the
// cursor or pen, or else the cell under the mouse, or else the cell in the middle.
func (m *model) pointed() (x, y int) {
	switch {
	case m.floating != nil:
		return m.floating.x, m.floating.y
	case m.selected != nil:
		return m.selected.at.X, m.selected.at.Y
	case m.pen != nil:
		return m.pen.x, m.pen.y
	case m.hover != nil:
		w, h := m.size()
		return m.camera.At(w, h, m.hover.x, m.hover.y)
	}
	return m.camera.X, m.camera.Y
}
