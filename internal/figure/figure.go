package figure

import (
	"errors"
	"fmt"
	"math"
)

// Axis is one of the two axes of a figure, or the scale of a heat map's colours.
type Axis struct {
	Label string
	Log   bool // logarithmic; values up to 0 are left out
	// Least and Most are a range that the axis covers at least, so that figures can be compared; both 0: that of the
	// values. Not for heat maps.
	Least, Most float64
}

// Series is points with errors, optionally joined by a line.
type Series struct {
	Name   string // for the legend; an empty name is left out
	X, Y   []float64
	Err    []float64 // of Y, drawn to both sides; nil for none
	Line   bool      // draw a line through the points; without Points, errors are a band around it
	Points bool
	// the name of the series whose colour this one takes, as for a model and its measurements; empty for a colour
	// of its own
	Like string
	// Value is a number whose position on the figure's Scale gives the series' colour. The series is then not in
	// the legend. nil means a colour of its own.
	Value *float64
}

// Bars is one bar for each of a figure's categories.
type Bars struct {
	Name   string // for the legend; an empty name is left out
	Values []float64
	Err    []float64 // of Values, drawn to both sides; nil for none
}

// Figure shows series or bars over two axes. Values that are not finite are left out and leave a gap in a line.
// A legend has at most 16 names. If there are more, the first ones are named and the other series are drawn in
// grey behind them.
type Figure struct {
	Title      string
	Note       string // in small letters below the axes: what errors mean, and what is left out
	X, Y       Axis
	Scale      Axis // of the colours of series that have a Value
	Series     []Series
	Categories []string // along the X axis, in place of numbers; category i is at X = i
	Bars       []Bars   // side by side in each category
}

// check refuses a figure that cannot be drawn.
func (f Figure) check() error {
	for i, s := range f.Series {
		if len(s.X) != len(s.Y) || s.Err != nil && len(s.Err) != len(s.Y) {
			return fmt.Errorf("series %d (%s) has %d X, %d Y and %d errors: want as many of each", i, s.Name, len(s.X), len(s.Y),
				len(s.Err))
		}
		if s.Value != nil && (!f.Scale.shown(*s.Value) || s.Like != "") {
			return fmt.Errorf("series %d (%s) has the value %v: want a finite value that the scale can show, and an empty Like",
				i, s.Name, *s.Value)
		}
		if s.Like != "" && f.style(i) < 0 {
			return fmt.Errorf("series %d (%s) is like %q: no series of its own colour has that name", i, s.Name, s.Like)
		}
	}
	for i, b := range f.Bars {
		if len(b.Values) != len(f.Categories) || b.Err != nil && len(b.Err) != len(b.Values) {
			return fmt.Errorf("bars %d (%s) have %d values and %d errors for %d categories: want as many of each",
				i, b.Name, len(b.Values), len(b.Err), len(f.Categories))
		}
	}
	if len(f.Categories) > 0 && f.X.Log {
		return errors.New("categories cannot stand on a logarithmic axis")
	}
	return nil
}

// style numbers the looks of bars and series. It returns the number of series i, -1 if it is like one that does
// not exist, and 0 if a scale gives its colour.
func (f Figure) style(i int) int {
	if f.Series[i].Value != nil {
		return 0
	}
	style := len(f.Bars)
	for k, s := range f.Series {
		switch {
		case s.Like != "" || s.Value != nil:
		case k == i || f.Series[i].Like != "" && f.Series[i].Like == s.Name:
			return style
		default:
			style++
		}
	}
	return -1
}

// shown reports whether the axis can show v.
func (a Axis) shown(v float64) bool {
	return !math.IsNaN(v) && !math.IsInf(v, 0) && (!a.Log || v > 0)
}

// span is the range of values on an axis.
type span struct{ min, max float64 }

// empty is the span of no values.
func empty() span { return span{math.Inf(1), math.Inf(-1)} }

// least is the span that an axis covers at least, for any values.
func (a Axis) least() span {
	s := empty()
	if a.Least != 0 || a.Most != 0 {
		s.add(a, a.Least)
		s.add(a, a.Most)
	}
	return s
}

func (s *span) add(a Axis, v float64) {
	if a.shown(v) {
		s.min, s.max = math.Min(s.min, v), math.Max(s.max, v)
	}
}

// widened returns the range that an axis shows for the values of s: a little more than them, and never empty.
func (s span) widened(a Axis) span {
	const margin = 0.03
	if s.min > s.max {
		if a.Log {
			return span{1, 10}
		}
		return span{0, 1}
	}
	if a.Log {
		low, high := math.Log10(s.min), math.Log10(s.max)
		if high-low < 0.1 {
			low, high = low-0.5, high+0.5
		}
		pad := margin * (high - low)
		// A span must stay in the range of finite numbers.
		return span{
			math.Max(math.Pow(10, low-pad), math.SmallestNonzeroFloat64),
			math.Min(math.Pow(10, high+pad), math.MaxFloat64),
		}
	}
	if s.min == s.max {
		half := math.Max(math.Abs(s.min)/2, 0.5)
		return span{s.min - half, s.max + half}
	}
	pad := margin * (s.max - s.min)
	return span{s.min - pad, s.max + pad}
}

// spans returns the ranges of the values, including errors that the axes can show.
func (f Figure) spans() (x, y span) {
	x, y = f.X.least(), f.Y.least()
	for _, s := range f.Series {
		for i := range s.X {
			if !f.X.shown(s.X[i]) || !f.Y.shown(s.Y[i]) {
				continue
			}
			x.add(f.X, s.X[i])
			y.addWithError(f.Y, s.Y[i], s.Err, i)
		}
	}
	for i := range f.Categories {
		x.add(f.X, float64(i)-0.6)
		x.add(f.X, float64(i)+0.6)
	}
	for _, b := range f.Bars {
		for i, v := range b.Values {
			y.add(f.Y, 0) // bars start at 0, which a logarithmic axis cannot show
			y.addWithError(f.Y, v, b.Err, i)
		}
	}
	return x, y
}

func (s *span) addWithError(a Axis, v float64, errs []float64, i int) {
	s.add(a, v)
	if errs == nil {
		return
	}
	s.add(a, v+errs[i])
	// an error as large as the value would stretch a logarithmic axis endlessly
	if low := v - errs[i]; !a.Log || low > v/100 {
		s.add(a, low)
	}
}
