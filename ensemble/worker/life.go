package worker

import (
	"context"
	"slices"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/internal/dump"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/batch"
	"github.com/gosper-life/gosper/sim/run"
)

// life advances universes and measures them. run.Run drives it: life is both the run.Stepper and the run.Observer.
type life struct {
	*measurement
	simulated simulated
	members   []*universe // by their number among those simulated together

	// ended is the error of the job's context. The last observation of a run has a context that does not end.
	ended       func() error
	generation  uint64
	now, before []*grid.Grid // by number: the cells of this generation, and of the one before a sample
	twins       simulated    // of the members, if an instrument needs them
	twin        []*grid.Grid // by number: the cells of twins
	first       map[int]*grid.Grid
	waiting     [][]*grid.Grid // by number: the cells at the waiting times that have come
	knows       bool           // whether before holds the generation before this one
	populations []uint64
	histograms  batch.Histograms
	earlier     [][]batch.Count // by number: the clusters at the sample before, for measure kinetics
	sums        []batch.Sums
	spans       []component.Span
	bonds       []int64 // by number, if a batch counted them: see measure.BondsOf
	tallies     []batch.Tally
	patterns    []uint32 // of blocks of cells
}

// run goes from sample to sample, and to the looks for settling.
func (l *life) run(ctx context.Context) error {
	l.ended = ctx.Err
	seeds := make([]uint64, len(l.members))
	for i, u := range l.members {
		seeds[i] = u.seed
	}
	if err := l.start(ctx, l.simulated, seeds); err != nil {
		return err
	}
	if l.twins != nil {
		if err := l.startTwins(ctx, seeds); err != nil {
			return err
		}
	}
	l.first = map[int]*grid.Grid{}
	l.generation, l.knows = 0, false
	l.waiting = make([][]*grid.Grid, len(l.members))
	l.earlier = make([][]batch.Count, len(l.members))
	if l.last != nil {
		if err := l.goOn(ctx); err != nil || l.Next(l.generation) == sim.Forever {
			return err
		}
	}
	if done, err := l.samplesAtOnce(ctx); done || err != nil {
		return err
	}
	ended, err := run.Run(ctx, l, run.Options{Target: sim.Forever, Observers: []run.Observer{l}})
	if err == nil && ended.Reason != run.ReasonStopped {
		err = ctx.Err()
	}
	return err
}

// Step implements run.Stepper.
func (l *life) Step(ctx context.Context, n uint64) (uint64, error) {
	if err := l.simulated.step(ctx, n); err != nil {
		return 0, err
	}
	if l.twins != nil {
		if err := l.twins.step(ctx, n); err != nil {
			return 0, err
		}
	}
	l.generation += n
	return n, nil
}

// Generation implements run.Stepper.
func (l *life) Generation() uint64 { return l.generation }

// Info implements run.Stepper.
func (l *life) Info() sim.Info { return sim.Info{} }

func (l *life) wanted() *ensemble.Wanted { return &l.study.Wanted }

// Next implements run.Observer. It returns the generations of samples, the ones before them if
// activity is measured, and those of looks. All measurements of one kind ask for the generations that
// they need, and the first one of these is next.
func (l *life) Next(g uint64) uint64 {
	next := sim.Forever
	times := l.study.Times
	if l.past(g) { // everything except the cells before a step was looked at before the universes went on
		if g++; l.wanted().Activity && slices.Contains(times, g) {
			return g - 1
		}
	}
	if i, _ := slices.BinarySearch(times, g); i < len(times) {
		next = times[i]
		if l.wanted().Activity && next > g {
			next-- // to copy the cells before the step
		}
	}
	if at := l.study.Spec.DamageAt; l.twins != nil && at >= max(g, 1) {
		next = min(next, at)
	}
	if dumps := l.study.Dump.Generations; len(dumps) > 0 && dumps[len(dumps)-1] >= g {
		i, _ := slices.BinarySearch(dumps, g)
		next = min(next, dumps[i])
	}
	if last := l.study.Spec.Generations; l.study.Spec.Keep && last >= g {
		next = min(next, last)
	}
	if l.wanted().Settling && l.unsettled() {
		if look := run.NextMultiple(g, run.LookEvery); look <= horizon(&l.study.Wanted, l.at.Topology) {
			next = min(next, look)
		}
	}
	return next
}

// Observe implements run.Observer.
func (l *life) Observe(ctx context.Context, _ run.Stepper) error {
	if !l.past(l.generation) {
		if err := l.measure(ctx); err != nil {
			return err
		}
	}
	_, soon := slices.BinarySearch(l.study.Times, l.generation+1)
	if l.knows = l.wanted().Activity && soon; l.knows {
		var err error
		if tallier := l.tallier(); tallier != nil {
			err = tallier.Remember(ctx)
		} else {
			err = l.readAll(&l.before)
		}
		if err != nil {
			return err
		}
	}
	if l.Next(l.generation+1) == sim.Forever {
		return run.ErrStop
	}
	return nil
}

// past reports whether a generation was measured before the universes went on.
func (l *life) past(g uint64) bool { return l.last != nil && g <= l.last.Generation }

// measure does what is due at this generation.
func (l *life) measure(ctx context.Context) error {
	if l.wanted().Settling && l.generation%run.LookEvery == 0 {
		if err := l.look(ctx); err != nil {
			return err
		}
	}
	if at := l.study.Spec.DamageAt; l.twins != nil && at > 0 && at == l.generation {
		if err := l.harm(ctx); err != nil {
			return err
		}
	}
	if t, due := slices.BinarySearch(l.study.Times, l.generation); due {
		if err := l.sample(ctx, t); err != nil {
			return err
		}
	}
	if _, due := slices.BinarySearch(l.study.Dump.Generations, l.generation); due {
		if err := l.keep(); err != nil {
			return err
		}
	}
	if l.study.Spec.Keep && l.generation == l.study.Spec.Generations {
		return l.keepLast()
	}
	return nil
}

// keep adds the cells of this generation to those that are kept.
func (l *life) keep() error {
	for i, u := range l.members {
		if !l.study.Dump.Has(u.index) {
			continue
		}
		g, err := l.readOne(&l.now, i)
		if err != nil {
			return err
		}
		if u.kept == nil {
			u.kept = make([]byte, 0, l.study.Dump.KeptBytes(l.at.Topology, l.planes))
		}
		u.kept = dump.AppendCells(u.kept, g)
	}
	return nil
}

func (l *life) unsettled() bool {
	return slices.ContainsFunc(l.members, func(u *universe) bool { return !u.settling.done })
}

// readAll stores the cells of every member in grids. It makes missing grids.
func (l *life) readAll(grids *[]*grid.Grid) error {
	for i := range l.members {
		if _, err := l.readOne(grids, i); err != nil {
			return err
		}
	}
	return nil
}

func (l *life) readOne(grids *[]*grid.Grid, i int) (*grid.Grid, error) {
	return readOne(grids, i, l.simulated, l.measurement)
}

// readOne stores the cells of universe i in its grid. It makes missing grids.
func readOne(grids *[]*grid.Grid, i int, from simulated, m *measurement) (*grid.Grid, error) {
	for len(*grids) <= i {
		g, err := grid.New(m.at.Topology.W, m.at.Topology.H, m.planes)
		if err != nil {
			return nil, err
		}
		*grids = append(*grids, g)
	}
	return (*grids)[i], from.read(i, (*grids)[i])
}
