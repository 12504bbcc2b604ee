package ensemble

import (
	"cmp"
	"context"
	"slices"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim/batch"
)

// sample measures every member at this generation.
func (l *life) sample(ctx context.Context) error {
	want := l.measures()
	labelled := false
	if want.clusters && !want.percolation {
		var err error
		if labelled, err = l.crowd.clusters(ctx, want.connectivity, &l.histograms); err != nil {
			return err
		}
	}
	// A sample of two states needs no cells where the crowd counts what there is to count.
	needsCells := l.at.rule.States > 2 || want.entropy || want.correlation || want.percolation ||
		want.clusters && !labelled || want.activity && l.knows
	if !needsCells {
		if err := l.countPopulations(ctx, labelled); err != nil {
			return err
		}
	}
	for i, u := range l.members {
		s := Sample{Place: l.place, Index: u.index, Seed: u.seed, Generation: l.generation}
		if needsCells {
			g, err := l.readOne(&l.now, i)
			if err != nil {
				return err
			}
			if err := l.measureCells(&s, g, i, labelled); err != nil {
				return err
			}
		} else {
			s.Population = l.populations[i]
			s.Density = float64(s.Population) / l.cells()
		}
		if labelled {
			l.addHistogram(&s, l.histograms.Of(i))
		}
		u.population = s.Population
		u.samples = append(u.samples, s)
	}
	return nil
}

// countPopulations finds the populations of a rule of two states: the cells of all clusters, where those have been found.
func (l *life) countPopulations(ctx context.Context, labelled bool) error {
	l.populations = slices.Grow(l.populations[:0], len(l.members))[:len(l.members)]
	if !labelled {
		return l.crowd.populations(ctx, l.populations)
	}
	for i := range l.members {
		l.populations[i] = 0
		for _, c := range l.histograms.Of(i) {
			l.populations[i] += uint64(c.Size) * uint64(c.Count)
		}
	}
	return nil
}

func (l *life) cells() float64 { return float64(l.at.topology.W) * float64(l.at.topology.H) }

// measureCells fills in what is seen in the cells g of member i.
func (l *life) measureCells(s *Sample, g *grid.Grid, i int, labelled bool) error {
	want := l.measures()
	counts := grid.StateCounts(g, l.at.rule.States)
	for _, n := range counts[1:] {
		s.Population += n
	}
	s.Density = float64(counts[1]) / l.cells()
	if want.activity && l.knows {
		births, deaths, changed := turnover(l.before[i], g)
		share := float64(changed) / l.cells()
		s.Births, s.Deaths, s.Activity = &births, &deaths, &share
	}
	ones := onesOf(g)
	if want.entropy {
		h := entropy(ones, l.at.topology, want.block)
		s.Entropy = &h
	}
	if want.correlation {
		s.Pairs = pairs(ones, l.at.topology, want.distance)
	}
	if want.percolation || want.clusters && !labelled {
		found, err := l.runner.labeller.Label(g, l.at.topology, want.connectivity)
		if err != nil {
			return err
		}
		if want.percolation {
			span := found.Span.String()
			s.Span = &span
		}
		if want.clusters {
			var counts []batch.Count
			for size, n := range found.Sizes.All() {
				counts = append(counts, batch.Count{Size: uint32(size), Count: uint32(n)})
			}
			l.addHistogram(s, counts)
		}
	}
	return nil
}

// addHistogram notes the clusters of one universe, by rising size.
func (l *life) addHistogram(s *Sample, counts []batch.Count) {
	table := l.sizes[l.generation]
	if table == nil {
		table = &sizeTable{large: map[uint64]*sizeSums{}}
		l.sizes[l.generation] = table
	}
	found := new(struct{ clusters, largest uint64 })
	for i, c := range counts {
		sums, n := table.at(uint64(c.Size)), uint64(c.Count)
		sums.clusters, sums.squares = sums.clusters+n, sums.squares+n*n
		found.clusters += n
		if i == len(counts)-1 {
			found.largest = uint64(c.Size)
			sums.largest++
		}
	}
	s.Clusters, s.Largest = &found.clusters, &found.largest
}

// sizeSums is what is added up about one cluster size.
type sizeSums struct{ clusters, squares, largest uint64 }

// sizeTable is the sums of one generation by size: in a list for small sizes, which nearly all are.
type sizeTable struct {
	small []sizeSums
	large map[uint64]*sizeSums
}

func (t *sizeTable) at(size uint64) *sizeSums {
	const longest = 256
	if size < longest {
		if size >= uint64(len(t.small)) {
			t.small = append(t.small, make([]sizeSums, size+1-uint64(len(t.small)))...)
		}
		return &t.small[size]
	}
	sums := t.large[size]
	if sums == nil {
		sums = new(sizeSums)
		t.large[size] = sums
	}
	return sums
}

// clusterSizes is the rows of all tables, by time and size.
func (m *measurement) clusterSizes(universes int) []ClusterSize {
	rows := []ClusterSize{}
	for generation, table := range m.sizes {
		add := func(size uint64, sums *sizeSums) {
			if sums.clusters > 0 {
				rows = append(rows, ClusterSize{
					Place: m.place, Generation: generation, Size: size, Universes: uint64(universes),
					Clusters: sums.clusters, Squares: sums.squares, Largest: sums.largest,
				})
			}
		}
		for size := range table.small {
			add(uint64(size), &table.small[size])
		}
		for size, sums := range table.large {
			add(size, sums)
		}
	}
	slices.SortFunc(rows, func(a, b ClusterSize) int {
		return cmp.Or(cmp.Compare(a.Generation, b.Generation), cmp.Compare(a.Size, b.Size))
	})
	return rows
}

// result is the rows of all universes, in order.
func (m *measurement) result(hash string, universes []*universe) Result {
	r := Result{Hash: hash, Universes: []Universe{}, Samples: make([]Sample, 0, len(universes)*len(m.plan.times)), Clusters: m.clusterSizes(len(universes))}
	for _, u := range universes {
		row := Universe{
			Place: m.place, Index: u.index, Seed: u.seed, Population: u.population,
			Generation: m.plan.times[len(m.plan.times)-1],
		}
		if m.plan.measures.settling {
			row.Settled, row.Transient = &u.settling.settled, &u.settling.transient
			if u.settling.settled {
				row.Period = &u.settling.period
			}
		}
		row.Objects = u.objects
		r.Universes = append(r.Universes, row)
		r.Samples = append(r.Samples, u.samples...)
	}
	r.Objects = m.objects.rows(m.place)
	return r
}
