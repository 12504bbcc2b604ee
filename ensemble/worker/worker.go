package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/internal/sums"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/queue"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/batch"
)

// Worker does jobs, one at a time. The zero value is ready for use: it chooses the fastest engine and uses one
// thread. It keeps the engine of a job for the next one, until Close.
type Worker struct {
	Engine  string // as for gosper run --engine
	Threads int    // of the engine; 0 means one, for jobs that run side by side
	// Used describes the engine of the last job or check. GPUs are the PCI bus ids of its GPUs.
	Used string
	GPUs []string

	leaves   bool // jobs to workers on processors: see NewShared
	labeller component.Labeller
	kept     [2]kept // of the last job: universes, and their twins
}

// onProcessor is the engine for jobs that GPUs leave.
const onProcessor = "cpu"

// kept is simulated universes that the next job may use.
type kept struct {
	simulated // nil if there are none
	kind      simulatedKind
}

// simulatedKind identifies simulated universes. Those of the same kind can be used again.
type simulatedKind struct {
	engine         string
	threads        int
	rule, topology string
	n              int
}

// Close releases the engines that the worker keeps.
func (w *Worker) Close() {
	for i := range w.kept {
		w.drop(i)
	}
}

func (w *Worker) drop(i int) {
	if w.kept[i].simulated != nil {
		w.kept[i].close()
		w.kept[i].simulated = nil
	}
}

