package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// gridPlotter draws faint lines at the labelled ticks.
type gridPlotter struct{ vertical bool }

func (g gridPlotter) plot(c draw.Canvas, axes *axes) {
	toX, toY := axes.transforms(c)
	style := draw.LineStyle{Color: faint, Width: 0.6}
	for _, t := range axes.y.ticks {
		if t.label != "" && t.value >= axes.y.min && t.value <= axes.y.max {
			c.StrokeLine2(style, c.Min.X, toY(t.value), c.Max.X, toY(t.value))
		}
	}
	if !g.vertical {
		return
	}
	for _, t := range axes.x.ticks {
		if t.label != "" && t.value >= axes.x.min && t.value <= axes.x.max {
			c.StrokeLine2(style, toX(t.value), c.Min.Y, toX(t.value), c.Max.Y)
		}
	}
}

// seriesPlotter draws a series.
type seriesPlotter struct {
	series Series
	x, y   Axis
	style  int // number of the dashes and glyphs
	colour color.NRGBA
	width  vg.Length
}

// Widths of lines: of series that a legend names, and of the others behind them.
const lineWidth, behindWidth = 1.4, 0.5

func (s *seriesPlotter) line() draw.LineStyle {
	return draw.LineStyle{Color: s.colour, Width: s.width, Dashes: dashes[s.style/len(colours)%len(dashes)]}
}

func (s *seriesPlotter) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: s.colour, Radius: 2.4, Shape: glyphs[s.style%len(glyphs)]}
}

// thumbnail draws the sign of a series in the legend.
func (s *seriesPlotter) thumbnail(c draw.Canvas) {
	middle := (c.Min.Y + c.Max.Y) / 2
	if s.series.Line {
		c.StrokeLine2(s.line(), c.Min.X, middle, c.Max.X, middle)
	}
	if s.series.Points || !s.series.Line {
		c.DrawGlyph(s.glyph(), vg.Point{X: (c.Min.X + c.Max.X) / 2, Y: middle})
	}
}

// plot draws the series in pieces, because a line must not cross a gap. Errors of a line are a band
// around it, errors of points are bars.
func (s *seriesPlotter) plot(c draw.Canvas, axes *axes) {
	toX, toY := axes.transforms(c)
	at := func(i int, y float64) vg.Point { return vg.Point{X: toX(s.series.X[i]), Y: toY(y)} }
	style := s.line()
	s.pieces(func(from, to int) {
		var line, above, below []vg.Point
		for i := from; i < to; i++ {
			line = append(line, at(i, s.series.Y[i]))
			if s.series.Err != nil {
				low, high := s.bounds(i, axes.y.span)
				above, below = append(above, at(i, high)), append(below, at(i, low))
			}
		}
		if s.series.Line && !s.series.Points && s.series.Err != nil {
			for i := len(below) - 1; i >= 0; i-- {
				above = append(above, below[i])
			}
			c.FillPolygon(pale(s.colour), c.ClipPolygonXY(above))
		} else {
			for i := range above {
				c.StrokeLine2(draw.LineStyle{Color: style.Color, Width: 0.9}, below[i].X, below[i].Y, above[i].X, above[i].Y)
			}
		}
		if s.series.Line {
			c.StrokeLines(style, c.ClipLinesXY(line)...)
		}
		if s.series.Points || !s.series.Line {
			for _, point := range line {
				c.DrawGlyph(s.glyph(), point)
			}
		}
	})
}

// pieces calls do for each run of points that the axes can show.
func (s *seriesPlotter) pieces(do func(from, to int)) {
	from := 0
	for i := 0; i <= len(s.series.X); i++ {
		if i < len(s.series.X) && s.x.shown(s.series.X[i]) && s.y.shown(s.series.Y[i]) {
			continue
		}
		if from < i {
			do(from, i)
		}
		from = i + 1
	}
}

// bounds returns the ends of an error, cut at the ends of the axis.
func (s *seriesPlotter) bounds(i int, axis span) (low, high float64) {
	return cut(s.series.Y[i], s.series.Err[i], axis)
}

func cut(v, err float64, axis span) (low, high float64) {
	if math.IsNaN(err) || math.IsInf(err, 0) {
		err = 0
	}
	return math.Max(v-err, axis.min), math.Min(v+err, axis.max)
}

// barPlotter draws one bar of each category's group.
type barPlotter struct {
	bars      Bars
	axis      Axis
	place, of int // position of the bar in its group, and number of bars
}

// plot draws a bar for each category, beside those of other lists.
func (b *barPlotter) plot(c draw.Canvas, axes *axes) {
	const group = 0.76 // of a category's width
	toX, toY := axes.transforms(c)
	w := group / float64(b.of)
	floor := math.Max(axes.y.min, math.Min(0, axes.y.max))
	for i, v := range b.bars.Values {
		if !b.axis.shown(v) {
			continue
		}
		left := float64(i) - group/2 + float64(b.place)*w
		fill(c, vg.Rectangle{
			Min: vg.Point{X: toX(left + 0.03*w), Y: toY(math.Min(floor, v))},
			Max: vg.Point{X: toX(left + 0.97*w), Y: toY(math.Max(floor, v))},
		}, colour(b.place))
		if b.bars.Err != nil && b.bars.Err[i] > 0 {
			low, high := cut(v, b.bars.Err[i], axes.y.span)
			x := toX(left + w/2)
			c.StrokeLine2(draw.LineStyle{Color: ink, Width: 0.9}, x, toY(low), x, toY(high))
		}
	}
}
