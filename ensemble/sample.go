package ensemble

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim/batch"
)

// sample measures every member at this generation, the time of number t.
func (l *life) sample(ctx context.Context, t int) error {
	want := l.measures()
	labels, labelled := want.clusters || want.percolation, false
	if labels {
		l.spans = nil
		if want.percolation {
			l.spans = make([]component.Span, len(l.members))
		}
		var err error
		if labelled, err = l.simulated.clusters(ctx, want.connectivity, &l.histograms, l.spans); err != nil {
			return err
		}
	}
	// A sample of two states needs no cells where the engine counts what there is to count.
	needsCells := l.at.rule.States > 2 || want.entropy || want.correlation || labels && !labelled || want.activity && l.knows
	if !needsCells && !labelled {
		l.populations = slices.Grow(l.populations[:0], len(l.members))[:len(l.members)]
		if err := l.simulated.populations(ctx, l.populations); err != nil {
			return err
		}
	}
	c := &l.columns
	for i, u := range l.members {
		at := u.number*len(l.plan.times) + t
		if needsCells {
			g, err := l.readOne(&l.now, i)
			if err != nil {
				return err
			}
			if err := l.measureCells(at, t, g, i, labelled); err != nil {
				return err
			}
		} else if !labelled {
			c.Population[at], c.Ones[at] = l.populations[i], l.populations[i]
		}
		if labelled {
			cells, err := l.noteClusters(at, t, l.histograms.Of(i))
			if err != nil {
				return err
			}
			if !needsCells { // two states: the cells of all clusters
				c.Population[at], c.Ones[at] = cells, cells
			}
			if want.percolation {
				c.Span[at] = byte(l.spans[i])
			}
		}
	}
	return nil
}

// measureCells notes what is seen in the cells g of member i, whose sample is number `at` of the columns.
func (l *life) measureCells(at, t int, g *grid.Grid, i int, labelled bool) error {
	want, c := l.measures(), &l.columns
	counts, err := grid.StateCounts(g, l.at.rule.States)
	if err != nil {
		return err
	}
	for _, n := range counts[1:] {
		c.Population[at] += n
	}
	c.Ones[at] = counts[1]
	if want.activity && l.knows {
		c.Births[at], c.Deaths[at], c.Changed[at] = turnover(l.before[i], g)
	}
	ones := onesOf(g)
	if want.entropy {
		c.setEntropy(at, entropyOf(ones, l.at.topology, want.block))
	}
	if want.correlation {
		countPairs(c.pairs(at), ones, l.at.topology)
	}
	if (want.percolation || want.clusters) && !labelled {
		found, err := l.runner.labeller.Label(g, l.at.topology, want.connectivity)
		if err != nil {
			return err
		}
		if want.percolation {
			c.Span[at] = byte(found.Span)
		}
		counts, err := countsOf(&found.Sizes)
		if err != nil {
			return err
		}
		if _, err := l.noteClusters(at, t, counts); err != nil {
			return err
		}
	}
	return nil
}

// noteClusters notes the clusters of one universe, by rising size, where they are to be counted, and returns the number of their cells.
func (l *life) noteClusters(at, t int, counts []batch.Count) (cells uint64, err error) {
	for _, c := range counts {
		cells += uint64(c.Count) * uint64(c.Size)
	}
	if !l.measures().clusters {
		return cells, nil
	}
	table := &l.sizes[t]
	var clusters, moment uint64
	for _, c := range counts {
		sums, n, size := table.at(uint64(c.Size)), uint64(c.Count), uint64(c.Size)
		sums.Clusters, sums.Squares = sums.Clusters+n, sums.Squares+n*n
		clusters, moment = clusters+n, moment+n*size*size
	}
	if cells > math.MaxUint32 && !momentFits(counts) { // it is at most the square of cells
		return 0, fmt.Errorf("clusters of %d cells in all: 64 bits do not hold the sum of the squares of their sizes", cells)
	}
	if len(counts) > 0 {
		last := counts[len(counts)-1]
		largest := uint64(last.Size)
		sums := table.at(largest)
		sums.Largest, sums.Ties = sums.Largest+1, sums.Ties+uint64(last.Count)
		l.columns.Largest[at] = largest
	}
	l.columns.ClusterCount[at], l.columns.SecondMoment[at] = clusters, moment
	return cells, nil
}

