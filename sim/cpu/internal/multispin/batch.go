// Package multispin advances many small universes at once by multi-spin coding: each bit of a vector belongs to
// a different universe.
package multispin

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/code"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/batch"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/topology"
)

// Suits reports whether universes of a rule and a topology can share vectors. Rows and columns beyond the edges must be
// copies of the universe's own, without shifts or mirroring. Volumes have no random bits.
func Suits(r rule.Rule, t topology.Topology) bool {
	if t.Volume() {
		return !r.Random()
	}
	return t.Bounded() && (t.WrapsStraight() || t.Kind == topology.Plane)
}

// Pays reports whether universes are faster in shared vectors. A vector with few universes does the work of a
// full one. An engine for each universe spends its time between rows if these are short. Measured on a core
// with AVX-512 (Life, 10⁹ cells/s): 150 with shared vectors; with an engine for each, 3 for 32², 11 for 64², 30
// for 128², 63 for 256², 121 for 512² and 162 for 1024². With chance most of the time goes into laying out
// random bits (Ising): 0.09 for 8², 0.2 for 16² and 0.36 for 32² with shared vectors; with an engine for each,
// 0.01, 0.045 and 0.15. For volumes (3D4,5/5): about 50 with shared vectors; with an engine for each, 4 for
// 16³, 9 for 32³, 25 for 64³ and 42 for 128³.
func Pays(t topology.Topology, universes int, chance bool, code codegen.Code) bool {
	size := 64 * code.Lanes()
	used := float64(universes) / float64((universes+size-1)/size*size)
	side := math.Sqrt(float64(t.W) * float64(t.LayerRows()))
	if t.Volume() {
		cells := float64(t.W) * float64(t.LayerRows()) * float64(t.D)
		return side <= widestVolume && cells <= widestVolume*widestVolume*widestVolume && 50*used > 0.38*side
	}
	if chance {
		return used > 0.014*side
	}
	return 150*used > min(0.24*side, 160)
}

// widestVolume is the greatest side of volumes that share vectors, and no volume has more cells than its cube. With 512
// of that size, a group takes 128 MB.
const widestVolume = 128

// Batch is a batch.Batch whose universes lie in groups, side by side in the bits of vectors.
type Batch struct {
	n          int
	all        []*group
	workers    []*worker
	generation uint64
	side       side // the cells of one group, row by row
	laid       int  // the group with its present cells in side, or -1

	neighbourhood *rule.Neighbourhood // of the rules that the universes have each; nil if all have one
}

// worker holds the buffers of a goroutine that reads universes.
type worker struct {
	side     side
	labeller component.Labeller
	counts   []batch.Count
}

// New returns a batch of dead universes of a topology that Suits. It is advanced by a code, or by the portable
// one where there can be no such code for the rule.
func New(cfg batch.Config, code codegen.Code) (*Batch, error) {
	threads := cfg.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	size := 64 * code.Lanes()
	count := (cfg.Universes + size - 1) / size
	b := &Batch{n: cfg.Universes, laid: -1}
	compiled := compile.New(cfg.Rule)
	if cfg.Rules != nil {
		var ok bool
		if compiled, ok = compile.Chosen(cfg.Rules[0]); !ok {
			return nil, &sim.Unsupported{
				Engine: "cpu", What: "a batch of rules",
				Why: fmt.Sprintf("%v is not outer-totalistic with two states and radius 1", cfg.Rules[0]),
			}
		}
	}
	for range count {
		g, err := newGroup(compiled, cfg.Topology, code, max(1, threads/count))
		if err != nil && code != codegen.Portable {
			return New(cfg, codegen.Portable) // the program is too large for machine code
		}
		if err != nil {
			return nil, fmt.Errorf("%d universes of %v: %w", cfg.Universes, cfg.Topology, err)
		}
		b.all = append(b.all, g)
	}
	for range min(threads, cfg.Universes) {
		b.workers = append(b.workers, &worker{})
	}
	if cfg.Rules != nil {
		b.neighbourhood = &cfg.Rules[0].Neighbourhood
		return b, b.Choose(cfg.Rules)
	}
	return b, nil
}

// Choose gives the universes other rules: see batch.Config. Only a batch that was made with rules for its
// universes can get others, of the same neighbourhood.
func (b *Batch) Choose(rules []rule.Rule) error {
	if b.neighbourhood == nil || len(rules) != b.n {
		return fmt.Errorf("%d rules for a batch of %d universes", len(rules), b.n)
	}
	codes := make([]uint64, b.n)
	for i, r := range rules {
		number, ok := code.Of(r)
		if !ok || !r.Neighbourhood.Equal(*b.neighbourhood) {
			return &sim.Unsupported{
				Engine: "cpu", What: "a batch of rules",
				Why: fmt.Sprintf("%v is not outer-totalistic with two states and the neighbourhood of the others", r),
			}
		}
		codes[i] = number
	}
	for i, g := range b.all {
		first, n := b.span(i)
		g.bands.Choose(codes[first : first+n])
	}
	return nil
}

// span returns the universes of group i.
func (b *Batch) span(i int) (first, n int) {
	size := b.all[i].universes()
	return i * size, min(size, b.n-i*size)
}

// change calls do for all groups.
func (b *Batch) change(ctx context.Context, do func(g *group, i int) error) error {
	b.laid = -1
	return batch.Share(ctx, b.workers, len(b.all), func(_ *worker, i int) error { return do(b.all[i], i) })
}

