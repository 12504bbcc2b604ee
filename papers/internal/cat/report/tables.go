// Package report makes the paper's tables and figures from measurements, ours and those of its authors.
package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/papers/internal/cat"
	"github.com/gosper-life/gosper/papers/internal/cat/authors"
	"github.com/gosper-life/gosper/papers/internal/cat/model"
	"github.com/gosper-life/gosper/papers/internal/summary"
)

// Tables returns the paper's tables for every measured device, with the authors' numbers, and the tables of the model.
func Tables(rows []experiment.Measurement) []experiment.Table {
	all := []experiment.Table{tableIII()}
	devices := byDevice(rows)
	for _, r := range devices {
		all = append(all, r.tables()...)
	}
	all = append(all, scalingTable(gpus(devices)), tableI(), tableII(), launchWork(), provenance(devices))
	return slices.DeleteFunc(all, func(t experiment.Table) bool { return len(t.Rows) == 0 })
}

// gpus are the devices that are not processors.
func gpus(devices []results) []results {
	return slices.DeleteFunc(slices.Clone(devices), results.host)
}

// tableIII is the rules.
func tableIII() experiment.Table {
	t := experiment.Table{
		Title: "Table III: the rules", Header: []string{"r", "name", "rule", "alive at the start"},
		Note: "Names are the paper's; intervals and densities, lost in the copies at hand, are those of the authors' benchmark, with counts that leave the cell out.",
	}
	for _, i := range cat.Instances() {
		t.Rows = append(t.Rows, []string{fmt.Sprint(i.Radius), i.Name, i.Notation, fmt.Sprint(i.Density)})
	}
	return t
}

// hostTables says what is known without a GPU: which methods have been checked, and the speed of Gosper's own engine.
func (r results) hostTables() []experiment.Table {
	checked := experiment.Table{
		Title:  "Methods whose arithmetic has the cells of Gosper's engine, " + r.device,
		Header: []string{"method", "rules", "generations"},
		Note:   "In plain Go, as the kernels do it. Its speed says nothing about the methods, which need a GPU.",
	}
	own := experiment.Table{
		Title:  "Gosper's own engine: cells a second, " + r.device,
		Header: []string{"rule", "cells", "cells a second"},
	}
	rules, generations := map[string]int{}, map[string]int64{}
	for _, one := range r.rows {
		if one.Method == experiment.MethodGosper {
			own.Rows = append(own.Rows, []string{one.Rule, fmt.Sprintf("%d²", one.Width), summary.Rate(one.Measurement)})
			continue
		}
		rules[one.Method]++
		generations[one.Method] = max(generations[one.Method], one.Compared)
	}
	for _, m := range inOrder(maps.Keys(rules)) {
		checked.Rows = append(checked.Rows, []string{m, fmt.Sprint(rules[m]), fmt.Sprint(generations[m])})
	}
	return []experiment.Table{checked, own}
}

