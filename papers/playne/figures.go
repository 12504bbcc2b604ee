package playne

import (
	"fmt"

	"github.com/gosper-life/gosper/figure"
	"github.com/gosper-life/gosper/papers"
)

// Figures are the paper's: 5 and 6 (one simulation on one core or multiprocessor, plain and logarithmic with fitted lines), 7 (one hundred
// on whole devices) and 8 (the ranking at 128², by time and by cycles).
func Figures(rows []papers.Measurement) []papers.Drawing {
	all := curves(rows)
	single := figure.Figure{
		Title: "One simulation with component labelling", X: figure.Axis{Label: "side L"}, Y: figure.Axis{Label: "µs a generation"},
		Series: series(all, 1, false),
	}
	logarithmic := single
	logarithmic.X.Log, logarithmic.Y.Log = true, true
	logarithmic.Series = series(all, 1, true)
	many := figure.Figure{
		Title: fmt.Sprintf("%d simulations with component labelling", Many), X: figure.Axis{Label: "side L", Log: true},
		Y: figure.Axis{Label: "µs a generation of all", Log: true}, Series: series(all, Many, true),
	}
	return []papers.Drawing{
		{Name: "playne-single", Figure: single},
		{Name: "playne-single-log", Figure: logarithmic},
		{Name: "playne-many", Figure: many},
		{Name: "playne-ranking", Figure: ranking(all)},
	}
}

// series are the curves of so many simulations, with the lines fitted to them or joined point by point.
func series(all []curve, universes int, fitted bool) []figure.Series {
	var out []figure.Series
	for _, c := range all {
		if c.universes != universes {
			continue
		}
		s := figure.Series{Name: c.name, Points: true, Line: !fitted}
		line := figure.Series{Line: true}
		f, ok := c.fit()
		for _, m := range c.rows {
			s.X, s.Y = append(s.X, float64(m.Width)), append(s.Y, 1e6*m.Seconds)
			e := 0.0
			if m.StdErr != nil {
				e = 1e6 * *m.StdErr
			}
			s.Err = append(s.Err, e)
			line.X, line.Y = append(line.X, float64(m.Width)), append(line.Y, 1e6*f.At(float64(m.Width)))
		}
		if fitted && ok {
			s.Name = fmt.Sprintf("%s, exponent %.2f", c.name, f.Exponent)
			out = append(out, s, line)
			continue
		}
		out = append(out, s)
	}
	return out
}

// ranking compares single cores and multiprocessors at one side.
func ranking(all []curve) figure.Figure {
	f := figure.Figure{
		Title: fmt.Sprintf("One generation of one simulation of %d²", compareSide), Y: figure.Axis{Label: "µs, or thousands of cycles", Log: true},
	}
	times, cycles := figure.Bars{Name: "time, µs"}, figure.Bars{Name: "clock-normalised, 10³ cycles"}
	for _, c := range all {
		m, ok := c.at(compareSide)
		clock, known := m.Number(ParameterClock)
		if !ok || !known || c.universes != 1 {
			continue
		}
		f.Categories = append(f.Categories, c.name)
		times.Values = append(times.Values, 1e6*m.Seconds)
		cycles.Values = append(cycles.Values, 1e6*m.Seconds*clock)
	}
	f.Bars = []figure.Bars{times, cycles}
	return f
}
