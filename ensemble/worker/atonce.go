package worker

import (
	"context"
	"slices"

	"github.com/gosper-life/gosper/sim/batch"
)

// atOnce is the most universes of samples that are taken at once: some megabytes of sums.
const atOnce = 1 << 17

// samplesAtOnce takes all samples, several at once. For that the batch must add clusters up where its cells are, and
// only clusters and functions of the number of live cells may be measured. Otherwise it does nothing and returns false.
func (l *life) samplesAtOnce(ctx context.Context) (bool, error) {
	want, times := l.wanted(), l.study.Times
	b, ok := l.simulated.(*simulatedBatch)
	if !ok || l.last != nil || len(l.points) > 1 || l.at.Rule.States != 2 || l.study.Spec.Keep ||
		len(l.study.Dump.Generations) > 0 || !want.Clusters || want.Activity || want.Entropy || want.Correlation ||
		want.Percolation || want.Settling || want.Needs() != 0 {
		return false, nil
	}
	sampler, ok := b.Batch.(batch.Sampler)
	if !ok {
		return false, nil
	}
	most := min(len(times), max(1, atOnce/len(l.members)))
	l.sums = slices.Grow(l.sums[:0], most)[:most]
	steps := make([]uint64, most)
	// Going from sample to sample would wait for the GPU at each of them. Instead, it gets the lengths
	// of many steps at once and takes the samples in between by itself.
	for t := 0; t < len(times); {
		n := min(most, len(times)-t)
		at := l.generation
		for k := range n {
			steps[k], at = times[t+k]-at, times[t+k]
		}
		able, err := sampler.Samples(ctx, want.Connectivity, steps[:n], l.sums[:n])
		if err != nil || !able {
			return able, err
		}
		if err := l.note(t, l.sums[:n]); err != nil {
			return true, err
		}
		t, l.generation = t+n, at
	}
	return true, nil
}

// note records samples from time number t on.
func (l *life) note(t int, samples []batch.Sums) error {
	c, times := &l.columns, len(l.study.Times)
	for i, u := range l.members {
		at := u.number*times + t
		for k := range samples {
			v := &samples[k].Universes[i]
			c.Population[at+k], c.Ones[at+k] = v.Cells, v.Cells // two states: live cells are in clusters
			c.ClusterCount[at+k], c.SecondMoment[at+k], c.Largest[at+k] = v.Clusters, v.Moment, v.Largest
			l.generation = l.study.Times[t+k]
			if err := l.useInstruments(at+k, i); err != nil {
				return err
			}
		}
	}
	for k := range samples {
		table := &l.sizes[l.members[0].rule*times+t+k]
		for _, r := range samples[k].Sizes {
			row := table.At(r.Size)
			row.Clusters, row.Squares = row.Clusters+r.Clusters, row.Squares+r.Squares
			row.Largest, row.Ties = row.Largest+r.Largest, row.Ties+r.Ties
		}
	}
	return nil
}
