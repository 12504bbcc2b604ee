package worker

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/internal/measure"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim/batch"
)

// sample measures every member at this generation, which is time number t.
func (l *life) sample(ctx context.Context, t int) error {
	want := l.wanted()
	labels, labelled := want.Clusters || want.Percolation, false
	l.spans = nil
	if want.Percolation {
		l.spans = make([]component.Span, len(l.members))
	}
	if want.Percolation && !want.Clusters {
		found, err := l.simulated.spans(ctx, want.Connectivity, l.spans)
		if err != nil {
			return err
		}
		labels = !found
	}
	if labels {
		var err error
		if labelled, err = l.simulated.clusters(ctx, want.Connectivity, &l.histograms, l.spans); err != nil {
			return err
		}
	}
	// Reading cells is what takes longest, most of all from a GPU. Three ways avoid it: the engine
	// counts clusters, and with them all cells; a batch tallies cells where they are; or only
	// populations are asked for.
	// A sample with two states needs no cells if the engine can count everything.
	tallier := l.tallier()
	needsCells := l.at.Rule.States > 2 || want.Correlation || labels && !labelled ||
		tallier == nil && (want.Entropy || want.Activity && l.knows || want.Needs()&measure.Bonds != 0) ||
		want.Needs()&ensemble.NeedsCells != 0
	if tallier != nil {
		if err := l.tally(ctx, tallier, t); err != nil {
			return err
		}
	}
	if !needsCells && !labelled && tallier == nil {
		l.populations = slices.Grow(l.populations[:0], len(l.members))[:len(l.members)]
		if err := l.simulated.populations(ctx, l.populations); err != nil {
			return err
		}
	}
	c := &l.columns
	for i, u := range l.members {
		if err := l.ended(); err != nil { // a program that measures may take its time
			return err
		}
		// A column has the samples of the first universe, then those of the second, and so on.
		at := u.number*len(l.study.Times) + t
		if needsCells {
			g, err := l.readOne(&l.now, i)
			if err != nil {
				return err
			}
			if err := l.measureCells(at, u.rule*len(l.study.Times)+t, g, i, labels && !labelled); err != nil {
				return err
			}
		} else if !labelled && tallier == nil {
			c.Population[at], c.Ones[at] = l.populations[i], l.populations[i]
		}
		if labelled {
			cells, err := l.noteClusters(at, u.rule*len(l.study.Times)+t, i, l.histograms.Of(i))
			if err != nil {
				return err
			}
			if !needsCells { // two states: the number of cells in all clusters
				c.Population[at], c.Ones[at] = cells, cells
			}
		}
		if want.Percolation && (labelled || !labels) {
			c.Span[at] = byte(l.spans[i])
		}
		if err := l.useInstruments(at, i); err != nil {
			return err
		}
	}
	return nil
}

// useInstruments measures member i with all instruments, after its cells have been read and counted.
func (l *life) useInstruments(at, i int) error {
	want := l.wanted()
	if len(want.Instruments) == 0 {
		return nil
	}
	v := ensemble.View{
		Setting: want.Setting(l.at), Generation: l.generation, Ones: l.columns.Ones[at],
		Seed: l.members[i].seed,
	}
	needs := want.Needs()
	if needs&ensemble.NeedsCells != 0 {
		v.Cells = onesOf(l.now[i])
	}
	if needs&measure.Bonds != 0 {
		if i < len(l.bonds) {
			v.Bonds = l.bonds[i]
		} else {
			v.Bonds = measure.BondsOf(onesOf(l.now[i]), l.at.Topology)
		}
	}
	if needs&ensemble.NeedsStates != 0 {
		v.States = l.now[i]
	}
	if needs&ensemble.NeedsTwin != 0 {
		twin, err := readOne(&l.twin, i, l.twins, l.measurement)
		if err != nil {
			return err
		}
		v.Twin = onesOf(twin)
	}
	if needs&ensemble.NeedsFirst != 0 {
		if l.generation == l.study.Times[0] {
			first, err := v.Cells.Copy()
			if err != nil {
				return err
			}
			l.first[i] = first
		}
		v.First = l.first[i]
	}
	if needs&ensemble.NeedsWaiting != 0 {
		if slices.Contains(want.Waiting, l.generation) {
			cells, err := v.Cells.Copy()
			if err != nil {
				return err
			}
			l.waiting[i] = append(l.waiting[i], cells)
		}
		v.Waiting = l.waiting[i]
	}
	for _, m := range want.Instruments {
		dst := l.columns.ValuesOf(m.Name, at)
		if f, ok := m.Instrument.(measure.Failing); !ok {
			m.Instrument.Measure(dst, v)
		} else if err := f.MeasureOr(dst, v); err != nil {
			return fmt.Errorf("measure %s: %w", m.Name, err)
		}
		for k, x := range dst {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("measure %s: %s is %v at generation %d", m.Name, m.Instrument.Quantities(v.Setting)[k], x,
					l.generation)
			}
		}
	}
	return nil
}

