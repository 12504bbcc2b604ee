package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/energy"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/papers"
	"github.com/gosper-life/gosper/papers/cat"
	"github.com/gosper-life/gosper/papers/gpu"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

type benchCatCommand struct {
	paperFlags `embed:""`

	Part   []string      `placeholder:"P" help:"What to measure: radius, power, tiles, devices, size, beyond, changes, products. May be repeated. Default: all of it."`
	Method []string      `placeholder:"M" help:"Which methods, as BASE or CAT-INT8, gosper for Gosper's own engine. May be repeated. Default: all that a part has."`
	Side   int           `placeholder:"N" help:"Side of the universes of the parts radius, power and tiles. Default: 60416, the paper's largest."`
	Limit  time.Duration `placeholder:"T" help:"About how long a measurement may take, as 2s: where the paper's protocol takes longer there are fewer generations and realisations. Default: no limit."`
}

// Help is shown below the usage.
func (*benchCatCommand) Help() string {
	return `Example:

    gosper bench cat --quick --out results
    gosper bench cat --limit 1s --part radius --part power --out results
    gosper bench cat --from h100/cat.jsonl --from h200/cat.jsonl --out both

The sixteen rules of the paper, 25 generations a realisation, 4 to 32 realisations until the standard error is 1 % of the mean, the halo filled before each generation. Each method first has to reach, from the same soup, the cells that Gosper's own engine reaches; a row says after how many generations. Parts, with their figures in the paper:

    radius    every method at every radius on 60416² cells (10)
    power     watts and joules over 1000 generations of the same (11, 12)
    tiles     CAT with tiles of 1×1 to 30×30 fragments (8)
    devices   radius 1, 4, 8 and 16 on 40960² cells (13)
    size      n = 1024 + 2048·i, i = 0 … 29, at radius 1, 5, 10 and 16 (9)
    beyond    all methods on 16384² cells, also with the halo left as it was; radius 17 to 64, diamonds and crosses
    changes   CAT's kernel with one thing changed at a time, at radius 1 and 16: what costs it time
    products  bare products of the tensor cores in FP16, INT8, INT4 and b1

How long it will take is told before it begins. All of it takes hours by the paper's protocol, about forty minutes on an H100 with --limit 1s, --quick a minute or two. With --out it goes on where it stopped. Without a GPU the methods' arithmetic is run on one core, on small tori.`
}

// catParts are the values of --part, in the order in which they are measured.
var catParts = []string{"products", "changes", "radius", "power", "tiles", "devices", "size", "beyond"}

// Run implements the command.
func (cmd *benchCatCommand) Run(ctx context.Context, c *console.Console) error {
	for _, part := range cmd.Part {
		if !slices.Contains(catParts, part) {
			return console.Bad(fmt.Errorf("--part %s: want one of %s", part, strings.Join(catParts, ", ")))
		}
	}
	names := []string{papers.MethodGosper}
	for _, m := range cat.All() {
		names = append(names, string(m))
	}
	for _, method := range cmd.Method {
		if !slices.Contains(names, method) {
			return console.Bad(fmt.Errorf("--method %s: want one of %s", method, strings.Join(names, ", ")))
		}
	}
	if cmd.Side < 0 || cmd.Side > 1<<17 {
		return console.Bad(fmt.Errorf("--side %d: want 1 to %d", cmd.Side, 1<<17))
	}
	if cmd.Limit < 0 {
		return console.Bad(fmt.Errorf("--limit %v: want more than nothing", cmd.Limit))
	}
	return cmd.run(ctx, c, paper{
		name: cat.Name, tables: cat.Tables, figures: cat.Figures,
		measure: func(ctx context.Context, r *paperRun) error { return measureCat(ctx, r, cmd) },
	})
}

// catSweep is what is measured.
type catSweep struct {
	side         int   // of the sweep over radii, of power and tiles
	radii        []int // likewise
	sizes        []int
	sizeRadii    []int
	tiles        []int // widths and heights
	tileRadius   int
	scalingSide  int
	scalingRadii []int
	beyondSide   int
	wide         []int // radii above 16
	power        int   // generations of a curve of power
	changeRadii  []int // at which the kernel of CAT is changed
	curveRadii   []int // of which the curves are kept, not only what they come to
	protocol     papers.Protocol
}

