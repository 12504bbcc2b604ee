package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/energy"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/internal/host"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/papers"
	"github.com/gosper-life/gosper/papers/gpu"
	"github.com/gosper-life/gosper/result"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// paperFlags are those of every command that measures a paper.
type paperFlags struct {
	Engine string   `placeholder:"E" default:"auto" help:"Gosper's own engine to put beside the paper's methods: auto, or one that gosper engines lists. Default: auto."`
	Quick  bool     `help:"Small sizes and few repetitions."`
	Out    string   `placeholder:"DIR" help:"Write rows as JSON lines, Parquet and CSV, tables as Markdown and figures as PNG and SVG into a folder. Rows that are there already are not measured again."`
	From   []string `sep:"none" placeholder:"FILE" help:"Make tables and figures of rows measured before, .jsonl .parquet or .csv, and measure nothing. May be repeated."`
	JSON   bool     `name:"json" help:"Print the rows as one JSON array instead of tables."`
}

// paper is what a paper's command has of its own.
type paper struct {
	name    string // of the command and in Measurement.Paper
	measure func(ctx context.Context, r *paperRun) error
	tables  func(rows []papers.Measurement) []papers.Table
	figures func(rows []papers.Measurement) []papers.Drawing
}

// run measures, or reads what was measured, and reports it. Rows measured before an interruption are reported too.
func (f *paperFlags) run(ctx context.Context, c *console.Console, p paper) error {
	if f.Out != "" {
		if err := os.MkdirAll(f.Out, 0o777); err != nil {
			return console.Bad(atomicfile.PathFirst(err))
		}
	}
	if len(f.From) > 0 {
		rows, err := readMeasurements(f.From, p.name)
		if err != nil {
			return console.Bad(err)
		}
		return f.report(c, p, rows)
	}
	r := &paperRun{c: c, paper: p.name, engine: f.Engine, quick: f.Quick}
	if err := r.resume(f.Out); err != nil {
		return console.Bad(err)
	}
	err := p.measure(ctx, r)
	r.erase()
	err = errors.Join(err, r.close())
	if len(r.rows) > 0 && (err == nil || ctx.Err() != nil) {
		err = errors.Join(err, f.report(c, p, r.rows))
	}
	return err
}

func readMeasurements(paths []string, paper string) ([]papers.Measurement, error) {
	var rows []papers.Measurement
	for _, path := range paths {
		more, err := result.Read[papers.Measurement](path)
		if err != nil {
			return nil, err
		}
		for _, m := range more {
			if m.Paper != paper {
				return nil, fmt.Errorf("%s: rows of %q, want those of %s", path, m.Paper, paper)
			}
		}
		rows = append(rows, more...)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: no rows", strings.Join(paths, ", "))
	}
	return rows, nil
}

// report prints the tables, or the rows, and writes all files.
func (f *paperFlags) report(c *console.Console, p paper, rows []papers.Measurement) error {
	tables := p.tables(rows)
	if f.JSON {
		if err := c.PrintJSON(rows); err != nil {
			return err
		}
	} else if err := writeTables(c.Out, tables); err != nil {
		return err
	}
	if f.Out == "" {
		return nil
	}
	base := filepath.Join(f.Out, p.name)
	for _, extension := range []string{".jsonl", ".parquet", ".csv"} {
		if err := result.Write(base+extension, rows); err != nil {
			return err
		}
	}
	err := atomicfile.Write(base+".md", true, func(w io.Writer) error { return writeTables(w, tables) })
	for _, d := range p.figures(rows) {
		for _, extension := range []string{".png", ".svg"} {
			err = errors.Join(err, d.Figure.Save(filepath.Join(f.Out, d.Name+extension)))
		}
	}
	return err
}

func writeTables(w io.Writer, tables []papers.Table) error {
	for i, t := range tables {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := t.Markdown(w); err != nil {
			return err
		}
	}
	return nil
}

// paperRun measures methods and keeps their rows.
type paperRun struct {
	c             *console.Console
	paper, engine string
	quick         bool

	rows    []papers.Measurement
	before  map[string]bool // settings of the rows that an earlier run has left in the folder
	file    string          // where rows are kept while more are measured; empty: nowhere
	saved   time.Time
	total   int     // rows to come, as far as it is known
	left    float64 // seconds to go, as far as it is known
	noPower bool    // that the GPU does not tell its power has been said
	device  *gpu.Device
	noGPU   error                    // why there is none
	meters  map[string]*energy.Meter // by what they measure
	shown   bool
	after   map[int]*grid.Grid // the cells of soup after so many generations, as Gosper's own engine has them
	afterOf *grid.Grid         // the soup
}

