package fujita

import (
	"fmt"
	"math"
	"strconv"

	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/papers/internal/summary"
)

// Measurement returns a row for the method on a torus of w×h cells, without results yet.
func (m Method) Measurement(w, h int) experiment.Measurement {
	row := experiment.Measurement{
		Method: string(m.Place), Parameters: m.Parameters().String(), Width: int64(w),
		Height: int64(h),
	}
	if seconds, ok := m.Printed(); ok && w == printedSide && h == printedSide {
		row.Printed = &seconds
	}
	return row
}

// methodOf returns the method of a row, or false if it is not one of the paper's.
func methodOf(row experiment.Measurement) (m Method, ok bool) {
	for _, m := range Methods() {
		if string(m.Place) == row.Method && m.Parameters().String() == row.Parameters {
			return m, true
		}
	}
	return m, false
}

// report has the rows of one machine.
type report struct {
	machine string
	gpu     string
	times   map[Method]float64 // seconds of 1024 generations of 16384² cells, in proportion from the size measured
	rows    map[Method]experiment.Measurement
	gosper  []experiment.Measurement
	scaled  bool // other sizes than the paper's were measured
}

// reports sorts rows by machine, in the order of their first rows.
func reports(rows []experiment.Measurement) []*report {
	var list []*report
	byMachine := map[string]*report{}
	for _, row := range rows {
		r := byMachine[row.Machine]
		if r == nil {
			r = &report{machine: row.Machine, times: map[Method]float64{}, rows: map[Method]experiment.Measurement{}}
			byMachine[row.Machine] = r
			list = append(list, r)
		}
		if row.Width*row.Height != printedSide*printedSide {
			r.scaled = true
		}
		if row.Method == experiment.MethodGosper {
			r.gosper = append(r.gosper, row)
		} else if m, ok := methodOf(row); ok {
			r.times[m], r.rows[m] = printedTime(row), row
			if m.Place != CPU {
				r.gpu = row.Device
			}
		}
	}
	return list
}

// printedTime returns a row's time, scaled to the work of the paper's times.
func printedTime(row experiment.Measurement) float64 {
	return row.Seconds * printedGenerations * printedSide * printedSide / float64(row.Width*row.Height)
}

// Tables returns, for every machine, the paper's two tables with our measurements, and the table of the model.
func Tables(rows []experiment.Measurement) []experiment.Table {
	var tables []experiment.Table
	for _, r := range reports(summary.Latest(rows)) {
		tables = append(tables, r.tableI())
		if r.gpu != "" {
			tables = append(tables, r.tableII(), r.orders(), r.inRows(), r.model())
		}
		for _, t := range []experiment.Table{r.engines(), r.energy()} {
			if len(t.Rows) > 0 {
				tables = append(tables, t)
			}
		}
	}
	tables = append(tables, summary.Provenance(rows, func(m experiment.Measurement) string { return m.Method }))
	if again := summary.Repeats(rows, func(m experiment.Measurement) string { return m.Method }); len(again.Rows) > 0 {
		tables = append(tables, again)
	}
	return tables
}

func (r *report) note() string {
	note := "Seconds for 1024 generations of 16384² cells."
	if r.scaled {
		note += " Other sizes were measured; their times are given in proportion to the cells."
	}
	return note
}

// engines returns the table of Gosper's own engines.
func (r *report) engines() experiment.Table {
	t := experiment.Table{
		Title: "Gosper's own engines, on " + r.machine, Header: []string{"", "s", "cells/s"},
		Note: r.note(),
	}
	for _, row := range r.gosper {
		seconds := printedTime(row)
		t.Rows = append(t.Rows, []string{
			row.Parameter(experiment.ParameterEngine) + " on " + row.Device, summary.Significant(&seconds), summary.Rate(row),
		})
	}
	return t
}