var (
	catFull = catSweep{
		side: cat.AuthorsSide, radii: upTo(16), sizes: cat.Sizes(), sizeRadii: []int{1, 5, 10, 16}, tiles: upTo(30), tileRadius: 8,
		scalingSide: cat.ScalingSide, scalingRadii: []int{1, 4, 8, 16}, beyondSide: 16384, wide: []int{17, 24, 32, 48, 64},
		power: 1000, changeRadii: []int{1, 16}, curveRadii: []int{1, 5, 10, 16},
		protocol: papers.Protocol{Generations: 25, Least: 4, Most: 32, RelativeError: 0.01},
	}
	catQuick = catSweep{
		side: 4096, radii: []int{1, 2, 3, 5, 10, 16}, sizes: []int{1024, 3072, 5120}, sizeRadii: []int{1, 16},
		tiles: []int{1, 2, 4, 8, 14, 30}, tileRadius: 8, scalingSide: 4096, scalingRadii: []int{1, 16}, beyondSide: 2048, wide: []int{32, 64},
		power: 100, changeRadii: []int{1, 16}, curveRadii: []int{1, 16},
		protocol: papers.Protocol{Generations: 25, Least: 2, Most: 4, RelativeError: 0.01, Limit: 0.2},
	}
	catHost = catSweep{
		side: 128, radii: []int{1, 5, 16}, beyondSide: 128, sizeRadii: []int{1, 16}, wide: []int{32},
		protocol: papers.Protocol{Generations: 1, Least: 2, Most: 2},
	}
)

// upTo is 1 to n.
func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i + 1
	}
	return all
}

// catJob is one measurement to be made.
type catJob struct {
	part   string
	method string // one of cat's, or papers.MethodGosper
	text   string // the rule
	radius int
	start  float64 // the share of cells that are alive at the start
	side   int
	o      cat.Options
	power  bool // of the power over many generations, not of the time
}

// universe is what jobs one after the other share.
func (j catJob) universe() string { return fmt.Sprint(j.side, j.text, j.start) }

// jobs are the measurements of some parts, each once.
func (s catSweep) jobs(parts []string, onGPU bool, sharedBytes int) []catJob {
	var all []catJob
	done := map[string]bool{}
	add := func(j catJob) {
		if key := fmt.Sprint(j.method, j.universe(), j.o, j.power); !done[key] {
			done[key] = true
			all = append(all, j)
		}
	}
	paper := func(part string, side, radius int, power bool, methods ...cat.Method) {
		i := cat.Instances()[radius-1]
		for _, m := range methods {
			add(catJob{part, string(m), i.Notation, radius, i.Density, side, cat.Options{}, power})
		}
		add(catJob{part, papers.MethodGosper, i.Notation, radius, i.Density, side, cat.Options{}, power})
	}
	other := func(text string, radius int, methods ...cat.Method) {
		for _, m := range methods {
			if radius <= m.MaxRadius() {
				add(catJob{"beyond", string(m), text, radius, 0.4, s.beyondSide, cat.Options{}, false})
			}
		}
		add(catJob{"beyond", papers.MethodGosper, text, radius, 0.4, s.beyondSide, cat.Options{}, false})
	}
	for _, part := range parts {
		switch {
		case part == "radius":
			for _, radius := range s.radii {
				paper(part, s.side, radius, false, slices.Concat(cat.Published, cat.Variants, []cat.Method{cat.Int8})...)
			}
		case part == "beyond":
			for _, radius := range s.radii {
				paper(part, s.beyondSide, radius, false, cat.All()...)
				i := cat.Instances()[radius-1]
				for _, m := range cat.All() {
					if onGPU {
						add(catJob{part, string(m), i.Notation, radius, i.Density, s.beyondSide, cat.Options{FixedHalo: true}, false})
					}
				}
			}
			for _, radius := range s.wide {
				other(thresholds(radius, (2*radius+1)*(2*radius+1)-1, 'M'), radius, cat.MMA, cat.Registers, cat.Int8, cat.Rows, cat.Bits)
			}
			for _, radius := range s.radii {
				other(thresholds(radius, 2*radius*(radius+1), 'N'), radius, cat.Rows, cat.Bits)
			}
			for _, radius := range s.sizeRadii {
				other(thresholds(radius, 4*radius, '+'), radius, cat.CAT, cat.MMA, cat.Cached)
			}
		case !onGPU:
		case part == "power":
			for _, radius := range s.radii {
				paper(part, s.side, radius, true, slices.Concat(cat.Published, []cat.Method{cat.Prefix, cat.Int8})...)
			}
		case part == "changes":
			for _, radius := range s.changeRadii {
				i := cat.Instances()[radius-1]
				for _, change := range cat.Changes {
					add(catJob{part, string(cat.CAT), i.Notation, radius, i.Density, s.side, cat.Options{Change: change}, false})
				}
			}
		case part == "tiles":
			i := cat.Instances()[s.tileRadius-1]
			for _, a := range s.tiles {
				for _, b := range s.tiles {
					if cat.TileBytes(a, b) <= sharedBytes {
						add(catJob{part, string(cat.CAT), i.Notation, i.Radius, i.Density, s.side, cat.Options{Tile: [2]int{a, b}}, false})
					}
				}
			}
		case part == "devices":
			for _, radius := range s.scalingRadii {
				paper(part, s.scalingSide, radius, false, cat.Published...)
			}
		case part == "size":
			for _, n := range s.sizes {
				for _, radius := range s.sizeRadii {
					paper(part, n, radius, false, cat.Published...)
				}
			}
		}
	}
	// Those of a universe together, in the order in which universes come first.
	place := map[string]int{}
	for i, j := range all {
		if _, ok := place[j.universe()]; !ok {
			place[j.universe()] = i
		}
	}
	slices.SortStableFunc(all, func(a, b catJob) int { return place[a.universe()] - place[b.universe()] })
	return all
}

