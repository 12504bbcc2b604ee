package fujita

import (
	"fmt"
	"math"

	"github.com/gosper-life/gosper/internal/figure"
	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/papers/internal/summary"
)

// Figures draw, for every machine, Table I as bars, and Table II as times against t with the fitted model as
// lines, both as printed and as measured, with Gosper's own engine for comparison.
func Figures(rows []experiment.Measurement) []experiment.Drawing {
	drawings := []experiment.Drawing{{Name: "fujita-model-printed", Figure: printedFigure()}}
	for i, r := range reports(summary.Latest(rows)) {
		suffix := ""
		if i > 0 {
			suffix = fmt.Sprintf("-%d", i+1)
		}
		drawings = append(drawings, experiment.Drawing{Name: "fujita-table-1" + suffix, Figure: r.bars()})
		if r.gpu != "" {
			drawings = append(drawings, experiment.Drawing{Name: "fujita-model" + suffix, Figure: r.lines()})
		}
	}
	return drawings
}

var secondsAxis = figure.Axis{Label: "seconds", Log: true}

const secondsOf = "seconds for 1024 generations of 16384²"

// timesFigure draws times as points, with the model as lines.
func timesFigure(title string, points func(Method) []Point) figure.Figure {
	f := figure.Figure{Title: title, X: figure.Axis{Label: "generations a launch, t", Log: true}, Y: secondsAxis}
	for _, m := range series {
		times := figure.Series{Name: m.name(), Points: true}
		for _, p := range points(m) {
			times.X, times.Y = append(times.X, float64(p.T)), append(times.Y, p.Seconds)
		}
		if len(times.X) == 0 {
			continue
		}
		f.Series = append(f.Series, times)
		model, err := Fit(m.Block, points(m))
		if err != nil {
			continue
		}
		line := figure.Series{Line: true, Like: times.Name}
		for t := 1.0; t <= times.X[len(times.X)-1]; t += 0.25 {
			line.X, line.Y = append(line.X, t), append(line.Y, model.Seconds(printedWork, 1, t))
		}
		f.Series = append(f.Series, line)
	}
	return f
}

func printedFigure() figure.Figure {
	return timesFigure("TITAN X, "+secondsOf+": Table II and the model", Method.printedPoints)
}

// lines is the figure of times by generations a launch. Gosper's time is a line across, as it has no
// such parameter.
func (r *report) lines() figure.Figure {
	f := timesFigure(r.gpu+", "+secondsOf+": Table II and the model", r.points)
	for _, row := range r.gosper {
		seconds := printedTime(row)
		f.Series = append(f.Series, figure.Series{
			Name: "Gosper, " + row.Parameter(experiment.ParameterEngine), X: []float64{1, 16}, Y: []float64{seconds, seconds},
			Line: true,
		})
	}
	return f
}

// bars is the figure of times for one generation at a time.
func (r *report) bars() figure.Figure {
	f := figure.Figure{
		Title: "One generation at a time, " + secondsOf + ": Table I", Y: secondsAxis,
		Categories: []string{"word-per-cell", "SINGLE-WORD", "DOUBLE-WORD"},
	}
	add := func(name string, seconds func(Arrangement) (float64, bool)) {
		bars, some := figure.Bars{Name: name}, false
		for _, words := range arrangements {
			s, ok := seconds(words)
			if !ok {
				s = math.NaN()
			}
			bars.Values, some = append(bars.Values, s), some || ok
		}
		if some {
			f.Bars = append(f.Bars, bars)
		}
	}
	measured := func(m Method) func(Arrangement) (float64, bool) {
		return func(words Arrangement) (float64, bool) {
			m.Words = words
			s, ok := r.times[m]
			return s, ok
		}
	}
	printed := func(place Place) func(Arrangement) (float64, bool) {
		return func(words Arrangement) (float64, bool) { return tableI[place][words], true }
	}
	add("Xeon X7460 (printed)", printed(CPU))
	add("one core, columns", measured(Method{Place: CPU, Columns: true}))
	add("one core, rows", measured(Method{Place: CPU}))
	add("TITAN X (printed)", printed(Global))
	// Rows take as long as columns there.
	add(r.gpu, measured(Method{Place: Global, Columns: true}))
	add(r.gpu+", blocks of 8 warps", measured(Method{Place: Global, Columns: true, WideBlocks: true}))
	for _, row := range r.gosper {
		seconds := printedTime(row)
		add("Gosper, "+row.Parameter(experiment.ParameterEngine), func(Arrangement) (float64, bool) { return seconds, true })
	}
	return f
}
