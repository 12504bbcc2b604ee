package boris

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/gosper-life/gosper/internal/figure"
	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/papers/internal/summary"
)

// Printed times of a generation on an NVIDIA A40, in seconds. The second article does not give the size of its
// universe or of its words. The benchmarks in its public code have 2^16 cells a side and 64 bits.
const (
	PrintedSide = 65536
	// the memory's limit at one generation a launch: a bit read and a bit written for each cell at 696 GB/s
	PrintedBound  = 1.4e-3
	PrintedShared = 0.68e-3 // the kernel in shared memory, 8 generations a launch, which took 5.4 ms
)

// PublicCode is the time of a generation of 65536² cells, in seconds, of the article's public code. We measured it on
// an NVIDIA H200, with the kernel in shared memory, 4 rows a thread and PublicGenerations a launch. The code does not
// define the cells at the edge of its universe.
const (
	PublicCode        = PrintedSide * PrintedSide / 1.42e13
	PublicGenerations = 16
)

// printedGenerations are the generations a launch of PrintedShared.
const printedGenerations = 8

// chartRows is the height of the rectangles of the articles' chart, in rows.
const chartRows = 128

// inChart reports whether a method belongs to the chart of times against generations a launch: rectangles of
// chartRows rows, row groups of 4 and 8, two generations in the inner register array.
func (m Method) inChart() bool {
	return m.Variant != OneGeneration && m.Rows > 1 && m.blockRows() == chartRows &&
		(m.Variant != Registers || m.Inner == 2)
}

// Sweep returns the methods that are measured: one generation a launch with row groups of 1, 4 and 8; those of
// the chart at 1 to 32 generations a launch; all other rectangles, row groups and depths of the inner register
// array at a few.
func Sweep() []Method {
	var list []Method
	for _, m := range Methods() {
		generations := []int{2, 4, 8, 16}
		switch {
		case m.Variant == OneGeneration:
			generations = []int{1}
		case m.inChart():
			generations = []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32}
		}
		for _, m.Generations = range generations {
			if m.Valid() == nil {
				list = append(list, m)
			}
		}
	}
	return list
}

// metered reports whether the energy of a method is measured: for methods of the chart at the generations a
// launch that may be best, and for one generation a launch.
func (m Method) metered() bool {
	return m.Variant == OneGeneration || m.inChart() && m.Generations >= 4 && m.Generations <= 16
}

// Measurement is a row of the method on a torus of w×h cells, to be measured.
func (m Method) Measurement(w, h int) experiment.Measurement {
	row := experiment.Measurement{
		Method: string(m.Variant), Parameters: m.Parameters().String(), Width: int64(w),
		Height: int64(h),
	}
	if m.Variant == Shared && m.inChart() && m.Generations == printedGenerations && w == PrintedSide && h == PrintedSide {
		seconds := float64(PrintedShared)
		row.Printed = &seconds
	}
	return row
}

// curve has the times of one kernel on one device, by generations a launch.
type curve struct {
	device, name string
	method       Method // without generations; empty for Gosper's own engine
	x, ms, err   []float64
	best         experiment.Measurement
}

// milliseconds returns the time of a generation of 65536² cells, scaled from the measured size.
func milliseconds(row experiment.Measurement) float64 {
	return 1e3 * row.Seconds * PrintedSide * PrintedSide / float64(row.Width*row.Height)
}

// methodOf returns the method of a row, without its generations.
func methodOf(row experiment.Measurement) Method {
	number := func(name string) int { n, _ := row.Number(name); return int(n) }
	return Method{Variant: Variant(row.Method), Rows: number("rows"), Warps: number("warps"), Inner: number("inner")}
}

// kernel is the method's name in tables.
func (m Method) kernel() string {
	if m.Rows == 1 {
		return string(m.Variant) + ", 1 row a thread"
	}
	return fmt.Sprintf("%s, %d rows a thread", m.Variant, m.Rows)
}

