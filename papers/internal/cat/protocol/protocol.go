// Package protocol has the measurements of CAT and of the methods that its paper compares it with: what is
// measured, how often, and how it is checked.
package protocol

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/energy"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/nvml"
	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/papers/internal/cat"
	"github.com/gosper-life/gosper/papers/internal/cat/authors"
	"github.com/gosper-life/gosper/papers/internal/cat/report"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/soup"
)

// Settings say which parts of the protocol are run.
type Settings struct {
	Parts []string      // of Parts; empty: all
	Radii []int         // of the rules of all parts except tiles; empty: all radii of a part
	Side  int           // of the universes of the parts radius, power, tiles, changes and launches; 0: the paper's largest
	Limit time.Duration // about how long a measurement may take; 0: no limit
}

// MostSide is the greatest Settings.Side.
const MostSide = 1 << 17

// Check refuses settings that are not possible.
func (s Settings) Check() error {
	for _, part := range s.Parts {
		if !slices.Contains(Parts, part) {
			return fmt.Errorf("part %q: want one of %s", part, strings.Join(Parts, ", "))
		}
	}
	for _, radius := range s.Radii {
		if radius < 1 || radius > 64 {
			return fmt.Errorf("radius %d: want 1 to 64", radius)
		}
	}
	switch {
	case s.Side < 0 || s.Side > MostSide:
		return fmt.Errorf("side %d: want 1 to %d", s.Side, MostSide)
	case s.Limit < 0:
		return fmt.Errorf("limit %v: want more than 0", s.Limit)
	}
	return nil
}

// Paper is the paper with its protocol.
func Paper(s Settings) experiment.Paper {
	var methods []string
	for _, m := range cat.All() {
		methods = append(methods, string(m))
	}
	return experiment.Paper{
		Name: cat.Name, Methods: append(methods, string(cat.Volume), cat.MethodProduct),
		Tables: report.Tables, Figures: report.Figures,
		Measure: func(ctx context.Context, r *experiment.Run) error { return measure(ctx, r, s) },
	}
}

// Parts are the parts of the protocol, in the order in which they are measured.
var Parts = []string{
	"products", "changes", "radius", "power", "tiles", "devices", "size", "beyond", "launches", "volume",
}

// seconds returns the approximate time of a job on an H100, without its preparation.
func (s sweep) seconds(j job) float64 {
	generation := expected(j)
	if j.power {
		all := generation * float64(s.power)
		if s.protocol.Limit > 0 {
			all = min(all, s.powerTime(j.radius))
		}
		return all + 2*s.rest(j.radius).Seconds()
	}
	p := s.protocol
	all := generation * float64(p.Generations*(max(p.Least, 1)+1))
	if p.Limit > 0 {
		all = min(all, max(p.Limit, generation*float64(p.Least)))
	}
	all += generation * float64(j.compareAfter())
	return all + 0.02
}

// expected estimates the seconds of a job's generation on an H100, from the authors' measurements of its method or of a
// similar one. It is used to estimate in advance how long a measurement takes.
func expected(j job) float64 {
	like, faster := j.method, 1.0
	switch {
	case j.method == string(cat.Base8):
		like = string(cat.Base)
	case j.method == experiment.MethodGosper:
		like, faster = string(cat.CAT), 8
	case !slices.Contains(cat.Published, cat.Method(j.method)):
		like = string(cat.CAT)
	}
	seconds := authors.Time(like, min(j.radius, 16), authors.Side) * j.cells() / (authors.Side * authors.Side)
	return max(seconds, 1e-5) / faster
}

// setUp is an estimate of the seconds that a cell's soup and its first generations in Gosper's engine take.
const setUp = 8e-10

// told estimates how long jobs take, in seconds and in words.
func (s sweep) told(jobs []job) (total float64, words string) {
	number, sums := map[string]int{}, map[string]float64{}
	universe := ""
	for _, j := range jobs {
		seconds := s.seconds(j)
		if u := j.universe(); u != universe {
			universe = u
			seconds += setUp * j.cells()
		}
		number[j.part]++
		sums[j.part] += seconds
		total += seconds
	}
	var parts []string
	for _, part := range Parts {
		if number[part] > 0 {
			parts = append(parts, fmt.Sprintf("%s: %d measurements, %s", part, number[part], experiment.Roughly(sums[part])))
		}
	}
	return total, fmt.Sprintf("%s; in all about %s on an H100", strings.Join(parts, "; "), experiment.Roughly(total))
}

