package worker

import (
	"context"
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/ensemble/internal/measure"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/run"
)

// unbounded advances universes on the unbounded plane to their end, one after another on one engine.
func (m *measurement) unbounded(ctx context.Context, universes []*universe) error {
	p := &plane{measurement: m}
	defer p.close()
	for _, u := range universes {
		p.u = u
		if err := p.run(ctx); err != nil {
			return err
		}
	}
	return nil
}

// plane is a universe on the unbounded plane. It is the run.Observer that takes samples.
type plane struct {
	*measurement
	engine sim.Engine
	u      *universe
}

func (p *plane) close() {
	if p.engine != nil {
		p.engine.Close()
		p.engine = nil
	}
}

// begin brings the universe to generation 0.
func (p *plane) begin(ctx context.Context) error {
	if p.at.Rule.BirthOnEmpty() { // the background may be alive, and cells cannot be cleared one by one
		p.close()
	}
	if p.engine == nil {
		var err error
		if p.engine, err = p.worker.single(ctx, p.at, p.worker.Engine); err != nil {
			return err
		}
		p.worker.note(p.engine.Info())
	}
	parts, err := grid.Occupied(p.engine)
	if err != nil {
		return err
	}
	for _, part := range parts { // of the universe before
		dead := make([]uint64, (part.W+63)/64)
		for k := range p.engine.Planes() {
			for y := range part.H {
				if err := p.engine.WriteRow(dead, k, part.X, part.Y+y, part.W); err != nil {
					return err
				}
			}
		}
	}
	p.engine.SetGeneration(0)
	if err := sim.Reseed(p.engine, p.at.Rule, p.u.seed); err != nil {
		return err
	}
	return p.fill(ctx, p.engine, p.u.seed)
}

// run goes on until the universe has settled, if that is measured, and to the last sample.
func (p *plane) run(ctx context.Context) error {
	if err := p.begin(ctx); err != nil {
		return err
	}
	times := p.study.Times
	options := run.Options{
		Config: sim.Config{Rule: p.at.Rule, Topology: p.at.Edges()}, Target: times[len(times)-1],
		Observers: []run.Observer{p},
	}
	if !p.study.Wanted.Settling {
		return p.to(ctx, options)
	}
	settling := options
	settling.Until, settling.Target = run.UntilStable, max(options.Target, proofBy(p.study.Wanted.Cap))
	ended, err := run.Run(ctx, p.engine, settling)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	if g := p.engine.Generation(); g < options.Target {
		if err := p.to(ctx, options); err != nil {
			return err
		}
	}
	if ended.Reason != run.ReasonStable {
		p.u.settling.transient = p.study.Wanted.Cap
		return nil
	}
	return p.settle(ctx, ended)
}

// proofBy is the last generation up to which it is looked whether a universe has settled by the cap: enough for
// nearly all proofs, which take some looks.
func proofBy(limit uint64) uint64 { return limit + 10*run.LookEvery }

// to runs to the target.
func (p *plane) to(ctx context.Context, o run.Options) error {
	_, err := run.Run(ctx, p.engine, o)
	if err == nil {
		err = ctx.Err()
	}
	return err
}

// settle finds when a universe settled, and its period. A run has proved that the universe only repeats, apart from
// objects that fly away. From the look before the proof on, its population repeats after ended.Recurrence generations.
// The universe is therefore run again, and the populations of as many of its last generations as necessary are
// compared.
func (p *plane) settle(ctx context.Context, ended run.Result) error {
	proved, rhythm := ended.Generation, ended.Recurrence
	for before := uint64(2 * run.LookEvery); ; before *= 4 {
		from := uint64(0)
		if proved-rhythm > before {
			from = proved - rhythm - before
		}
		populations, err := p.populations(ctx, from, proved)
		if err != nil {
			return err
		}
		period := periodOf(populations, rhythm)
		last := len(populations) - 1 - int(period) // populations from here on have come back
		for last >= 0 && populations[last] == populations[last+int(period)] {
			last--
		}
		if last < 0 && from > 0 {
			continue
		}
		// If the populations repeat from the first one on that was looked at, the cycle may have begun
		// before, so the loop looks further back.
		transient := from + uint64(last+1)
		if transient > p.study.Wanted.Cap {
			p.u.settling.transient = p.study.Wanted.Cap
			return nil
		}
		p.u.settling = settling{done: true, settled: true, transient: transient, period: period}
		p.u.end = populations[last+1]
		return nil
	}
}

