package boris

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/gosper-life/gosper/figure"
	"github.com/gosper-life/gosper/papers"
)

// Printed times of a generation on an NVIDIA A40, in seconds. The second article does not tell the size of its universe nor of its words;
// 2^16 a side and 64 bits are those of the benchmarks in its public code.
const (
	PrintedSide   = 65536
	PrintedBound  = 1.4e-3  // by the memory, one generation a launch: a bit read and a bit written a cell at 696 GB/s
	PrintedShared = 0.68e-3 // the kernel in shared memory, 8 generations a launch, which took 5.4 ms
)

// PublicCode is the time of a generation of 65536² cells, in seconds, that the article's public code took on an NVIDIA H200 with
// PublicGenerations a launch, measured by us on its kernel in shared memory with 4 rows a thread; the cells at its universe's edge are not defined.
const (
	PublicCode        = PrintedSide * PrintedSide / 1.42e13
	PublicGenerations = 16
)

// printedGenerations are the generations a launch of PrintedShared.
const printedGenerations = 8

// Sweep are the methods of the articles' chart: one generation a launch, and the kernels in shared memory at generations a launch from
// 1 to 32, each with rectangles of 128 rows.
func Sweep() []Method {
	list := []Method{{Variant: OneGeneration, Rows: 4, Warps: 4, Generations: 1}}
	for _, v := range []Variant{Shared, Unrolled, Registers} {
		for _, rows := range []int{4, 8} {
			m := Method{Variant: v, Rows: rows, Warps: mostRows / rows}
			if !slices.Contains(Methods(), m) {
				continue
			}
			for _, m.Generations = range []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32} {
				list = append(list, m)
			}
		}
	}
	return list
}

// Measurement is a row of the method on a torus of w×h cells, to be measured.
func (m Method) Measurement(w, h int) papers.Measurement {
	row := papers.Measurement{Method: string(m.Variant), Parameters: m.Parameters().String(), Width: int64(w), Height: int64(h)}
	if m.Variant == Shared && m.Generations == printedGenerations && w == PrintedSide && h == PrintedSide {
		seconds := float64(PrintedShared)
		row.Printed = &seconds
	}
	return row
}

// curve is the times of one kernel on one device, by generations a launch.
type curve struct {
	device, name string
	x, ms, err   []float64
	best         papers.Measurement
}

// milliseconds is the time of a generation of 65536² cells, in proportion from the size measured.
func milliseconds(row papers.Measurement) float64 {
	return 1e3 * row.Seconds * PrintedSide * PrintedSide / float64(row.Width*row.Height)
}

// curves sorts rows by device and kernel, in the order of their first rows.
func curves(rows []papers.Measurement) []*curve {
	var list []*curve
	for _, row := range rows {
		name := row.Method
		switch rows := row.Parameter("rows"); {
		case row.Method == papers.MethodGosper:
			name = "Gosper, " + row.Parameter(papers.ParameterEngine)
		case rows == "1":
			name += ", 1 row a thread"
		default:
			name += ", " + rows + " rows a thread"
		}
		i := slices.IndexFunc(list, func(c *curve) bool { return c.device == row.Device && c.name == name })
		if i < 0 {
			i = len(list)
			list = append(list, &curve{device: row.Device, name: name, best: row})
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
	return list
}

// flat says that a curve is one time, whatever the generations a launch.
func (c *curve) flat() bool {
	return c.best.Method == papers.MethodGosper || c.best.Method == string(OneGeneration)
}

// Tables are the times of a generation by generations a launch, and the best of each kernel.
func Tables(rows []papers.Measurement) []papers.Table {
	list := curves(rows)
	var steps []float64
	for _, c := range list {
		if !c.flat() {
			steps = append(steps, c.x...)
		}
	}
	slices.Sort(steps)
	steps = slices.Compact(steps)

	times := papers.Table{
		Title:  "Milliseconds for a generation of 65536² cells, by generations a launch",
		Header: []string{""},
		Note: "Printed for an NVIDIA A40: 1.4 ms is the bound of its memory at one generation a launch; 5.4 ms were measured for 8 " +
			"generations in shared memory, 0.68 ms each.",
	}
	for _, g := range steps {
		times.Header = append(times.Header, strconv.FormatFloat(g, 'g', -1, 64))
	}
	best := papers.Table{
		Title:  "The best of each kernel",
		Header: []string{"", "device", "generations a launch", "ms a generation", "cells/s", "cells per joule"},
		Note: "The article does not tell its universe: the printed lines' cells/s are those of 65536² cells, as in its public code. At 65536² " +
			"cells 696 GB/s allow 1.54 ms, not 1.4; 696 GiB/s allow 1.44.",
	}
	if slices.ContainsFunc(rows, func(row papers.Measurement) bool { return row.Width*row.Height != PrintedSide*PrintedSide }) {
		times.Note += " Other sizes were measured; their times are given in proportion to the cells."
	}
	printed := func(seconds float64) string { seconds *= 1e3; return papers.Significant(&seconds) }
	best.Rows = append(best.Rows,
		[]string{"one generation, bound (printed)", "A40", "1", printed(PrintedBound), cellsPerSecond(PrintedBound), ""},
		[]string{"shared (printed)", "A40", strconv.Itoa(printedGenerations), printed(PrintedShared), cellsPerSecond(PrintedShared), ""},
		[]string{
			"public code, shared, 4 rows a thread", "NVIDIA H200", strconv.Itoa(PublicGenerations), printed(PublicCode), cellsPerSecond(PublicCode), "",
		})
	for _, c := range list {
		if !c.flat() {
			cells := []string{c.name + ", " + c.device}
			for _, g := range steps {
				text := ""
				if i := slices.Index(c.x, g); i >= 0 {
					text = papers.Significant(&c.ms[i])
				}
				cells = append(cells, text)
			}
			times.Rows = append(times.Rows, cells)
		}
		ms := milliseconds(c.best)
		best.Rows = append(best.Rows, []string{
			c.name, c.device, c.best.Parameter("generations"), papers.Significant(&ms), cellsPerSecond(ms / 1e3),
			papers.Significant(c.best.CellsPerJoule()),
		})
	}
	if len(times.Rows) == 0 {
		return []papers.Table{best}
	}
	return []papers.Table{times, best}
}

// cellsPerSecond is the speed that a time of a generation of 65536² cells is.
func cellsPerSecond(seconds float64) string {
	v := PrintedSide * PrintedSide / seconds
	return papers.Significant(&v)
}

// Figures draw the articles' chart: the time of a generation against the generations a launch, on a logarithmic scale.
func Figures(rows []papers.Measurement) []papers.Drawing {
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
	return []papers.Drawing{{Name: "boris-generations", Figure: f}}
}