// run makes the measurements of one command.
type run struct {
	sweep
	*experiment.Run
	d      *gpu.Device // nil: none
	device string

	wanted  map[string][]int   // by universe, after how many generations cells are compared
	now     string             // the universe that is loaded
	cells   *grid.Grid         // its soup
	after   map[int]*grid.Grid // the cells of Gosper's engine after some generations, by their number; without a GPU
	start   *cat.Cells         // the same on the GPU
	then    map[int]*cat.Cells // likewise
	wrong   []error            // methods with other cells than Gosper's engine
	noPower bool               // a note says that the GPU does not report its power
}

// measure runs the protocol of the paper. Without a GPU it only checks the arithmetic of the methods,
// on small universes.
func measure(ctx context.Context, e *experiment.Run, o Settings) (err error) {
	r := run{sweep: full, Run: e}
	if e.Quick {
		r.sweep = quick
	}
	if o.Limit > 0 {
		r.protocol.Limit, r.protocol.Least = o.Limit.Seconds(), 2
	}
	if r.d, err = e.GPU(); err != nil {
		return err
	}
	if r.d != nil && e.Engine == sim.Auto {
		e.Engine = "cuda"
	}
	r.device = cat.OneCore + experiment.Machine()
	sharedBytes := 0
	if r.d == nil {
		r.sweep = onHost
		e.Notef("the methods' arithmetic is checked on one core instead")
	} else {
		r.device, sharedBytes = r.d.Name, r.d.SharedBlockBytes
	}
	r.side = cmp.Or(o.Side, r.side)
	if len(o.Radii) > 0 {
		r.sweep = r.only(o.Radii)
	}
	parts := slices.DeleteFunc(slices.Clone(Parts), func(p string) bool {
		return len(o.Parts) > 0 && !slices.Contains(o.Parts, p)
	})
	if slices.Contains(parts, "products") && r.d != nil && e.Wants(cat.MethodProduct) {
		if err := r.products(); err != nil {
			return err
		}
	}
	defer func() { err = errors.Join(err, r.unload()) }()
	return r.jobsInTurn(ctx, r.jobs(parts, r.d != nil, sharedBytes))
}

// jobsInTurn makes the measurements that were asked for, without those that an earlier run has made.
func (r *run) jobsInTurn(ctx context.Context, jobs []job) error {
	jobs = slices.DeleteFunc(jobs, func(j job) bool { return !r.Wants(j.method) || r.Has(r.measurement(j)) })
	if r.d != nil && len(jobs) > 0 {
		_, words := r.told(jobs)
		r.Notef("%s", words)
	}
	r.Expect(len(jobs))
	r.wanted = map[string][]int{}
	for _, j := range jobs {
		if j.method != experiment.MethodGosper {
			r.wanted[j.universe()] = append(r.wanted[j.universe()], j.compareAfter())
		}
	}
	for i, j := range jobs {
		left, _ := r.told(jobs[i:])
		r.Left(left)
		if err := r.job(ctx, j); err != nil {
			return err
		}
	}
	return errors.Join(r.wrong...)
}

// measurement returns the row of a job, without results yet.
func (r *run) measurement(j job) experiment.Measurement {
	p := experiment.Parameters{cat.ParameterHalo: "refreshed"}
	if j.o.FixedHalo {
		p[cat.ParameterHalo] = "fixed"
	}
	if j.method == experiment.MethodGosper {
		p = experiment.Parameters{experiment.ParameterEngine: r.Engine}
	}
	switch {
	case j.o.Tile == [2]int{}:
		if j.o.Change != "" {
			p[cat.ParameterChange] = j.o.Change
		}
	case j.o.Change == "":
		p[cat.ParameterKnown] = "true"
		fallthrough
	default:
		p[cat.ParameterTile] = fmt.Sprintf("%dx%d", j.o.Tile[0], j.o.Tile[1])
	}
	if j.o.Generations > 0 {
		p[cat.ParameterGenerations] = fmt.Sprint(j.o.Generations)
	}
	if j.power {
		p[cat.ParameterRun] = "power"
	}
	if j.o.Layers > 0 {
		p[cat.ParameterLayers] = j.o.Layers
	}
	if j.o.Rows > 0 {
		p[cat.ParameterRows] = j.o.Rows
	}
	m := experiment.Measurement{
		Method: j.method, Parameters: p.String(), Rule: j.text, Width: int64(j.side), Height: int64(j.rows()),
		Device: r.device,
	}
	if j.method == experiment.MethodGosper && r.d != nil && r.Engine != "cuda" {
		m.Device = experiment.Machine()
	}
	return m
}