// tables puts each measured figure of the paper beside the printed one.
func (r results) tables() []experiment.Table {
	if r.host() {
		return r.hostTables()
	}
	side := r.side()
	where := fmt.Sprintf("%d² cells, %s", side, r.device)
	whole := sweep(side, false)
	times := values(r.rows, whole, milliseconds)
	all := []experiment.Table{
		besideTable("Figure 10: milliseconds a generation, "+where, times, func(m string, radius int) float64 {
			return 1e3 * authors.Time(m, radius, int(side))
		}),
		besideTable("Figure 10: speed-up over BASE, "+where, ratios(values(r.rows, whole, speed), string(cat.Base)),
			func(m string, radius int) float64 {
				return authors.Time(string(cat.Base), radius, int(side)) / authors.Time(m, radius, int(side))
			}),
		orderTable(side, r.device, times),
		r.marked(tableOf("Cells a second, "+where, "", methodsOf(r.rows, whole), values(r.rows, whole, speed), significant),
			whole),
		r.sizes(),
		besideTable("Figure 12: cells per joule, "+where, values(r.runs, r.metered, func(one row) float64 {
			return *one.CellsPerJoule()
		}),
			func(m string, radius int) float64 {
				return 1000 * authors.Side * authors.Side / authors.PowerOf(m, radius).Joules
			}),
		besideTable("Figure 12: joules a generation, "+where, values(r.runs, r.metered, func(one row) float64 {
			return *one.Joules
		}),
			func(m string, radius int) float64 { return authors.PowerOf(m, radius).Joules / 1000 }),
		besideTable("Watts, "+where, values(r.runs, r.metered, func(one row) float64 { return *one.Joules / one.Seconds }),
			func(m string, radius int) float64 { return authors.PowerOf(m, radius).Watts }),
		r.tilesTable(),
		r.modelled(times),
	}
	if watts, joules := r.series(); side == authors.Side {
		all = append(all,
			besideTable("Figure 11: mean watts of the readings of 1000 generations, "+where, watts,
				func(m string, radius int) float64 { return authors.PowerOf(m, radius).Watts }),
			besideTable("Figure 11: joules a generation by these readings, "+where, joules,
				func(m string, radius int) float64 { return authors.PowerOf(m, radius).Joules / 1000 }))
	}
	if small := r.allMethodsSide(); small > 0 {
		where := fmt.Sprintf("%d² cells, %s", small, r.device)
		for _, fixed := range []bool{false, true} {
			title := "Cells a second of all methods, "
			if fixed {
				title = "The step alone, the halo left as it was: cells a second, "
			}
			some := sweep(small, fixed)
			all = append(all, r.marked(tableOf(title+where, "", methodsOf(r.rows, some), values(r.rows, some, speed),
				significant), some))
		}
	}
	wide := func(one row) bool { return one.radius > 16 && one.letter == 'M' && !one.fixed && one.a == 0 }
	diamond := func(one row) bool { return one.letter == 'N' && !one.fixed }
	cross := func(one row) bool { return one.letter == '+' && !one.fixed }
	return append(all,
		tableOf("Cells a second beyond radius 16, "+r.device,
			"Moore neighbourhoods: more bands for CAT, one plateau after another.",
			methodsOf(r.rows, wide), values(r.rows, wide, speed), significant),
		tableOf("Cells a second of the true von Neumann neighbourhood, "+r.device, "", methodsOf(r.rows, diamond),
			values(r.rows, diamond, speed), significant),
		tableOf("Cells a second of the simplified von Neumann neighbourhood, a cross, "+r.device, "",
			methodsOf(r.rows, cross), values(r.rows, cross, speed), significant),
		r.changesTable(side, times[string(cat.CAT)]),
		r.baseTable(side, times[string(cat.Base)]),
		r.wholeTable(side, times),
		r.products(),
		r.launchesTable(),
		r.volumesTable(),
	)
}

// marked marks the rates in a table of radii and methods whose realisations are far apart.
func (r results) marked(t experiment.Table, some func(row) bool) experiment.Table {
	for _, one := range r.rows {
		mark := summary.Mark(one.Measurement)
		if mark == "" || !some(one) {
			continue
		}
		at := slices.Index(t.Header, one.Method)
		for _, cells := range t.Rows {
			if at >= 0 && cells[0] == fmt.Sprint(one.radius) && cells[at] == significant(speed(one)) {
				cells[at] += mark
			}
		}
	}
	return t
}

// orderTable lists the paper's methods by radius, the fastest first, and the lead of CAT over the fastest of the
// others, in our times and in the authors'. It has the radii at which all of them were measured.
func orderTable(side int64, device string, times map[string]map[int]float64) experiment.Table {
	t := experiment.Table{
		Title: fmt.Sprintf("The methods, fastest first, %d² cells, %s", side, device),
		Header: []string{
			"r", "measured", "CAT is number", "fastest other ÷ CAT", "printed", "CAT is number", "fastest other ÷ CAT",
		},
	}
	order := func(time func(m cat.Method) float64) []string {
		methods := slices.SortedStableFunc(slices.Values(cat.Published), func(a, b cat.Method) int {
			return cmp.Compare(time(a), time(b))
		})
		if time(methods[0]) <= 0 {
			return nil
		}
		var names []string
		for _, m := range methods {
			names = append(names, string(m))
		}
		place := slices.Index(methods, cat.CAT)
		other := methods[0]
		if place == 0 {
			other = methods[1]
		}
		return []string{strings.Join(names, ", "), fmt.Sprint(place + 1), significant(time(other) / time(cat.CAT))}
	}
	for radius := 1; radius <= 16; radius++ {
		ours := order(func(m cat.Method) float64 { return times[string(m)][radius] })
		theirs := order(func(m cat.Method) float64 { return authors.Time(string(m), radius, int(side)) })
		if ours != nil && theirs != nil {
			t.Rows = append(t.Rows, slices.Concat([]string{fmt.Sprint(radius)}, ours, theirs))
		}
	}
	return t
}

