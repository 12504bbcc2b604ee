package cat

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/gosper-life/gosper/papers"
)

// Tables are what the paper shows of its methods, of every device that was measured, with its model.
func Tables(rows []papers.Measurement) []papers.Table {
	var all []papers.Table
	devices := byDevice(rows)
	for _, r := range devices {
		all = append(all, r.tables()...)
	}
	if len(devices) > 1 {
		all = append(all, generations(devices)...)
	}
	return all
}

func (r results) tables() []papers.Table {
	where := fmt.Sprintf("%d² cells, %s", r.side(), r.device)
	var all []papers.Table
	add := func(t papers.Table) {
		if len(t.Rows) > 0 {
			all = append(all, t)
		}
	}
	step, whole := r.sweep(true), r.sweep(false)
	steps, wholes := r.values(step, speed), r.values(whole, speed)
	add(tableOf("Cells a second, the step alone, "+where,
		"The halo stays as it was, as in the paper's own measurements. Gosper's engine has no such step: its generations are whole.",
		r.methods(step), steps, significant))
	add(r.besideAuthors(steps))
	add(tableOf("Cells a second with the halo refreshed before each generation, "+where, "", r.methods(whole), wholes, significant))
	add(tableOf("Speed-up over BASE, the step alone, "+where,
		"The paper, on an H100: CAT and PACK alone are far above the others; CAT is second to PACK at r = 1 and 2, first from r = 3, "+
			"and at r = 16 up to 101 times as fast as BASE and 14 times as fast as PACK.",
		r.methods(step), ratios(steps, string(Base)), significant))
	measured := func(one row) bool { return whole(one) && one.Joules != nil }
	add(tableOf("Cells per joule, "+where, "The paper, on an H100: PACK is first up to r = 4, CAT from r = 5, by more the larger the radius.",
		r.methods(measured), r.values(measured, perJoule), significant))
	add(tableOf("Joules a generation, "+where, "", r.methods(measured), r.values(measured, func(one row) float64 { return *one.Joules }), significant))
	wide := func(one row) bool { return one.radius > 16 && one.letter == 'M' && !one.fixed && one.a == 0 }
	add(tableOf("Cells a second beyond radius 16, "+r.device, "Moore neighbourhoods, halos refreshed: more bands for CAT, one plateau after another.",
		r.methods(wide), r.values(wide, speed), significant))
	diamond := func(one row) bool { return one.letter == 'N' && !one.fixed }
	add(tableOf("Cells a second of the true von Neumann neighbourhood, "+r.device, "Halos refreshed.",
		r.methods(diamond), r.values(diamond, speed), significant))
	cross := func(one row) bool { return one.letter == '+' && !one.fixed }
	add(tableOf("Cells a second of the simplified von Neumann neighbourhood, a cross, "+r.device, "Halos refreshed.",
		r.methods(cross), r.values(cross, speed), significant))
	add(r.products())
	add(r.scenarios())
	add(r.modelled(steps))
	return all
}