// thresholds is a rule with births and survivals at two fifths of a neighbourhood of so many cells, where random cells keep moving.
func thresholds(radius, cells int, letter byte) string {
	return fmt.Sprintf("R%d,C0,M0,S%d..%d,B%d..%d,N%c", radius, cells*38/100, cells*45/100, cells*36/100, cells*40/100, letter)
}

// seconds is about how long a job takes on an H100, without what comes before it.
func (s catSweep) seconds(j catJob) float64 {
	generation := cat.Expected(j.method, j.radius, j.side)
	if j.power {
		all := generation * float64(s.power)
		if s.protocol.Limit > 0 {
			all = min(all, s.powerTime(j.radius))
		}
		return all + s.rest(j.radius).Seconds()
	}
	p := s.protocol
	all := generation * float64(p.Generations*(max(p.Least, 1)+1))
	if p.Limit > 0 {
		all = min(all, max(p.Limit, generation*float64(p.Least)))
	}
	all += generation * float64(j.compareAfter())
	return all + 0.02
}

// catSetUp is about how long the soup of a cell, and what Gosper's engine makes of it, take.
const catSetUp = 8e-10

// told is about how long jobs take, in words.
func (s catSweep) told(jobs []catJob) (total float64, words string) {
	number, sums := map[string]int{}, map[string]float64{}
	universe := ""
	for _, j := range jobs {
		seconds := s.seconds(j)
		if u := j.universe(); u != universe {
			universe = u
			seconds += catSetUp * float64(j.side) * float64(j.side)
		}
		number[j.part]++
		sums[j.part] += seconds
		total += seconds
	}
	var parts []string
	for _, part := range catParts {
		if number[part] > 0 {
			parts = append(parts, fmt.Sprintf("%s: %d measurements, %s", part, number[part], roughly(sums[part])))
		}
	}
	return total, fmt.Sprintf("%s; in all about %s on an H100", strings.Join(parts, "; "), roughly(total))
}

// roughly is a duration in words.
func roughly(seconds float64) string {
	switch {
	case seconds < 90:
		return fmt.Sprintf("%.0f s", math.Ceil(seconds))
	case seconds < 90*60:
		return fmt.Sprintf("%.0f min", seconds/60)
	default:
		return fmt.Sprintf("%.1f h", seconds/3600)
	}
}

// catRun makes the measurements of one command.
type catRun struct {
	catSweep
	*paperRun
	d      *gpu.Device // nil: none
	device string

	wanted map[string][3]bool // by universe, after how many generations cells are compared
	now    string             // the universe that is loaded
	cells  *grid.Grid         // its soup
	after  map[int]*grid.Grid // what Gosper's engine makes of it, by generations; without a GPU
	start  *cat.Cells         // the same on the GPU
	then   map[int]*cat.Cells // likewise
	wrong  []error            // methods that came to other cells
}

