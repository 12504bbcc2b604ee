package playne

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/docs/papers/data"
	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/papers/internal/summary"
)

// Name is the paper's name in measurements.
const Name = "playne"

// Methods of an experiment.Measurement. The third is experiment.MethodGosper: Gosper's own batches, which also
// label each generation. Seconds and joules are for a generation of all simulations together.
const (
	MethodCPU = "cpu" // one simulation a core
	MethodGPU = "gpu" // one simulation a multiprocessor
)

// Parameters of a measurement.
const (
	ParameterUniverses = "universes" // simulations: 1 or 100
	ParameterRows      = "rows"      // of threads: a number, or RowsMost; GPU only
	ParameterClock     = "clock"     // GHz
	ParameterUnits     = "units"     // cores or multiprocessors that the device has for simulations
	ParameterShared    = "shared"    // bytes of a multiprocessor's memory that a block may have; GPU only
)

// RowsMost selects DefaultRows.
const RowsMost = "most"

// Sides has the sides that the paper measures, 32 to 128, and its limits: 150 in 48 KiB and 181 with 15 bits of
// label. The last, only for GPUs, is the greatest side that 227 KiB hold with cells of 32 bits.
var Sides = []int{32, 48, 64, 80, 96, 112, 128, 150, 181, 240}

// fittedSide is the greatest side that the paper's exponents are fitted to.
const fittedSide = 128

// Many is the number of simulations that the paper runs at once to compare devices. Thousands is a number that
// fills a current GPU.
const (
	Many      = 100
	Thousands = 10_000
)

// printed has the exponents in the paper's text; its plots give no numbers.
var printed = []struct{ device, exponent string }{
	{"CPUs (Core 2 Q8200, Xeon X5675, Core i7-2600K), one core", "about 2.1"},
	{"Fermi (GTX 580, GTX 590, M2075), one multiprocessor", "about 1.8 to 1.9"},
	{"Kepler (GTX 680), one multiprocessor", "about 1.4"},
}

// curve is the measurements of one method on one device, by rising side.
type curve struct {
	name      string
	device    string
	threads   string // rows of threads: a number, or RowsMost; "" for methods without
	universes int
	rows      []experiment.Measurement
}

// main reports whether a curve is in the paper's figures. They show the least and the greatest number of rows
// of threads.
func (c curve) main() bool { return c.threads == "" || c.threads == "1" || c.threads == RowsMost }

// curves sorts measurements into curves.
func curves(rows []experiment.Measurement) []curve {
	var all []curve
	for _, m := range summary.Latest(rows) {
		n, _ := m.Number(ParameterUniverses)
		name, threads := m.Device, ""
		switch m.Method {
		case MethodGPU:
			threads = m.Parameter(ParameterRows)
			name += ", " + threads + " rows of threads"
			if threads == "1" {
				name = m.Device + ", one row of threads"
			}
		case experiment.MethodGosper:
			name = "Gosper on " + m.Device
		}
		i := slices.IndexFunc(all, func(c curve) bool { return c.name == name && c.universes == int(n) })
		if i < 0 {
			i = len(all)
			all = append(all, curve{name: name, device: m.Device, threads: threads, universes: int(n)})
		}
		all[i].rows = append(all[i].rows, m)
	}
	for _, c := range all {
		slices.SortStableFunc(c.rows, func(a, b experiment.Measurement) int { return cmp.Compare(a.Width, b.Width) })
	}
	slices.SortStableFunc(all, func(a, b curve) int { return cmp.Compare(a.universes, b.universes) })
	return all
}

// fit fits a power law to the points of a curve with sides up to most.
func (c curve) fit(most int) (Fit, bool) {
	var points []Point
	for _, m := range c.rows {
		if m.Width > int64(most) {
			continue
		}
		p := Point{L: float64(m.Width), Seconds: m.Seconds}
		if m.StdErr != nil {
			p.Error = *m.StdErr
		}
		points = append(points, p)
	}
	return FitPower(points)
}

// at is the measurement for a side.
func (c curve) at(side int) (experiment.Measurement, bool) {
	for _, m := range c.rows {
		if m.Width == int64(side) {
			return m, true
		}
	}
	return experiment.Measurement{}, false
}

