package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/internal/dump"
	"github.com/gosper-life/gosper/ensemble/internal/sums"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim/batch"
)

// takeUp prepares a measurement to go on from the result of a job with the same universes and fewer generations. It
// takes over the earlier measurements, so the result is the same as if all generations had been run at once.
func (m *measurement) takeUp(j ensemble.Job, universes []*universe) error {
	from, err := ensemble.DecodeResult(j.Earlier)
	if err != nil {
		return fmt.Errorf("going on: %w", err)
	}
	same := from.Job == j.From && from.Last != nil && len(from.Universes) == len(universes) &&
		len(from.Last.Universes) == len(universes)
	for i := range universes {
		if !same || from.Universes[i].Seed != universes[i].seed || len(from.Last.Universes[i]) != m.study.LastBytes(m.at) {
			return errors.New("going on: the result is that of other universes, or has no last states")
		}
	}
	m.last = from.Last
	times := m.study.Times
	for t, generation := range times {
		if generation > m.last.Generation {
			break
		}
		was, found := slices.BinarySearch(from.Times, generation)
		if !found {
			return fmt.Errorf("going on: the result has no sample of generation %d", generation)
		}
		for i := range universes {
			m.columns.Take(i*len(times)+t, &from.Columns, i*len(from.Times)+was)
		}
	}
	for i := range from.Clusters {
		row := &from.Clusters[i]
		if t, found := slices.BinarySearch(times, row.Generation); found {
			if err := m.sizes[row.Rule*len(times)+t].Add(row); err != nil {
				return err
			}
		}
	}
	for i, u := range universes {
		row := &from.Universes[i]
		u.objects = row.Objects
		if m.study.Wanted.Settling {
			u.settling = settling{done: true, settled: *row.Settled, transient: *row.Transient}
			if row.Period != nil {
				u.settling.period = *row.Period
			}
		}
	}
	m.objects = sums.Objects{}
	m.objects.Merge(from.Objects)
	dumps, _ := slices.BinarySearch(m.study.Dump.Generations, m.last.Generation+1)
	if dumps == 0 {
		return nil
	}
	size := m.study.Dump.KeptBytes(m.at.Topology, m.planes)
	for _, k := range from.Kept {
		if len(k.Cells) != size/len(m.study.Dump.Generations)*dumps {
			return errors.New("going on: the result has other dumps")
		}
		universes[k.Universe].kept = append(make([]byte, 0, size), k.Cells...)
	}
	return nil
}

// goOn brings the members, which have been filled, and their twins to the states that were kept.
func (l *life) goOn(ctx context.Context) error {
	t := l.at.Topology
	g, err := grid.New(t.W, t.H, l.planes)
	if err != nil {
		return err
	}
	for i, u := range l.members {
		cells := dump.TakeCells(g, l.last.Universes[u.number])
		if err := l.simulated.write(i, g); err != nil {
			return err
		}
		if l.twins != nil {
			cells = dump.TakeCells(g, cells)
			if err := l.twins.write(i, g); err != nil {
				return err
			}
		}
		if l.wanted().Needs()&ensemble.NeedsFirst != 0 {
			if l.first[i], err = grid.New(t.W, t.H, 1); err != nil {
				return err
			}
			dump.TakeCells(l.first[i], cells)
		}
	}
	if l.wanted().Kinetics {
		if err := l.recall(ctx); err != nil {
			return err
		}
	}
	l.generation = l.last.Generation
	l.simulated.setGeneration(l.generation)
	if l.twins != nil {
		l.twins.setGeneration(l.generation)
	}
	return nil
}

// recall counts the clusters of the members' last states, which the next sample is compared with.
func (l *life) recall(ctx context.Context) error {
	c := l.wanted().Connectivity
	found, err := l.simulated.clusters(ctx, c, &l.histograms, nil)
	if err != nil {
		return err
	}
	for i := range l.members {
		var counts []batch.Count
		if found {
			counts = l.histograms.Of(i)
		} else {
			g, err := l.readOne(&l.now, i)
			if err != nil {
				return err
			}
			parts, err := l.worker.labeller.Label(g, l.at.Topology, c)
			if err != nil {
				return err
			}
			if counts, err = batch.CountsOf(&parts.Sizes); err != nil {
				return err
			}
		}
		l.earlier[i] = append(l.earlier[i], counts...)
	}
	return nil
}

// keepLast keeps the states of this generation, the last one, to go on from.
func (l *life) keepLast() error {
	for i, u := range l.members {
		u.last = make([]byte, 0, l.study.LastBytes(l.at))
		g, err := l.readOne(&l.now, i)
		if err != nil {
			return err
		}
		u.last = dump.AppendCells(u.last, g)
		if l.twins != nil {
			if g, err = readOne(&l.twin, i, l.twins, l.measurement); err != nil {
				return err
			}
			u.last = dump.AppendCells(u.last, g)
		}
		if l.wanted().Needs()&ensemble.NeedsFirst != 0 {
			u.last = dump.AppendCells(u.last, l.first[i])
		}
	}
	return nil
}