// momentFits reports whether 64 bits hold the sum of the squares of the sizes of clusters.
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

// sizeTable is the sums of one generation by size: in a list for small sizes, which nearly all are.
type sizeTable struct {
	small []SizeSums
	large map[uint64]*SizeSums
}

func (t *sizeTable) at(size uint64) *SizeSums {
	if size < uint64(len(t.small)) {
		return &t.small[size]
	}
	return t.grow(size)
}

func (t *sizeTable) grow(size uint64) *SizeSums {
	const longest = 256
	if size < longest {
		t.small = append(t.small, make([]SizeSums, size+1-uint64(len(t.small)))...)
		return &t.small[size]
	}
	sums := t.large[size]
	if sums == nil {
		if t.large == nil {
			t.large = map[uint64]*SizeSums{}
		}
		sums = new(SizeSums)
		t.large[size] = sums
	}
	return sums
}

// add adds the sums of a job. It refuses sums of squares that 64 bits do not hold.
func (t *sizeTable) add(row *SizeSum) error {
	sums := t.at(row.Size)
	var overflow uint64
	if sums.Squares, overflow = bits.Add64(sums.Squares, row.Squares, 0); overflow != 0 {
		return fmt.Errorf("the squares of the numbers of clusters of %d cells add up to more than 64 bits hold: take fewer universes", row.Size)
	}
	sums.Clusters, sums.Largest, sums.Ties = sums.Clusters+row.Clusters, sums.Largest+row.Largest, sums.Ties+row.Ties
	return nil
}

// rows is the sums by rising size.
func (t *sizeTable) rows(generation uint64) []SizeSum {
	var rows []SizeSum
	add := func(size uint64, sums *SizeSums) {
		if sums.Clusters > 0 {
			rows = append(rows, SizeSum{generation, size, *sums})
		}
	}
	for size := range t.small {
		add(uint64(size), &t.small[size])
	}
	for size, sums := range t.large {
		add(size, sums)
	}
	slices.SortFunc(rows, func(a, b SizeSum) int { return cmp.Compare(a.Size, b.Size) })
	return rows
}

// clusterSizes is the rows that the sums of so many universes of a place make.
func (t *sizeTable) clusterSizes(place Place, generation uint64, universes int) []ClusterSize {
	var rows []ClusterSize
	for _, s := range t.rows(generation) {
		rows = append(rows, clusterSize(place, generation, s.Size, uint64(universes), s.SizeSums))
	}
	return rows
}

// result is the rows of all universes, in order.
func (m *measurement) result(job string, universes []*universe) *Result {
	times := m.plan.times
	r := &Result{Job: job, Times: times, Universes: []Universe{}, Clusters: []SizeSum{}, Columns: m.columns}
	for t := range m.sizes {
		r.Clusters = append(r.Clusters, m.sizes[t].rows(times[t])...)
	}
	last := len(times) - 1
	for _, u := range universes {
		row := Universe{
			Place: m.place, Index: u.index, Seed: u.seed, Generation: times[last],
			Population: m.columns.Population[u.number*len(times)+last],
		}
		if m.plan.measures.settling {
			row.Settled, row.Transient = &u.settling.settled, &u.settling.transient
			if u.settling.settled {
				row.Period = &u.settling.period
			}
		}
		row.Objects = u.objects
		r.Universes = append(r.Universes, row)
	}
	r.Objects = m.objects.rows(m.place)
	return r
}
