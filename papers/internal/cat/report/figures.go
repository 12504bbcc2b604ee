package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/internal/figure"
	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/papers/internal/cat"
	"github.com/gosper-life/gosper/papers/internal/cat/authors"
	"github.com/gosper-life/gosper/papers/internal/cat/model"
)

// Figures are the paper's: the heat map of tiles (8), time and speed-up against size (9) and radius (10), power
// (11) and energy (12), and the scaling from device to device (13), each as measured and as printed.
func Figures(rows []experiment.Measurement) []experiment.Drawing {
	all := printedFigures()
	devices := byDevice(rows)
	for _, r := range gpus(devices) {
		prefix := "cat-" + fileName(r.device) + "-"
		for _, d := range slices.Concat(r.againstSize(), r.againstRadius(), r.heatMap(), r.powerCurves()) {
			d.Name = prefix + d.Name
			all = append(all, d)
		}
	}
	return append(append(all, scenariosFigure()), devicesFigure(gpus(devices))...)
}

// scenariosFigure is Table II at every radius: each scenario as the band of all pairs of costs that agree with the
// printed number.
func scenariosFigure() experiment.Drawing {
	f := &figure.Figure{
		Title: "Table II at every radius, with all costs that agree with the printed number",
		X:     radiusAxis, Y: figure.Axis{Label: "speed-up of CAT over REF", Log: true},
	}
	pairs := model.Pairs()
	for i, s := range model.GH100.Scenarios() {
		series := figure.Series{Name: s.Name, Line: true}
		for radius := 1; radius <= 16; radius++ {
			low, high := bandOf(pairs, i, radius)
			series.X = append(series.X, float64(radius))
			series.Y, series.Err = append(series.Y, (low+high)/2), append(series.Err, (high-low)/2)
		}
		f.Series = append(f.Series, series)
	}
	return experiment.Drawing{Name: "cat-scenarios", Figure: f}
}

// fileName keeps the letters and digits of a name.
func fileName(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9')
	}), "-")
}

// lines draws a line for each method. It returns nil if no method has two points.
func lines(title string, x, y figure.Axis, methods []string,
	points func(method string) (xs, ys []float64),
) *figure.Figure {
	f := &figure.Figure{Title: title, X: x, Y: y}
	for _, method := range methods {
		if xs, ys := points(method); len(xs) > 1 {
			f.Series = append(f.Series, figure.Series{Name: method, X: xs, Y: ys, Line: true})
		}
	}
	if len(f.Series) == 0 {
		return nil
	}
	return f
}

// drawings collects the figures that are not nil.
type drawings []experiment.Drawing

func (d *drawings) add(name string, f *figure.Figure) {
	if f != nil {
		*d = append(*d, experiment.Drawing{Name: name, Figure: *f})
	}
}

var (
	sideAxis    = figure.Axis{Label: "side n of n² cells"}
	radiusAxis  = figure.Axis{Label: "radius"}
	timeAxis    = figure.Axis{Label: "ms a generation", Log: true}
	speedupAxis = figure.Axis{Label: "speed-up over BASE", Log: true}
	joulesAxis  = figure.Axis{Label: "cells per joule", Log: true}
)

func published() []string {
	var all []string
	for _, m := range cat.Published {
		all = append(all, string(m))
	}
	return all
}

// sizeFigures draws time and speed-up against size at a radius. of names the times in titles.
func sizeFigures(of string, radius int, methods []string, time func(method string, side int) float64) drawings {
	var all drawings
	series := func(value func(method string, side int) float64) func(string) (xs, ys []float64) {
		return func(method string) (xs, ys []float64) {
			for _, side := range cat.Sizes() {
				if v := value(method, side); v > 0 {
					xs, ys = append(xs, float64(side)), append(ys, v)
				}
			}
			return xs, ys
		}
	}
	all.add(fmt.Sprintf("time-r%d", radius), lines(fmt.Sprintf("r = %d, %s", radius, of), sideAxis, timeAxis, methods,
		series(func(m string, side int) float64 { return 1e3 * time(m, side) })))
	all.add(fmt.Sprintf("speedup-r%d", radius), lines(fmt.Sprintf("r = %d, %s", radius, of), sideAxis, speedupAxis,
		methods,
		series(func(m string, side int) float64 {
			if t := time(m, side); t > 0 {
				return time(string(cat.Base), side) / t
			}
			return 0
		})))
	return all
}

// againstSize are those of the radii that were measured at three sizes or more.
func (r results) againstSize() []experiment.Drawing {
	var all drawings
	for radius := 1; radius <= 16; radius++ {
		if len(r.bySide(string(cat.CAT), radius)) < 4 {
			continue
		}
		times := map[string]map[int64]float64{}
		methods := append(published(), experiment.MethodGosper)
		for _, m := range methods {
			times[m] = r.bySide(m, radius)
		}
		all = append(all, sizeFigures(r.device, radius, methods, func(m string, side int) float64 {
			return times[m][int64(side)]
		})...)
	}
	return all
}

