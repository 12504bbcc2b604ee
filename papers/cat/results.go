package cat

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/papers"
	"github.com/gosper-life/gosper/rule"
)

// Name is the paper's in measurements.
const Name = "cat"

// Parameters of a measurement.
const (
	ParameterHalo  = "halo"  // "refreshed": before each generation, as in the paper; "fixed": the step alone
	ParameterRun   = "run"   // "power": many generations one after the other, whose joules are measured; none: realisations
	ParameterTile  = "tile"  // a×b fragments, "1x13", where shapes are compared
	ParameterAt    = "at"    // seconds from the start, of a row that is a point of a curve of power
	ParameterWatts = "watts" // at that moment
	ParameterType  = "type"  // of the factors of bare products; see MethodProduct
)

// MethodProduct is the method of a measurement of a product of the tensor cores by itself: a generation is one product of 16×8 results.
const MethodProduct = "product"

// Sizes are the sides that the paper measures: 1024 + 2048·i for i = 0 … 29.
func Sizes() []int {
	var all []int
	for i := range 30 {
		all = append(all, 1024+2048*i)
	}
	return all
}

// authors is what the authors' public code does on an NVIDIA H200 with driver 580, 16384² cells, the step alone, in cells a second, by
// radius and method in the order of Published. It was built and measured by us in November 2026; the numbers that the paper prints, of an
// H100, are lost in the copies at hand.
var authors = map[int][]float64{
	1:  {1.47e11, 1.36e11, 1.47e11, 1.27e11, 7.56e11, 2.24e11},
	2:  {7.9e10, 9.2e10, 9.8e10, 1.02e11, 4.0e10, 2.26e11},
	5:  {2.6e10, 4.2e10, 4.0e10, 5.2e10, 9e9, 2.26e11},
	8:  {1.3e10, 2.4e10, 2.1e10, 3.6e10, 4e9, 2.26e11},
	10: {9e9, 1.7e10, 1.8e10, 2.8e10, 2e9, 2.26e11},
	16: {4e9, 7e9, 6e9, 1.4e10, 1e9, 2.26e11},
}

// Authors is the speed of the authors' code on an H200 in cells a second; 0 where it was not measured.
func Authors(m Method, radius int) float64 {
	if i := slices.Index(Published, m); i >= 0 && authors[radius] != nil {
		return authors[radius][i]
	}
	return 0
}

// row is a measurement with what its rule and parameters say.
type row struct {
	papers.Measurement
	radius int
	letter byte // of the neighbourhood
	fixed  bool // the halo
	a, b   int  // of the tile, 0 where shapes are not compared
}

// results are the measurements of one device.
type results struct {
	device string
	rows   []row
	power  []row // points of curves
	rates  []papers.Measurement
}

// byDevice sorts measurements, devices in the order in which they come.
func byDevice(all []papers.Measurement) []results {
	var out []results
	for _, m := range all {
		i := slices.IndexFunc(out, func(r results) bool { return r.device == m.Device })
		if i < 0 {
			i = len(out)
			out = append(out, results{device: m.Device})
		}
		at := &out[i]
		if m.Method == MethodProduct {
			at.rates = append(at.rates, m)
			continue
		}
		parsed, err := rule.Parse(m.Rule)
		if err != nil {
			continue // a file of another program
		}
		r := row{Measurement: m, radius: parsed.Radius(), letter: parsed.Neighbourhood.Letter, fixed: m.Parameter(ParameterHalo) == "fixed"}
		if tile := m.Parameter(ParameterTile); tile != "" {
			if _, err := fmt.Sscanf(tile, "%dx%d", &r.a, &r.b); err != nil {
				continue
			}
		}
		if m.Parameter(ParameterAt) != "" {
			at.power = append(at.power, r)
		} else {
			at.rows = append(at.rows, r)
		}
	}
	return out
}

// methods are the names of methods that have rows, in order; none where Gosper's engine is alone.
func (r results) methods(want func(row) bool) []string {
	found := map[string]bool{}
	for _, one := range r.rows {
		if want(one) {
			found[one.Method] = true
		}
	}
	if len(found) == 1 && found[papers.MethodGosper] {
		return nil // nothing to compare
	}
	return inOrder(maps.Keys(found))
}