// changesTable compares the published kernel with one change at a time, and the authors' times.
func (r results) changesTable(side int64, unchanged map[int]float64) experiment.Table {
	var radii []int
	var changes []string // in the order in which they were measured
	for _, one := range r.changes {
		if one.Method != string(cat.CAT) || one.Width != side {
			continue
		}
		if change := one.Parameter(cat.ParameterChange); !slices.Contains(changes, change) {
			changes = append(changes, change)
		}
		if !slices.Contains(radii, one.radius) {
			radii = append(radii, one.radius)
		}
	}
	slices.Sort(radii)
	t := experiment.Table{
		Title: fmt.Sprintf("CAT's kernel with one change at a time: milliseconds a generation, %d² cells, %s", side,
			r.device),
		Header: []string{"change"},
	}
	add := func(name string, times map[int]float64) {
		cells := []string{name}
		for _, radius := range radii {
			v, ok := times[radius]
			cells = append(cells, shown(v, ok))
		}
		t.Rows = append(t.Rows, cells)
	}
	printed := map[int]float64{}
	for _, radius := range radii {
		t.Header = append(t.Header, fmt.Sprintf("r = %d", radius))
		printed[radius] = 1e3 * authors.Time(string(cat.CAT), radius, int(side))
	}
	if len(radii) == 0 {
		return t
	}
	add("the authors' kernel, printed", printed)
	add("none", unchanged)
	for _, change := range changes {
		add(change, r.changed(cat.CAT, change, side))
	}
	return t
}

// changed returns the milliseconds a generation of a method with a change, by radius.
func (r results) changed(m cat.Method, change string, side int64) map[int]float64 {
	want := func(one row) bool { return one.Parameter(cat.ParameterChange) == change && one.Width == side }
	return values(r.changes, want, milliseconds)[string(m)]
}

// baseTable compares BASE with one change at a time, and the authors' times.
func (r results) baseTable(side int64, unchanged map[int]float64) experiment.Table {
	t := experiment.Table{
		Title:  fmt.Sprintf("BASE with one change at a time: milliseconds a generation, %d² cells, %s", side, r.device),
		Header: []string{"r", "BASE"},
	}
	radii := map[int]bool{}
	var columns []map[int]float64
	for _, change := range cat.Changes[cat.Base] {
		times := r.changed(cat.Base, change, side)
		if len(times) == 0 {
			continue
		}
		for radius := range times {
			radii[radius] = true
		}
		t.Header, columns = append(t.Header, change), append(columns, times)
	}
	t.Header = append(t.Header, "printed")
	for _, radius := range slices.Sorted(maps.Keys(radii)) {
		usual, ok := unchanged[radius]
		cells := []string{fmt.Sprint(radius), shown(usual, ok)}
		for _, times := range columns {
			v, ok := times[radius]
			cells = append(cells, shown(v, ok))
		}
		t.Rows = append(t.Rows, append(cells, shown(1e3*authors.Time(string(cat.Base), radius, int(side)), true)))
	}
	return t
}

// series are the mean watts of the readings of whole runs, from rest to rest, and the joules a generation that follow
// from them, as the paper takes both: by method and radius.
func (r results) series() (watts, joules map[string]map[int]float64) {
	readings := map[string]map[int][]authors.Point{}
	for _, one := range r.power {
		if one.Generations < authors.PowerGenerations {
			continue
		}
		if readings[one.Method] == nil {
			readings[one.Method] = map[int][]authors.Point{}
		}
		var p authors.Point
		p.Seconds, _ = one.Number(cat.ParameterAt)
		p.Watts, _ = one.Number(cat.ParameterWatts)
		readings[one.Method][one.radius] = append(readings[one.Method][one.radius], p)
	}
	watts, joules = map[string]map[int]float64{}, map[string]map[int]float64{}
	for method, byRadius := range readings {
		watts[method], joules[method] = map[int]float64{}, map[int]float64{}
		for radius, points := range byRadius {
			sum := 0.0
			for _, p := range points {
				sum += p.Watts
			}
			watts[method][radius] = sum / float64(len(points))
			joules[method][radius] = watts[method][radius] * points[len(points)-1].Seconds / authors.PowerGenerations
		}
	}
	return watts, joules
}

