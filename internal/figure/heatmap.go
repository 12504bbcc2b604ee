package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// HeatMap shows a value for every pair of an X and a Y by colour.
type HeatMap struct {
	Title  string
	Note   string // in small letters below the axes
	X, Y   Axis
	Xs, Ys []float64   // increasing; a cell reaches half way to its neighbours
	Values [][]float64 // Values[i][k] belongs to Ys[i] and Xs[k]; values that are not finite are shown grey
	Scale  Axis        // of the colours
}

// check refuses maps whose rows and columns do not match their axes.
func (h HeatMap) check() error {
	for _, a := range []struct {
		name   string
		axis   Axis
		values []float64
	}{{"X", h.X, h.Xs}, {"Y", h.Y, h.Ys}} {
		if len(a.values) == 0 {
			return fmt.Errorf("a heat map without %ss", a.name)
		}
		for i, v := range a.values {
			if !a.axis.shown(v) || i > 0 && v <= a.values[i-1] {
				return fmt.Errorf("%s %v of a heat map: want finite, increasing values that the axis can show", a.name, v)
			}
		}
	}
	if len(h.Values) != len(h.Ys) {
		return fmt.Errorf("a heat map of %d rows for %d Ys", len(h.Values), len(h.Ys))
	}
	for i, row := range h.Values {
		if len(row) != len(h.Xs) {
			return fmt.Errorf("row %d of a heat map has %d values for %d Xs", i, len(row), len(h.Xs))
		}
	}
	return nil
}

// Save is SaveAs with the usual style.
func (h HeatMap) Save(path string) error { return h.SaveAs(path, Style{}) }

// SaveAs draws the heat map into a file as Figure.SaveAs does.
func (h HeatMap) SaveAs(path string, style Style) error {
	if err := h.check(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	h.Title, h.Note = shown(h.Title, style.Title), shown(h.Note, style.Note)
	return style.save(path, h.draw)
}

// draw draws the map, and the scale of its colours on the right.
func (h HeatMap) draw(c draw.Canvas) {
	c = note(title(c, h.Title), h.Note)
	values := empty()
	for _, row := range h.Values {
		for _, v := range row {
			values.add(h.Scale, v)
		}
	}
	if !(values.min < values.max) {
		values = values.widened(h.Scale)
	}
	x, y := edges(h.X, h.Xs), edges(h.Y, h.Ys)
	a := newAxes(h.X, h.Y, span{x[0], x[len(x)-1]}, span{y[0], y[len(y)-1]})
	colours := &scale{h.Scale, values}
	a.add(cellPlotter{colours, x, y, h.Values})
	colours.bar(c, a.drawWithLabel(draw.Crop(c, 0, -barWidth, 0, 0)))
}

// edges returns the ends of the cells around increasing centres: one end more than centres.
func edges(a Axis, centres []float64) []float64 {
	to, from := func(v float64) float64 { return v }, func(v float64) float64 { return v }
	if a.Log {
		to, from = math.Log, math.Exp
	}
	n := len(centres)
	at := make([]float64, n+1)
	for i := 1; i < n; i++ {
		at[i] = from((to(centres[i-1]) + to(centres[i])) / 2)
	}
	if n == 1 {
		half := math.Max(math.Abs(to(centres[0]))/2, 0.5)
		return []float64{from(to(centres[0]) - half), from(to(centres[0]) + half)}
	}
	at[0] = from(to(centres[0]) - (to(centres[1])-to(centres[0]))/2)
	at[n] = from(to(centres[n-1]) + (to(centres[n-1])-to(centres[n-2]))/2)
	return at
}

// cellPlotter draws cells filled with the colours of their values. Each is slightly enlarged so that no gaps
// show between them.
type cellPlotter struct {
	colours *scale
	x, y    []float64
	values  [][]float64
}

// plot fills the cells of the map. They overlap by a hair, since viewers show fine gaps between areas
// that only touch.
func (m cellPlotter) plot(c draw.Canvas, axes *axes) {
	const hair = 0.5
	toX, toY := axes.transforms(c)
	for i, row := range m.values {
		for k, v := range row {
			fill(c, vg.Rectangle{
				Min: vg.Point{X: toX(m.x[k]), Y: toY(m.y[i])},
				Max: vg.Point{X: min(toX(m.x[k+1])+hair, c.Max.X), Y: min(toY(m.y[i+1])+hair, c.Max.Y)},
			}, m.colours.colour(v))
		}
	}
}