// curves sorts rows by device, in the order of their first rows, and kernel.
func curves(rows []experiment.Measurement) []*curve {
	var list []*curve
	var devices []string
	for _, row := range summary.Latest(rows) {
		m := methodOf(row)
		name := m.kernel()
		if row.Method == experiment.MethodGosper {
			name = "Gosper, " + row.Parameter(experiment.ParameterEngine)
		}
		i := slices.IndexFunc(list, func(c *curve) bool { return c.device == row.Device && c.name == name && c.method == m })
		if i < 0 {
			i = len(list)
			list = append(list, &curve{device: row.Device, name: name, method: m, best: row})
			if !slices.Contains(devices, row.Device) {
				devices = append(devices, row.Device)
			}
		}
		c := list[i]
		g, _ := row.Number("generations")
		c.x, c.ms = append(c.x, g), append(c.ms, milliseconds(row))
		stderr := 0.0
		if row.StdErr != nil {
			stderr = *row.StdErr / row.Seconds * milliseconds(row)
		}
		c.err = append(c.err, stderr)
		if milliseconds(row) < milliseconds(c.best) {
			c.best = row
		}
	}
	slices.SortStableFunc(list, func(a, b *curve) int {
		return cmp.Or(
			slices.Index(devices, a.device)-slices.Index(devices, b.device),
			slices.Index(variants, a.method.Variant)-slices.Index(variants, b.method.Variant), // -1: Gosper's own engine
			a.method.Rows-b.method.Rows, a.method.Inner-b.method.Inner, a.method.Warps-b.method.Warps,
		)
	})
	return list
}

// at returns the time with the given generations a launch, or "" if it was not measured.
func (c *curve) at(generations float64) string {
	if i := slices.Index(c.x, generations); i >= 0 {
		return summary.Significant(&c.ms[i])
	}
	return ""
}

// flat reports whether a curve is a single time that does not depend on the generations a launch.
func (c *curve) flat() bool {
	return c.best.Method == experiment.MethodGosper || c.best.Method == string(OneGeneration)
}

// Tables returns the times of a generation by generations a launch, the best of each kernel, and the times of
// other sizes.
func Tables(rows []experiment.Measurement) []experiment.Table {
	list := curves(rows)
	var steps []float64
	for _, c := range list {
		if c.method.inChart() {
			steps = append(steps, c.x...)
		}
	}
	slices.Sort(steps)
	steps = slices.Compact(steps)

	times := experiment.Table{
		Title:  "Milliseconds for a generation of 65536² cells, by generations a launch",
		Header: []string{""},
		Note: "Printed for an NVIDIA A40: 1.4 ms is the bound of its memory at one generation a launch; 5.4 ms were measured for 8 " +
			"generations in shared memory, 0.68 ms each.",
	}
	for _, g := range steps {
		times.Header = append(times.Header, strconv.FormatFloat(g, 'g', -1, 64))
	}
	best := experiment.Table{
		Title:  "The best of each kernel",
		Header: []string{"", "device", "generations a launch", "ms a generation", "cells/s", "cells per joule"},
		Note: "The article does not tell its universe: the printed lines' cells/s are those of 65536² cells, as in its public code. At 65536² " +
			"cells 696 GB/s allow 1.54 ms, not 1.4; 696 GiB/s allow 1.44.",
	}
	if slices.ContainsFunc(rows, func(row experiment.Measurement) bool {
		return row.Width*row.Height != PrintedSide*PrintedSide
	}) {
		times.Note += " Other sizes were measured; their times are given in proportion to the cells."
	}
	printed := func(seconds float64) string { seconds *= 1e3; return summary.Significant(&seconds) }
	best.Rows = append(best.Rows,
		[]string{"one generation, bound (printed)", "A40", "1", printed(PrintedBound), cellsPerSecond(PrintedBound), ""},
		[]string{
			"shared (printed)", "A40", strconv.Itoa(printedGenerations), printed(PrintedShared),
			cellsPerSecond(PrintedShared), "",
		},
		[]string{
			"public code, shared, 4 rows a thread", "NVIDIA H200", strconv.Itoa(PublicGenerations), printed(PublicCode),
			cellsPerSecond(PublicCode), "",
		})
	if onlyOurs(rows) {
		best.Title, best.Note, best.Rows = "Gosper's own engine", "The articles' kernels need a GPU.", nil
	}
	for _, c := range list {
		if c.method.inChart() {
			cells := []string{c.name + ", " + c.device}
			for _, g := range steps {
				cells = append(cells, c.at(g))
			}
			times.Rows = append(times.Rows, cells)
		} else if !c.flat() {
			continue
		}
		ms := milliseconds(c.best)
		best.Rows = append(best.Rows, []string{
			c.name, c.device, c.best.Parameter("generations"), summary.Significant(&ms), summary.Rate(c.best),
			summary.Significant(c.best.CellsPerJoule()),
		})
	}
	tables := []experiment.Table{best}
	if len(times.Rows) > 0 {
		tables = []experiment.Table{times, best}
	}
	if t := sizes(list); len(t.Rows) > 0 {
		tables = append(tables, t)
	}
	tables = append(tables, summary.Provenance(rows, func(m experiment.Measurement) string { return m.Method }))
	if again := summary.Repeats(rows, func(m experiment.Measurement) string { return m.Method }); len(again.Rows) > 0 {
		tables = append(tables, again)
	}
	return tables
}