// Tables returns the paper's numbers with those that were measured.
func Tables(rows []experiment.Measurement) []experiment.Table {
	every := curves(rows)
	all := slices.DeleteFunc(slices.Clone(every), func(c curve) bool { return !c.main() })
	tables := []experiment.Table{exponents(all)}
	if t := compare(all, 1, "One simulation of 128² on one core or one multiprocessor",
		"Printed: 3.5 between the slowest and the fastest. Cycles are seconds times clock: the paper's second ranking, by which its GPUs and "+
			"CPUs fall into two groups."); t.Rows != nil {
		tables = append(tables, t)
	}
	if t := compare(all, Many, "One hundred simulations of 128² on whole devices",
		"Printed: about 8 between the slowest and the fastest."); t.Rows != nil {
		tables = append(tables, t)
	}
	if t := compare(all, Thousands, "Ten thousand simulations of 128² on a GPU",
		"Beyond the paper: enough for every multiprocessor to have many, and for the time of launches and copies not to count."); t.Rows != nil {
		tables = append(tables, t)
	}
	tables = append(tables, times(all))
	tables = append(tables, rowsOfThreads(every)...)
	what := func(m experiment.Measurement) string {
		if m.Parameter(ParameterUniverses) == "1" {
			return "one simulation, " + m.Method
		}
		return m.Parameter(ParameterUniverses) + " simulations, " + m.Method
	}
	tables = append(tables, capacities(rows), devices(rows), histogram(data.PlayneClusters),
		summary.Provenance(rows, what))
	if again := summary.Repeats(rows, what); len(again.Rows) > 0 {
		tables = append(tables, again)
	}
	return tables
}

// rowsOfThreads returns the times by rows of threads: a table for each device and number of simulations that
// has any between the least and the most rows.
func rowsOfThreads(all []curve) []experiment.Table {
	var tables []experiment.Table
	for _, first := range all {
		t := experiment.Table{
			Title:  fmt.Sprintf("µs a generation by rows of threads, %d simulations on %s", first.universes, first.device),
			Header: []string{"L"},
			Note:   "The most are as many as make 1024 threads or less.",
		}
		if first.universes == 1 {
			t.Title = fmt.Sprintf("µs a generation by rows of threads, one simulation on %s", first.device)
		}
		if first.main() || slices.ContainsFunc(tables, func(other experiment.Table) bool { return other.Title == t.Title }) {
			continue
		}
		list := slices.DeleteFunc(slices.Clone(all), func(c curve) bool {
			return c.device != first.device || c.universes != first.universes || c.threads == ""
		})
		count := func(c curve) int {
			n, err := strconv.Atoi(c.threads)
			if err != nil {
				return mostThreads
			}
			return n
		}
		slices.SortFunc(list, func(a, b curve) int { return count(a) - count(b) })
		for _, c := range list {
			t.Header = append(t.Header, c.threads)
		}
		t.Header = append(t.Header, "which are", "fastest")
		for _, m := range list[0].rows { // one row of threads was measured for every side
			side := int(m.Width)
			row, fastest := []string{strconv.Itoa(side)}, ranked{}
			for _, c := range list {
				text := ""
				if m, ok := c.at(side); ok {
					text = microseconds(m)
					if fastest.name == "" || m.Seconds < fastest.Seconds {
						fastest = ranked{m, c.threads}
					}
				}
				row = append(row, text)
			}
			t.Rows = append(t.Rows, append(row, strconv.Itoa(DefaultRows(side)), fastest.name))
		}
		tables = append(tables, t)
	}
	return tables
}

