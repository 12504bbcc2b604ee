package cat

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/figure"
	"github.com/gosper-life/gosper/papers"
)

// Figures are the paper's: the heat map of tiles (8), time and speed-up against size (9) and radius (10), power (11) and energy (12), and
// the scaling from device to device (13).
func Figures(rows []papers.Measurement) []papers.Drawing {
	var all []papers.Drawing
	devices := byDevice(rows)
	for _, r := range devices {
		prefix := "cat-"
		if len(devices) > 1 {
			prefix += fileName(r.device) + "-"
		}
		for _, d := range slices.Concat(r.againstSize(), r.againstRadius(), r.heatMap(), r.powerCurves()) {
			d.Name = prefix + d.Name
			all = append(all, d)
		}
	}
	return append(all, devicesFigure(devices)...)
}

// fileName keeps the letters and digits of a name.
func fileName(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9')
	}), "-")
}

// againstSize are figures of time and of speed-up over BASE for each radius that has three sizes or more.
func (r results) againstSize() []papers.Drawing {
	type key struct {
		method string
		radius int
	}
	rows := map[key]map[int64]row{}
	for _, one := range r.rows {
		if one.a > 0 || one.letter != 'M' || !one.fixed && one.Method != papers.MethodGosper {
			continue
		}
		k := key{one.Method, one.radius}
		if rows[k] == nil {
			rows[k] = map[int64]row{}
		}
		rows[k][one.Width] = one
	}
	var all []papers.Drawing
	for radius := 1; radius <= 16; radius++ {
		times := figure.Figure{
			Title: fmt.Sprintf("The step alone, r = %d, %s", radius, r.device), X: figure.Axis{Label: "side n of n² cells"},
			Y: figure.Axis{Label: "ms a generation", Log: true},
		}
		speedups := times
		speedups.Y.Label = "speed-up over BASE"
		most := 0
		for _, method := range r.methods(func(one row) bool { return one.radius == radius }) {
			bySide := rows[key{method, radius}]
			time, speedup := figure.Series{Name: method, Line: true}, figure.Series{Name: method, Line: true}
			for _, side := range slices.Sorted(maps.Keys(bySide)) {
				one := bySide[side]
				e := 0.0
				if one.StdErr != nil {
					e = *one.StdErr
				}
				time.X, time.Y, time.Err = append(time.X, float64(side)), append(time.Y, 1e3*one.Seconds), append(time.Err, 1e3*e)
				if base, ok := rows[key{string(Base), radius}][side]; ok {
					speedup.X, speedup.Y = append(speedup.X, float64(side)), append(speedup.Y, base.Seconds/one.Seconds)
				}
			}
			if len(time.X) < 2 {
				continue // measured at the size of the sweep over radii only
			}
			most = max(most, len(time.X))
			times.Series, speedups.Series = append(times.Series, time), append(speedups.Series, speedup)
		}
		if most >= 3 {
			all = append(all, papers.Drawing{Name: fmt.Sprintf("time-r%d", radius), Figure: times},
				papers.Drawing{Name: fmt.Sprintf("speedup-r%d", radius), Figure: speedups})
		}
	}
	return all
}

// againstRadius are figures of speed, speed-up and energy against the radius.
func (r results) againstRadius() []papers.Drawing {
	where := fmt.Sprintf("%d² cells, %s", r.side(), r.device)
	step, whole := r.sweep(true), r.sweep(false)
	measured := func(one row) bool { return whole(one) && one.Joules != nil }
	steps, wholes := r.values(step, speed), r.values(whole, speed)
	var all []papers.Drawing
	add := func(name, title, label string, methods []string, values map[string]map[int]float64) {
		f := figure.Figure{Title: title, X: figure.Axis{Label: "radius"}, Y: figure.Axis{Label: label, Log: true}}
		for _, method := range methods {
			s := figure.Series{Name: method, Line: true, Points: true}
			for _, radius := range slices.Sorted(maps.Keys(values[method])) {
				s.X, s.Y = append(s.X, float64(radius)), append(s.Y, values[method][radius])
			}
			f.Series = append(f.Series, s)
		}
		if len(f.Series) > 0 {
			all = append(all, papers.Drawing{Name: name, Figure: f})
		}
	}
	add("speed", "The step alone, "+where, "cells a second", r.methods(step), steps)
	add("speedup", "The step alone, "+where, "speed-up over BASE", r.methods(step), ratios(steps, string(Base)))
	if fitted, _, ok := fitModel(steps); ok {
		curves := map[string]map[int]float64{"measured, CAT over BASE": ratios(steps, string(Base))[string(CAT)], "model, GH100": {}, "model, fitted": {}}
		for radius := 1; radius <= 16; radius++ {
			curves["model, GH100"][radius] = GH100.REF(radius) / GH100.CAT(radius, 1, 13, 1)
			curves["model, fitted"][radius] = fitted.REF(radius) / fitted.CAT(radius, 1, 13, 1)
		}
		add("model", "CAT over BASE and over the model's REF, "+r.device, "speed-up", slices.Sorted(maps.Keys(curves)), curves)
	}
	add("speed-halo", "With the halo refreshed, "+where, "cells a second", r.methods(whole), wholes)
	add("energy", where, "cells per joule", r.methods(measured), r.values(measured, perJoule))
	add("joules", where, "joules a generation", r.methods(measured), r.values(measured, func(one row) float64 { return *one.Joules }))
	return all
}