// job makes one measurement.
func (r *run) job(ctx context.Context, j job) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m := r.measurement(j)
	r.Started(m)
	if err := r.load(ctx, j); err != nil {
		return err
	}
	s, err := r.open(ctx, j)
	if err != nil {
		if j.method == experiment.MethodGosper {
			return err
		}
		r.Notef("%s %s: %v; left out", m.Method, m.Parameters, err)
		return nil
	}
	same, seconds := true, 0.0
	if j.method == experiment.MethodGosper {
		err = s.Load(r.cells)
	} else {
		n := j.compareAfter()
		m.Compared = int64(n)
		same, seconds, err = r.compare(s, j, n)
	}
	switch {
	case err != nil:
	case !same:
		r.wrong = append(r.wrong, fmt.Errorf("%s %s, radius %d on %s cells, has other cells than Gosper's engine", m.Method,
			m.Parameters, j.radius, j.size()))
	case j.power:
		err = r.powerOf(ctx, s, j, m)
	default:
		err = r.timeOf(ctx, s, j, m, seconds)
	}
	if err = errors.Join(err, s.Close()); err != nil && ctx.Err() != nil {
		return ctx.Err() // the error of an interrupted engine is worded differently
	}
	return err
}

// launch is the number of generations of a launch of the method.
func (j job) launch() int { return cat.Method(j.method).LaunchGenerations(j.radius, j.o) }

// compareAfter is the number of generations after which a method's cells are compared. It is that of a launch and
// one, because both universes and their halos have been used by then. It is one for slow methods, and if the halo
// stays as it was, because it is out of date after a launch.
func (j job) compareAfter() int {
	if j.o.FixedHalo || expected(j) > 0.1 {
		return 1
	}
	return j.launch() + 1
}

// load loads the universe of a job.
func (r *run) load(ctx context.Context, j job) error {
	if r.now == j.universe() {
		return nil
	}
	if err := r.unload(); err != nil {
		return err
	}
	s, err := r.open(ctx, job{method: experiment.MethodGosper, text: j.text, side: j.side, o: j.o})
	if err != nil {
		return err
	}
	e := s.(experiment.Own)
	if r.cells, err = grid.New(j.side, j.rows(), 1); err == nil {
		err = errors.Join(soup.Fill(ctx, e.Engine, j.side, j.rows(), experiment.Seed, j.start, 0, nil), e.Store(r.cells))
	}
	r.after, r.then = map[int]*grid.Grid{}, map[int]*cat.Cells{}
	wanted := slices.Compact(slices.Sorted(slices.Values(r.wanted[j.universe()])))
	done := 0
	for _, n := range wanted {
		if err == nil {
			err = e.Step(n - done)
		}
		if err != nil {
			break
		}
		done = n
		var g *grid.Grid
		if g, err = grid.New(j.side, j.rows(), 1); err != nil {
			break
		}
		err = e.Store(g)
		if err == nil && r.d != nil {
			r.then[n], err = cat.Upload(r.d, g)
		} else {
			r.after[n] = g
		}
	}
	if err == nil && r.d != nil {
		r.start, err = cat.Upload(r.d, r.cells)
	}
	if err = errors.Join(err, e.Close()); err != nil {
		return err
	}
	r.now = j.universe()
	return nil
}

// unload frees the loaded universe.
func (r *run) unload() error {
	var err error
	if r.start != nil {
		err = r.start.Close()
	}
	for _, c := range r.then {
		err = errors.Join(err, c.Close())
	}
	r.now, r.start, r.then = "", nil, nil
	return err
}