// wholeTable compares runs of all the generations that the paper's figures of power have with shorter measurements of
// the same: the time with that of Figure 10, cells per joule with a run that was cut short, if there is such a run.
func (r results) wholeTable(side int64, short map[string]map[int]float64) experiment.Table {
	t := experiment.Table{
		Title: fmt.Sprintf("%d generations beside shorter runs, %d² cells, %s", authors.PowerGenerations, side, r.device),
		Header: []string{
			"r", "method", "ms a generation", "of Figure 10", "difference, %", "cells per joule", "of a cut run",
			"its generations", "difference, %",
		},
	}
	perCent := func(a, b float64) string { return fmt.Sprintf("%+.1f", 100*(a/b-1)) }
	cut := func(whole row) (last row, ok bool) {
		for _, one := range r.runs {
			if one.Setting() == whole.Setting() && one.Generations < whole.Generations && one.Joules != nil {
				last, ok = one, true
			}
		}
		return last, ok
	}
	for _, method := range methodsOf(r.runs, func(one row) bool { return one.Method != experiment.MethodGosper }) {
		for _, one := range r.runs {
			if one.Method != method || one.Width != side || one.Generations < authors.PowerGenerations || one.Joules == nil {
				continue
			}
			ms, energy := milliseconds(one), *one.CellsPerJoule()
			cells := []string{fmt.Sprint(one.radius), method, significant(ms), "", "", significant(energy), "", "", ""}
			if v, ok := short[method][one.radius]; ok {
				cells[3], cells[4] = significant(v), perCent(ms, v)
			}
			if c, ok := cut(one); ok {
				cells[6], cells[7], cells[8] = significant(*c.CellsPerJoule()), fmt.Sprint(c.Generations),
					perCent(energy, *c.CellsPerJoule())
			}
			t.Rows = append(t.Rows, cells)
		}
	}
	return t
}

// metered selects runs whose joules are known.
func (results) metered(one row) bool { return one.Joules != nil }

// allMethodsSide returns the size with the most methods measured, among the sizes at which the step alone was measured.
// It returns 0 if there is none.
func (r results) allMethodsSide() int64 {
	for _, one := range r.rows {
		if one.fixed && one.a == 0 {
			return one.Width
		}
	}
	return 0
}

// besideTable lays the values of the paper's methods out beside the printed ones, a radius a row.
func besideTable(title string, ours map[string]map[int]float64,
	printed func(method string, radius int) float64,
) experiment.Table {
	t := experiment.Table{Title: title, Header: []string{"r"}}
	radii := map[int]bool{}
	for _, m := range cat.Published {
		t.Header = append(t.Header, string(m), "printed")
		for radius := range ours[string(m)] {
			radii[radius] = true
		}
	}
	for _, radius := range slices.Sorted(maps.Keys(radii)) {
		cells := []string{fmt.Sprint(radius)}
		for _, m := range cat.Published {
			v, ok := ours[string(m)][radius]
			cells = append(cells, shown(v, ok), shown(printed(string(m), radius), true))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// shown returns a number as text for a table, or "" if there is none.
func shown(v float64, ok bool) string {
	if !ok || v <= 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return ""
	}
	return significant(v)
}

// sizes compares our times with the printed ones over all sizes.
func (r results) sizes() experiment.Table {
	t := experiment.Table{
		Title: "Figure 9: our time over the printed one, " + r.device, Header: []string{"r", "sizes"},
		Note: "The least, the median and the greatest over the sizes.",
	}
	for _, m := range cat.Published {
		t.Header = append(t.Header, string(m))
	}
	for radius := 1; radius <= 16; radius++ {
		count := 0
		cells := []string{fmt.Sprint(radius), ""}
		for _, m := range cat.Published {
			var shares []float64
			for _, times := range []map[int64]float64{r.bySide(string(m), radius)} {
				for side, seconds := range times {
					if printed := authors.Time(string(m), radius, int(side)); printed > 0 {
						shares = append(shares, seconds/printed)
					}
				}
			}
			slices.Sort(shares)
			count = max(count, len(shares))
			if len(shares) == 0 {
				cells = append(cells, "")
				continue
			}
			cells = append(cells, fmt.Sprintf("%.2f, %.2f, %.2f", shares[0], shares[len(shares)/2], shares[len(shares)-1]))
		}
		if count >= 3 {
			cells[1] = fmt.Sprint(count)
			t.Rows = append(t.Rows, cells)
		}
	}
	return t
}

// bySide returns the seconds a generation of a method at a radius, by size, with a refreshed halo.
func (r results) bySide(method string, radius int) map[int64]float64 {
	out := map[int64]float64{}
	for _, one := range r.rows {
		if one.Method == method && one.radius == radius && one.a == 0 && one.letter == 'M' && !one.fixed {
			out[one.Width] = one.Seconds
		}
	}
	return out
}

// shownTiles has shapes for the table of tiles, besides the best ones.
var shownTiles = [][2]int{
	{1, 1},
	{1, 5},
	{1, 13},
	{1, 14},
	{1, 30},
	{2, 5},
	{4, 4},
	{4, 8},
	{8, 8},
	{13, 1},
	{13, 13},
	{16, 16},
	{30, 1},
	{30, 12},
}

// tilesTable is CAT by shape of tile, ours and the authors', with the values of the polynomials.
func (r results) tilesTable() experiment.Table {
	shapes, known, printed := r.shapes(false), r.shapes(true), authors.Tiles()
	t := experiment.Table{
		Title: "Figure 8: CAT by shape of tile, " + r.device,
		Header: []string{
			"tile", "ms, known to the compiler", "÷ best", "ms, an argument", "÷ best", "E fitted to these", "printed ms",
			"÷ best", "E of the authors' script",
		},
	}
	surface, err := model.FitSurface(shapes)
	if err != nil {
		return t
	}
	side := float64(r.tileSide())
	best, bestPrinted := fastest(shapes), fastest(printed)
	t.Note = fmt.Sprintf(
		"As an argument %d shapes ran here, %d there; of E fitted to ours the root mean square residual is %.2f. The best is %d×%d here, %d×%d there.",
		len(shapes), len(printed), surface.Residual, best.A, best.B, bestPrinted.A, bestPrinted.B)
	var bestKnown authors.Shape
	if len(known) > 0 {
		bestKnown = fastest(known)
	}
	tiles := append([][2]int{{best.A, best.B}}, shownTiles...)
	slices.SortFunc(tiles, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) })
	for _, tile := range slices.Compact(tiles) {
		cells := []string{
			fmt.Sprintf("%d×%d", tile[0], tile[1]), "", "", "", "", "", "", "",
			fmt.Sprintf("%.2f", authors.Efficiency(tile[0], tile[1])),
		}
		beside := func(at int, shapes []authors.Shape, best authors.Shape, side float64) (authors.Shape, bool) {
			s, ok := shapeOf(shapes, tile)
			if ok {
				cells[at], cells[at+1] = significant(1e3*side*side/s.Speed), fmt.Sprintf("%.2f", best.Speed/s.Speed)
			}
			return s, ok
		}
		beside(1, known, bestKnown, side)
		if s, ok := beside(3, shapes, best, side); ok {
			cells[5] = fmt.Sprintf("%.2f", surface.At(s.A, s.B))
		}
		beside(6, printed, bestPrinted, authors.Side)
		t.Rows = append(t.Rows, cells)
	}
	return t
}