// populations runs the universe again, and returns its populations at two generations and all between.
func (p *plane) populations(ctx context.Context, from, end uint64) ([]uint64, error) {
	if err := p.begin(ctx); err != nil {
		return nil, err
	}
	var list []uint64
	for n := from; ; n = 1 {
		if _, err := p.engine.Step(ctx, n); err != nil {
			return nil, err
		}
		population, err := p.engine.Population()
		if err != nil {
			return nil, err
		}
		if list = append(list, population); from+uint64(len(list)) > end {
			return list, nil
		}
	}
}

// periodOf is the least period of the last populations, which come back after some generations: a divisor of these.
func periodOf(populations []uint64, rhythm uint64) uint64 {
	last := populations[len(populations)-1-int(rhythm):]
	for period := uint64(1); period < rhythm; period++ {
		if rhythm%period == 0 && slices.Equal(last[period:], last[:len(last)-int(period)]) {
			return period
		}
	}
	return rhythm
}

// Next implements run.Observer.
func (p *plane) Next(g uint64) uint64 {
	if i, _ := slices.BinarySearch(p.study.Times, g); i < len(p.study.Times) {
		return p.study.Times[i]
	}
	return sim.Forever
}

// Observe implements run.Observer.
func (p *plane) Observe(_ context.Context, _ run.Stepper) error {
	t, due := slices.BinarySearch(p.study.Times, p.engine.Generation())
	if !due { // the end of a run
		return nil
	}
	c, want := &p.columns, &p.study.Wanted
	at := p.u.number*len(p.study.Times) + t
	var err error
	if c.Population[at], err = p.engine.Population(); err != nil {
		return err
	}
	box, err := p.engine.Extent()
	if err != nil {
		return err
	}
	c.BoxWidth[at], c.BoxHeight[at] = uint64(box.W), uint64(box.H)
	if c.Ones[at] = c.Population[at]; p.at.Rule.States > 2 {
		counts, err := grid.StateCounts(p.engine, p.at.Rule.States)
		if err != nil {
			return err
		}
		c.Ones[at] = counts[1]
	}
	if want.Clusters {
		found, err := p.worker.labeller.Label(p.engine, p.at.Edges(), want.Connectivity)
		if err != nil {
			return err
		}
		var clusters, largest, moment uint64 // a sample at the end of a run is taken again by the next
		for size, n := range found.Sizes.All() {
			clusters, largest, moment = clusters+n, max(largest, size), moment+n*size*size
		}
		c.ClusterCount[at], c.Largest[at], c.SecondMoment[at] = clusters, largest, moment
	}
	for _, m := range want.Instruments { // spreading
		if err := p.spread(c.ValuesOf(m.Name, at)); err != nil {
			return err
		}
	}
	return nil
}

// spread measures how far cells in state 1 are from the middle of the start.
func (p *plane) spread(dst []float64) error {
	parts, err := grid.OccupiedRows(p.engine)
	if err != nil {
		return err
	}
	measure.Spreading(dst, func(yield func(dx, dy int) bool) {
		for _, part := range parts {
			ones, row := make([]uint64, (part.W+63)/64), make([]uint64, (part.W+63)/64)
			for y := part.Y; y < part.Y+part.H; y++ {
				if err = p.engine.ReadRow(ones, 0, part.X, y, part.W); err != nil {
					return
				}
				for k := 1; k < p.engine.Planes(); k++ {
					if err = p.engine.ReadRow(row, k, part.X, y, part.W); err != nil {
						return
					}
					for i := range ones {
						ones[i] &^= row[i]
					}
				}
				for i, word := range ones {
					for ; word != 0; word &= word - 1 {
						if !yield(part.X+64*i+bits.TrailingZeros64(word)-p.at.Topology.W/2, y-p.at.Topology.H/2) {
							return
						}
					}
				}
			}
		}
	})
	return err
}