// byRadius is a line a method over radii.
func byRadius(title string, y figure.Axis, methods []string, values map[string]map[int]float64) *figure.Figure {
	return lines(title, radiusAxis, y, methods, func(m string) (xs, ys []float64) {
		for _, radius := range slices.Sorted(maps.Keys(values[m])) {
			xs, ys = append(xs, float64(radius)), append(ys, values[m][radius])
		}
		return xs, ys
	})
}

// againstRadius are figures of time, speed-up, energy and the model against the radius.
func (r results) againstRadius() []experiment.Drawing {
	side := r.side()
	where := fmt.Sprintf("%d² cells, %s", side, r.device)
	whole := sweep(side, false)
	ms := values(r.rows, whole, milliseconds)
	ups := ratios(values(r.rows, whole, speed), string(cat.Base))
	var all drawings
	all.add("time", byRadius(where, timeAxis, methodsOf(r.rows, whole), ms))
	all.add("speedup", byRadius(where, speedupAxis, methodsOf(r.rows, whole), ups))
	all.add("energy", byRadius(where, joulesAxis, methodsOf(r.runs, r.metered),
		values(r.runs, r.metered, func(one row) float64 { return *one.CellsPerJoule() })))
	if fitted, _, ok := fitModel(ms, int(side)); ok {
		curves := map[string]map[int]float64{
			"measured, CAT over BASE": ups[string(cat.CAT)], "printed, CAT over BASE": {}, "Equation 20, Table I": {},
			"Equation 20, fitted": {},
		}
		a, b := model.Tile[0], model.Tile[1]
		for radius := 1; radius <= 16; radius++ {
			if printed := authors.Time(string(cat.CAT), radius, authors.Side); printed > 0 {
				curves["printed, CAT over BASE"][radius] = authors.Time(string(cat.Base), radius, authors.Side) / printed
			}
			curves["Equation 20, Table I"][radius] = model.GH100.Speedup(radius, a, b, authors.Efficiency(a, b))
			curves["Equation 20, fitted"][radius] = fitted.Speedup(radius, a, b, 1)
		}
		all.add("model", byRadius(where, figure.Axis{Label: "speed-up", Log: true}, slices.Sorted(maps.Keys(curves)), curves))
	}
	return all
}

// printedFigures are the authors' own numbers, drawn as ours are.
func printedFigures() []experiment.Drawing {
	const of = "printed, " + authors.Device
	var all drawings
	for _, radius := range []int{1, 5, 10, 16} {
		for _, d := range sizeFigures(of, radius, published(), func(m string, side int) float64 {
			return authors.Time(m, radius, side)
		}) {
			all = append(all, experiment.Drawing{Name: "cat-printed-" + d.Name, Figure: d.Figure})
		}
		seconds, watts := powerAxes(radius)
		all.add(fmt.Sprintf("cat-printed-power-r%d", radius),
			lines(fmt.Sprintf("1000 generations of %d² cells, r = %d, %s", authors.Side, radius, of),
				seconds, watts, published(), func(m string) (xs, ys []float64) {
					for _, p := range authors.Curve(m, radius) {
						xs, ys = append(xs, p.Seconds), append(ys, p.Watts)
					}
					return xs, ys
				}))
	}
	ms, ups, joules := map[string]map[int]float64{}, map[string]map[int]float64{}, map[string]map[int]float64{}
	for _, m := range published() {
		ms[m], ups[m], joules[m] = map[int]float64{}, map[int]float64{}, map[int]float64{}
		for radius := 1; radius <= 16; radius++ {
			ms[m][radius] = 1e3 * authors.Time(m, radius, authors.Side)
			ups[m][radius] = authors.Time(string(cat.Base), radius, authors.Side) / authors.Time(m, radius, authors.Side)
			joules[m][radius] = 1000 * authors.Side * authors.Side / authors.PowerOf(m, radius).Joules
		}
	}
	where := fmt.Sprintf("%d² cells, %s", authors.Side, of)
	all.add("cat-printed-time", byRadius(where, timeAxis, published(), ms))
	all.add("cat-printed-speedup", byRadius(where, speedupAxis, published(), ups))
	all.add("cat-printed-energy", byRadius(where, joulesAxis, published(), joules))
	return append(all, experiment.Drawing{
		Name: "cat-printed-tiles",
		Figure: tileMap("CAT by shape of tile, "+of, authors.Tiles(), func(s authors.Shape, best float64) float64 {
			return s.Speed / best
		}),
	})
}