// inOrder sorts methods: those of the paper in its order, then ours, then Gosper's engine.
func inOrder(methods iter.Seq[string]) []string {
	place := map[string]int{papers.MethodGosper: 100}
	for i, m := range slices.Concat(Published, Beyond) {
		place[string(m)] = i + 1
	}
	return slices.SortedFunc(methods, func(a, b string) int { return cmp.Or(place[a]-place[b], cmp.Compare(a, b)) })
}

// side is the size at which most radii were measured, the larger one of two.
func (r results) side() int64 {
	radii := map[int64]map[int]bool{}
	for _, one := range r.rows {
		if one.a == 0 {
			if radii[one.Width] == nil {
				radii[one.Width] = map[int]bool{}
			}
			radii[one.Width][one.radius] = true
		}
	}
	best := int64(0)
	for side, set := range radii {
		if more := len(set) - len(radii[best]); more > 0 || more == 0 && side > best {
			best = side
		}
	}
	return best
}

// values collects a number of each row wanted, by method and radius. Of two rows the later one counts.
func (r results) values(want func(row) bool, value func(row) float64) map[string]map[int]float64 {
	out := map[string]map[int]float64{}
	for _, one := range r.rows {
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

// sweep wants the rows of the sweep over radii up to 16 in Moore neighbourhoods, with the halo as said; Gosper's engine has its own way
// with edges and counts with both.
func (r results) sweep(fixed bool) func(row) bool {
	side := r.side()
	return func(one row) bool {
		return one.Width == side && one.a == 0 && one.letter == 'M' && one.radius <= 16 && (one.fixed == fixed || one.Method == papers.MethodGosper)
	}
}

// speed is a row's cells a second.
func speed(one row) float64 { return one.CellsPerSec }

// perJoule is a row's cells per joule, where it has joules.
func perJoule(one row) float64 { return *one.CellsPerJoule() }

// tableOf lays values out, a method a column and a radius a row.
func tableOf(title, note string, methods []string, values map[string]map[int]float64, show func(float64) string) papers.Table {
	t := papers.Table{Title: title, Header: append([]string{"r"}, methods...), Note: note}
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

func significant(v float64) string { return papers.Significant(&v) }

// shapes are the tiles whose speeds were compared.
func (r results) shapes() []Shape {
	var all []Shape
	for _, one := range r.rows {
		if one.a > 0 && one.Method == string(CAT) {
			all = append(all, Shape{one.a, one.b, one.CellsPerSec})
		}
	}
	return all
}

// efficiency is E(a, b) as fitted to the shapes measured, relative to its value at the shape that the model's costs are chosen for, or 1
// for every shape where too few were measured.
func (r results) efficiency() (e func(a, b int) float64, note string) {
	shapes := r.shapes()
	surface, err := FitSurface(shapes)
	if err != nil {
		return func(int, int) float64 { return 1 }, "No heat map was measured: every shape of tile counts as the best (E = 1)."
	}
	best := slices.MaxFunc(shapes, func(a, b Shape) int { return cmp.Compare(a.Speed, b.Speed) })
	var terms []string
	for _, c := range surface.Coefficients {
		terms = append(terms, fmt.Sprintf("%.3g", c))
	}
	usual := surface.At(1, 13)
	note = fmt.Sprintf("E(a, b) fitted to %d shapes on %s, root mean square residual %.3f; the best shape measured is %d×%d, "+
		"E(1, 13) = %.3f, E(13, 13) = %.3f; the table has E(a, b)/E(1, 13), for the costs are chosen for 1×13. "+
		"Coefficients of u^i·v^k, by rising i+k, then i, u and v being a and b scaled to −1 … 1: %s.",
		len(shapes), r.device, surface.Residual, best.A, best.B, usual, surface.At(13, 13), strings.Join(terms, ", "))
	return func(a, b int) float64 { return max(surface.At(a, b), 0.01) / usual }, note
}