// scaledCPU says how many generations were run on a core, or returns "" if all were.
func (r *report) scaledCPU() string {
	counts, most := "", int64(0)
	for _, words := range arrangements {
		row := r.rows[Method{Place: CPU, Words: words, Columns: true}]
		if row.Generations == 0 {
			return ""
		}
		if counts != "" {
			counts += ", "
		}
		counts, most = counts+strconv.FormatInt(row.Generations, 10), max(most, row.Generations)
	}
	if most >= printedGenerations {
		return ""
	}
	return " Those of the core are scaled: a realisation in columns was " + counts +
		" generations for the three methods, not 1024."
}

// time returns a measured time as text, or "" if there is none.
func (r *report) time(m Method) string {
	if seconds, ok := r.times[m]; ok {
		return summary.Significant(&seconds) + summary.Mark(r.rows[m])
	}
	return ""
}

var arrangements = []Arrangement{WordPerCell, SingleWord, DoubleWord}

// tableI has the printed times of Table I, and ours below each.
func (r *report) tableI() experiment.Table {
	t := experiment.Table{
		Title:  "Table I: one generation at a time, on " + r.machine,
		Header: []string{"", "word-per-cell", "SINGLE-WORD", "DOUBLE-WORD"},
		Note:   r.note() + " The printed speed-up of 111 goes with 19.3 s, not 119.3 s." + r.scaledCPU(),
	}
	row := func(name string, cell func(words Arrangement) string) {
		cells, some := []string{name}, false
		for _, words := range arrangements {
			text := cell(words)
			cells, some = append(cells, text), some || text != ""
		}
		if some {
			t.Rows = append(t.Rows, cells)
		}
	}
	printed := func(place Place) func(Arrangement) string {
		return func(words Arrangement) string {
			return strconv.FormatFloat(tableI[place][words], 'f', -1, 64) // every digit that the paper has
		}
	}
	measured := func(place Place, columns bool) func(Arrangement) string {
		return func(words Arrangement) string { return r.time(Method{Place: place, Words: words, Columns: columns}) }
	}
	row("Xeon X7460, one core (printed)", printed(CPU))
	row("one core, columns", measured(CPU, true))
	row("one core, rows", measured(CPU, false))
	row("TITAN X (printed)", printed(Global))
	row(r.gpu+", columns", measured(Global, true))
	row(r.gpu+", rows", measured(Global, false))
	row(r.gpu+", columns, blocks of 8 warps", func(words Arrangement) string {
		return r.time(Method{Place: Global, Words: words, Columns: true, WideBlocks: true})
	})
	row("speed-up (printed)", func(words Arrangement) string {
		ratio := tableISpeedUps[words]
		return summary.Significant(&ratio)
	})
	row("speed-up, columns", func(words Arrangement) string {
		gpu, ok := r.times[Method{Place: Global, Words: words, Columns: true}]
		if !ok {
			return ""
		}
		ratio := r.times[Method{Place: CPU, Words: words, Columns: true}] / gpu
		return summary.Significant(&ratio)
	})
	return t
}

// series are the columns of Table II.
var series = []Method{
	{Place: Shared, Block: 32, Words: SingleWord},
	{Place: Shared, Block: 64, Words: SingleWord},
	{Place: Shared, Block: 64, Words: DoubleWord},
	{Place: Register, Block: 32, Words: SingleWord},
	{Place: Register, Block: 64, Words: SingleWord},
	{Place: Register, Block: 64, Words: DoubleWord},
}

// name is a column of Table II.
func (m Method) name() string {
	place := map[Place]string{Shared: "shared", Register: "register"}[m.Place]
	words := map[Arrangement]string{SingleWord: "SINGLE", DoubleWord: "DOUBLE"}[m.Words]
	return fmt.Sprintf("%s %d×%[2]d %s", place, m.Block, words)
}

// at is the method with columns of words and t generations a launch.
func (m Method) at(t int) Method {
	m.Columns, m.T = true, t
	return m
}

