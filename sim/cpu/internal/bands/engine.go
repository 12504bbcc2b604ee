// Package bands advances bounded universes. Each core goes down a band of rows, several generations at a time
// and in place.
//
// Only type universe handles the edges: it fills halos by the topology's index map. A band handles rows, package
// wavefront handles the generations of a pass, package codegen computes one row of one generation, and package layout
// maps cells to bits.
package bands

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/compile/code"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
	"github.com/gosper-life/gosper/sim/cpu/internal/plan"
	"github.com/gosper-life/gosper/topology"
)

// Engine advances a bounded universe. It implements sim.Engine and sim.Counter.
type Engine struct {
	u          *universe
	plan       plan.Plan
	tuner      *tuner // nil once the depth is settled
	bands      []*band
	generation uint64
	cells      []uint64        // one packed row
	columns    int             // of one universe: several may lie side by side
	counters   []*blockCounter // made by Sample
	marked     []uint64        // by Mark: rows, the planes of each together; nil if nothing is marked
}

// New returns an engine for a dead universe. The plan must be valid, and p must be the rule's program for the
// plan's code. The error is codegen.ErrNotCompiled if that code cannot run the program.
func New(t topology.Topology, p *rowprog.Program, chosen plan.Plan) (*Engine, error) {
	e, err := newEngine(t, p, chosen, chosen.Depth)
	if err != nil {
		return nil, err
	}
	return e.divide(p, e.u.Places(), chosen.Depth)
}

// NewTuned is New for an engine that finds the best depth itself while it runs.
func NewTuned(t topology.Topology, p *rowprog.Program, chosen plan.Plan) (*Engine, error) {
	if chosen.Depth == 1 || chosen.Code == codegen.Portable {
		return New(t, p, chosen)
	}
	candidates := plan.Tried(p)
	e, err := newEngine(t, p, chosen, slices.Max(candidates))
	if err != nil {
		return nil, err
	}
	deepest := e.tune(p, candidates)
	return e.divide(p, e.u.Places(), deepest)
}

// NewMultispin is New for as many universes as a vector of the plan's code has bits. Each is a torus or a plane
// of topology t. They lie side by side in one wide universe: universe b has the columns from b·t.W on. Each is
// a strip that is closed to a ring. The plan must have one slab.
func NewMultispin(t topology.Topology, p *rowprog.Program, chosen plan.Plan) (*Engine, error) {
	all := t
	all.W *= 64 * chosen.Code.Lanes()
	e, err := newEngine(all, p, chosen, chosen.Depth)
	if err != nil {
		return nil, err
	}
	e.columns = t.W
	e.u.halo = e.u.Closed(t.Kind == topology.Plane)
	return e.divide(p, layout.Places{}, chosen.Depth)
}

// newEngine makes an engine without bands. deepest is the largest depth of its passes.
func newEngine(t topology.Topology, p *rowprog.Program, chosen plan.Plan, deepest int) (*Engine, error) {
	reach := 0
	if !t.KeepsRows() {
		reach = deepest * p.Radius()
	}
	l := layout.NewWithMargin(t.W, 2*reach, t.H, chosen.Code.Lanes(), chosen.Slabs, p.Radius())
	spare := chosen.Threads * maxDrift(p)
	if err := grid.Fits(grid.Product(8, uint64(l.Stride), uint64(p.Planes), uint64(l.Rows+spare))); err != nil {
		return nil, fmt.Errorf("universe %d×%d: %w", t.W, t.H, err)
	}
	return &Engine{
		plan: chosen, u: newUniverse(t, p.Planes, l, reach, spare), cells: make([]uint64, (t.W+63)/64),
		columns: t.W,
	}, nil
}

// divide gives each thread a band.
func (e *Engine) divide(p *rowprog.Program, at layout.Places, deepest int) (*Engine, error) {
	rows, n := e.u.Rows, e.plan.Threads
	for i := range n {
		k, err := codegen.NewKernel(e.plan.Code, p, &e.u.Layout, e.u.halo)
		if err != nil {
			return nil, err
		}
		e.bands = append(e.bands, newBand(e.u, p, at, k, deepest, i*rows/n, (i+1)*rows/n, i))
	}
	return e, nil
}

// Step implements sim.Engine.
func (e *Engine) Step(ctx context.Context, n uint64) (done uint64, err error) {
	for done < n {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		depth, tuning := e.plan.Depth, false
		if e.tuner != nil && n-done >= uint64(e.tuner.depth()) {
			depth, tuning = e.tuner.depth(), true
		}
		depth = int(min(n-done, uint64(depth)))
		begin := time.Now()
		if e.u.gathers() {
			e.each(func(b *band) { b.u.collect(b.y0, b.y1, depth*b.program.Radius()) })
			e.each(func(b *band) { b.gather(depth) })
		}
		e.each(func(b *band) { b.prepare(depth) })
		e.each(func(b *band) { b.run(e.generation, depth) })
		done += uint64(depth)
		e.generation += uint64(depth)
		if !tuning {
			continue
		}
		if best, decided := e.tuner.took(time.Since(begin)); decided {
			e.plan.Depth, e.tuner = best, nil
		}
	}
	return done, nil
}