// resume takes the rows that are in a folder already, where it is not "", and keeps those to come there.
func (r *paperRun) resume(folder string) error {
	if folder == "" {
		return nil
	}
	r.file = filepath.Join(folder, r.paper+".jsonl")
	if _, err := os.Stat(r.file); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	rows, err := readMeasurements([]string{r.file}, r.paper)
	if err != nil {
		return err
	}
	r.rows, r.before = rows, map[string]bool{}
	for _, m := range rows {
		if this := result.ThisBuild().Source(); m.Revision != this {
			return fmt.Errorf("%s: rows of revision %q, this is %q: give another folder", r.file, m.Revision, this)
		}
		r.before[m.Setting()] = true
	}
	r.notef("%s has %d rows, which are not measured again", r.file, len(rows))
	return nil
}

// erase takes the line of progress away.
func (r *paperRun) erase() {
	if r.shown {
		fmt.Fprint(r.c.Err, "\r\x1b[K")
		r.shown = false
	}
}

// notef tells what was left out.
func (r *paperRun) notef(format string, args ...any) {
	r.erase()
	fmt.Fprintf(r.c.Err, "gosper: "+format+"\n", args...)
}

// gpu is the first GPU; nil, said once, where there is none.
func (r *paperRun) gpu() (*gpu.Device, error) {
	if r.device != nil || r.noGPU != nil {
		return r.device, nil
	}
	d, err := gpu.Open(0)
	var unavailable *gpu.Unavailable
	if errors.As(err, &unavailable) {
		r.noGPU = err
		r.notef("%v; the methods that need one are left out", err)
		return nil, nil
	}
	r.device = d
	return d, err
}

// meter is that of the GPU where a method runs there, else of the processor.
func (r *paperRun) meter(m papers.Measurement) *energy.Meter {
	var ids []string
	if r.device != nil && m.Device == r.device.Name {
		ids = []string{r.device.BusID}
	}
	key := strings.Join(ids, "")
	if r.meters[key] == nil {
		if r.meters == nil {
			r.meters = map[string]*energy.Meter{}
		}
		r.meters[key], _ = energy.Open(ids...) // where it fails nothing is available
	}
	return r.meters[key]
}

func (r *paperRun) close() error {
	if r.device == nil {
		return nil
	}
	return r.device.Close()
}

// soup is the universe of seed 1 and a density.
func (*paperRun) soup(ctx context.Context, w, h int, density float64) (*grid.Grid, error) {
	g, err := grid.New(w, h, 1)
	if err != nil {
		return nil, err
	}
	return g, soup.Fill(ctx, g, w, h, benchSeed, density, 0, nil)
}

// measure loads a method with cells, measures it and keeps the row, of which what the method is and the size are given; the method is
// closed. Its energy is measured where the protocol has time for that. A method that refuses the size, or finds too little memory, is left out with a note: open's error is passed on here.
// Before it is measured it is checked, where check is not nil: that gives the generations after which it had what it should have.
func (r *paperRun) measure(
	ctx context.Context, m papers.Measurement, cells *grid.Grid, p papers.Protocol, open func() (papers.Stepper, error),
	check func(papers.Stepper) (generations int, err error),
) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if r.before[m.Setting()] {
		return nil
	}
	r.show(m)
	if p.EnergyTime > 0 && p.Energy == nil {
		p.Energy = r.meter(m).Joules
	}
	s, err := open()
	if err != nil {
		r.notef("%s %s: %v; left out", m.Method, m.Parameters, err)
		return nil
	}
	if check != nil {
		var generations int
		generations, err = check(s)
		m.Compared = int64(generations)
	}
	err = errors.Join(err, s.Load(cells))
	var t papers.Timing
	if err == nil {
		t, err = p.Measure(ctx, s)
	}
	if err = errors.Join(err, s.Close()); err != nil {
		if ctx.Err() != nil {
			return ctx.Err() // an engine that is interrupted has words of its own
		}
		return fmt.Errorf("%s %s: %w", m.Method, m.Parameters, err)
	}
	t.Fill(&m)
	return r.add(m)
}

// add keeps a row that is measured; paper, revision, machine, date and the GPU's driver and limit are filled in.
func (r *paperRun) add(m papers.Measurement) error {
	m.Paper, m.Date, m.Revision = r.paper, time.Now().UTC().Format(time.RFC3339), result.ThisBuild().Source()
	if r.device != nil && m.Device == r.device.Name {
		state := r.device.State()
		m.Driver, m.PowerLimit = state.Driver, state.PowerLimit
		m.ClockMHz = cmp.Or(m.ClockMHz, int64(state.ClockMHz))
	}
	m.Rule = cmp.Or(m.Rule, origin.DefaultRule)
	m.Machine = cmp.Or(m.Machine, machineName())
	m.Device = cmp.Or(m.Device, m.Machine)
	r.rows = append(r.rows, m)
	if r.file == "" || time.Since(r.saved) < saveEvery {
		return nil
	}
	r.saved = time.Now()
	return result.Write(r.file, r.rows)
}

// saveEvery is how much of the work an end without warning may lose.
const saveEvery = time.Second

