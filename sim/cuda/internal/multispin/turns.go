package multispin

import (
	"context"
	"fmt"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/sim/batch"
	"github.com/gosper-life/gosper/sim/cuda/internal/labels"
	"github.com/gosper-life/gosper/topology"
)

// Turns is an engine for one universe that advances those of a batch in turn, which are stored as plain rows on
// the same device. It is called outside the device's Do.
type Turns interface {
	// Load loads the cells of a generation, as rows of the given number of bytes. seed is the seed of random bits if the
	// rule does not give one.
	Load(cells uint64, stride int, seed, generation uint64) error
	// Step advances the loaded cells.
	Step(ctx context.Context, n uint64) error
	// Store puts the cells back.
	Store(cells uint64, stride int) error
	// Clusters finds the clusters of what was loaded.
	Clusters(c component.Connectivity) (component.Clusters, error)
	Close() error
}

// seedOf is the seed of universe i, 0 before soups have been made.
func (u *universes) seedOf(i int) uint64 {
	if i < len(u.seeds) {
		return u.seeds[i]
	}
	return 0
}

// load makes universe i the one whose turn it is.
func (u *universes) load(ctx context.Context, i int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return u.turns.Load(u.address(i), 4*u.words, u.seedOf(i), u.generation)
}

// takeTurns is Step for universes that take turns.
func (u *universes) takeTurns(ctx context.Context, n uint64) error {
	for i := range u.n {
		err := u.load(ctx, i)
		if err == nil {
			err = u.turns.Step(ctx, n)
		}
		if err == nil {
			err = u.turns.Store(u.address(i), 4*u.words)
		}
		if err != nil {
			return err
		}
	}
	u.generation += n
	return nil
}

// clustersInTurn is Clusters for universes that take turns.
func (u *universes) clustersInTurn(ctx context.Context, c component.Connectivity, dst *batch.Histograms) error {
	return batch.Gather(dst, u.n, func(add func(first int, counts []batch.Count, ends []int)) error {
		for i := range u.n {
			if err := u.load(ctx, i); err != nil {
				return err
			}
			found, err := u.turns.Clusters(c)
			if err != nil {
				return err
			}
			counts, err := batch.CountsOf(&found.Sizes)
			if err != nil {
				return err
			}
			add(i, counts, []int{len(counts)})
		}
		return nil
	})
}

// Spans implements batch.Spanner.
func (u *universes) Spans(ctx context.Context, c component.Connectivity, dst []component.Span) error {
	if len(dst) != u.n {
		return fmt.Errorf("a slice of %d spans for %d universes", len(dst), u.n)
	}
	t := topology.Topology{Kind: topology.Torus, W: u.w, H: u.h}
	for first := 0; first < u.n; {
		var m *labels.Many
		n := 0
		err := u.dev.Do(func() error {
			err := ctx.Err()
			if err == nil {
				m, err = u.spanner(c)
			}
			if err != nil {
				return err
			}
			n = min(m.Most(), u.n-first)
			r := labels.Rows{Address: u.address(first), Stride: 4 * u.words, Planes: 1, Interleaved: 1, W: u.w, H: u.h}
			return m.Label(r, n, 4*uint64(u.perUniverse()))
		})
		if err != nil {
			return err
		}
		for i := range n {
			if dst[first+i], err = m.Perimeter(i).Span(t, c); err != nil {
				return err
			}
		}
		first += n
	}
	return nil
}

// spanner returns the memory that labels universes, which is kept for the next time. The device must be current.
func (u *universes) spanner(c component.Connectivity) (*labels.Many, error) {
	if m := u.spanners[c]; m != nil {
		return m, nil
	}
	m, err := labels.NewMany(u.dev, u.n, u.w, u.h, c)
	if err == nil {
		u.spanners[c] = m
	}
	return m, err
}