// lookedAt is the number of universes a worker reads before it asks for more.
const lookedAt = 16

// look calls do for all universes, several at a time: those from first to end-1, which s holds from place from
// on. If there are fewer groups than workers, the workers share each group.
func (b *Batch) look(ctx context.Context, do func(w *worker, s side, from, first, end int) error) error {
	if len(b.all) >= len(b.workers) {
		return batch.Share(ctx, b.workers, len(b.all), func(w *worker, i int) error {
			if err := b.all[i].lay(&w.side); err != nil {
				return err
			}
			first, n := b.span(i)
			return do(w, w.side, 0, first, first+n)
		})
	}
	for i := range b.all {
		if err := b.lay(ctx, i); err != nil {
			return err
		}
		first, n := b.span(i)
		err := batch.Share(ctx, b.workers, (n+lookedAt-1)/lookedAt, func(w *worker, piece int) error {
			from := piece * lookedAt
			return do(w, b.side, from, first+from, first+min(from+lookedAt, n))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// lay copies a group's cells to where all workers can read them.
func (b *Batch) lay(ctx context.Context, i int) error {
	if b.laid == i {
		return nil
	}
	b.laid = -1
	g := b.all[i]
	g.prepare(&b.side)
	err := batch.Share(ctx, b.workers, len(b.side.rows), func(_ *worker, row int) error {
		return g.layRow(&b.side, row)
	})
	if err == nil {
		b.laid = i
	}
	return err
}

// Fill implements batch.Batch.
func (b *Batch) Fill(ctx context.Context, soups []batch.Soup) error {
	made, err := batch.Soups(soups, b.n)
	if err != nil {
		return err
	}
	b.generation = 0
	return b.change(ctx, func(g *group, i int) error {
		first, n := b.span(i)
		g.SetGeneration(0)
		return g.fill(made[first : first+n])
	})
}

// find returns the group of a universe and its place in it. cells must have the universe's size.
func (b *Batch) find(i int, cells *grid.Grid) (*group, int, error) {
	if i < 0 || i >= b.n {
		return nil, 0, fmt.Errorf("universe %d: want 0 to %d", i, b.n-1)
	}
	g := b.all[i/b.all[0].universes()]
	if cells.W() != g.each.W || cells.H() != g.each.H {
		return nil, 0, fmt.Errorf("a grid of %d×%d does not fit universes of %d×%d", cells.W(), cells.H(), g.each.W, g.each.H)
	}
	return g, i % g.universes(), nil
}

// Write implements batch.Batch.
func (b *Batch) Write(i int, cells *grid.Grid) error {
	g, place, err := b.find(i, cells)
	if err == nil {
		b.laid = -1
		err = g.write(place, cells)
	}
	return err
}

// Read implements batch.Batch. It is fast for universes in rising order.
func (b *Batch) Read(i int, cells *grid.Grid) error {
	g, place, err := b.find(i, cells)
	if err != nil {
		return err
	}
	if err := b.lay(context.Background(), i/g.universes()); err != nil {
		return err
	}
	b.side.hold(place)
	return grid.Copy(cells, &b.side, cells.Bounds(), 0, 0)
}

// Step implements batch.Batch.
func (b *Batch) Step(ctx context.Context, n uint64) error {
	err := b.change(ctx, func(g *group, _ int) error {
		_, err := g.Step(ctx, n)
		return err
	})
	if err == nil {
		b.generation += n
	}
	return err
}

// Generation implements batch.Batch.
func (b *Batch) Generation() uint64 { return b.generation }

// SetGeneration implements batch.Batch.
func (b *Batch) SetGeneration(generation uint64) {
	b.generation = generation
	for _, g := range b.all {
		g.SetGeneration(generation)
	}
}

// Populations implements batch.Batch.
func (b *Batch) Populations(ctx context.Context, dst []uint64) error {
	if len(dst) != b.n {
		return fmt.Errorf("a slice of %d populations for %d universes", len(dst), b.n)
	}
	return b.look(ctx, func(_ *worker, s side, from, first, end int) error {
		for i := first; i < end; i++ {
			s.hold(from + i - first)
			dst[i] = s.population()
		}
		return nil
	})
}

// Clusters implements batch.Batch.
func (b *Batch) Clusters(ctx context.Context, c component.Connectivity, dst *batch.Histograms) error {
	return batch.Gather(dst, b.n, func(add func(first int, counts []batch.Count, ends []int)) error {
		return b.look(ctx, func(w *worker, s side, from, first, end int) error {
			w.counts = w.counts[:0]
			ends := make([]int, end-first)
			for k := range ends {
				s.hold(from + k)
				var err error
				if w.counts, err = s.clusters(&w.labeller, c, w.counts); err != nil {
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
func (b *Batch) Info() sim.Info {
	first := b.all[0]
	info := sim.Info{Engine: "cpu", Device: codegen.Device(len(b.workers))}
	if b.neighbourhood != nil {
		info.Device += ", a rule for each universe"
	}
	info.Plan = fmt.Sprintf("%s,multispin=%d,depth=%d,threads=%d", first.plan.Code, first.universes(), first.plan.Depth,
		len(b.workers))
	for _, g := range b.all {
		info.Bytes += g.Info().Bytes
	}
	return info
}

// Close implements batch.Batch.
func (b *Batch) Close() error { return nil }