// Run does a job. An error means that no run of this job on this engine can succeed, or that ctx is done.
func (w *Worker) Run(ctx context.Context, j ensemble.Job) (*ensemble.Result, error) {
	result, err := w.run(ctx, j)
	var unsupported *sim.Unsupported
	switch {
	case errors.As(err, &unsupported) && w.Engine == onProcessor: // which runs nearly everything
		w.Close()
		w.Engine = sim.Auto
		result, err = w.run(ctx, j)
		w.Close()
		w.Engine = onProcessor
	case w.leaves && ctx.Err() == nil && (errors.As(err, &unsupported) || sim.IsDeviceError(err)):
		err = fmt.Errorf("%w: %w", queue.ErrLeft, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%v: %w", j, err)
	}
	return result, nil
}

// run does a job: it measures the universes over time, and then counts the objects in them if a census is wanted.
func (w *Worker) run(ctx context.Context, j ensemble.Job) (*ensemble.Result, error) {
	m, universes, err := w.begin(j)
	if err != nil {
		return nil, err
	}
	defer m.close()
	if err := m.run(ctx, universes); err != nil {
		return nil, err
	}
	if m.study.Wanted.Census && m.last == nil {
		if err := m.count(ctx, universes); err != nil {
			return nil, err
		}
	}
	return m.result(j.Key(), universes), nil
}

// begin prepares the measurement of a job's universes.
func (w *Worker) begin(j ensemble.Job) (*measurement, []*universe, error) {
	spec := j.Spec
	spec.Universes, spec.PerJob = j.Count, j.Count
	study, err := spec.Check()
	if err != nil {
		return nil, nil, err
	}
	if n := len(study.Points); n != len(study.Spec.Rules) || n > 1 && (study.Wanted.Settling || study.Wanted.Census) {
		return nil, nil, fmt.Errorf(
			"the job has %d combinations of rule, size, start and density: want 1, or several rules of which neither settling nor a census is measured", n)
	}
	if mine := study.Wanted.Identities(); !slices.Equal(mine, j.Measures) {
		return nil, nil, fmt.Errorf("the job asks for measures %v, but this version of gosper has %v", j.Measures, mine)
	}
	points := study.Points
	m := &measurement{worker: w, study: study, points: points, at: points[0], planes: grid.PlanesOf(points[0].Rule.States)}
	m.columns = study.Wanted.NewColumns(len(points)*j.Count*len(study.Times), m.at, study.Times[len(study.Times)-1] > 0)
	if study.Unbounded() {
		m.columns.BoxWidth, m.columns.BoxHeight = make([]uint64, len(m.columns.Population)),
			make([]uint64, len(m.columns.Population))
	} else if study.Wanted.Clusters {
		m.sizes = make([]sums.Sizes, len(points)*len(study.Times))
	}
	var universes []*universe
	for k, at := range points {
		place := at.Place()
		for i := range j.Count {
			index := j.First + uint64(i)
			universes = append(universes, &universe{
				number: k*j.Count + i, rule: k, place: place, index: index,
				seed: ensemble.Seed(spec.Root, place, index, spec.Paired),
			})
		}
	}
	if j.From != "" {
		err = m.takeUp(j, universes)
	}
	return m, universes, err
}

// prepare makes room for n universes of each point, those of a job or their twins. It reuses the memory of the last job
// if that fits.
func (w *Worker) prepare(ctx context.Context, points []ensemble.Point, n, which int) (simulated, error) {
	at := points[0]
	kind := simulatedKind{w.Engine, w.Threads, at.Rule.String(), at.Topology.String(), n * len(points)}
	if len(points) > 1 {
		kind.rule = "any rule of " + at.Rule.Neighbourhood.Notation()
	}
	k := &w.kept[which]
	if k.simulated != nil && k.kind == kind {
		c := k.simulated
		k.simulated = nil
		if b, ok := c.(*simulatedBatch); ok && len(points) > 1 {
			return c, b.Batch.(chooser).Choose(rulesOf(points, n))
		}
		return c, nil
	}
	w.drop(which)
	k.kind = kind
	return w.open(ctx, points, n)
}

// chooser is a batch whose universes have a rule each: see batch.Config.
type chooser interface {
	Choose(rules []rule.Rule) error
}

// rulesOf returns the rule of each of n universes of each point.
func rulesOf(points []ensemble.Point, n int) []rule.Rule {
	var rules []rule.Rule
	for _, at := range points {
		rules = append(rules, slices.Repeat([]rule.Rule{at.Rule}, n)...)
	}
	return rules
}

// open makes room for n universes of each point, on an engine for many small ones if there is one. Else it is
// for one universe at a time, unless there are several rules: then the error is *sim.Unsupported.
func (w *Worker) open(ctx context.Context, points []ensemble.Point, n int) (simulated, error) {
	threads := max(w.Threads, 1)
	at, all := points[0], n*len(points)
	cfg := batch.Config{Rule: at.Rule, Topology: at.Topology, Universes: all, Threads: threads, Shared: threads == 1}
	if len(points) > 1 {
		cfg.Rules = rulesOf(points, n)
	}
	if !at.Unbounded {
		b, err := batch.Open(ctx, w.Engine, cfg)
		if err == nil {
			w.note(b.Info())
			return &simulatedBatch{Batch: b, n: all}, nil
		}
		var unsupported *sim.Unsupported
		if !errors.As(err, &unsupported) || len(points) > 1 || w.leaves {
			return nil, err // running one universe at a time would hide the lack of memory
		}
	}
	if w.leaves {
		return nil, &sim.Unsupported{Engine: w.Engine, What: "batches", Why: "these universes have no edges"}
	}
	e, err := w.single(ctx, at, w.Engine)
	if err != nil {
		return nil, err
	}
	w.note(e.Info())
	return &simulatedEngine{engine: e, at: at}, nil
}

// single makes an engine for one universe at a time.
func (w *Worker) single(ctx context.Context, at ensemble.Point, engine string) (sim.Engine, error) {
	return sim.Open(ctx, engine, sim.Config{
		Rule: at.Rule, Topology: at.Edges(), Threads: max(w.Threads, 1), Outlook: sim.Outlook{Brief: true},
	})
}

func (w *Worker) note(info sim.Info) {
	w.Used, w.GPUs = info.Engine, info.GPUs
	for _, part := range []string{info.Device, info.Plan} {
		if part != "" {
			w.Used += ", " + part
		}
	}
}

// universe is one universe of a job, with its measurements so far.
type universe struct {
	number      int // its number in the job
	rule        int // the number of its rule in the job
	place       ensemble.Place
	index, seed uint64
	objects     *uint64
	settling    settling
	kept        []byte // its cells at the generations to dump, if they are wanted
	last        []byte // its states at the last generation, if they are kept
	end         uint64 // its population when it has settled on the unbounded plane
}

// measurement is a job in progress.
type measurement struct {
	worker  *Worker
	study   *ensemble.Study
	points  []ensemble.Point // whose universes are simulated together: all of the job, or one
	at      ensemble.Point   // the first of them; they differ in their rules
	planes  int
	columns ensemble.Columns
	sizes   []sums.Sizes // by number of the rule and the sample
	finder  settler
	last    *ensemble.Last // from which the job goes on; nil if it begins at generation 0
	objects sums.Objects
}

func (m *measurement) close() { m.finder.close() }

// run advances universes to their end. It runs all rules together if an engine can do that, else one rule after the
// other.
func (m *measurement) run(ctx context.Context, universes []*universe) error {
	if m.at.Unbounded {
		return m.unbounded(ctx, universes)
	}
	err := m.together(ctx, universes)
	var unsupported *sim.Unsupported
	if len(m.points) == 1 || !errors.As(err, &unsupported) {
		return err
	}
	all := m.points
	each := len(universes) / len(all)
	for i := range all {
		m.points, m.at = all[i:i+1], all[i]
		if err := m.together(ctx, universes[i*each:(i+1)*each]); err != nil {
			return err
		}
	}
	return nil
}

// together advances universes of the measurement's points to their end: all at once if there is an engine for
// many, else one after another.
func (m *measurement) together(ctx context.Context, universes []*universe) error {
	l := &life{measurement: m}
	for i, s := range []*simulated{&l.simulated, &l.twins} {
		if i > 0 && m.study.Wanted.Needs()&ensemble.NeedsTwin == 0 {
			continue
		}
		var err error
		if *s, err = m.worker.prepare(ctx, m.points, len(universes)/len(m.points), i); err != nil {
			return err
		}
		defer func() {
			if m.worker.kept[i].simulated != *s { // the next job cannot use an engine that failed
				(*s).close()
			}
		}()
	}
	if err := l.all(ctx, universes); err != nil {
		return err
	}
	m.worker.kept[0].simulated = l.simulated
	if l.twins != nil {
		m.worker.kept[1].simulated = l.twins
	}
	return nil
}

// all advances universes to their end, as many at once as fit.
func (l *life) all(ctx context.Context, universes []*universe) error {
	for members := range slices.Chunk(universes, l.simulated.size()) {
		l.members = members
		if err := l.run(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Do does a job in the form that Job.Encode makes, and returns its result in the form that Result.Encode makes,
// as a queue of jobs needs it.
func (w *Worker) Do(ctx context.Context, job []byte) ([]byte, error) {
	j, err := ensemble.DecodeJob(job)
	if err != nil {
		return nil, err
	}
	measured, err := w.Run(ctx, j)
	if err != nil {
		return nil, err
	}
	return measured.Encode()
}
