// Package volumes advances universes of three dimensions. Each core goes through a stack of layers, several
// generations at a time and in place.
//
// A row of a layer is stored as a row of a universe of two dimensions is (package layout), and computed by the same
// kernels (package codegen), which read rows of the layers around as well. Only type universe knows what lies beyond
// the edges.
package volumes

import (
	"context"
	"fmt"
	"sync"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
	"github.com/gosper-life/gosper/sim/cpu/internal/plan"
	"github.com/gosper-life/gosper/topology"
)

// Engine advances a volume. It implements sim.Engine and sim.Seeder. Its rows are those of all layers, one
// layer after the other.
type Engine struct {
	t          topology.Topology
	u          *universe
	plan       plan.Plan
	stacks     []*stack
	lists      *lists // nil if stacks advance the universe
	generation uint64
	cells      []uint64 // one packed row
}

// New returns an engine for a dead universe. The plan must be valid, and p must be the rule's program for the
// plan's code. It must look at no random bits but those of the cell that it computes: see circuit.OwnChance.
// The error is codegen.ErrNotCompiled if the plan's code cannot run the program.
func New(t topology.Topology, p *rowprog.Program, chosen plan.Plan) (*Engine, error) {
	if chosen.Runs > 0 {
		return newRuns(t, p, chosen)
	}
	l := layout.New(t.W, t.LayerRows(), chosen.Lanes(t), chosen.Slabs, p.Radius())
	halo := l.Moves(func(x int) (int, bool) {
		if column, _, inside := t.FoldVolume(x, 0, 0); inside {
			return column, true
		}
		return layout.None, true
	})
	return newEngine(t, p, chosen, l, halo, l.Places())
}

// NewMultispin is New for as many universes as a vector of the plan's code has bits. They lie side by side in one wide
// universe: universe b has the columns from b·t.W on. Each is a strip that is closed to a ring, or has dead cells at
// its sides. The plan must have one slab, and the program no random bits.
func NewMultispin(t topology.Topology, p *rowprog.Program, chosen plan.Plan) (*Engine, error) {
	lanes := chosen.Code.Lanes()
	all := t
	all.W *= 64 * lanes
	l := layout.New(all.W, t.LayerRows(), lanes, 1, p.Radius())
	return newEngine(all, p, chosen, l, l.Closed(t.Kind == topology.Plane), layout.Places{})
}

// newRuns is New for a plan with runs. They lie side by side as the universes of NewMultispin do. The layer beyond the
// last one of a run is the first layer of the next.
func newRuns(t topology.Topology, p *rowprog.Program, chosen plan.Plan) (*Engine, error) {
	lanes := chosen.Lanes(t)
	all := t
	all.W *= 64 * lanes
	all.H, all.D = t.H/chosen.Runs, t.D/chosen.Runs
	l := layout.New(all.W, t.LayerRows(), lanes, 1, p.Radius())
	e, err := newEngine(all, p, chosen, l, l.Closed(false), layout.Places{})
	if err == nil {
		e.t, e.u.runs = t, chosen.Runs
	}
	return e, err
}