func fastest(shapes []authors.Shape) authors.Shape {
	return slices.MaxFunc(shapes, func(a, b authors.Shape) int { return cmp.Compare(a.Speed, b.Speed) })
}

func shapeOf(shapes []authors.Shape, tile [2]int) (authors.Shape, bool) {
	i := slices.IndexFunc(shapes, func(s authors.Shape) bool { return s.A == tile[0] && s.B == tile[1] })
	if i < 0 {
		return authors.Shape{}, false
	}
	return shapes[i], true
}

// tileSide is the size on which tiles were compared.
func (r results) tileSide() int64 {
	for _, one := range r.rows {
		if one.a > 0 {
			return one.Width
		}
	}
	return 0
}

// products are the bare products of the tensor cores.
func (r results) products() experiment.Table {
	t := experiment.Table{
		Title:  "Products of the tensor cores by themselves, " + r.device,
		Header: []string{"factors", "products of 16×8 results a second", "multiplications a second"},
		Note: "INT8 and b1, which the paper leaves to the future, are the tensor cores' own types. Where INT4 is not, the driver's " +
			"compiler turns it into INT8 products and the work of unpacking them.",
	}
	for _, m := range r.rates {
		depth, _ := m.Number("depth")
		t.Rows = append(t.Rows, []string{
			fmt.Sprintf("%s, m16n8k%.0f", m.Parameter(cat.ParameterType), depth), significant(1 / m.Seconds),
			significant(16 * 8 * depth / m.Seconds),
		})
	}
	return t
}