// open opens a method or Gosper's engine. It is not loaded yet.
func (r *run) open(ctx context.Context, j job) (experiment.Stepper, error) {
	parsed, err := rule.Parse(j.text)
	if err != nil {
		return nil, err
	}
	switch {
	case j.method == experiment.MethodGosper:
		return r.OpenVolume(ctx, parsed, j.side, j.rows(), j.o.Layers)
	case r.d == nil:
		return cat.OpenHost(cat.Method(j.method), parsed, j.side, j.rows())
	}
	return cat.Method(j.method).Open(r.d, parsed, j.side, j.rows(), j.o)
}

// compare loads a method, runs it for n generations and reports whether it has the same cells as Gosper's
// engine, and how many seconds the last generation took. Then it loads the method again.
func (r *run) compare(s experiment.Stepper, j job, n int) (same bool, seconds float64, err error) {
	if u, ok := s.(*cat.Universe); ok {
		err := u.LoadCells(r.start)
		if err == nil && n > 1 {
			err = u.Step(n - 1)
		}
		if err == nil {
			seconds, err = u.StepTimed(1)
		}
		if err != nil {
			return false, 0, err
		}
		differs, err := u.Differs(r.then[n])
		return !differs, seconds, errors.Join(err, u.LoadCells(r.start))
	}
	g, err := grid.New(j.side, j.rows(), 1)
	if err != nil {
		return false, 0, err
	}
	if err := errors.Join(s.Load(r.cells), s.Step(n), s.Store(g)); err != nil {
		return false, 0, err
	}
	_, _, differs, err := grid.FirstDifference(g, r.after[n])
	return !differs, 0, errors.Join(err, s.Load(r.cells))
}

// timeOf measures a method that is loaded. known is how many seconds its last generation took; 0: not known.
func (r *run) timeOf(ctx context.Context, s experiment.Stepper, j job, m experiment.Measurement, known float64) error {
	p := r.protocol
	p.Known = known
	p.Generations = (p.Generations + j.launch() - 1) / j.launch() * j.launch() // whole launches
	if r.d == nil && j.method == experiment.MethodGosper {
		p.Generations *= 64 // one product is too short to time
	}
	p.Before = func(int) error {
		if r.d != nil {
			m.ClockMHz = int64(nvml.StateOf(r.d.BusID).ClockMHz)
		}
		return nil
	}
	t, err := p.Measure(ctx, s)
	if err != nil {
		return err
	}
	t.Fill(&m)
	return r.Add(m)
}

// powerTime is the number of seconds that a run for its power takes if time is limited. Runs whose curve is
// shown take long enough for the GPU's own reading, which is the mean of a second, to settle.
func (s sweep) powerTime(radius int) float64 {
	if slices.Contains(s.curveRadii, radius) && s.protocol.Limit > 0 {
		return max(5*s.protocol.Limit, leastCurve)
	}
	return s.protocol.Limit
}

// leastCurve is the least number of seconds of a run that is cut and whose curve is shown.
const leastCurve = 4

// rest is the pause before and after a run. If the curve is shown it is about as long as in the authors' curves; else
// it only lets the meter move.
func (s sweep) rest(radius int) time.Duration {
	if slices.Contains(s.curveRadii, radius) {
		return 1200 * time.Millisecond
	}
	return 100 * time.Millisecond
}

