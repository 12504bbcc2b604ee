package figure

import (
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// tick is a mark on an axis. One without a label is short.
type tick struct {
	value float64
	label string
}

// marked is an axis with its range and its ticks.
type marked struct {
	Axis
	span
	ticks  []tick
	lines  draw.LineStyle // of the axis and its ticks
	bare   bool           // ticks are room, not lines
	hidden bool
	labels text.Style
	gap    vg.Length // between ticks and labels
}

// Length of ticks, and the room between their labels and that of the axis.
const tickLength, labelGap = 5, 4

func newMarked(a Axis, s span) marked {
	m := marked{Axis: a, span: s, lines: draw.LineStyle{Color: ink, Width: 0.7}, labels: lettering(tickSize)}
	if a.Log {
		m.ticks = logTicks(s.min, s.max)
	} else {
		m.ticks = linearTicks(s.min, s.max)
	}
	return m
}

// share returns the position of a value along the axis, from 0 to 1.
func (m *marked) share(v float64) float64 {
	if m.Log {
		return math.Log(v/m.min) / math.Log(m.max/m.min)
	}
	return (v - m.min) / (m.max - m.min)
}

// room is the largest extent of the labels from their points, in each direction.
func (m *marked) room() vg.Rectangle {
	var r vg.Rectangle
	for _, t := range m.ticks {
		if t.label == "" {
			continue
		}
		b := m.labels.Rectangle(t.label)
		r.Min.X, r.Min.Y = min(r.Min.X, b.Min.X), min(r.Min.Y, b.Min.Y)
		r.Max.X, r.Max.Y = max(r.Max.X, b.Max.X), max(r.Max.Y, b.Max.Y)
	}
	return r
}

// plotter draws data.
type plotter interface {
	plot(c draw.Canvas, axes *axes)
}

// axes are two axes and the curves over them.
type axes struct {
	x, y  marked
	label text.Style // of the X axis; that of the Y axis is drawn by drawWithLabel
	data  []plotter
}

// newAxes prepares both axes, with labels below and on the left.
func newAxes(xAxis, yAxis Axis, x, y span) *axes {
	a := &axes{x: newMarked(xAxis, x), y: newMarked(yAxis, y), label: lettering(10.5)}
	a.label.XAlign = text.XCenter
	a.x.labels.XAlign, a.x.labels.YAlign = text.XCenter, text.YTop
	a.y.labels.XAlign, a.y.labels.YAlign, a.y.gap = text.XRight, text.YCenter, 2
	return a
}

func (a *axes) add(p ...plotter) { a.data = append(a.data, p...) }

// transforms returns where values are on a canvas of data.
func (a *axes) transforms(c draw.Canvas) (toX, toY func(v float64) vg.Length) {
	return func(v float64) vg.Length { return c.X(a.x.share(v)) }, func(v float64) vg.Length { return c.Y(a.y.share(v)) }
}

// inner returns the part of a canvas for the data. Labels at the ends of an axis may reach beyond it; without
// an X axis, those of the Y axis reach beyond the canvas.
func (a *axes) inner(c draw.Canvas) draw.Canvas {
	y := a.y.room()
	left, right, bottom, top := tickLength+a.y.gap-y.Min.X, vg.Length(0), vg.Length(0), vg.Length(0)
	if !a.x.hidden {
		bottom, top = max(-y.Min.Y, tickLength+a.x.gap-a.x.room().Min.Y+a.labelHeight()), y.Max.Y
		width := c.Max.X - c.Min.X - left
		for _, t := range a.x.ticks {
			if t.label != "" {
				b, at := a.x.labels.Rectangle(t.label), vg.Length(a.x.share(t.value))*width
				left, right = max(left, -b.Min.X-at), max(right, b.Max.X+at-width)
			}
		}
	}
	return draw.Crop(c, left, -right, bottom, -top)
}

// labelHeight is the height of the label of the X axis, with the room above it.
func (a *axes) labelHeight() vg.Length {
	if a.x.Label == "" {
		return 0
	}
	return a.label.Height(a.x.Label) + labelGap
}

// fit makes text smaller until it is no longer than the room for it.
func fit(style text.Style, label string, room vg.Length) text.Style {
	if w := style.Width(label); w > room && room > 0 {
		style.Font.Size *= room / w
	}
	return style
}

// thin drops labels of the X axis, every second one at a time, until those that are left do not touch.
func (a *axes) thin(width vg.Length) {
	if a.x.bare || a.x.labels.Rotation != 0 {
		return
	}
	for {
		var labelled []int
		for i, t := range a.x.ticks {
			if t.label != "" {
				labelled = append(labelled, i)
			}
		}
		touch, end := false, vg.Length(math.Inf(-1))
		for _, i := range labelled {
			t := a.x.ticks[i]
			at, half := vg.Length(a.x.share(t.value))*width, a.x.labels.Width(t.label)/2
			touch = touch || at-half < end+3
			end = at + half
		}
		if !touch || len(labelled) <= 2 {
			return
		}
		for k := 1; k < len(labelled); k += 2 {
			a.x.ticks[labelled[k]].label = ""
		}
	}
}

// draw draws everything and returns the part of the canvas for the data.
func (a *axes) draw(c draw.Canvas) draw.Canvas {
	a.thin(a.inner(c).Max.X - a.inner(c).Min.X)
	inner := a.inner(c)
	toX, toY := a.transforms(inner)
	for _, p := range a.data {
		p.plot(inner, a)
	}
	if !a.x.hidden {
		inner.StrokeLine2(a.x.lines, inner.Min.X, inner.Min.Y, inner.Max.X, inner.Min.Y)
		for _, t := range a.x.ticks {
			a.x.mark(inner, t, func(out vg.Length) vg.Point { return vg.Point{X: toX(t.value), Y: inner.Min.Y - out} })
		}
		middle := (inner.Min.X + inner.Max.X) / 2
		c.FillText(fit(a.label, a.x.Label, inner.Max.X-inner.Min.X),
			vg.Point{X: middle, Y: c.Min.Y + a.label.FontExtents().Descent}, a.x.Label)
	}
	inner.StrokeLine2(a.y.lines, inner.Min.X, inner.Min.Y, inner.Min.X, inner.Max.Y)
	for _, t := range a.y.ticks {
		a.y.mark(inner, t, func(out vg.Length) vg.Point { return vg.Point{X: inner.Min.X - out, Y: toY(t.value)} })
	}
	return inner
}

// mark draws a tick and its label. at is where it is, so far outside the axis.
func (m *marked) mark(c draw.Canvas, t tick, at func(out vg.Length) vg.Point) {
	if t.value < m.min || t.value > m.max {
		return
	}
	length := vg.Length(tickLength)
	if t.label == "" {
		length /= 2
	}
	if from, to := at(0), at(length); !m.bare {
		c.StrokeLine2(m.lines, from.X, from.Y, to.X, to.Y)
	}
	if t.label != "" {
		point := at(tickLength + m.gap)
		if m.labels.YAlign == text.YCenter && m.labels.Rotation == 0 {
			point.Y += m.labels.FontExtents().Descent / 2 // digits have no descenders
		}
		c.FillText(m.labels, point, t.label)
	}
}

// drawWithLabel is draw for a canvas with the label of the Y axis at its left end.
func (a *axes) drawWithLabel(c draw.Canvas) draw.Canvas {
	style := lettering(10.5)
	style.Rotation = math.Pi / 2
	style.XAlign, style.YAlign = text.XCenter, text.YTop
	rest := c
	if a.y.Label != "" {
		rest = draw.Crop(c, style.Height(a.y.Label)+6, 0, 0, 0)
	}
	inner := a.draw(rest)
	middle := (inner.Min.Y + inner.Max.Y) / 2
	room := 2 * min(c.Max.Y-middle, middle-c.Min.Y)
	c.FillText(fit(style, a.y.Label, room), vg.Point{X: c.Min.X, Y: middle}, a.y.Label)
	return inner
}
