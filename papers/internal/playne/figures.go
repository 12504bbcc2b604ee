package playne

import (
	"fmt"
	"slices"

	"github.com/gosper-life/gosper/internal/figure"
	"github.com/gosper-life/gosper/papers/experiment"
)

// Figures are the paper's: 5 and 6 (one simulation on one core or multiprocessor, plain and logarithmic with
// fitted lines), 7 (one hundred on whole devices) and 8 (the ranking at 128², by time and by cycles).
func Figures(rows []experiment.Measurement) []experiment.Drawing {
	all := slices.DeleteFunc(curves(rows), func(c curve) bool { return !c.main() })
	single := figure.Figure{
		Title: "One simulation with component labelling", X: figure.Axis{Label: "side L"},
		Y:      figure.Axis{Label: "µs a generation"},
		Series: series(all, 1),
	}
	logarithmic := single
	logarithmic.X.Log, logarithmic.Y.Log = true, true
	many := figure.Figure{
		Title: fmt.Sprintf("%d simulations with component labelling", Many), X: figure.Axis{Label: "side L", Log: true},
		Y: figure.Axis{Label: "µs a generation of all", Log: true}, Series: series(all, Many),
	}
	return []experiment.Drawing{
		{Name: "playne-single", Figure: single},
		{Name: "playne-single-log", Figure: logarithmic},
		{Name: "playne-many", Figure: many},
		{Name: "playne-ranking", Figure: ranking(all)},
	}
}

// series returns the curves of the given number of simulations, with the exponents fitted to them.
func series(all []curve, universes int) []figure.Series {
	var out []figure.Series
	for _, c := range all {
		if c.universes != universes {
			continue
		}
		s := figure.Series{Name: c.name, Points: true, Line: true}
		if f, ok := c.fit(fittedSide); ok {
			s.Name = fmt.Sprintf("%s, exponent %.2f", c.name, f.Exponent)
		}
		for _, m := range c.rows {
			e := 0.0
			if m.StdErr != nil {
				e = 1e6 * *m.StdErr
			}
			s.X, s.Y, s.Err = append(s.X, float64(m.Width)), append(s.Y, 1e6*m.Seconds), append(s.Err, e)
		}
		out = append(out, s)
	}
	return out
}

// ranking compares single cores and multiprocessors at one side, the fastest first.
func ranking(all []curve) figure.Figure {
	f := figure.Figure{
		Title: fmt.Sprintf("One generation of one simulation of %d²", compareSide),
		Y:     figure.Axis{Label: "µs, or thousands of cycles", Log: true},
	}
	times, cycles := figure.Series{Name: "time, µs", Points: true},
		figure.Series{Name: "clock-normalised, thousands of cycles", Points: true}
	for _, r := range rank(all, 1) {
		at := float64(len(f.Categories))
		f.Categories = append(f.Categories, r.name)
		times.X, times.Y = append(times.X, at), append(times.Y, 1e6*r.Seconds)
		if clock, ok := r.Number(ParameterClock); ok {
			cycles.X, cycles.Y = append(cycles.X, at), append(cycles.Y, 1e6*r.Seconds*clock)
		}
	}
	f.Series = []figure.Series{times, cycles}
	return f
}