// machineName is the computer in a few words.
func machineName() string {
	m := host.ThisMachine()
	return strings.TrimSpace(fmt.Sprintf("%s (%d cores), %s/%s", cmp.Or(m.CPU, "unknown processor"), m.Cores, m.OS, m.Arch))
}

// show tells on a terminal what is being measured.
func (r *paperRun) show(m papers.Measurement) {
	if !r.c.Terminal {
		return
	}
	fmt.Fprintf(r.c.Err, "\r\x1b[Kmeasuring %d of %d: %s %s on %s", len(r.rows)+1, max(r.total, len(r.rows)+1),
		m.Method, m.Parameters, origin.Size{W: int(m.Width), H: int(m.Height)})
	if r.left > 0 {
		fmt.Fprintf(r.c.Err, ", about %s to go", roughly(r.left))
	}
	r.shown = true
}

// gosper measures Gosper's own engine as the method "gosper" and keeps the row.
func (r *paperRun) gosper(ctx context.Context, ruleText string, cells *grid.Grid, p papers.Protocol) error {
	parsed, err := rule.Parse(ruleText)
	if err != nil {
		return err
	}
	m := papers.Measurement{Method: papers.MethodGosper, Rule: ruleText, Width: int64(cells.W()), Height: int64(cells.H())}
	e, err := sim.Open(ctx, r.engine, sim.Config{
		Rule: parsed, Topology: topology.Topology{Kind: topology.Torus, W: cells.W(), H: cells.H()},
	})
	if err != nil {
		return console.Bad(err)
	}
	info := e.Info()
	m.Parameters, m.Device = papers.Parameters{papers.ParameterEngine: info.Engine}.String(), info.Device
	if r.before[m.Setting()] {
		return e.Close()
	}
	if p.EnergyTime > 0 {
		meter, _ := energy.Open(info.GPUs...) // where it fails nothing is available
		p.Energy = meter.Joules
	}
	return r.measure(ctx, m, cells, p, func() (papers.Stepper, error) { return engineStepper{ctx, e}, nil }, nil)
}

// sameCells checks a method by its cells some generations after a soup, which are compared with those of Gosper's own engine.
func (r *paperRun) sameCells(ctx context.Context, soup *grid.Grid, generations int) func(papers.Stepper) (int, error) {
	return func(s papers.Stepper) (int, error) {
		want, err := r.cellsAfter(ctx, soup, generations)
		if err != nil {
			return 0, err
		}
		got, err := grid.New(soup.W(), soup.H(), 1)
		if err != nil {
			return 0, err
		}
		for _, step := range []func() error{
			func() error { return s.Load(soup) }, func() error { return s.Step(generations) }, func() error { return s.Store(got) },
		} {
			if err := step(); err != nil {
				return 0, err
			}
		}
		x, y, differ, err := grid.FirstDifference(got, want)
		if err == nil && differ {
			err = fmt.Errorf("after %d generations cell (%d, %d) is %d, Gosper's own engine has %d", generations, x, y, got.Get(x, y), want.Get(x, y))
		}
		return generations, err
	}
}

// cellsAfter are the cells some generations of B3/S23 after a soup, as Gosper's own engine has them. They are kept for the next method.
func (r *paperRun) cellsAfter(ctx context.Context, soup *grid.Grid, generations int) (*grid.Grid, error) {
	if r.afterOf != soup {
		r.after, r.afterOf = map[int]*grid.Grid{}, soup
	}
	if g := r.after[generations]; g != nil {
		return g, nil
	}
	life, err := rule.Parse(origin.DefaultRule)
	if err != nil {
		return nil, err
	}
	e, err := sim.Open(ctx, r.engine, sim.Config{
		Rule: life, Topology: topology.Topology{Kind: topology.Torus, W: soup.W(), H: soup.H()},
	})
	if err != nil {
		return nil, console.Bad(err)
	}
	g, err := grid.New(soup.W(), soup.H(), 1)
	if err == nil {
		own := engineStepper{ctx, e}
		err = own.Load(soup)
		if err == nil {
			err = own.Step(generations)
		}
		if err == nil {
			err = own.Store(g)
		}
	}
	if err := errors.Join(err, e.Close()); err != nil {
		return nil, err
	}
	r.after[generations] = g
	return g, nil
}

// engineStepper is an engine among the methods.
type engineStepper struct {
	ctx context.Context
	e   sim.Engine
}

func (s engineStepper) Load(g *grid.Grid) error {
	return grid.Copy(s.e, g, g.Bounds(), 0, 0)
}

func (s engineStepper) Step(n int) error {
	_, err := s.e.Step(s.ctx, uint64(n))
	return err
}

func (s engineStepper) Store(g *grid.Grid) error {
	return grid.Copy(g, s.e, g.Bounds(), 0, 0)
}

func (s engineStepper) Close() error { return s.e.Close() }