// measureCells records the measures of the cells g of member i. Its sample has number at in the columns, and its
// clusters have number t in the sums. label says that the clusters are not known yet.
func (l *life) measureCells(at, t int, g *grid.Grid, i int, label bool) error {
	want, c := l.wanted(), &l.columns
	counts, err := grid.StateCounts(g, l.at.Rule.States)
	if err != nil {
		return err
	}
	for _, n := range counts[1:] {
		c.Population[at] += n
	}
	c.Ones[at] = counts[1]
	if want.Activity && l.knows {
		c.Births[at], c.Deaths[at], c.Changed[at] = turnover(l.before[i], g)
	}
	ones := onesOf(g)
	if want.Entropy {
		l.noteEntropy(at, entropyOf(g, l.at.Topology, want.Block))
	}
	if want.Correlation {
		measure.CountPairs(c.PairsOf(at), ones, l.at.Topology)
	}
	if label {
		found, err := l.worker.labeller.Label(g, l.at.Topology, want.Connectivity)
		if err != nil {
			return err
		}
		if want.Percolation {
			c.Span[at] = byte(found.Span)
		}
		counts, err := batch.CountsOf(&found.Sizes)
		if err != nil {
			return err
		}
		if _, err := l.noteClusters(at, t, i, counts); err != nil {
			return err
		}
	}
	return nil
}

// noteClusters records the clusters of member i by rising size, if they are counted, in the sums of number t. It
// returns the number of their cells.
func (l *life) noteClusters(at, t, i int, counts []batch.Count) (cells uint64, err error) {
	for _, c := range counts {
		cells += uint64(c.Count) * uint64(c.Size)
	}
	if !l.wanted().Clusters {
		return cells, nil
	}
	table := &l.sizes[t]
	var clusters, moment uint64
	for _, c := range counts {
		sums, n, size := table.At(uint64(c.Size)), uint64(c.Count), uint64(c.Size)
		sums.Clusters, sums.Squares = sums.Clusters+n, sums.Squares+n*n
		clusters, moment = clusters+n, moment+n*size*size
	}
	if cells > math.MaxUint32 && !momentFits(counts) { // the sum is at most the square of cells
		return 0, fmt.Errorf("clusters of %d cells in all: the sum of the squares of their sizes exceeds 64 bits", cells)
	}
	if len(counts) > 0 {
		last := counts[len(counts)-1]
		largest := uint64(last.Size)
		sums := table.At(largest)
		sums.Largest, sums.Ties = sums.Largest+1, sums.Ties+uint64(last.Count)
		l.columns.Largest[at] = largest
	}
	l.columns.ClusterCount[at], l.columns.SecondMoment[at] = clusters, moment
	if l.wanted().Kinetics {
		table.Follow(counts, l.earlier[i])
		l.earlier[i] = append(l.earlier[i][:0], counts...)
	}
	return cells, nil
}

// momentFits reports whether the sum of the squares of the sizes of clusters fits in 64 bits.
func momentFits(counts []batch.Count) bool {
	var moment, overflow uint64
	for _, c := range counts {
		high, low := bits.Mul64(uint64(c.Count)*uint64(c.Size), uint64(c.Size))
		var carry uint64
		moment, carry = bits.Add64(moment, low, 0)
		overflow |= high | carry
	}
	return overflow == 0
}

// result returns the rows of all universes, in order.
func (m *measurement) result(job string, universes []*universe) *ensemble.Result {
	times := m.study.Times
	r := &ensemble.Result{
		Job: job, Times: times, Universes: []ensemble.Universe{}, Clusters: []ensemble.SizeSum{},
		Columns: m.columns,
	}
	for i := range m.sizes {
		for _, row := range m.sizes[i].Rows(times[i%len(times)]) {
			row.Rule = i / len(times)
			r.Clusters = append(r.Clusters, row)
		}
	}
	if m.study.Unbounded() && m.study.Wanted.Settling {
		for _, u := range universes {
			r.Ends = append(r.Ends, u.end)
		}
	}
	last := len(times) - 1
	if m.study.Spec.Keep {
		r.Last = &ensemble.Last{Generation: m.study.Spec.Generations}
		for _, u := range universes {
			r.Last.Universes = append(r.Last.Universes, u.last)
		}
	}
	for _, u := range universes {
		row := ensemble.Universe{
			Place: u.place, Index: u.index, Seed: u.seed, Generation: times[last],
			Population: m.columns.Population[u.number*len(times)+last],
		}
		if m.study.Wanted.Settling {
			row.Settled, row.Transient = &u.settling.settled, &u.settling.transient
			if u.settling.settled {
				row.Period = &u.settling.period
			}
		}
		row.Objects = u.objects
		r.Universes = append(r.Universes, row)
		if u.kept != nil {
			r.Kept = append(r.Kept, ensemble.Kept{Universe: u.number, Cells: u.kept})
		}
	}
	r.Objects = m.objects.Rows(m.at.Place())
	return r
}