// tableI is the model's parameters.
func tableI() experiment.Table {
	c := model.GH100
	return experiment.Table{
		Title: "Table I: the parameters of the model", Header: []string{"parameter", "value", "where it is from"},
		Rows: [][]string{
			{"n", "no limit", "the paper"},
			{"tile", fmt.Sprintf("%d×%d", model.Tile[0], model.Tile[1]), "the paper (\"near\")"},
			{
				"c_g, global memory with L2", significant(c.Global) + " *",
				"chosen: an integer, \"not orders of magnitude higher\" than c_s",
			},
			{"c_s, shared memory", "1", "the paper, its unit"},
			{"p×q, fragment", "16×16", "the paper"},
			{
				"c_m, a product of fragments", significant(c.Product),
				"NVIDIA's whitepaper of the GH100: 512 multiplications and additions a cycle of FP16 a tensor core",
			},
			{"q_R, regular cores of a multiprocessor", significant(c.RegularCores), "the same"},
			{"q_T, tensor cores of a multiprocessor", significant(c.TensorCores), "the same"},
			{"c_f, transition", significant(c.Transition) + " *", "chosen: an integer with which REF over CAT is 101 at r = 16"},
			{"E(w, h)", fmt.Sprintf("%.2f at 1×13", authors.Efficiency(1, 13)), "the authors' script"},
			{"P, multiprocessors", fmt.Sprint(c.Processors), "an H100; of no account to speed-ups"},
		},
	}
}

// scenarioRadii are those of the table of scenarios; the paper's are lost.
var scenarioRadii = []int{1, 4, 8, 16}

// bandOf is the least and the greatest speed-up of scenario i at a radius, over pairs of costs.
func bandOf(pairs []model.Costs, i, radius int) (low, high float64) {
	low = math.Inf(1)
	for _, c := range pairs {
		v := c.Scenarios()[i].Speedup(radius)
		low, high = min(low, v), max(high, v)
	}
	return low, high
}

