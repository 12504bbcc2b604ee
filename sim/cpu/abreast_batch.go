package cpu

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
	batches "github.com/gosper-life/gosper/sim/batch"
)

func init() { batches.Register("cpu", OpenBatch) }

// OpenBatch returns many universes on the cores of this machine: side by side in the bits of vectors where they are tori or planes and
// many enough, else each on an engine of its own.
func OpenBatch(ctx context.Context, cfg batches.Config) (batches.Batch, error) {
	code := fastestCode()
	// A vector with few universes does the work of a full one; engines of their own are about eight times slower than that on
	// small universes, and not at all on large ones.
	if few := 8*cfg.Universes < 64*code.lanes(); few || !abreastTopology(cfg.Topology) {
		return batches.OnEngines(ctx, Open, cfg)
	}
	return newGroups(cfg, code)
}

// groups is a batch whose universes lie side by side in groups.
type groups struct {
	n          int
	all        []*abreast
	workers    []*worker
	generation uint64
	laid       int // the group whose cells the first worker has as they are now, for Read; -1: none
}

// worker is what a goroutine needs to look at universes.
type worker struct {
	side     side
	labeller component.Labeller
	counts   []batches.Count
}

func newGroups(cfg batches.Config, code Code) (*groups, error) {
	threads := cfg.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	size := 64 * code.lanes()
	count := (cfg.Universes + size - 1) / size
	b := &groups{n: cfg.Universes, laid: -1}
	for range count {
		a, err := newAbreast(cfg.Rule, cfg.Topology, code, max(1, threads/count))
		if err != nil && code != Portable {
			return newGroups(cfg, Portable) // too large a program for machine code
		}
		if err != nil {
			return nil, fmt.Errorf("%d universes of %v: %w", cfg.Universes, cfg.Topology, err)
		}
		b.all = append(b.all, a)
	}
	for range min(threads, len(b.all)) {
		b.workers = append(b.workers, &worker{})
	}
	return b, nil
}

// span are the universes that group i has.
func (b *groups) span(i int) (first, n int) {
	size := b.all[i].universes()
	return i * size, min(size, b.n-i*size)
}

// each does something for all groups, as many at once as there are workers, and returns the first error.
func (b *groups) each(ctx context.Context, do func(w *worker, i int) error) error {
	b.laid = -1
	var next atomic.Int64
	var once sync.Once
	var first error
	run := func(w *worker) {
		for {
			i := int(next.Add(1) - 1)
			if i >= len(b.all) {
				return
			}
			err := ctx.Err()
			if err == nil {
				err = do(w, i)
			}
			if err != nil {
				once.Do(func() { first = err })
				return
			}
		}
	}
	var wg sync.WaitGroup
	for _, w := range b.workers[1:] {
		wg.Go(func() { run(w) })
	}
	run(b.workers[0])
	wg.Wait()
	return first
}

// Fill implements batch.Batch.
func (b *groups) Fill(ctx context.Context, soups []batches.Soup) error {
	made, err := batches.Soups(soups, b.n)
	if err != nil {
		return err
	}
	b.generation = 0
	return b.each(ctx, func(_ *worker, i int) error {
		first, n := b.span(i)
		b.all[i].fill(made[first : first+n])
		return nil
	})
}

// find is the group of a universe and its place in it.
func (b *groups) find(i int, g *grid.Grid) (*abreast, int, error) {
	if i < 0 || i >= b.n {
		return nil, 0, fmt.Errorf("universe %d of %d, numbered from 0", i, b.n)
	}
	a := b.all[i/b.all[0].universes()]
	if g.W() != a.each.W || g.H() != a.each.H {
		return nil, 0, fmt.Errorf("a grid of %d×%d for a universe of %d×%d", g.W(), g.H(), a.each.W, a.each.H)
	}
	return a, i % a.universes(), nil
}

// Write implements batch.Batch.
func (b *groups) Write(i int, g *grid.Grid) error {
	a, place, err := b.find(i, g)
	if err == nil {
		b.laid = -1
		a.write(place, g)
	}
	return err
}

// Read implements batch.Batch. It is quick for universes in rising order.
func (b *groups) Read(i int, g *grid.Grid) error {
	a, place, err := b.find(i, g)
	if err != nil {
		return err
	}
	s := &b.workers[0].side
	if group := i / a.universes(); b.laid != group {
		a.lay(s)
		b.laid = group
	}
	s.hold(place)
	grid.Copy(g, s, s.Bounds(), 0, 0)
	return nil
}

// Step implements batch.Batch.
func (b *groups) Step(ctx context.Context, n uint64) error {
	err := b.each(ctx, func(_ *worker, i int) error {
		_, err := b.all[i].Step(ctx, n)
		return err
	})
	if err == nil {
		b.generation += n
	}
	return err
}

// Generation implements batch.Batch.
func (b *groups) Generation() uint64 { return b.generation }

// Populations implements batch.Batch.
func (b *groups) Populations(ctx context.Context, dst []uint64) error {
	if len(dst) != b.n {
		return fmt.Errorf("room for %d populations of %d universes", len(dst), b.n)
	}
	return b.each(ctx, func(w *worker, i int) error {
		b.all[i].lay(&w.side)
		first, n := b.span(i)
		for k := range n {
			w.side.hold(k)
			dst[first+k] = w.side.population()
		}
		return nil
	})
}

// Clusters implements batch.Batch.
func (b *groups) Clusters(ctx context.Context, c component.Connectivity, dst *batches.Histograms) error {
	return batches.Gather(dst, b.n, func(add func(first int, counts []batches.Count, ends []int)) error {
		return b.each(ctx, func(w *worker, i int) error {
			b.all[i].lay(&w.side)
			first, n := b.span(i)
			w.counts = w.counts[:0]
			ends := make([]int, n)
			for k := range n {
				w.side.hold(k)
				var err error
				if w.counts, err = w.side.clusters(&w.labeller, c, w.counts); err != nil {
					return err
				}
				ends[k] = len(w.counts)
			}
			add(first, w.counts, ends)
			return nil
		})
	})
}

// Info implements batch.Batch.
func (b *groups) Info() sim.Info {
	a := b.all[0]
	info := sim.Info{Engine: "cpu", Device: device(len(b.workers) * a.plan.Threads)}
	info.Plan = fmt.Sprintf("%s,abreast=%d,depth=%d,threads=%d", a.plan.Code, a.universes(), a.plan.Depth, len(b.workers)*a.plan.Threads)
	for _, a := range b.all {
		info.Bytes += uint64(len(a.u.words)) * 8
	}
	return info
}

// Close implements batch.Batch.
func (b *groups) Close() error { return nil }
