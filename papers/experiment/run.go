package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/energy"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/host"
	"github.com/gosper-life/gosper/internal/nvml"
	"github.com/gosper-life/gosper/internal/result"
	"github.com/gosper-life/gosper/soup"
)

// Paper describes how the methods of a paper are measured.
type Paper struct {
	Name    string   // Measurement.Paper of its rows, and the name of its files
	Methods []string // the methods that may be asked for, without MethodGosper
	Measure func(ctx context.Context, r *Run) error
	Tables  func(rows []Measurement) []Table
	Figures func(rows []Measurement) []Drawing
}

// Options say how a paper's methods are measured.
type Options struct {
	Engine  string   // name of Gosper's own engine, as sim.Open takes it
	Quick   bool     // small sizes and few repetitions
	Methods []string // none: all
	// Folder is the place where rows are written while more are measured. Rows that the folder already has are not
	// measured again. "": no folder.
	Folder string
	Note   func(text string) // is called with a line about each omission and its reason; may be nil
	Show   func(Progress)    // is called with the progress; may be nil
}

// Progress describes the current measurement.
type Progress struct {
	Measurement         // without results yet
	Row, Rows   int     // the number of its row, from 1, and of all rows as far as they are known
	Left        float64 // estimate of the seconds that remain; 0: not known
}

// InputError is an error that would not occur with other options, or on another machine.
type InputError struct{ error }

func (e InputError) Unwrap() error { return e.error }

// input makes an InputError of an error, unless an interruption caused it.
func input(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return InputError{err}
}

// Allowed returns the names that Options.Methods may have.
func (p Paper) Allowed() []string { return append([]string{MethodGosper}, p.Methods...) }

// Run measures and returns the rows. If there is an error, the rows measured before it are returned too.
func (p Paper) Run(ctx context.Context, o Options) ([]Measurement, error) {
	r, err := Start(p.Name, o)
	if err != nil {
		return nil, err
	}
	err = p.Measure(ctx, r)
	return r.rows, errors.Join(err, r.Close())
}