func newEngine(t topology.Topology, p *rowprog.Program, chosen plan.Plan, l layout.Layout, halo []layout.Move,
	at layout.Places,
) (*Engine, error) {
	spare, twice := chosen.Threads*maxDrift(p), chosen.Lists(t, p, &l)
	if twice {
		spare = t.D
	}
	around := chosen.Threads * chosen.Depth * (4*p.Layers + 1) // copies, and layers of generations between
	layer := grid.Product(8, uint64(l.Stride), uint64(p.Planes), uint64(l.Rows))
	if err := grid.Fits(grid.Product(layer, uint64(t.D+spare+around))); err != nil {
		return nil, fmt.Errorf("universe %s: %w", t.Size(), err)
	}
	e := &Engine{
		plan: chosen, t: t, u: newUniverse(t, p.Planes, l, halo, max(p.Up, -p.Down), p.Warm, spare),
		cells: make([]uint64, (t.W+63)/64),
	}
	for i := range chosen.Threads {
		k, err := codegen.NewKernel(chosen.Code, p, &e.u.Layout, e.u.halo)
		if err != nil {
			return nil, err
		}
		n := chosen.Threads
		e.stacks = append(e.stacks, newStack(e.u, p, at, k, chosen.Depth, i*t.D/n, (i+1)*t.D/n, i))
	}
	if twice {
		var err error
		if e.lists, err = newLists(e.stacks[0], chosen.Code); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// Step implements sim.Engine.
func (e *Engine) Step(ctx context.Context, n uint64) (done uint64, err error) {
	for done < n {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		depth := int(min(n-done, uint64(e.plan.Depth)))
		if e.lists != nil {
			e.lists.run(e.generation)
		} else {
			e.each(func(s *stack) { s.gather(depth) })
			e.each(func(s *stack) { s.run(e.generation) })
		}
		done += uint64(depth)
		e.generation += uint64(depth)
	}
	return done, nil
}

// each calls do for all stacks at once and waits.
func (e *Engine) each(do func(*stack)) {
	if len(e.stacks) == 1 {
		do(e.stacks[0])
		return
	}
	var wg sync.WaitGroup
	for _, s := range e.stacks {
		wg.Go(func() { do(s) })
	}
	wg.Wait()
}

// Reseed implements sim.Seeder.
func (e *Engine) Reseed(seed uint64) error {
	for _, s := range e.stacks {
		s.dice.seed = seed
	}
	return nil
}

// Place implements sim.Placer.
func (e *Engine) Place(first, rows int) error {
	e.u.place = [2]int{first, rows}
	return nil
}

// Generation implements sim.Engine.
func (e *Engine) Generation() uint64 { return e.generation }

// SetGeneration implements sim.Engine.
func (e *Engine) SetGeneration(g uint64) { e.generation = g }

// Population implements sim.Engine.
func (e *Engine) Population() (uint64, error) { return e.u.population(), nil }

// Info implements sim.Engine.
func (e *Engine) Info() sim.Info {
	return sim.Info{
		Engine: "cpu",
		Device: codegen.Device(e.plan.Threads),
		Plan:   e.plan.String(),
		Bytes:  uint64(len(e.u.words)) * 8,
		Grain:  uint64(e.plan.Depth),
	}
}

// Close implements sim.Engine.
func (e *Engine) Close() error { return nil }

// Extent implements grid.Source: the whole rectangle.
func (e *Engine) Extent() (grid.Rect, error) { return grid.Rect{W: e.t.W, H: e.t.H}, nil }

// Planes implements grid.Source.
func (e *Engine) Planes() int { return e.u.planes }

// ReadsInParallel tells grid.StateHash that several goroutines may read whole rows at once.
func (e *Engine) ReadsInParallel() bool { return true }

// find returns a row of the universe: the row that holds it, the slab of that, and the column in which it begins.
func (e *Engine) find(plane, y int) (row []uint64, slab, first int) {
	z, y := y/e.u.H, y%e.u.H
	run, z := z/e.u.topology.D, z%e.u.topology.D
	return e.u.row(plane, y%e.u.Rows, e.u.places[z]), y / e.u.Rows, run * e.t.W
}

// ReadRow implements grid.Source. Whole rows, from column 0 to the last, may be read by several goroutines at once.
func (e *Engine) ReadRow(dst []uint64, plane, x, y, n int) error {
	dst = dst[:(n+63)/64]
	from, to := max(x, 0), min(x+n, e.t.W)
	if y < 0 || y >= e.t.H || from >= to {
		clear(dst)
		return nil
	}
	row, slab, first := e.find(plane, y)
	if e.plan.Runs > 0 { // the row holds cells of all runs
		clear(dst)
		e.u.UnpackPart(dst, from-x, row, slab, first+from, to-from)
		return nil
	}
	e.u.ReadPart(dst, row, slab, x, n, e.cells)
	return nil
}

// WriteRow implements grid.Sink.
func (e *Engine) WriteRow(src []uint64, plane, x, y, n int) error {
	from, to := max(x, 0), min(x+n, e.t.W)
	if y < 0 || y >= e.t.H || from >= to {
		return nil
	}
	row, slab, first := e.find(plane, y)
	if e.plan.Runs > 0 {
		e.u.PackPart(row, slab, first+from, to-from, src, from-x)
	} else {
		e.u.WritePart(row, slab, x, n, src, e.cells)
	}
	e.u.FillHaloSlab(row, slab, e.u.halo)
	return nil
}