func measureCat(ctx context.Context, r *paperRun, cmd *benchCatCommand) (err error) {
	run := catRun{catSweep: catFull, paperRun: r}
	if r.quick {
		run.catSweep = catQuick
	}
	if cmd.Limit > 0 {
		run.protocol.Limit, run.protocol.Least = cmd.Limit.Seconds(), 2
	}
	if run.d, err = r.gpu(); err != nil {
		return err
	}
	if run.d != nil && r.engine == "auto" {
		r.engine = "cuda"
	}
	run.device = "one core of " + machineName()
	sharedBytes := 0
	if run.d == nil {
		run.catSweep = catHost
		r.notef("the methods' arithmetic is run on one core instead")
	} else {
		run.device, sharedBytes = run.d.Name, run.d.SharedBlockBytes
	}
	run.side = cmp.Or(cmd.Side, run.side)
	parts := slices.DeleteFunc(slices.Clone(catParts), func(p string) bool { return len(cmd.Part) > 0 && !slices.Contains(cmd.Part, p) })
	if slices.Contains(parts, "products") && run.d != nil {
		if err := run.products(); err != nil {
			return err
		}
	}
	defer func() { err = errors.Join(err, run.unload()) }()
	jobs := run.jobs(parts, run.d != nil, sharedBytes)
	if len(cmd.Method) > 0 {
		jobs = slices.DeleteFunc(jobs, func(j catJob) bool { return !slices.Contains(cmd.Method, j.method) })
	}
	return run.jobsInTurn(ctx, jobs)
}

// jobsInTurn makes the measurements that an earlier run has not made.
func (r *catRun) jobsInTurn(ctx context.Context, jobs []catJob) error {
	jobs = slices.DeleteFunc(jobs, func(j catJob) bool { return r.before[r.measurement(j).Setting()] })
	if r.d != nil && len(jobs) > 0 {
		_, words := r.told(jobs)
		r.notef("%s", words)
	}
	r.total, r.wanted = len(r.rows)+len(jobs), map[string][3]bool{}
	for _, j := range jobs {
		if j.method != papers.MethodGosper {
			wanted := r.wanted[j.universe()]
			wanted[j.compareAfter()] = true
			r.wanted[j.universe()] = wanted
		}
	}
	for i, j := range jobs {
		r.left, _ = r.told(jobs[i:])
		if err := r.job(ctx, j); err != nil {
			return err
		}
	}
	return errors.Join(r.wrong...)
}

// measurement is a job as a row, of which nothing is measured yet.
func (r *catRun) measurement(j catJob) papers.Measurement {
	p := papers.Parameters{cat.ParameterHalo: "refreshed"}
	if j.o.FixedHalo {
		p[cat.ParameterHalo] = "fixed"
	}
	if j.method == papers.MethodGosper {
		p = papers.Parameters{papers.ParameterEngine: r.engine}
	}
	if j.o.Tile != [2]int{} {
		p[cat.ParameterTile] = fmt.Sprintf("%dx%d", j.o.Tile[0], j.o.Tile[1])
	}
	if j.o.Change != "" {
		p[cat.ParameterChange] = j.o.Change
	}
	if j.power {
		p[cat.ParameterRun] = "power"
	}
	m := papers.Measurement{
		Method: j.method, Parameters: p.String(), Rule: j.text, Width: int64(j.side), Height: int64(j.side), Device: r.device,
	}
	if j.method == papers.MethodGosper && r.d != nil && r.engine != "cuda" {
		m.Device = machineName()
	}
	return m
}

// job makes one measurement.
func (r *catRun) job(ctx context.Context, j catJob) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m := r.measurement(j)
	r.show(m)
	if err := r.load(ctx, j); err != nil {
		return err
	}
	s, err := r.open(ctx, j)
	if err != nil {
		if j.method == papers.MethodGosper {
			return console.Bad(err)
		}
		r.notef("%s %s: %v; left out", m.Method, m.Parameters, err)
		return nil
	}
	same, seconds := true, 0.0
	if j.method == papers.MethodGosper {
		err = s.Load(r.cells)
	} else {
		n := j.compareAfter()
		m.Compared = int64(n)
		same, seconds, err = r.compare(s, j.side, n)
	}
	switch {
	case err != nil:
	case !same:
		r.wrong = append(r.wrong, fmt.Errorf("%s %s, radius %d on %d² cells, comes to other cells than Gosper's engine", m.Method, m.Parameters, j.radius, j.side))
	case j.power:
		err = r.powerOf(ctx, s, j, m)
	default:
		err = r.timeOf(ctx, s, j, m, seconds)
	}
	if err = errors.Join(err, s.Close()); err != nil && ctx.Err() != nil {
		return ctx.Err() // an engine that is interrupted has words of its own
	}
	return err
}