// sizes returns the times with other rectangles and depths of the inner register array, with those of the chart
// for comparison.
func sizes(list []*curve) experiment.Table {
	t := experiment.Table{
		Title:  "Rectangles and depths: milliseconds for a generation of 65536² cells",
		Header: []string{"", "device", "rows of a rectangle", "generations in registers", "2 a launch", "4", "8", "16"},
		Note: "Rectangles are 32 words wide, of which 30 are written, and of their rows all but one above and one below for each generation. A " +
			"rectangle that is too low for the number of generations has no time.",
	}
	for _, c := range list {
		if c.flat() {
			continue
		}
		inner := ""
		if c.method.Inner > 0 {
			inner = strconv.Itoa(c.method.Inner)
		}
		t.Rows = append(t.Rows, []string{
			c.name, c.device, strconv.Itoa(c.method.blockRows()), inner, c.at(2), c.at(4),
			c.at(8), c.at(16),
		})
	}
	return t
}

// cellsPerSecond converts a time of a generation of 65536² cells to a speed.
func cellsPerSecond(seconds float64) string {
	v := PrintedSide * PrintedSide / seconds
	return summary.Significant(&v)
}

// onlyOurs reports whether no kernel of the articles was measured.
func onlyOurs(rows []experiment.Measurement) bool {
	return !slices.ContainsFunc(rows, func(row experiment.Measurement) bool {
		return row.Method != experiment.MethodGosper
	})
}

// Figures draw the articles' chart: the time of a generation against the generations a launch, on a logarithmic scale.
func Figures(rows []experiment.Measurement) []experiment.Drawing {
	if onlyOurs(rows) {
		return nil
	}
	f := figure.Figure{
		Title: "Life on 65536² cells",
		X:     figure.Axis{Label: "generations a launch", Log: true}, Y: figure.Axis{Label: "ms a generation", Log: true},
	}
	flat := func(name string, ms float64) {
		f.Series = append(f.Series, figure.Series{Name: name, X: []float64{1, 32}, Y: []float64{ms, ms}, Line: true})
	}
	list := curves(rows)
	devices := map[string]bool{}
	for _, c := range list {
		devices[c.device] = true
	}
	for _, c := range list {
		if !c.flat() && !c.method.inChart() {
			continue
		}
		name := c.name
		if len(devices) > 1 {
			name = fmt.Sprintf("%s (%s)", c.name, c.device)
		}
		if c.flat() {
			flat(name, milliseconds(c.best))
			continue
		}
		f.Series = append(f.Series, figure.Series{Name: name, X: c.x, Y: c.ms, Err: c.err, Line: true, Points: true})
	}
	flat("memory bound, A40 (printed)", 1e3*PrintedBound)
	f.Series = append(f.Series, figure.Series{
		Name: "shared, A40 (printed)", X: []float64{printedGenerations}, Y: []float64{1e3 * PrintedShared}, Points: true,
	})
	return []experiment.Drawing{{Name: "boris-generations", Figure: f}}
}
