package worker

import (
	"context"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/batch"
	"github.com/gosper-life/gosper/soup"
)

// simulated is universes that advance together: many in a batch, or one on an engine.
type simulated interface {
	size() int
	fill(ctx context.Context, seeds []uint64, density float64) error
	step(ctx context.Context, generations uint64) error
	read(i int, g *grid.Grid) error
	write(i int, g *grid.Grid) error
	setGeneration(g uint64)
	populations(ctx context.Context, dst []uint64) error
	// spans stores the spans of the clusters of every universe. It returns false if this takes clusters.
	spans(ctx context.Context, c component.Connectivity, dst []component.Span) (bool, error)
	// clusters stores the clusters of every universe and, unless spans is nil, their spans. It returns false if the cells
	// must be read for that.
	clusters(ctx context.Context, c component.Connectivity, dst *batch.Histograms, spans []component.Span) (bool, error)
	close()
}

// simulatedBatch holds the universes of a batch.
type simulatedBatch struct {
	batch.Batch
	n int
}

func (b *simulatedBatch) size() int { return b.n }

func (b *simulatedBatch) fill(ctx context.Context, seeds []uint64, density float64) error {
	soups := make([]batch.Soup, len(seeds))
	for i, seed := range seeds {
		soups[i] = batch.Soup{Seed: seed, Density: density}
	}
	return b.Fill(ctx, soups)
}

func (b *simulatedBatch) step(ctx context.Context, n uint64) error { return b.Step(ctx, n) }

func (b *simulatedBatch) read(i int, g *grid.Grid) error { return b.Read(i, g) }

func (b *simulatedBatch) write(i int, g *grid.Grid) error { return b.Write(i, g) }

func (b *simulatedBatch) setGeneration(g uint64) { b.SetGeneration(g) }

func (b *simulatedBatch) populations(ctx context.Context, dst []uint64) error {
	return b.Populations(ctx, dst)
}

func (b *simulatedBatch) spans(ctx context.Context, c component.Connectivity, dst []component.Span) (bool, error) {
	s, ok := b.Batch.(batch.Spanner)
	if !ok || c == component.Six {
		return false, nil
	}
	return true, s.Spans(ctx, c, dst)
}

func (b *simulatedBatch) clusters(ctx context.Context, c component.Connectivity, dst *batch.Histograms,
	spans []component.Span,
) (bool, error) {
	if spans != nil {
		return false, nil
	}
	return true, b.Clusters(ctx, c, dst)
}

func (b *simulatedBatch) close() { b.Close() }

// simulatedEngine is one universe on an engine.
type simulatedEngine struct {
	engine sim.Engine
	at     ensemble.Point
}

func (e *simulatedEngine) size() int { return 1 }

func (e *simulatedEngine) fill(ctx context.Context, seeds []uint64, density float64) error {
	t := e.at.Topology
	e.engine.SetGeneration(0)
	if err := sim.Reseed(e.engine, e.at.Rule, seeds[0]); err != nil {
		return err
	}
	return soup.Fill(ctx, e.engine, t.W, t.H, seeds[0], density, 1, nil)
}

func (e *simulatedEngine) step(ctx context.Context, n uint64) error {
	_, err := e.engine.Step(ctx, n)
	return err
}

func (e *simulatedEngine) read(_ int, g *grid.Grid) error {
	return grid.Copy(g, e.engine, g.Bounds(), 0, 0)
}

func (e *simulatedEngine) write(_ int, g *grid.Grid) error {
	return grid.Copy(e.engine, g, g.Bounds(), 0, 0)
}

func (e *simulatedEngine) setGeneration(g uint64) { e.engine.SetGeneration(g) }

func (e *simulatedEngine) populations(_ context.Context, dst []uint64) error {
	var err error
	dst[0], err = e.engine.Population()
	return err
}

// spans implements simulated: an engine finds the clusters as well, at the same cost.
func (e *simulatedEngine) spans(context.Context, component.Connectivity, []component.Span) (bool, error) {
	return false, nil
}

// clusters implements simulated, for the engines that count clusters where their cells are.
func (e *simulatedEngine) clusters(_ context.Context, c component.Connectivity, dst *batch.Histograms,
	spans []component.Span,
) (bool, error) {
	counter, ok := e.engine.(sim.ClusterCounter)
	if !ok || c == component.Six || e.at.Topology.Volume() {
		return false, nil
	}
	found, err := counter.Clusters(c)
	if err != nil {
		return false, err
	}
	counts, err := batch.CountsOf(&found.Sizes)
	if err != nil {
		return false, err
	}
	copy(dst.Reset(1, len(counts)), counts)
	dst.Place(0, 0, len(counts))
	if spans != nil {
		spans[0] = found.Span
	}
	return true, nil
}

func (e *simulatedEngine) close() { e.engine.Close() }