// powerOf measures the power of a method that is loaded, from rest to rest. If the curve is shown it keeps the GPU's
// own readings, a row each, as the paper does. The joules of a generation are the difference of the GPU's counter
// between two of its updates, which are inside the run. If the run is limited, its first quarter is left out, because
// the GPU's power still rises then.
func (r *run) powerOf(ctx context.Context, s experiment.Stepper, j job, m experiment.Measurement) error {
	meter := r.Meter(m)
	if _, ok := meter.Read(); !ok {
		if !r.noPower {
			r.noPower = true
			r.Notef("%s does not report its power, so the curves of power are left out", r.device)
		}
		return nil
	}
	begin := time.Now()
	err := s.Step(1)
	batch := max(1, int(0.05/time.Since(begin).Seconds()))
	limit := r.powerTime(j.radius)
	rest := func() {
		select {
		case <-ctx.Done():
		case <-time.After(r.rest(j.radius)):
		}
	}
	stop := meter.Record(10 * time.Millisecond)
	rest()
	begin = time.Now()
	done, clock := 0, 0
	for err == nil && done < r.power && (limit == 0 || time.Since(begin).Seconds() < limit) {
		n := min(batch, r.power-done)
		err = errors.Join(ctx.Err(), s.Step(n))
		done += n
		if done > r.power/2 || limit > 0 {
			clock = nvml.StateOf(r.d.BusID).ClockMHz
		}
	}
	end := time.Now()
	rest()
	readings := stop()
	if err != nil {
		return err
	}
	passed := end.Sub(begin)
	m.Generations, m.Realisations, m.Clock, m.ClockMHz = int64(done), 1, "wall", int64(clock)
	m.Seconds = passed.Seconds() / float64(done)
	m.CellsPerSec = float64(m.Width) * float64(m.Height) / m.Seconds
	from := begin
	if done < r.power {
		from = begin.Add(passed / 4)
	}
	if watts, ok := meanPower(readings, from, end); ok {
		joules := watts * m.Seconds
		m.Joules = &joules
	}
	if err := r.Add(m); err != nil {
		return err
	}
	if !slices.Contains(r.curveRadii, j.radius) {
		return nil
	}
	m.Joules, m.Compared = nil, 0
	for _, reading := range thinned(sampled(readings, samplePeriod), mostReadings) {
		m.Parameters = experiment.Parameters{
			cat.ParameterAt:    fmt.Sprintf("%.3f", reading.At.Sub(readings[0].At).Seconds()),
			cat.ParameterWatts: fmt.Sprintf("%.1f", reading.Watts),
		}.String()
		if err := r.Add(m); err != nil {
			return err
		}
	}
	return nil
}

// samplePeriod is the time between two of the authors' readings of a GPU's power, and ours.
const samplePeriod = 100 * time.Millisecond

// sampled returns the first reading and then the first one after each period.
func sampled(readings []energy.Reading, period time.Duration) []energy.Reading {
	var kept []energy.Reading
	for _, r := range readings {
		if r.At.Sub(readings[0].At) >= time.Duration(len(kept))*period {
			kept = append(kept, r)
		}
	}
	return kept
}

// meanPower returns the mean power between the first and the last update of the meter's counter from one moment to
// another, or false if there are not two of them.
func meanPower(readings []energy.Reading, from, to time.Time) (watts float64, ok bool) {
	var first, last, before energy.Reading
	for _, r := range readings {
		if r.Joules > before.Joules && !before.At.IsZero() && !r.At.Before(from) && !r.At.After(to) {
			if first.At.IsZero() {
				first = r
			}
			last = r
		}
		before = r
	}
	if !last.At.After(first.At) {
		return 0, false
	}
	return (last.Joules - first.Joules) / last.At.Sub(first.At).Seconds(), true
}

// mostReadings is the greatest number of points of a curve of power that a figure can show.
const mostReadings = 200

// thinned returns at most n of the readings, including the first and the last.
func thinned(readings []energy.Reading, n int) []energy.Reading {
	if len(readings) <= n {
		return readings
	}
	kept := make([]energy.Reading, n)
	for i := range kept {
		kept[i] = readings[i*(len(readings)-1)/(n-1)]
	}
	return kept
}

// products are the bare products of the tensor cores.
func (r *run) products() error {
	const first = "FP16"
	row := func(rate cat.Rate) experiment.Measurement {
		return experiment.Measurement{
			Method: cat.MethodProduct, Parameters: experiment.Parameters{
				cat.ParameterType: rate.Type,
				"depth":           rate.Depth,
			}.String(),
			Width: 8, Height: 16, Generations: 1, Realisations: 1, Seconds: 1 / rate.PerSecond,
			CellsPerSec: 16 * 8 * rate.PerSecond,
			Clock:       "device", Device: r.device, Rule: experiment.Life,
		}
	}
	if r.Has(row(cat.Rate{Type: first, Depth: 16})) {
		return nil
	}
	rates, err := cat.Rates(r.d)
	for _, rate := range rates {
		if rate.PerSecond > 0 {
			err = errors.Join(err, r.Add(row(rate)))
		}
	}
	return err
}