// compareAfter is the generations after which a method's cells are compared: two, when both universes and their halos have been used, but
// one of those that are slow, and where the halo stays as it was and is out of date then.
func (j catJob) compareAfter() int {
	if j.o.FixedHalo || cat.Expected(j.method, j.radius, j.side) > 0.1 {
		return 1
	}
	return 2
}

// load makes the universe of a job the present one.
func (r *catRun) load(ctx context.Context, j catJob) error {
	if r.now == j.universe() {
		return nil
	}
	if err := r.unload(); err != nil {
		return err
	}
	s, err := r.open(ctx, catJob{method: papers.MethodGosper, text: j.text, side: j.side})
	if err != nil {
		return console.Bad(err)
	}
	e := s.(engineStepper)
	if r.cells, err = grid.New(j.side, j.side, 1); err == nil {
		err = errors.Join(soup.Fill(ctx, e.e, j.side, j.side, benchSeed, j.start, 0, nil), e.Store(r.cells))
	}
	r.after, r.then = map[int]*grid.Grid{}, map[int]*cat.Cells{}
	for n := 1; n <= 2 && err == nil; n++ {
		if err = e.Step(1); err != nil || !r.wanted[j.universe()][n] {
			continue
		}
		var g *grid.Grid
		if g, err = grid.New(j.side, j.side, 1); err != nil {
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

// unload gives the present universe back.
func (r *catRun) unload() error {
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

// open puts a method, or Gosper's engine, to work; it is not loaded yet.
func (r *catRun) open(ctx context.Context, j catJob) (papers.Stepper, error) {
	parsed, err := rule.Parse(j.text)
	if err != nil {
		return nil, err
	}
	switch {
	case j.method == papers.MethodGosper:
		e, err := sim.Open(ctx, r.engine, sim.Config{
			Rule: parsed, Topology: topology.Topology{Kind: topology.Torus, W: j.side, H: j.side},
		})
		if err != nil {
			return nil, err
		}
		return engineStepper{ctx, e}, nil
	case r.d == nil:
		return cat.OpenHost(cat.Method(j.method), parsed, j.side, j.side)
	}
	return cat.Method(j.method).Open(r.d, parsed, j.side, j.side, j.o)
}

// compare loads a method, lets it run for n generations and reports whether its cells are those of Gosper's engine, and the seconds that
// the last generation took. The method is then loaded anew.
func (r *catRun) compare(s papers.Stepper, side, n int) (same bool, seconds float64, err error) {
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
	g, err := grid.New(side, side, 1)
	if err != nil {
		return false, 0, err
	}
	if err := errors.Join(s.Load(r.cells), s.Step(n), s.Store(g)); err != nil {
		return false, 0, err
	}
	_, _, differs, err := grid.FirstDifference(g, r.after[n])
	return !differs, 0, errors.Join(err, s.Load(r.cells))
}

// timeOf measures a method that has been loaded, and a generation of which has just taken so many seconds, where that is not 0.
func (r *catRun) timeOf(ctx context.Context, s papers.Stepper, j catJob, m papers.Measurement, known float64) error {
	p := r.protocol
	p.Known = known
	if r.d == nil && j.method == papers.MethodGosper {
		p.Generations *= 64 // or there is nothing to time
	}
	p.Before = func(int) error {
		if r.d != nil {
			m.ClockMHz = int64(r.d.State().ClockMHz)
		}
		return nil
	}
	t, err := p.Measure(ctx, s)
	if err != nil {
		return err
	}
	t.Fill(&m)
	return r.add(m)
}

// powerTime is how many seconds of a run are enough for its power where time is limited, more of those whose curve is shown.
func (s catSweep) powerTime(radius int) float64 {
	if slices.Contains(s.curveRadii, radius) {
		return 3 * s.protocol.Limit
	}
	return s.protocol.Limit
}

// rest is the pause before a run whose curve is shown; another one only waits for the meter to move.
func (s catSweep) rest(radius int) time.Duration {
	if slices.Contains(s.curveRadii, radius) {
		return time.Second
	}
	return 100 * time.Millisecond
}

// powerOf measures what a method that has been loaded draws, from rest, and keeps the readings, a row each, where the curve is shown. A
// run that is limited leaves its first part out of the mean, in which the GPU comes up from rest.
func (r *catRun) powerOf(ctx context.Context, s papers.Stepper, j catJob, m papers.Measurement) error {
	meter := r.meter(m)
	if _, ok := meter.Read(); !ok {
		if !r.noPower {
			r.noPower = true
			r.notef("%s does not tell its power; the curves of it are left out", r.device)
		}
		return nil
	}
	begin := time.Now()
	err := s.Step(1)
	batch := max(1, int(0.05/time.Since(begin).Seconds()))
	limit := r.powerTime(j.radius)
	stop := meter.Record(10 * time.Millisecond)
	select { // from rest, as the paper's curves begin
	case <-ctx.Done():
	case <-time.After(r.rest(j.radius)):
	}
	begin = time.Now()
	done, clock := 0, 0
	for err == nil && done < r.power && (limit == 0 || time.Since(begin).Seconds() < limit) {
		n := min(batch, r.power-done)
		err = errors.Join(ctx.Err(), s.Step(n))
		done += n
		if done > r.power/2 || limit > 0 {
			clock = r.d.State().ClockMHz
		}
	}
	passed := time.Since(begin)
	readings := meanPower(stop(), begin)
	if err != nil {
		return err
	}
	m.Generations, m.Realisations, m.Clock, m.ClockMHz = int64(done), 1, "wall", int64(clock)
	m.Seconds = passed.Seconds() / float64(done)
	m.CellsPerSec = float64(m.Width) * float64(m.Height) / m.Seconds
	from := begin
	if done < r.power {
		from = begin.Add(passed / 4)
	}
	if watts, ok := meanOf(readings, from); ok {
		joules := watts * m.Seconds
		m.Joules = &joules
	}
	if err := r.add(m); err != nil {
		return err
	}
	if !slices.Contains(r.curveRadii, j.radius) {
		return nil
	}
	m.Joules, m.Compared = nil, 0
	for _, reading := range thinned(readings, mostReadings) {
		m.Parameters = papers.Parameters{
			cat.ParameterAt:    fmt.Sprintf("%.3f", reading.At.Sub(begin).Seconds()),
			cat.ParameterWatts: fmt.Sprintf("%.0f", reading.Watts),
		}.String()
		if err := r.add(m); err != nil {
			return err
		}
	}
	return nil
}

// meanOf is the mean power of readings of meanPower after a moment; false where there are none.
func meanOf(moves []energy.Reading, from time.Time) (watts float64, ok bool) {
	first := slices.IndexFunc(moves, func(r energy.Reading) bool { return !r.At.Before(from) })
	if first < 0 || first == len(moves)-1 {
		return 0, false
	}
	last := moves[len(moves)-1]
	return (last.Joules - moves[first].Joules) / last.At.Sub(moves[first].At).Seconds(), true
}

// meanPower are the readings at which the meter had moved, from a moment on, with the watts since it moved before: a GPU's own reading of
// its power is the mean of a whole second.
func meanPower(readings []energy.Reading, from time.Time) []energy.Reading {
	var moves []energy.Reading
	for _, r := range readings {
		if len(moves) == 0 || r.Joules > moves[len(moves)-1].Joules {
			moves = append(moves, r)
		}
	}
	for i := len(moves) - 1; i > 0; i-- {
		before := moves[i-1]
		moves[i].Watts = (moves[i].Joules - before.Joules) / moves[i].At.Sub(before.At).Seconds()
	}
	late := slices.IndexFunc(moves, func(r energy.Reading) bool { return r.At.After(from) })
	if late < 1 { // the first one has nothing before it
		return nil
	}
	return moves[late:]
}

// mostReadings is as many of a curve of power as a figure can show.
const mostReadings = 100

// thinned are n of the readings at most, the first and the last among them.
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
func (r *catRun) products() error {
	const first = "FP16"
	row := func(rate cat.Rate) papers.Measurement {
		return papers.Measurement{
			Method: cat.MethodProduct, Parameters: papers.Parameters{cat.ParameterType: rate.Type, "depth": rate.Depth}.String(),
			Width: 8, Height: 16, Generations: 1, Realisations: 1, Seconds: 1 / rate.PerSecond, CellsPerSec: 16 * 8 * rate.PerSecond,
			Clock: "device", Device: r.device, Rule: origin.DefaultRule,
		}
	}
	if r.before[row(cat.Rate{Type: first, Depth: 16}).Setting()] {
		return nil
	}
	rates, err := cat.Rates(r.d)
	for _, rate := range rates {
		if rate.PerSecond > 0 {
			err = errors.Join(err, r.add(row(rate)))
		}
	}
	return err
}