// tableII has the printed times of Table II for each number of generations, and ours below each.
func (r *report) tableII() experiment.Table {
	t := experiment.Table{
		Title: "Table II: t generations a launch, on " + r.gpu, Header: []string{"t", ""},
		Note: r.note(),
	}
	for _, m := range series {
		t.Header = append(t.Header, m.name())
	}
	for _, steps := range tableIISteps {
		printed, measured := []string{strconv.Itoa(steps), "TITAN X (printed)"}, []string{strconv.Itoa(steps), r.gpu}
		for _, m := range series {
			seconds, ok := m.at(steps).Printed()
			seconds *= printedGenerations
			if ok {
				printed = append(printed, summary.Significant(&seconds))
			} else {
				printed = append(printed, "")
			}
			measured = append(measured, r.time(m.at(steps)))
		}
		t.Rows = append(t.Rows, printed, measured)
		written, some := []string{strconv.Itoa(steps), r.gpu + ", bits written"}, false
		for _, m := range series {
			m = m.at(steps)
			m.Bits = true
			written, some = append(written, r.time(m)), some || r.time(m) != ""
		}
		if some {
			t.Rows = append(t.Rows, written)
		}
	}
	return t
}

// orders compares the paper's recommendations with their alternatives: rows, and shared memory without the
// shifted arrangement.
func (r *report) orders() experiment.Table {
	t := experiment.Table{
		Title: "What the arrangements buy, on " + r.gpu,
		Header: []string{
			"t", "register 64×64 DOUBLE, columns", "rows", "shared 64×64 DOUBLE, shifted", "not shifted",
		},
		Note: r.note(),
	}
	for _, steps := range tableIISteps {
		register := Method{Place: Register, Block: 64, Words: DoubleWord}.at(steps)
		shared := Method{Place: Shared, Block: 64, Words: DoubleWord}.at(steps)
		rows, conflicts := register, shared
		rows.Columns, conflicts.NotShifted = false, true
		t.Rows = append(t.Rows, []string{
			strconv.Itoa(steps), r.time(register), r.time(rows), r.time(shared),
			r.time(conflicts),
		})
	}
	return t
}