// Read reads the rows of a paper from files.
func Read(paths []string, paper string) ([]Measurement, error) {
	var rows []Measurement
	for _, path := range paths {
		more, err := result.Read[Measurement](path)
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

// Run measures methods and keeps their rows.
type Run struct {
	Options
	paper string

	rows    []Measurement
	before  map[string]bool // settings of the rows that an earlier run has left in the folder
	file    string          // where rows are kept while more are measured; empty: nowhere
	saved   time.Time
	total   int     // number of rows, as far as known
	left    float64 // remaining seconds, as far as known
	device  *gpu.Device
	noGPU   error                    // why there is no GPU
	meters  map[string]*energy.Meter // by the quantity that they measure
	after   map[int]*grid.Grid       // by generation: the cells of soup then, by Gosper's own engine
	afterOf *grid.Grid               // the soup
}

// Start begins to measure the methods of a paper. It takes the rows that are already in the folder. Close ends it.
func Start(paper string, o Options) (*Run, error) {
	r := &Run{Options: o, paper: paper}
	return r, input(r.resume(o.Folder))
}

// resume takes the rows that are already in a folder, and keeps later ones there. It does nothing if the folder is "".
func (r *Run) resume(folder string) error {
	if folder == "" {
		return nil
	}
	r.file = filepath.Join(folder, r.paper+".jsonl")
	if _, err := os.Stat(r.file); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	rows, err := Read([]string{r.file}, r.paper)
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
	r.Notef("%s has %d rows, which are not measured again", r.file, len(rows))
	return nil
}

// Notef notes a measurement that was left out, and why.
func (r *Run) Notef(format string, args ...any) {
	if r.Note != nil {
		r.Note(fmt.Sprintf(format, args...))
	}
}

// Wants reports whether the user chose a method.
func (r *Run) Wants(method string) bool {
	return len(r.Methods) == 0 || slices.Contains(r.Methods, method)
}

// Has reports whether an earlier run has left a row of the setting.
func (r *Run) Has(m Measurement) bool { return r.before[completed(m).Setting()] }

// completed returns a row with the defaults of empty fields: Life, this computer, and its processor as the device.
func completed(m Measurement) Measurement {
	m.Rule = cmp.Or(m.Rule, Life)
	m.Machine = cmp.Or(m.Machine, Machine())
	m.Device = cmp.Or(m.Device, m.Machine)
	return m
}

// Rows returns all rows so far: those measured by this run and those that it found.
func (r *Run) Rows() []Measurement { return r.rows }

// Expect says how many more rows will be measured. Existing rows, and methods that the user did not choose, do not
// count.
func (r *Run) Expect(rows int) { r.total = len(r.rows) + rows }

// Left sets the approximate number of seconds that remain.
func (r *Run) Left(seconds float64) { r.left = seconds }

// Started reports that the measurement of a row has begun.
func (r *Run) Started(m Measurement) {
	if r.Show != nil {
		r.Show(Progress{Measurement: m, Row: len(r.rows) + 1, Rows: max(r.total, len(r.rows)+1), Left: r.left})
	}
}

// GPU returns the first GPU, or nil if there is none. It notes that once.
func (r *Run) GPU() (*gpu.Device, error) {
	if r.device != nil || r.noGPU != nil {
		return r.device, nil
	}
	d, err := gpu.Open(0)
	var unavailable *gpu.Unavailable
	if errors.As(err, &unavailable) {
		r.noGPU = err
		r.Notef("%v; the methods that need one are left out", err)
		return nil, nil
	}
	r.device = d
	return d, err
}

// Meter returns the energy meter of the GPU if a method runs there, otherwise that of the processor.
func (r *Run) Meter(m Measurement) *energy.Meter {
	var ids []string
	if r.device != nil && m.Device == r.device.Name {
		ids = []string{r.device.BusID}
	}
	key := strings.Join(ids, "")
	if r.meters[key] == nil {
		if r.meters == nil {
			r.meters = map[string]*energy.Meter{}
		}
		r.meters[key], _ = energy.Open(ids...) // on an error the meter reads nothing
	}
	return r.meters[key]
}

// Roughly returns a duration, given in seconds, in words.
func Roughly(seconds float64) string {
	switch {
	case seconds < 90:
		return fmt.Sprintf("%.0f s", math.Ceil(seconds))
	case seconds < 90*60:
		return fmt.Sprintf("%.0f min", seconds/60)
	default:
		return fmt.Sprintf("%.1f h", seconds/3600)
	}
}

// Close writes the rows, if there is a folder, and closes the GPU.
func (r *Run) Close() error {
	var err error
	if r.file != "" && len(r.rows) > 0 {
		err = result.Write(r.file, r.rows)
	}
	if r.device != nil {
		err = errors.Join(err, r.device.Close())
	}
	return err
}

// Soup returns a universe of random cells with a density, made from Seed.
func (*Run) Soup(ctx context.Context, w, h int, density float64) (*grid.Grid, error) {
	g, err := grid.New(w, h, 1)
	if err != nil {
		return nil, err
	}
	return g, soup.Fill(ctx, g, w, h, Seed, density, 0, nil)
}

// Measure loads a method with cells, measures it, keeps the row and closes the method. The row m names the method and
// the size. The energy is measured if the protocol has time for it. A method that the user did not choose, or that
// already has its row, is skipped. If open fails, because of the size or the memory, the method is left out and a note
// has the error. If check is not nil it checks the method first, and returns the generations after which the method had
// the right cells.
func (r *Run) Measure(
	ctx context.Context, m Measurement, cells *grid.Grid, p Protocol, open func() (Stepper, error),
	check func(Stepper) (generations int, err error),
) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if r.Has(m) || !r.Wants(m.Method) {
		return nil
	}
	r.Started(m)
	if p.EnergyTime > 0 && p.Energy == nil {
		p.Energy = r.Meter(m).Joules
	}
	s, err := open()
	if err != nil {
		r.Notef("%s %s: %v; left out", m.Method, m.Parameters, err)
		return nil
	}
	if check != nil {
		var generations int
		generations, err = check(s)
		m.Compared = int64(generations)
	}
	err = errors.Join(err, s.Load(cells))
	var t Timing
	if err == nil {
		t, err = p.Measure(ctx, s)
	}
	if err = errors.Join(err, s.Close()); err != nil {
		if ctx.Err() != nil {
			return ctx.Err() // the error of an interrupted engine is worded differently
		}
		return fmt.Errorf("%s %s: %w", m.Method, m.Parameters, err)
	}
	t.Fill(&m)
	return r.Add(m)
}

// Add keeps a row that was measured. It fills in the paper, revision, machine, date and the GPU's driver and
// power limit.
func (r *Run) Add(m Measurement) error {
	m.Paper, m.Date, m.Revision = r.paper, time.Now().UTC().Format(time.RFC3339), result.ThisBuild().Source()
	if r.device != nil && m.Device == r.device.Name {
		state := nvml.StateOf(r.device.BusID)
		m.Driver, m.PowerLimit = state.Driver, state.PowerLimit
		m.ClockMHz = cmp.Or(m.ClockMHz, int64(state.ClockMHz))
	}
	r.rows = append(r.rows, completed(m))
	if r.file == "" || time.Since(r.saved) < saveEvery {
		return nil
	}
	r.saved = time.Now()
	return result.Write(r.file, r.rows)
}

// Seed is the seed of all soups.
const Seed = 1

// saveEvery is the time between two saves: the work that is lost if the program is killed.
const saveEvery = time.Second

// Machine describes this computer in a few words.
func Machine() string {
	m := host.ThisMachine()
	return strings.TrimSpace(fmt.Sprintf("%s (%d cores), %s/%s", cmp.Or(m.CPU, "unknown processor"), m.Cores, m.OS,
		m.Arch))
}