// tune takes the best depth from an earlier engine like this one, or prepares to find it. It returns the
// largest depth that it will use.
func (e *Engine) tune(p *rowprog.Program, candidates []int) (deepest int) {
	cost := p.Cost()
	key := tuned{e.plan.Code, cost.Tables, cost.Loads, e.u.Vectors, e.u.Stride, e.u.Rows}
	if best, ok := depths.Load(key); ok {
		e.plan.Depth = best.(int)
		return e.plan.Depth
	}
	e.tuner = newTuner(key, candidates)
	return slices.Max(candidates)
}

// each calls do for all bands at once and waits.
func (e *Engine) each(do func(*band)) {
	if len(e.bands) == 1 {
		do(e.bands[0])
		return
	}
	var wg sync.WaitGroup
	for _, b := range e.bands[1:] {
		wg.Go(func() { do(b) })
	}
	do(e.bands[0])
	wg.Wait()
}

// Reseed implements sim.Seeder.
func (e *Engine) Reseed(seed uint64) error {
	e.Seed([]uint64{seed})
	return nil
}

// Place implements sim.Placer.
func (e *Engine) Place(first, rows int) error {
	e.u.place = [2]int{first, rows}
	return nil
}

// Seed sets the seeds of random bits of the universes that lie side by side, from the first one on. The others
// get no bits.
func (e *Engine) Seed(seeds []uint64) {
	for _, b := range e.bands {
		if len(b.program.Chances) > 0 {
			b.front.Draw(newDice(e.u, b.program, e.columns, seeds))
		}
	}
}

// Choose gives each of the universes that lie side by side its own rule, by its code: see package code. The program
// must be that of code.Chosen. Universes beyond the codes get the rule in which every cell dies.
func (e *Engine) Choose(codes []uint64) {
	vectors := make([][]uint64, code.Bits)
	for bit := range vectors {
		vectors[bit] = make([]uint64, e.u.Lanes)
		for i, number := range codes {
			vectors[bit][i>>6] |= number >> bit & 1 << (i & 63)
		}
	}
	for _, b := range e.bands {
		b.front.Choose(func(bit int) []uint64 { return vectors[bit] })
	}
}

// Generation implements sim.Engine.
func (e *Engine) Generation() uint64 { return e.generation }

// SetGeneration implements sim.Engine.
func (e *Engine) SetGeneration(g uint64) { e.generation = g }

// Population implements sim.Engine.
func (e *Engine) Population() (uint64, error) {
	if n, ok := e.countAll(); ok {
		return n, nil
	}
	return e.u.population(), nil
}

// Info implements sim.Engine.
func (e *Engine) Info() sim.Info {
	return sim.Info{
		Engine: "cpu",
		Device: codegen.Device(e.plan.Threads),
		Plan:   e.plan.String(),
		Bytes:  uint64(len(e.u.words)) * 8,
		Grain:  e.grain(),
	}
}

// grain is a number of generations that needs no partial pass: the depth or, while the best depth is being
// searched, a multiple of all candidates.
func (e *Engine) grain() uint64 {
	n := e.plan.Depth
	if e.tuner != nil {
		for _, depth := range e.tuner.candidates {
			n = plan.CommonMultiple(n, depth)
		}
	}
	return uint64(n)
}

// Close implements sim.Engine.
func (e *Engine) Close() error { return nil }

// Bounds is the whole rectangle.
func (e *Engine) Bounds() grid.Rect { return grid.Rect{W: e.u.W, H: e.u.H} }

// Extent implements grid.Source: Bounds.
func (e *Engine) Extent() (grid.Rect, error) { return e.Bounds(), nil }

// Planes implements grid.Source.
func (e *Engine) Planes() int { return e.u.planes }

// ReadRow implements grid.Source. Whole rows, from column 0 to the last, may be read by several goroutines at once.
func (e *Engine) ReadRow(dst []uint64, plane, x, y, n int) error {
	dst = dst[:(n+63)/64]
	if y < 0 || y >= e.u.H {
		clear(dst)
		return nil
	}
	e.u.ReadPart(dst, e.u.row(plane, y%e.u.Rows), y/e.u.Rows, x, n, e.cells)
	return nil
}

// ReadsInParallel tells grid.StateHash that several goroutines may read whole rows at once.
func (e *Engine) ReadsInParallel() bool { return true }

// WriteRow implements grid.Sink.
func (e *Engine) WriteRow(src []uint64, plane, x, y, n int) error {
	if y < 0 || y >= e.u.H {
		return nil
	}
	e.marked = nil
	row, slab := e.u.row(plane, y%e.u.Rows), y/e.u.Rows
	e.u.WritePart(row, slab, x, n, src, e.cells)
	e.u.FillHaloSlab(row, slab, e.u.halo)
	return nil
}
