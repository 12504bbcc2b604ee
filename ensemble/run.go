package ensemble

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/batch"
)

// Runner runs jobs, one at a time. The zero value is ready: it chooses the fastest engine and uses one thread. It keeps the engine of a
// job for the next one, until Close.
type Runner struct {
	Engine  string // as gosper run --engine takes it
	Threads int    // of the engine; 0: one, for jobs run beside each other
	// Used describes the engine of the last job or check, GPUs are the PCI bus ids of those it is on.
	Used string
	GPUs []string

	labeller component.Labeller
	kept     simulated // of the last job; nil: none
	keptFor  simulatedKind
}

// simulatedKind is what simulated universes were made for.
type simulatedKind struct {
	engine         string
	threads        int
	rule, topology string
	n              int
}

// Close releases the engine that is kept.
func (r *Runner) Close() {
	if r.kept != nil {
		r.kept.close()
		r.kept = nil
	}
}

// Run does a job. An error means that no run of this job on this engine can succeed, or that ctx is done.
func (r *Runner) Run(ctx context.Context, j Job) (*Result, error) {
	result, err := r.run(ctx, j)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", j, err)
	}
	return result, nil
}

func (r *Runner) run(ctx context.Context, j Job) (*Result, error) {
	m, universes, err := r.begin(j)
	if err != nil {
		return nil, err
	}
	defer m.close()
	if err := m.run(ctx, universes); err != nil {
		return nil, err
	}
	if m.plan.measures.census {
		if err := m.count(ctx, universes); err != nil {
			return nil, err
		}
	}
	return m.result(j.Key(), universes), nil
}

// begin prepares the measurement of a job's universes.
func (r *Runner) begin(j Job) (*measurement, []*universe, error) {
	spec := j.Spec
	spec.Universes, spec.PerJob = j.Count, j.Count
	plan, err := spec.Check()
	if err != nil {
		return nil, nil, err
	}
	if len(plan.points) != 1 {
		return nil, nil, fmt.Errorf("a job of %d combinations of rule, size and density: want 1", len(plan.points))
	}
	if mine := plan.measures.identities(); !slices.Equal(mine, j.Measures) {
		return nil, nil, fmt.Errorf("asks for measures %v, and this version of gosper has %v", j.Measures, mine)
	}
	at := plan.points[0]
	m := &measurement{
		runner: r, plan: plan, at: at, planes: grid.PlanesOf(at.rule.States),
		place: placeOf(at),
	}
	m.columns = plan.measures.columns(j.Count*len(plan.times), plan.times[len(plan.times)-1] > 0)
	if plan.measures.clusters {
		m.sizes = make([]sizeTable, len(plan.times))
	}
	var universes []*universe
	for i := range j.Count {
		index := j.First + uint64(i)
		universes = append(universes, &universe{number: i, index: index, seed: Seed(spec.Root, m.place, index, spec.Paired)})
	}
	return m, universes, nil
}

// prepare makes room for n universes: what the last job left, or new.
func (r *Runner) prepare(ctx context.Context, at point, n int) (simulated, error) {
	kind := simulatedKind{r.Engine, r.Threads, at.rule.String(), at.topology.String(), n}
	if r.kept != nil && r.keptFor == kind {
		c := r.kept
		r.kept = nil
		return c, nil
	}
	r.Close()
	r.keptFor = kind
	return r.open(ctx, at, n)
}

// open makes room for n universes, on an engine for many small ones where there is one and otherwise for one at a time.
func (r *Runner) open(ctx context.Context, at point, n int) (simulated, error) {
	threads := max(r.Threads, 1)
	b, err := batch.Open(ctx, r.Engine, batch.Config{Rule: at.rule, Topology: at.topology, Universes: n, Threads: threads, Shared: threads == 1})
	if err == nil {
		r.note(b.Info())
		return &simulatedBatch{Batch: b, n: n}, nil
	}
	var unsupported *sim.Unsupported
	if !errors.As(err, &unsupported) {
		return nil, err // one universe at a time would hide that memory is short
	}
	engine := r.Engine
	if engine == "" || engine == sim.Auto {
		engine = "cpu" // one small universe at a time would leave a GPU idle
	}
	e, err := r.single(ctx, at, engine)
	if err != nil && ctx.Err() == nil && engine != r.Engine {
		e, err = r.single(ctx, at, r.Engine)
	}
	if err != nil {
		return nil, err
	}
	r.note(e.Info())
	return &simulatedEngine{engine: e, at: at}, nil
}

func (r *Runner) single(ctx context.Context, at point, engine string) (sim.Engine, error) {
	return sim.Open(ctx, engine, sim.Config{Rule: at.rule, Topology: at.topology, Threads: max(r.Threads, 1)})
}

func (r *Runner) note(info sim.Info) {
	r.Used, r.GPUs = info.Engine, info.GPUs
	for _, part := range []string{info.Device, info.Plan} {
		if part != "" {
			r.Used += ", " + part
		}
	}
}

// universe is one of a job and what has been found out about it.
type universe struct {
	number      int // in the job
	index, seed uint64
	objects     *uint64
	settling    settling
}

// measurement is a job under way.
type measurement struct {
	runner  *Runner
	plan    *Plan
	at      point
	place   Place
	planes  int
	columns Columns
	sizes   []sizeTable // by number of the sample
	finder  settler
	objects objectSums
}

func (m *measurement) close() { m.finder.close() }

// run takes universes through their lives: all together where there is an engine for many, else one after another.
func (m *measurement) run(ctx context.Context, universes []*universe) error {
	c, err := m.runner.prepare(ctx, m.at, len(universes))
	if err != nil {
		return err
	}
	defer func() {
		if m.runner.kept != c { // what failed is of no use to the next job
			c.close()
		}
	}()
	if err := m.live(ctx, c, universes); err != nil {
		return err
	}
	m.runner.kept = c
	return nil
}

// live takes universes through their lives, as many at once as c has.
func (m *measurement) live(ctx context.Context, c simulated, universes []*universe) error {
	l := &life{measurement: m, simulated: c}
	for members := range slices.Chunk(universes, c.size()) {
		l.members = members
		if err := l.run(ctx); err != nil {
			return err
		}
	}
	return nil
}