// tableII is the paper's scenarios, computed.
func tableII() experiment.Table {
	pairs := model.Pairs()
	t := experiment.Table{
		Title: "Table II: speed-up of CAT over REF that the model predicts", Header: []string{"scenario", "change"},
		Note: fmt.Sprintf(
			"With the parameters of Table I; the band is the least and the greatest over the %d pairs of costs that agree with "+
				"the printed number. Changes marked * are chosen; the paper's numbers of this table, and its radii, are lost.",
			len(pairs)),
	}
	for _, radius := range scenarioRadii {
		t.Header = append(t.Header, fmt.Sprintf("r = %d *", radius), "band")
	}
	for i, s := range model.GH100.Scenarios() {
		cells := []string{s.Name, s.Change}
		for _, radius := range scenarioRadii {
			low, high := bandOf(pairs, i, radius)
			cells = append(cells, significant(s.Speedup(radius)), significant(low)+"–"+significant(high))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// launchGenerations are the numbers of generations of a launch that are compared.
var launchGenerations = []int{1, 2, 4, 8}

// launchWork is the roofline of several generations a launch.
func launchWork() experiment.Table {
	t := experiment.Table{
		Title: "CAT for several generations a launch: what a cell costs in a generation",
		Header: []string{
			"r", "method", "generations a launch", "share of a tile that is written", "bytes", "products",
			"cells a second that memory allows",
			"that products allow", "the lower of the two",
		},
		Note: "A roofline of the H100, with the memory's rate of its data sheet and the rate of bare products measured " +
			"here. Products are of 16×8 results. The measured speeds are in another table.",
	}
	add := func(radius, method, generations string, w model.Work) {
		memory, products := model.H100.Limits(w)
		t.Rows = append(t.Rows, []string{
			radius, method, generations, significant(w.Share), significant(w.Bytes), significant(w.Products),
			significant(memory), significant(products), significant(model.H100.Speed(w)),
		})
	}
	add("1 to 16", string(cat.CAT), "1", model.WorkOfCAT)
	add("1 to 16", string(cat.Int8), "1", model.WorkOfInt8)
	for _, radius := range []int{1, 2, 4, 8, 16} {
		for _, n := range launchGenerations {
			if n <= cat.Temporal.MostGenerations(radius) {
				add(fmt.Sprint(radius), string(cat.Temporal), fmt.Sprint(n), model.Temporal(radius, n))
			}
		}
	}
	return t
}

// launchesTable compares CAT-TEMPORAL at several numbers of generations a launch with CAT, CAT-INT8 and Gosper's
// engine, on the largest universe for which it has rows, or else of the sweep over radii.
func (r results) launchesTable() experiment.Table {
	side := int64(0)
	for _, one := range r.launches {
		side = max(side, one.Width)
	}
	if side == 0 {
		side = r.side()
	}
	columns := []string{string(cat.CAT), string(cat.Int8)}
	speeds := values(r.rows, sweep(side, false), speed)
	for _, n := range launchGenerations {
		name := fmt.Sprintf("%s, t = %d", cat.Temporal, n)
		columns = append(columns, name)
		wanted := func(one row) bool { return one.Width == side && one.launch == n }
		speeds[name] = values(r.launches, wanted, speed)[string(cat.Temporal)]
	}
	columns = append(columns, experiment.MethodGosper)
	t := experiment.Table{
		Title:  fmt.Sprintf("CAT for several generations a launch: cells a second, %d² cells, %s", side, r.device),
		Header: append(append([]string{"r"}, columns...), "the model's most"),
		Note:   "t generations a launch. A dash: the halo leaves nothing of a tile.",
	}
	for _, radius := range []int{1, 2, 4, 8, 16} {
		cells, most, any := []string{fmt.Sprint(radius)}, 0.0, false
		for i, column := range columns {
			v, ok := speeds[column][radius]
			text := "not measured"
			if k := i - 2; k >= 0 && k < len(launchGenerations) {
				if n := launchGenerations[k]; n > cat.Temporal.MostGenerations(radius) {
					text = "–"
				} else {
					most = max(most, model.H100.Speed(model.Temporal(radius, n)))
				}
			}
			if ok {
				text, any = significant(v), true
			}
			cells = append(cells, text)
		}
		if any {
			t.Rows = append(t.Rows, append(cells, significant(most)))
		}
	}
	return r.marked(t, sweep(side, false))
}

// volumesTable compares CAT-VOLUME with Gosper's engine on the largest cube that has rows.
func (r results) volumesTable() experiment.Table {
	side := int64(0)
	for _, one := range r.volumes {
		side = max(side, one.Width)
	}
	t := experiment.Table{
		Title:  fmt.Sprintf("CAT in three dimensions: cells a second, %d³ cells, %s", side, r.device),
		Header: []string{"r"},
		Note:   "Patches of 32 and of 64 rows; the ratio is that of the faster one to Gosper's engine.",
	}
	speeds := map[string]map[int]row{}
	for _, one := range r.volumes {
		name := one.Method
		if n := one.Parameter(cat.ParameterRows); n != "" {
			name += ", " + n + " rows"
		}
		if one.Width == side {
			if speeds[name] == nil {
				speeds[name] = map[int]row{}
			}
			speeds[name][one.radius] = one
		}
	}
	var columns []string
	for _, n := range cat.PatchRows {
		columns = append(columns, fmt.Sprintf("%s, %d rows", cat.Volume, n))
	}
	columns = append(columns, experiment.MethodGosper)
	t.Header = append(append(t.Header, columns...), "ratio")
	for _, i := range cat.Volumes() {
		cells, best, own := []string{fmt.Sprint(i.Radius)}, 0.0, 0.0
		for _, column := range columns {
			one, ok := speeds[column][i.Radius]
			if !ok {
				cells = append(cells, "not measured")
				continue
			}
			cells = append(cells, significant(speed(one))+summary.Mark(one.Measurement))
			if column == experiment.MethodGosper {
				own = speed(one)
			} else {
				best = max(best, speed(one))
			}
		}
		if best > 0 && own > 0 {
			t.Rows = append(t.Rows, append(cells, significant(best/own)))
		}
	}
	return t
}

// modelled is the model beside the measurements: Equations 16 and 19 in milliseconds, and their ratio.
func (r results) modelled(ms map[string]map[int]float64) experiment.Table {
	side := int(r.side())
	t := experiment.Table{
		Title: fmt.Sprintf("Equations 16, 19 and 20 and what was measured, %d² cells, %s", side, r.device),
		Header: []string{
			"r", "CAT, Eq. 16, ms", "measured", "REF, Eq. 19, ms", "BASE, measured", "Eq. 20, Table I", "printed",
			"Eq. 20, fitted", "measured",
		},
	}
	fitted, unit, ok := fitModel(ms, side)
	if !ok {
		return t
	}
	t.Note = fmt.Sprintf(
		"Fitted: c_g = %s, c_f = %s and E = 1 for the speed-ups measured here, and %.3g ns for an access to shared memory, which fits all times best. "+
			"Printed: BASE over CAT in the authors' times.", significant(fitted.Global), significant(fitted.Transition),
		1e6*unit)
	for _, radius := range slices.Sorted(maps.Keys(ms[string(cat.CAT)])) {
		ours, base := ms[string(cat.CAT)][radius], ms[string(cat.Base)][radius]
		if base == 0 || ours == 0 {
			continue
		}
		a, b := model.Tile[0], model.Tile[1]
		t.Rows = append(t.Rows, []string{
			fmt.Sprint(radius),
			significant(unit * fitted.CAT(side, radius, a, b, 1)), significant(ours),
			significant(unit * fitted.REF(side, radius)), significant(base),
			significant(model.GH100.Speedup(radius, a, b, authors.Efficiency(a, b))),
			shown(authors.Time(string(cat.Base), radius, side)/authors.Time(string(cat.CAT), radius, side), true),
			significant(fitted.Speedup(radius, a, b, 1)), significant(base / ours),
		})
	}
	return t
}

// fitModel fits the model to the times of CAT and BASE by radius. It fits the costs to their ratios, and then
// the length of the model's unit, in the unit of the times, to both. It needs at least two radii.
func fitModel(times map[string]map[int]float64, side int) (c model.Costs, unit float64, ok bool) {
	speedups := map[int]float64{}
	for radius, ours := range times[string(cat.CAT)] {
		if base := times[string(cat.Base)][radius]; base > 0 {
			speedups[radius] = base / ours
		}
	}
	if len(speedups) < 2 {
		return c, 0, false
	}
	c = model.GH100.FitCosts(speedups)
	sum := 0.0
	for radius := range speedups {
		sum += math.Log(times[string(cat.CAT)][radius]/c.CAT(side, radius, model.Tile[0], model.Tile[1], 1)) +
			math.Log(times[string(cat.Base)][radius]/c.REF(side, radius))
	}
	return c, math.Exp(sum / float64(2*len(speedups))), true
}

// scalingRadii are those at which devices are compared.
var scalingRadii = []int{1, 4, 8, 16}

// authorsGPUs are those of the authors' comparison.
var authorsGPUs = []string{"V100", "A100", "H100"}

// scalingTable compares devices, those of the authors and ours.
func scalingTable(devices []results) experiment.Table {
	t := experiment.Table{
		Title:  fmt.Sprintf("Figure 13: milliseconds a generation, %d² cells", authors.ScalingSide),
		Header: []string{"r", "method", "V100, printed", "A100, printed", "H100, printed", "V100 ÷ H100, printed"},
	}
	var measured []results
	for _, r := range devices {
		if slices.ContainsFunc(r.rows, func(one row) bool { return one.Width == authors.ScalingSide }) {
			measured = append(measured, r)
			t.Header = append(t.Header, r.device)
		}
	}
	if len(measured) == 0 {
		return t
	}
	for _, radius := range scalingRadii {
		for _, m := range cat.Published {
			cells := []string{fmt.Sprint(radius), string(m)}
			for _, gpu := range authorsGPUs {
				cells = append(cells, significant(1e3*authors.Scaling(gpu, string(m), radius)))
			}
			cells = append(cells, significant(authors.Scaling("V100", string(m), radius)/authors.Scaling("H100", string(m),
				radius)))
			for _, r := range measured {
				v, ok := r.bySide(string(m), radius)[authors.ScalingSide]
				cells = append(cells, shown(1e3*v, ok))
			}
			t.Rows = append(t.Rows, cells)
		}
		some, cells := false, []string{fmt.Sprint(radius), argumentName, "", "", "", ""}
		for _, r := range measured {
			v, ok := r.changed(cat.CAT, cat.Argument, authors.ScalingSide)[radius]
			some, cells = some || ok, append(cells, shown(v, ok))
		}
		if some {
			t.Rows = append(t.Rows, cells)
		}
	}
	return t
}

// argumentName is CAT with the tile as an argument of its kernel.
const argumentName = "CAT, tile an argument"

// provenance lists the sources of the rows of all devices, by part of the protocol.
func provenance(devices []results) experiment.Table {
	var all []experiment.Measurement
	for _, r := range devices {
		for _, one := range slices.Concat(r.rows, r.runs, r.changes, r.volumes) {
			all = append(all, one.Measurement)
		}
	}
	return summary.Provenance(all, func(m experiment.Measurement) string {
		cells := fmt.Sprintf("%d² cells", m.Width)
		switch {
		case m.Parameter(cat.ParameterLayers) != "":
			return fmt.Sprintf("%d³ cells", m.Width)
		case m.Parameter(cat.ParameterTile) != "":
			return "tiles, " + cells
		case m.Parameter(cat.ParameterRun) != "":
			return "power, " + cells
		case m.Parameter(cat.ParameterChange) != "":
			return "changes, " + cells
		case slices.Contains(cat.Sizes(), int(m.Width)) && m.Width < authors.Side:
			return "the other sizes"
		}
		return cells
	})
}