// devices returns the paper's tables 1 and 2, with the devices of the measurements.
func devices(rows []experiment.Measurement) experiment.Table {
	t := experiment.Table{
		Title:  "Devices",
		Header: []string{"device", "multiprocessors or cores", "CUDA cores", "memory or cache, MB", "clock, GHz"},
		Rows: [][]string{
			{"printed: GTX 260+", "24", "216", "896", "1.40"},
			{"printed: GTX 580", "16", "512", "1,536", "1.59"},
			{"printed: GTX 590", "2x16", "2x512", "1,536", "1.22"},
			{"printed: GTX 680", "8", "1536", "2,048", "0.71"},
			{"printed: M2075", "14", "448", "5,375", "1.15"},
			{"printed: Q8200 Core2", "4", "", "4", "2.33"},
			{"printed: X5675 Xeon", "6", "", "12", "3.06"},
			{"printed: 2600K Core-i7", "4", "", "8", "3.40"},
		},
		Note: "The paper's tables 1 and 2, and the devices of the rows, whose memory no row tells.",
	}
	seen := map[string]bool{}
	for _, m := range rows {
		if !seen[m.Device] {
			seen[m.Device] = true
			t.Rows = append(t.Rows, []string{m.Device, m.Parameter(ParameterUnits), "", "", m.Parameter(ParameterClock)})
		}
	}
	return t
}

// histogram returns the clusters of soups by size, for a universe, from lines of generation, size and count.
func histogram(lines []byte) experiment.Table {
	type bin struct {
		name string
		most int
	}
	bins := []bin{
		{"1", 1},
		{"2", 2},
		{"3", 3},
		{"4", 4},
		{"5", 5},
		{"6", 6},
		{"7", 7},
		{"8", 8},
		{"9 to 16", 16},
		{"17 to 64", 64},
		{"65 or more", math.MaxInt},
	}
	t := experiment.Table{
		Title:  "Clusters of a universe of 128² by their cells, mean of a hundred",
		Header: []string{"generation"},
		Note: "B3/S23 from half-full soups of seeds 1 to 100, cells with a common corner connected. These are exact counts, and a test makes them " +
			"again.",
	}
	for _, b := range bins {
		t.Header = append(t.Header, b.name)
	}
	t.Header = append(t.Header, "largest")
	sums, largest := make([]float64, len(bins)), 0
	generation := ""
	flush := func() {
		if generation == "" {
			return
		}
		row := []string{generation}
		for i := range sums {
			row = append(row, fmt.Sprintf("%.2f", sums[i]/Many))
			sums[i] = 0
		}
		t.Rows = append(t.Rows, append(row, fmt.Sprint(largest)))
		largest = 0
	}
	for line := range strings.Lines(string(lines)) {
		var size, count int
		g, rest, _ := strings.Cut(line, ",")
		if _, err := fmt.Sscanf(rest, "%d,%d", &size, &count); err != nil {
			continue // the heading
		}
		if g != generation {
			flush()
			generation = g
		}
		i := slices.IndexFunc(bins, func(b bin) bool { return size <= b.most })
		sums[i] += float64(count)
		largest = max(largest, size)
	}
	flush()
	return t
}

