package ensemble

import (
	"context"
	"math"
	"slices"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim/batch"
)

// life is a crowd on its way through time.
type life struct {
	*measurement
	crowd   crowd
	members []*universe // by their number in the crowd

	generation  uint64
	now, before []*grid.Grid // by number: the cells of this generation, and of the one before a sample
	knows       bool         // before is of the generation before this one
	populations []uint64
	histograms  batch.Histograms
	spans       []component.Span
}

// run goes from sample to sample and from look to look for settling.
func (l *life) run(ctx context.Context) error {
	seeds := make([]uint64, len(l.members))
	for i, u := range l.members {
		seeds[i] = u.seed
		u.settling = settling{}
	}
	if err := l.crowd.fill(ctx, seeds, l.at.density); err != nil {
		return err
	}
	l.generation, l.knows = 0, false
	times := l.plan.times
	for {
		if l.measures().settling && l.generation%lookEvery == 0 {
			if err := l.look(ctx); err != nil {
				return err
			}
		}
		if len(times) > 0 && times[0] == l.generation {
			if err := l.sample(ctx, len(l.plan.times)-len(times)); err != nil {
				return err
			}
			times = times[1:]
		}
		l.knows = l.measures().activity && len(times) > 0 && times[0] == l.generation+1
		if l.knows {
			if err := l.readAll(&l.before); err != nil {
				return err
			}
		}
		next := l.next(times)
		if next == l.generation {
			return nil
		}
		if err := l.crowd.step(ctx, next-l.generation); err != nil {
			return err
		}
		l.generation = next
	}
}

func (l *life) measures() *measures { return &l.plan.measures }

// next is the generation to stop at after this one, or this one at the end.
func (l *life) next(times []uint64) uint64 {
	next := uint64(math.MaxUint64)
	if len(times) > 0 {
		next = times[0]
		if l.measures().activity && next > l.generation+1 {
			next-- // to take the cells before
		}
	}
	if l.measures().settling && l.unsettled() {
		if look := l.generation - l.generation%lookEvery + lookEvery; look <= l.plan.horizon(l.at.topology) {
			next = min(next, look)
		}
	}
	if next == math.MaxUint64 {
		return l.generation
	}
	return next
}

func (l *life) unsettled() bool {
	return slices.ContainsFunc(l.members, func(u *universe) bool { return !u.settling.done })
}

// readAll stores the cells of every member in grids, of which it makes as many as are missing.
func (l *life) readAll(grids *[]*grid.Grid) error {
	for i := range l.members {
		if _, err := l.readOne(grids, i); err != nil {
			return err
		}
	}
	return nil
}

func (l *life) readOne(grids *[]*grid.Grid, i int) (*grid.Grid, error) {
	for len(*grids) <= i {
		g, err := grid.New(l.at.topology.W, l.at.topology.H, l.planes)
		if err != nil {
			return nil, err
		}
		*grids = append(*grids, g)
	}
	return (*grids)[i], l.crowd.read(i, (*grids)[i])
}
