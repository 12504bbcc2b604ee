package worker

import (
	"context"
	"slices"

	"github.com/gosper-life/gosper/ensemble/internal/measure"
	"github.com/gosper-life/gosper/sim/batch"
)

// tallier returns the batch if it counts all that is measured in single cells, neighbours and blocks where its cells
// are, and if nothing else needs the cells of samples. Otherwise, it returns nil.
func (l *life) tallier() batch.Sampler {
	want := l.wanted()
	needs, block := want.Needs(), 0
	if want.Entropy {
		block = want.Block
	}
	b, ok := l.simulated.(*simulatedBatch)
	if !ok || l.at.Rule.States != 2 || !want.Activity && !want.Entropy && needs != measure.Bonds ||
		needs&^measure.Bonds != 0 || want.Correlation || want.Percolation {
		return nil
	}
	if t, ok := b.Batch.(batch.Sampler); ok && t.CanTally(block) {
		return t
	}
	return nil
}

// tally records the counts of a batch at time number t.
func (l *life) tally(ctx context.Context, t batch.Sampler, time int) error {
	want, c, n := l.wanted(), &l.columns, len(l.members)
	block, kinds := 0, 0
	if want.Entropy {
		block = want.Block
		kinds = 1 << (block * block)
	}
	l.tallies = slices.Grow(l.tallies[:0], n)[:n]
	l.patterns = slices.Grow(l.patterns[:0], n*kinds)[:n*kinds]
	if err := t.Tally(ctx, block, l.tallies, l.patterns); err != nil {
		return err
	}
	l.bonds = l.bonds[:0]
	counts := make([]uint64, kinds)
	for i, u := range l.members {
		at, v := u.number*len(l.study.Times)+time, l.tallies[i]
		c.Population[at], c.Ones[at] = uint64(v.Live), uint64(v.Live)
		if want.Activity && l.knows {
			c.Births[at], c.Deaths[at], c.Changed[at] = uint64(v.Births), uint64(v.Deaths), uint64(v.Births)+uint64(v.Deaths)
		}
		if want.Entropy {
			for k, found := range l.patterns[i*kinds:][:kinds] {
				counts[k] = uint64(found)
			}
			l.noteEntropy(at, entropyOfPatterns(counts, block*block))
		}
		l.bonds = append(l.bonds, 4*(int64(l.at.Topology.W)*int64(l.at.Topology.H)-int64(v.Unlike)))
	}
	return nil
}
