package report

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/papers/internal/cat"
	"github.com/gosper-life/gosper/papers/internal/cat/authors"
	"github.com/gosper-life/gosper/papers/internal/summary"
	"github.com/gosper-life/gosper/rule"
)

// row is a measurement with the values of its rule and parameters.
type row struct {
	experiment.Measurement
	radius int
	letter byte // of the neighbourhood
	fixed  bool // the halo
	a, b   int  // of the tile, 0 where shapes are not compared
	known  bool // that tile to the compiler
	launch int  // generations of a launch, 0 where they are not compared
}

// results are the measurements of one device.
type results struct {
	device  string
	rows    []row
	runs    []row // for their joules
	changes []row // of the published kernel

	launches []row // of several generations
	volumes  []row // of three dimensions
	power    []row // points of curves
	rates    []experiment.Measurement
}

// byDevice sorts measurements, devices in the order in which they come.
func byDevice(all []experiment.Measurement) []results {
	var out []results
	for _, m := range all {
		i := slices.IndexFunc(out, func(r results) bool { return r.device == m.Device })
		if i < 0 {
			i = len(out)
			out = append(out, results{device: m.Device})
		}
		at := &out[i]
		if m.Method == cat.MethodProduct {
			at.rates = append(at.rates, m)
			continue
		}
		parsed, err := rule.Parse(m.Rule)
		if err != nil {
			continue // a file of another program
		}
		r := row{
			Measurement: m, radius: parsed.Radius(), letter: parsed.Neighbourhood.Letter,
			fixed: m.Parameter(cat.ParameterHalo) == "fixed",
		}
		if tile := m.Parameter(cat.ParameterTile); tile != "" {
			if _, err := fmt.Sscanf(tile, "%dx%d", &r.a, &r.b); err != nil {
				continue
			}
			r.known = m.Parameter(cat.ParameterKnown) == "true"
		}
		if n := m.Parameter(cat.ParameterGenerations); n != "" {
			if r.launch, err = strconv.Atoi(n); err != nil {
				continue
			}
		}
		switch {
		case m.Parameter(cat.ParameterLayers) != "":
			at.volumes = append(at.volumes, r)
		case r.launch > 0:
			at.launches = append(at.launches, r)
		case m.Parameter(cat.ParameterChange) != "":
			at.changes = append(at.changes, r)
		case m.Parameter(cat.ParameterAt) != "":
			at.power = append(at.power, r)
		case m.Parameter(cat.ParameterRun) != "":
			at.runs = append(at.runs, r)
		default:
			at.rows = append(at.rows, r)
		}
	}
	return out
}

// host reports whether the measurements are of a processor.
func (r results) host() bool { return strings.HasPrefix(r.device, cat.OneCore) }

// methodsOf returns the names of the methods that have rows, in order. It returns none if only Gosper's engine has.
func methodsOf(rows []row, want func(row) bool) []string {
	found := map[string]bool{}
	for _, one := range rows {
		if want(one) {
			found[one.Method] = true
		}
	}
	if len(found) == 1 && found[experiment.MethodGosper] {
		return nil // nothing to compare
	}
	return inOrder(maps.Keys(found))
}

// inOrder sorts methods: those of the paper in its order, then ours, then Gosper's engine.
func inOrder(methods iter.Seq[string]) []string {
	place := map[string]int{experiment.MethodGosper: 100}
	for i, m := range cat.All() {
		place[string(m)] = i + 1
	}
	return slices.SortedFunc(methods, func(a, b string) int { return cmp.Or(place[a]-place[b], cmp.Compare(a, b)) })
}

// side returns the largest size at which at least five radii were measured, or if there is none, at least three.
func (r results) side() int64 {
	radii := map[int64]map[int]bool{}
	var of [6]int64 // by the number of radii
	for _, one := range r.rows {
		if one.a > 0 || one.letter != 'M' || one.Width == authors.ScalingSide {
			continue
		}
		if radii[one.Width] == nil {
			radii[one.Width] = map[int]bool{}
		}
		radii[one.Width][one.radius] = true
		n := min(len(radii[one.Width]), 5)
		of[n] = max(of[n], one.Width)
	}
	return cmp.Or(of[5], of[4], of[3])
}

// values collects a value of each selected row, by method and radius. Of two rows the later one counts.
func values(rows []row, want func(row) bool, value func(row) float64) map[string]map[int]float64 {
	out := map[string]map[int]float64{}
	for _, one := range rows {
		if !want(one) {
			continue
		}
		if out[one.Method] == nil {
			out[one.Method] = map[int]float64{}
		}
		out[one.Method][one.radius] = value(one)
	}
	return out
}

// sweep selects the rows of a sweep over radii up to 16 in Moore neighbourhoods on side² cells, with a fixed
// halo or not. Gosper's engine has no separate halo, so its rows belong to those with a refreshed one.
func sweep(side int64, fixed bool) func(row) bool {
	return func(one row) bool {
		return one.Width == side && one.a == 0 && one.letter == 'M' && one.radius <= 16 && one.fixed == fixed
	}
}

// speed is a row's cells a second.
func speed(one row) float64 { return one.CellsPerSec }

// milliseconds is a row's time of a generation.
func milliseconds(one row) float64 { return 1e3 * one.Seconds }

// tableOf makes a table of values with a column for each method and a row for each radius.
func tableOf(title, note string, methods []string, values map[string]map[int]float64,
	show func(float64) string,
) experiment.Table {
	t := experiment.Table{Title: title, Header: append([]string{"r"}, methods...), Note: note}
	radii := map[int]bool{}
	for _, method := range methods {
		for radius := range values[method] {
			radii[radius] = true
		}
	}
	for _, radius := range slices.Sorted(maps.Keys(radii)) {
		cells := []string{fmt.Sprint(radius)}
		for _, method := range methods {
			text := ""
			if v, ok := values[method][radius]; ok {
				text = show(v)
			}
			cells = append(cells, text)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// ratios divides the values of every method by those of one, radius by radius.
func ratios(values map[string]map[int]float64, of string) map[string]map[int]float64 {
	out := map[string]map[int]float64{}
	for method, byRadius := range values {
		out[method] = map[int]float64{}
		for radius, v := range byRadius {
			if base := values[of][radius]; base > 0 {
				out[method][radius] = v / base
			}
		}
	}
	return out
}

func significant(v float64) string { return summary.Significant(&v) }

// shapes are the tiles whose speeds were compared, known to the compiler or not.
func (r results) shapes(known bool) []authors.Shape {
	var all []authors.Shape
	for _, one := range r.rows {
		if one.a > 0 && one.known == known && one.Method == string(cat.CAT) {
			all = append(all, authors.Shape{A: one.a, B: one.b, Speed: one.CellsPerSec})
		}
	}
	return all
}