// exponents has the slope of the logarithm of time against that of the side, printed and measured.
func exponents(all []curve) experiment.Table {
	t := experiment.Table{
		Title:  "Exponent of the time a generation takes against the side L, labels and histogram included",
		Header: []string{"device", "simulations", "exponent, L ≤ 128", "of all sides", "up to"},
		Note: "Fitted by least squares on logarithms, weighted by the inverse squared errors; where points are further from the line than their errors, " +
			"the error of the exponent is larger in proportion. The paper's lines are as it prints them, for L = 32 to 128.",
	}
	for _, p := range printed {
		t.Rows = append(t.Rows, []string{"printed: " + p.device, "1", p.exponent, "", ""})
	}
	for _, c := range all {
		row := []string{c.name, fmt.Sprint(c.universes), "", "", ""}
		if f, ok := c.fit(fittedSide); ok {
			row[2] = f.String()
		}
		if last := c.rows[len(c.rows)-1].Width; last > fittedSide {
			if f, ok := c.fit(int(last)); ok {
				row[3], row[4] = f.String(), fmt.Sprint(last)
			}
		}
		if row[2]+row[3] != "" {
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// compareSide is the side at which the paper ranks devices.
const compareSide = 128

// compare ranks devices by time, and by cycles of their clocks.
func compare(all []curve, universes int, title, note string) experiment.Table {
	t := experiment.Table{
		Title: title, Note: note,
		Header: []string{
			"device", "µs a generation", "slower than the fastest", "clock, GHz", "cycles a generation", "more than the fewest",
		},
	}
	if universes > 1 { // meters are of whole devices
		t.Header = append(t.Header, "cells per joule")
	}
	ranked := rank(all, universes)
	fewest := math.Inf(1)
	for _, r := range ranked {
		if clock, ok := r.Number(ParameterClock); ok {
			fewest = min(fewest, r.Seconds*clock)
		}
	}
	for _, r := range ranked {
		row := []string{r.name, microseconds(r.Measurement), fmt.Sprintf("%.2f×", r.Seconds/ranked[0].Seconds), "", "", ""}
		if clock, ok := r.Number(ParameterClock); ok {
			row[3] = fmt.Sprintf("%.2f", clock)
			row[4] = fmt.Sprintf("%.0f", r.Seconds*clock*1e9)
			row[5] = fmt.Sprintf("%.2f×", r.Seconds*clock/fewest)
		}
		if universes > 1 {
			row = append(row, summary.Significant(r.CellsPerJoule()))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// ranked is a measurement with the name of its curve.
type ranked struct {
	experiment.Measurement
	name string
}

// rank lists the measurements of the given number of simulations at compareSide, the fastest first.
func rank(all []curve, universes int) []ranked {
	var list []ranked
	for _, c := range all {
		if m, ok := c.at(compareSide); ok && c.universes == universes {
			list = append(list, ranked{m, c.name})
		}
	}
	slices.SortStableFunc(list, func(a, b ranked) int { return cmp.Compare(a.Seconds, b.Seconds) })
	return list
}

// microseconds prints a time with its error, and marks it if its realisations are far apart.
func microseconds(m experiment.Measurement) string {
	if m.StdErr == nil {
		return fmt.Sprintf("%.4g", 1e6*m.Seconds) + summary.Mark(m)
	}
	return fmt.Sprintf("%.4g ± %.2g", 1e6*m.Seconds, 1e6**m.StdErr) + summary.Mark(m)
}

// times lists all measurements.
func times(all []curve) experiment.Table {
	t := experiment.Table{
		Title:  "µs a generation of all simulations, labels and histogram included, with the standard error over independent seeds",
		Header: []string{"device", "simulations"},
	}
	var sides []int
	for _, c := range all {
		for _, m := range c.rows {
			if !slices.Contains(sides, int(m.Width)) {
				sides = append(sides, int(m.Width))
			}
		}
	}
	slices.Sort(sides)
	for _, l := range sides {
		t.Header = append(t.Header, fmt.Sprintf("L = %d", l))
	}
	for _, c := range all {
		row := []string{c.name, fmt.Sprint(c.universes)}
		for _, l := range sides {
			text := ""
			if m, ok := c.at(l); ok {
				text = microseconds(m)
			}
			row = append(row, text)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// capacities lists the greatest universes that fit in the memory of a multiprocessor.
func capacities(rows []experiment.Measurement) experiment.Table {
	t := experiment.Table{
		Title:  "The greatest universe that a multiprocessor's own memory holds",
		Header: []string{"memory", "state alone", "printed", "with labels, cells of 16 bits", "printed", "cells of 32 bits"},
		Note:   "Two rows kept aside are counted. Cells of 16 bits have 15 for a label, which are too few beyond 181².",
	}
	add := func(name string, bytes int, bits, labels string) {
		side := func(n int) string { return fmt.Sprintf("%d²", Capacity(bytes, n)) }
		t.Rows = append(t.Rows, []string{name, side(1), bits, side(16), labels, side(32)})
	}
	add("16 KiB (Tesla)", 16<<10, "about 360²", "about 90²")
	add("48 KiB (Fermi, Kepler)", 48<<10, "about 620²", "about 150²")
	seen := map[string]bool{}
	for _, m := range rows {
		if bytes, ok := m.Number(ParameterShared); ok && !seen[m.Device] {
			seen[m.Device] = true
			add(fmt.Sprintf("%d KiB (%s)", int(bytes)>>10, m.Device), int(bytes), "", "")
		}
	}
	return t
}