// inRows returns the times with the words in row-major order, which the paper does not use: those of Table II,
// then those of Table I on the GPU.
func (r *report) inRows() experiment.Table {
	t := experiment.Table{
		Title: "Words in row-major order, on " + r.gpu, Header: []string{"t", "warps a block"},
		Note: r.note(),
	}
	for _, m := range series {
		t.Header = append(t.Header, m.name())
	}
	t.Header = append(t.Header, "shared 64×64 DOUBLE, not shifted", "global, word-per-cell", "SINGLE-WORD", "DOUBLE-WORD")
	for _, steps := range tableIISteps {
		cells := []string{strconv.Itoa(steps), "1"}
		for _, m := range series {
			m = m.at(steps)
			m.Columns = false
			cells = append(cells, r.time(m))
		}
		conflicts := Method{Place: Shared, Block: 64, Words: DoubleWord, T: steps, NotShifted: true}
		t.Rows = append(t.Rows, append(cells, r.time(conflicts), "", "", ""))
	}
	for _, wide := range []bool{false, true} {
		m := Method{Place: Global, WideBlocks: wide}
		cells := append([]string{"1", strconv.Itoa(m.warps())}, make([]string, len(series)+1)...)
		for _, words := range arrangements {
			m.Words = words
			cells = append(cells, r.time(m))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// printedPoints are the printed times of a column of Table II, for the model.
func (m Method) printedPoints() []Point {
	var points []Point
	for _, t := range tableIISteps {
		if seconds, ok := m.at(t).Printed(); ok {
			points = append(points, Point{t, seconds * printedGenerations, printedWork})
		}
	}
	return points
}

// points returns the measured times. At t = 2 our blocks write fewer cells than they make right, so they do the
// work for more cells.
func (r *report) points(m Method) []Point {
	var points []Point
	for _, t := range tableIISteps {
		if seconds, ok := r.times[m.at(t)]; ok {
			columns, rows := m.at(t).Clean()
			points = append(points, Point{t, seconds, printedWork * float64(rows) / float64(columns)})
		}
	}
	return points
}

// model fits the paper's model to the printed times and to ours, and says which number of generations
// each predicts to be the best.
func (r *report) model() experiment.Table {
	t := experiment.Table{
		Title: "The model nT(t + c)/(t(d − 2t)²), on " + r.gpu,
		Header: []string{
			"", "c, TITAN X (printed)", "best t", "c", "best t", "fastest t", "predicted s at t = 2, 4, 8, 16",
			"furthest off",
		},
		Note: "Best t is (√(9c² + 4dc) − 3c)/4, what the derivative's zero gives; the paper prints the denominator as 4d². " +
			"Fastest is the measured t with the least time. At t = 2 our blocks write 56 (24) columns of the 60 (28) they make right.",
	}
	for _, m := range series {
		points := r.points(m)
		measured, err := Fit(m.Block, points)
		if err != nil {
			continue
		}
		cells := []string{m.name()}
		if printed, err := Fit(m.Block, m.printedPoints()); err == nil {
			cells = append(cells, decimals(printed.C()), decimals(printed.Best()))
		} else {
			cells = append(cells, "", "")
		}
		predicted, furthest := "", 0.0
		fastest := Point{}
		for _, p := range points {
			seconds := measured.Seconds(p.Cells, 1, float64(p.T))
			if predicted != "" {
				predicted += ", "
			}
			predicted += summary.Significant(&seconds)
			if off := seconds/p.Seconds - 1; off*off > furthest*furthest {
				furthest = off
			}
			if fastest.T == 0 || p.Seconds < fastest.Seconds {
				fastest = p
			}
		}
		t.Rows = append(t.Rows, append(cells, decimals(measured.C()), decimals(measured.Best()), strconv.Itoa(fastest.T),
			predicted,
			fmt.Sprintf("%+.0f %%", 100*furthest)))
	}
	return t
}

// energy returns the cells per joule of each method, at its fastest t, if the energy was measured.
func (r *report) energy() experiment.Table {
	t := experiment.Table{
		Title: "Energy, on " + r.machine, Header: []string{"", "t", "cells per joule", "watts"},
		Note: "The numbers are for the whole card or processor, idle parts included.",
	}
	add := func(name, steps string, row experiment.Measurement) {
		if row.Joules != nil {
			watts := *row.Joules / row.Seconds
			t.Rows = append(t.Rows, []string{name, steps, summary.Significant(row.CellsPerJoule()), summary.Significant(&watts)})
		}
	}
	names := map[Arrangement]string{WordPerCell: "word-per-cell", SingleWord: "SINGLE-WORD", DoubleWord: "DOUBLE-WORD"}
	for _, words := range arrangements {
		add("one core, "+names[words], "", r.rows[Method{Place: CPU, Words: words, Columns: true}])
	}
	for _, words := range arrangements {
		add(r.gpu+", "+names[words], "1", r.rows[Method{Place: Global, Words: words, Columns: true}])
	}
	for _, m := range series {
		fastest := m.at(tableIISteps[0])
		for _, steps := range tableIISteps[1:] {
			if seconds, ok := r.times[m.at(steps)]; ok && seconds < r.times[fastest] {
				fastest = m.at(steps)
			}
		}
		add(r.gpu+", "+m.name(), strconv.Itoa(fastest.T), r.rows[fastest])
	}
	for _, row := range r.gosper {
		add("Gosper, "+row.Parameter(experiment.ParameterEngine)+" on "+row.Device, "", row)
	}
	return t
}

func decimals(v float64) string {
	if math.IsInf(v, 0) {
		return "∞"
	}
	return strconv.FormatFloat(v, 'f', 1, 64)
}