// tileMap is a heat map of shapes of tiles.
func tileMap(title string, shapes []authors.Shape, value func(s authors.Shape, best float64) float64) figure.HeatMap {
	var as, bs []float64
	for _, s := range shapes {
		as, bs = append(as, float64(s.A)), append(bs, float64(s.B))
	}
	slices.Sort(as)
	slices.Sort(bs)
	m := figure.HeatMap{
		Title: title, X: figure.Axis{Label: "width w, fragments"}, Y: figure.Axis{Label: "height h, fragments"},
		Xs: slices.Compact(as), Ys: slices.Compact(bs), Scale: figure.Axis{Label: "share of the best speed"},
	}
	best := fastest(shapes).Speed
	for _, b := range m.Ys {
		line := make([]float64, len(m.Xs))
		for i, a := range m.Xs {
			line[i] = math.NaN()
			if s, ok := shapeOf(shapes, [2]int{int(a), int(b)}); ok {
				line[i] = value(s, best)
			}
		}
		m.Values = append(m.Values, line)
	}
	return m
}

// heatMap shows the speed of CAT with tiles of w×h fragments, as measured and as the polynomial has it.
func (r results) heatMap() []experiment.Drawing {
	shapes := r.shapes(false)
	if len(shapes) == 0 {
		return nil
	}
	all := []experiment.Drawing{{Name: "tiles", Figure: tileMap("CAT by shape of tile, "+r.device, shapes,
		func(s authors.Shape, best float64) float64 {
			return s.Speed / best
		})}}
	if surface, err := model.FitSurface(shapes); err == nil {
		all = append(all, experiment.Drawing{
			Name: "tiles-fitted",
			Figure: tileMap("1/E(w, h) fitted to that, "+r.device, shapes, func(s authors.Shape, _ float64) float64 {
				return 1 / max(surface.At(s.A, s.B), 0.5)
			}),
		})
	}
	return all
}

// powerAxes are the axes of the curves of power at a radius: the same for the authors' curves and ours.
func powerAxes(radius int) (seconds, watts figure.Axis) {
	seconds = figure.Axis{Label: "seconds", Log: true, Least: 0.1}
	for _, m := range published() {
		for _, p := range authors.Curve(m, radius) {
			seconds.Most = max(seconds.Most, p.Seconds)
		}
	}
	return seconds, figure.Axis{Label: "watts", Most: 700}
}

// powerCurves are watts against time, a figure for each radius.
func (r results) powerCurves() []experiment.Drawing {
	curves := map[int]map[string][]authors.Point{}
	for _, m := range r.power {
		if curves[m.radius] == nil {
			curves[m.radius] = map[string][]authors.Point{}
		}
		at, _ := m.Number(cat.ParameterAt)
		watts, _ := m.Number(cat.ParameterWatts)
		curves[m.radius][m.Method] = append(curves[m.radius][m.Method], authors.Point{Seconds: at, Watts: watts})
	}
	var all drawings
	for _, radius := range slices.Sorted(maps.Keys(curves)) {
		seconds, watts := powerAxes(radius)
		all.add(fmt.Sprintf("power-r%d", radius),
			lines(fmt.Sprintf("%d² cells, r = %d, %s", r.power[0].Width, radius, r.device),
				seconds, watts, inOrder(maps.Keys(curves[radius])), func(m string) (xs, ys []float64) {
					for _, p := range curves[radius][m] {
						xs, ys = append(xs, p.Seconds), append(ys, p.Watts)
					}
					return xs, ys
				}))
	}
	return all
}

// devicesFigure draws how methods scale from device to device, the authors' and ours, relative to the authors' V100.
func devicesFigure(devices []results) []experiment.Drawing {
	var all []experiment.Drawing
	for _, radius := range scalingRadii {
		f := figure.Figure{
			Title: fmt.Sprintf("%d² cells, r = %d", authors.ScalingSide, radius),
			Y:     figure.Axis{Label: "speed relative to the printed V100"},
		}
		for _, gpu := range authorsGPUs {
			f.Categories = append(f.Categories, gpu+", printed")
		}
		for _, m := range cat.Published {
			bars := figure.Bars{Name: string(m)}
			for _, gpu := range authorsGPUs {
				bars.Values = append(bars.Values, authors.Scaling("V100", string(m), radius)/authors.Scaling(gpu, string(m),
					radius))
			}
			f.Bars = append(f.Bars, bars)
		}
		for _, r := range devices {
			seconds := make([]float64, len(cat.Published))
			for i, m := range cat.Published {
				seconds[i] = r.bySide(string(m), radius)[authors.ScalingSide]
			}
			if !slices.ContainsFunc(seconds, func(s float64) bool { return s > 0 }) {
				continue
			}
			f.Categories = append(f.Categories, r.device)
			for i, m := range cat.Published {
				speed := 0.0 // a method that was not measured has no bar
				if seconds[i] > 0 {
					speed = authors.Scaling("V100", string(m), radius) / seconds[i]
				}
				f.Bars[i].Values = append(f.Bars[i].Values, speed)
			}
		}
		if len(f.Categories) > len(authorsGPUs) {
			all = append(all, experiment.Drawing{Name: fmt.Sprintf("cat-devices-r%d", radius), Figure: f})
		}
	}
	return all
}