// besideAuthors is what the authors' public code does on an H200, and what ours here does of it.
func (r results) besideAuthors(steps map[string]map[int]float64) papers.Table {
	t := papers.Table{
		Title:  "The authors' public code on an NVIDIA H200, 16384² cells, the step alone, cells a second, and this room's on " + r.device,
		Header: []string{"r"},
	}
	for _, m := range Published {
		t.Header = append(t.Header, string(m), "ours ÷")
	}
	for _, radius := range slices.Sorted(maps.Keys(authors)) {
		cells := []string{fmt.Sprint(radius)}
		for _, m := range Published {
			theirs, ratio := Authors(m, radius), ""
			if ours := steps[string(m)][radius]; ours > 0 {
				ratio = fmt.Sprintf("%.2f", ours/theirs)
			}
			cells = append(cells, significant(theirs), ratio)
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// products are the bare products of the tensor cores.
func (r results) products() papers.Table {
	t := papers.Table{
		Title:  "Products of the tensor cores by themselves, " + r.device,
		Header: []string{"factors", "products of 16×8 results a second", "multiplications a second"},
		Note: "Of the types that the paper leaves to the future, INT8 and b1 are the tensor cores' own. Where INT4 is not, the driver's " +
			"compiler turns it into INT8 products and the work of unpacking them.",
	}
	for _, m := range r.rates {
		depth, _ := m.Number("depth")
		t.Rows = append(t.Rows, []string{
			fmt.Sprintf("%s, m16n8k%.0f", m.Parameter(ParameterType), depth), significant(1 / m.Seconds), significant(16 * 8 * depth / m.Seconds),
		})
	}
	return t
}

// scenarioRadii are those of the table of scenarios; the paper's are lost.
var scenarioRadii = []int{1, 4, 8, 16}

// scenarios are the paper's second table, computed.
func (r results) scenarios() papers.Table {
	e, note := r.efficiency()
	t := papers.Table{
		Title:  "Speed-up of CAT over REF that the extended PRAM model predicts (put together again from the paper's words), E from " + r.device,
		Header: []string{"scenario", "change"}, Note: note,
	}
	for _, radius := range scenarioRadii {
		t.Header = append(t.Header, fmt.Sprintf("r = %d", radius))
	}
	for _, s := range Scenarios() {
		cells := []string{s.Name, s.Change}
		for _, radius := range scenarioRadii {
			cells = append(cells, significant(s.Speedup(radius, e)))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// modelled is the model beside what was measured: CAT over BASE, and their times.
func (r results) modelled(steps map[string]map[int]float64) papers.Table {
	t := papers.Table{
		Title: "The model and what was measured, " + r.device,
		Header: []string{
			"r", "CAT over REF, GH100", "fitted", "CAT over BASE, measured", "CAT, model", "measured", "REF, model", "BASE, measured",
		},
	}
	fitted, unit, ok := fitModel(steps)
	if !ok {
		return t
	}
	t.Note = fmt.Sprintf("GH100: c_g = %g, c_f = %g, chosen for 101 at r = 16 as the paper has it. Fitted to the measured speed-ups: "+
		"c_g = %g, c_f = %g. Times are in picoseconds a cell; those of the model are the fitted one's, an access to shared memory being %.3g ps "+
		"on the whole device, which fits all times best.",
		GH100.Global, GH100.Transition, fitted.Global, fitted.Transition, 1e12*unit)
	measured := ratios(steps, string(Base))[string(CAT)]
	for _, radius := range slices.Sorted(maps.Keys(measured)) {
		t.Rows = append(t.Rows, []string{
			fmt.Sprint(radius), significant(GH100.REF(radius) / GH100.CAT(radius, 1, 13, 1)),
			significant(fitted.REF(radius) / fitted.CAT(radius, 1, 13, 1)), significant(measured[radius]),
			significant(1e12 * unit * fitted.CAT(radius, 1, 13, 1)), significant(1e12 / steps[string(CAT)][radius]),
			significant(1e12 * unit * fitted.REF(radius)), significant(1e12 / steps[string(Base)][radius]),
		})
	}
	return t
}

// fitModel fits the model to the speeds of CAT and BASE by radius: its costs to their ratios, then the seconds of its unit to the times
// of both. It takes two radii at least.
func fitModel(steps map[string]map[int]float64) (c Costs, unit float64, ok bool) {
	measured := ratios(steps, string(Base))[string(CAT)]
	if len(measured) < 2 {
		return c, 0, false
	}
	c = GH100.FitCosts(measured)
	sum := 0.0
	for radius := range measured {
		sum += math.Log(1/steps[string(CAT)][radius]/c.CAT(radius, 1, 13, 1)) + math.Log(1/steps[string(Base)][radius]/c.REF(radius))
	}
	return c, math.Exp(sum / float64(2*len(measured))), true
}

// generations compares devices: a table a radius, speeds relative to the slowest device at BASE.
func generations(devices []results) []papers.Table {
	var all []papers.Table
	for _, radius := range scalingRadii {
		names, methods, values := scaling(devices, radius)
		if len(names) < 2 {
			continue
		}
		t := papers.Table{
			Title: fmt.Sprintf("How methods scale from device to device, r = %d, the step alone", radius), Header: append([]string{"method"}, names...),
			Note: "Speeds relative to the first device.",
		}
		for i, method := range methods {
			cells := []string{method}
			for k := range names {
				cells = append(cells, significant(values[k][i]))
			}
			t.Rows = append(t.Rows, cells)
		}
		all = append(all, t)
	}
	return all
}

// scalingRadii are those at which devices are compared.
var scalingRadii = []int{1, 5, 10, 16}

// scaling is the speed of methods at a radius on devices, slowest first, relative to the first: values[device][method]. Only methods that
// all devices have measured count.
func scaling(devices []results, radius int) (names, methods []string, values [][]float64) {
	type speeds struct {
		name string
		by   map[string]float64
	}
	var all []speeds
	for _, r := range devices {
		by := map[string]float64{}
		for method, byRadius := range r.values(r.sweep(true), speed) {
			if v := byRadius[radius]; v > 0 {
				by[method] = v
			}
		}
		if by[string(Base)] > 0 {
			all = append(all, speeds{r.device, by})
		}
	}
	if len(all) == 0 {
		return nil, nil, nil
	}
	slices.SortStableFunc(all, func(a, b speeds) int { return cmp.Compare(a.by[string(Base)], b.by[string(Base)]) })
	for _, method := range devices[0].methods(func(row) bool { return true }) {
		if !slices.ContainsFunc(all, func(s speeds) bool { return s.by[method] == 0 }) {
			methods = append(methods, method)
		}
	}
	for _, s := range all {
		names = append(names, s.name)
		var relative []float64
		for _, method := range methods {
			relative = append(relative, s.by[method]/all[0].by[method])
		}
		values = append(values, relative)
	}
	return names, methods, values
}