// heatMap is how fast CAT was with tiles of a×b fragments, as measured and as the polynomial has it.
func (r results) heatMap() []papers.Drawing {
	shapes := r.shapes()
	if len(shapes) == 0 {
		return nil
	}
	var as, bs []float64
	best := 0.0
	for _, s := range shapes {
		as, bs, best = append(as, float64(s.A)), append(bs, float64(s.B)), max(best, s.Speed)
	}
	slices.Sort(as)
	slices.Sort(bs)
	as, bs = slices.Compact(as), slices.Compact(bs)
	m := figure.HeatMap{
		Title: "CAT by shape of tile, " + r.device, X: figure.Axis{Label: "width a, fragments"}, Y: figure.Axis{Label: "height b, fragments"},
		Xs: as, Ys: bs, Scale: figure.Axis{Label: "share of the best"},
	}
	fitted := m
	fitted.Title = "E(a, b) fitted to that, " + r.device
	surface, err := FitSurface(shapes)
	for _, b := range bs {
		line, fit := make([]float64, len(as)), make([]float64, len(as))
		for i, a := range as {
			line[i], fit[i] = math.NaN(), surface.At(int(a), int(b))
			for _, s := range shapes {
				if float64(s.A) == a && float64(s.B) == b {
					line[i] = s.Speed / best
				}
			}
			if math.IsNaN(line[i]) {
				fit[i] = math.NaN()
			}
		}
		m.Values, fitted.Values = append(m.Values, line), append(fitted.Values, fit)
	}
	all := []papers.Drawing{{Name: "tiles", Figure: m}}
	if err == nil {
		all = append(all, papers.Drawing{Name: "tiles-fitted", Figure: fitted})
	}
	return all
}

// powerCurves are watts against time, a figure for each radius.
func (r results) powerCurves() []papers.Drawing {
	byRadius := map[int]map[string]*figure.Series{}
	generations := map[int]int64{}
	for _, m := range r.power {
		if byRadius[m.radius] == nil {
			byRadius[m.radius] = map[string]*figure.Series{}
		}
		s := byRadius[m.radius][m.Method]
		if s == nil {
			s = &figure.Series{Name: m.Method, Line: true}
			byRadius[m.radius][m.Method] = s
		}
		at, _ := m.Number(ParameterAt)
		watts, _ := m.Number(ParameterWatts)
		s.X, s.Y = append(s.X, at), append(s.Y, watts)
		generations[m.radius] = m.Generations
	}
	var all []papers.Drawing
	for _, radius := range slices.Sorted(maps.Keys(byRadius)) {
		f := figure.Figure{
			Title: fmt.Sprintf("%d generations of %d² cells, r = %d, %s", generations[radius], r.power[0].Width, radius, r.device),
			X:     figure.Axis{Label: "seconds", Log: true}, Y: figure.Axis{Label: "watts"},
		}
		for _, method := range inOrder(maps.Keys(byRadius[radius])) {
			f.Series = append(f.Series, *byRadius[radius][method])
		}
		all = append(all, papers.Drawing{Name: fmt.Sprintf("power-r%d", radius), Figure: f})
	}
	return all
}

// devicesFigure is how methods scale from device to device.
func devicesFigure(devices []results) []papers.Drawing {
	var all []papers.Drawing
	for _, radius := range scalingRadii {
		names, methods, values := scaling(devices, radius)
		if len(names) < 2 {
			continue
		}
		f := figure.Figure{
			Title: fmt.Sprintf("The step alone, r = %d", radius), Y: figure.Axis{Label: "speed relative to " + names[0]}, Categories: names,
		}
		for i, method := range methods {
			bars := figure.Bars{Name: method}
			for k := range names {
				bars.Values = append(bars.Values, values[k][i])
			}
			f.Bars = append(f.Bars, bars)
		}
		all = append(all, papers.Drawing{Name: fmt.Sprintf("cat-devices-r%d", radius), Figure: f})
	}
	return all
}
