package worker

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim/batch"
)

// card stands in for universes on a GPU and returns the clusters that it was given. Only the host's part of a job
// remains to be measured, independently of the GPU.
type card struct {
	n      int
	counts []batch.Count
	places []uint32
}

func (c *card) size() int                                     { return c.n }
func (c *card) fill(context.Context, []uint64, float64) error { return nil }
func (c *card) step(context.Context, uint64) error            { return nil }
func (c *card) read(int, *grid.Grid) error                    { return nil }
func (c *card) write(int, *grid.Grid) error                   { return nil }
func (c *card) setGeneration(uint64)                          {}
func (c *card) populations(context.Context, []uint64) error   { return nil }
func (c *card) close()                                        {}
func (c *card) spans(context.Context, component.Connectivity, []component.Span) (bool, error) {
	return false, nil
}

func (c *card) clusters(_ context.Context, _ component.Connectivity, dst *batch.Histograms, _ []component.Span) (bool,
	error,
) {
	copy(dst.Reset(c.n, len(c.counts)), c.counts)
	dst.PlaceAll(c.places)
	return true, nil
}

// newCard looks at the clusters of universes as a batch has them, unsorted among the large ones.
func newCard(b *testing.B, study *ensemble.Study, j ensemble.Job, m *measurement) *card {
	b.Helper()
	made, err := batch.Open(b.Context(), "cpu", batch.Config{
		Rule: m.at.Rule, Topology: m.at.Topology, Universes: j.Count,
		Threads: 1,
	})
	if err != nil {
		b.Fatal(err)
	}
	defer made.Close()
	var soups []batch.Soup
	for i := range j.Count {
		soups = append(soups, batch.Soup{Seed: uint64(i), Density: m.at.Density})
	}
	var h batch.Histograms
	for _, err := range []error{
		made.Fill(b.Context(), soups), made.Step(b.Context(), study.Spec.Generations/2),
		made.Clusters(b.Context(), m.study.Wanted.Connectivity, &h),
	} {
		if err != nil {
			b.Fatal(err)
		}
	}
	c := &card{n: j.Count}
	for i := range j.Count {
		counts := slices.Clone(h.Of(i))
		const small = 128 // sizes below come in order
		if k := slices.IndexFunc(counts, func(c batch.Count) bool { return c.Size >= small }); k >= 0 {
			slices.Reverse(counts[k:])
		}
		c.places = append(c.places, uint32(len(c.counts)), uint32(len(counts)))
		c.counts = append(c.counts, counts...)
	}
	return c
}

// sumsCard is a card that gives sums of clusters instead.
type sumsCard struct {
	batch.Batch
	uncounted
	sums batch.Sums
}

// newSumsCard adds up the clusters of a card.
func newSumsCard(c *card) *sumsCard {
	s := &sumsCard{sums: batch.Sums{Universes: make([]batch.UniverseSums, c.n)}}
	sizes := map[uint64]batch.SizeSums{}
	for i := range c.n {
		s.sums.Sizes = s.sums.Sizes[:0]
		s.sums.AddUniverse(i, c.counts[c.places[2*i]:][:c.places[2*i+1]])
		for _, r := range s.sums.Sizes {
			row := sizes[r.Size]
			sizes[r.Size] = batch.SizeSums{
				Size: r.Size, Clusters: row.Clusters + r.Clusters, Squares: row.Squares + r.Squares,
				Largest: row.Largest + r.Largest, Ties: row.Ties + r.Ties,
			}
		}
	}
	s.sums.Sizes = slices.Collect(maps.Values(sizes))
	return s
}

// Fill implements batch.Batch.
func (*sumsCard) Fill(context.Context, []batch.Soup) error { return nil }

// Samples implements batch.Sampler.
func (c *sumsCard) Samples(_ context.Context, _ component.Connectivity, _ []uint64, dst []batch.Sums) (bool, error) {
	for i := range dst {
		dst[i].Universes = append(dst[i].Universes[:0], c.sums.Universes...)
		dst[i].Sizes = append(dst[i].Sizes[:0], c.sums.Sizes...)
	}
	return true, nil
}

// BenchmarkHost is the host's part of the job of BenchmarkJob, with histograms of each universe and with sums.
func BenchmarkHost(b *testing.B) {
	spec := ensemble.Spec{
		Rules: []string{"life"}, Sizes: []string{"128"}, Universes: 4096, PerJob: 4096, Generations: 1000, Every: 10,
		Measures: []string{"clusters"},
	}
	study, err := spec.Check()
	if err != nil {
		b.Fatal(err)
	}
	for j := range study.Jobs() {
		m, _, err := (&Worker{}).begin(j)
		if err != nil {
			b.Fatal(err)
		}
		c := newCard(b, study, j, m)
		for name, from := range map[string]simulated{
			"histograms": c, "sums": &simulatedBatch{Batch: newSumsCard(c), n: c.n},
		} {
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					m, universes, err := (&Worker{}).begin(j)
					if err != nil {
						b.Fatal(err)
					}
					if err := (&life{measurement: m, simulated: from}).all(b.Context(), universes); err != nil {
						b.Fatal(err)
					}
					if _, err := m.result(j.Key(), universes).Encode(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
