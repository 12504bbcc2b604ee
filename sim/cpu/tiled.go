package cpu

import (
	"context"
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/logic"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// tiled advances the unbounded plane, or a torus, block by block, where something can change: a block that came out
// of the last pass as it went in, with nothing changed within reach of it, does so again. A pass takes 6 generations where the
// radius is 1, so still lifes and oscillators of period 2, 3 and 6 cost nothing.
type tiled struct {
	*tiles
	rules      int  // 2: they alternate
	fullPlane  bool // the background is always 1
	plan       Plan
	radius     int
	workers    []*batch
	generation uint64
	lastDepth  int     // of the last pass; 0 when cells were written since
	allowed    uint64  // bytes of tiles known to fit the memory
	awake      []*tile // with active blocks in the last pass
	slept      []*tile // the same in the pass before
	jobs       []job   // of the last pass, and what changed beyond a seam
	changes    []uint64
}

// newTiled makes an engine for the unbounded plane or a torus.
func newTiled(cfg sim.Config, plan Plan) (*tiled, error) {
	rules, err := withoutB0(cfg)
	if err != nil {
		return nil, err
	}
	if len(rules) > 1 {
		plan.Depth = 1 // a pass has one program
	}
	e := &tiled{plan: plan, rules: len(rules), fullPlane: cfg.Rule.BirthOnEmpty() && len(rules) == 1}
	var circuits []*logic.Circuit
	var programs []*logic.Program
	margin := 0
	for _, r := range rules {
		circuit := logic.Compile(r)
		p := logic.LowerColumns(circuit)
		if plan.Code == Portable {
			p = logic.Lower(circuit)
		}
		circuits, programs = append(circuits, circuit), append(programs, p)
		e.radius = max(e.radius, r.Radius())
		margin = max(margin, plan.Depth*radius(p))
	}
	reach := plan.Depth * e.radius
	e.tiles = newTiles(circuits[0].Planes, coreFor(reach), cfg.Topology, reach)
	for range plan.Threads {
		b := &batch{tiles: e.tiles, layout: batchLayout(e.core, plan.Slabs, margin, margin/plan.Depth), margin: margin}
		b.cells, b.any = make([]uint64, b.nv+1), make([]uint64, 3*b.lanes)
		for i, r := range rules {
			s, err := newStepper(plan, r, circuits[i], programs[i], b)
			if err != nil {
				return nil, err
			}
			b.steppers = append(b.steppers, s)
		}
		e.workers = append(e.workers, b)
	}
	return e, nil
}

// newStepper makes the fastest stepper for a rule of that circuit, of which p is the program.
func newStepper(plan Plan, r rule.Rule, circuit *logic.Circuit, p *logic.Program, b *batch) (stepper, error) {
	if plan.Code != Portable && b.nv == 1 {
		// Circuits share sums of columns, so a circuit that is its own transpose is better left as it is.
		if !r.Invariant(topology.Transpose) {
			circuit = transposed(circuit)
		}
		if s, ok, err := newWordStepper(circuit, b); ok || err != nil {
			return s, err
		}
	}
	return newRowStepper(plan, p, b)
}

// Step implements sim.Engine.
func (e *tiled) Step(ctx context.Context, n uint64) (done uint64, err error) {
	for done < n {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		if err := e.fits(); err != nil {
			return done, err
		}
		depth := int(min(n-done, uint64(e.plan.Depth)))
		e.pass(depth)
		done += uint64(depth)
		e.generation += uint64(depth)
	}
	return done, nil
}

// fits checks that the tiles may double before the next check.
func (e *tiled) fits() error {
	if held := e.bytes(); held > e.allowed {
		if err := grid.Fits(2 * held); err != nil {
			return fmt.Errorf("the pattern has grown to %d tiles of %d×%d cells: %w", len(e.stored), e.side, e.side, err)
		}
		e.allowed = 2 * held
	}
	return nil
}

func (e *tiled) pass(depth int) {
	if e.seam != nil && e.lastDepth == 0 {
		e.seam.refresh(nil)
	}
	e.wake(depth)
	e.list()
	e.compute(depth)
	for i := range e.jobs {
		if j := &e.jobs[i]; j.touch != 0 {
			e.workers[0].apply(j)
		}
	}
	if e.seam != nil {
		e.jobs = e.seam.refresh(e.jobs)
	}
}

// wake makes blocks active where something can change, with the tiles they are in, and drops the tiles that are dead and stay so.
func (e *tiled) wake(depth int) {
	e.slept, e.awake = e.awake, e.slept[:0]
	if depth != e.lastDepth || e.rules > 1 {
		// That a state came back after another number of generations says nothing about this one.
		e.lastDepth = depth
		e.wakeAll()
	} else {
		for i := range e.jobs {
			if j := &e.jobs[i]; j.touch != 0 {
				e.stir(j.tile, j.bx, j.by, j.touch)
			}
		}
	}
	for _, t := range e.slept {
		if t.active == 0 && t.empty() {
			e.drop(t)
		}
	}
}

// wakeAll makes blocks with cells active, and those around them.
func (e *tiled) wakeAll() {
	n := e.side / e.core
	for _, t := range e.live() {
		for i := range n * n {
			if e.alive(t, i%n, i/n) {
				e.stir(t, i%n, i/n, 1<<9-1)
			}
		}
	}
	e.slept = e.slept[:0]
	for _, t := range e.stored {
		e.slept = append(e.slept, t)
	}
}

// stir makes the block itself and those around it that it touches active.
func (e *tiled) stir(t *tile, bx, by int, touch uint16) {
	n := e.side / e.core
	for ; touch != 0; touch &= touch - 1 {
		d := bits.TrailingZeros16(touch)
		x, y := bx+d%3-1, by+d/3-1
		if e.seam != nil && !e.seam.owns(t.at.X*n+x, t.at.Y*n+y) {
			continue
		}
		to := t
		if tx, ty := floorDiv(x, n), floorDiv(y, n); tx != 0 || ty != 0 {
			to = e.beside(t, tx, ty)
			x, y = x-tx*n, y-ty*n
		}
		if to.active == 0 {
			e.awake = append(e.awake, to)
		}
		to.active |= 1 << (y*n + x)
	}
}

// floorDiv is the tile of a block -1 … n of a tile with n blocks a side.
func floorDiv(x, n int) int {
	switch {
	case x < 0:
		return -1
	case x >= n:
		return 1
	}
	return 0
}

// list makes a job of each active block.
func (e *tiled) list() {
	n := e.side / e.core
	e.jobs = e.jobs[:0]
	for _, t := range e.awake {
		for ; t.active != 0; t.active &= t.active - 1 {
			i := bits.TrailingZeros64(t.active)
			e.jobs = append(e.jobs, job{tile: t, bx: i % n, by: i / n})
		}
	}
}

// compute does the jobs, a few batches at least for each thread.
func (e *tiled) compute(depth int) {
	lanes := e.plan.Slabs
	batches := (len(e.jobs) + lanes - 1) / lanes
	if need := batches * e.workers[0].changesSize(); need > len(e.changes) {
		e.changes = make([]uint64, 2*need)
	}
	const leastBatches = 8
	threads := min(len(e.workers), batches/leastBatches)
	if threads <= 1 {
		for i := range batches {
			e.batch(e.workers[0], i, depth)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for _, b := range e.workers[:threads] {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(batches); i = next.Add(1) - 1 {
				e.batch(b, int(i), depth)
			}
		})
	}
	wg.Wait()
}

// batch does the jobs of batch i.
func (e *tiled) batch(b *batch, i, depth int) {
	lanes, size := e.plan.Slabs, b.changesSize()
	jobs := e.jobs[i*lanes : min(len(e.jobs), (i+1)*lanes)]
	b.do(jobs, e.changes[i*size:(i+1)*size], e.generation, depth, depth*e.radius)
	if e.seam != nil {
		for k := range jobs {
			e.seam.trim(b, &jobs[k], depth*e.radius)
		}
	}
}

// WriteRow implements grid.Sink.
func (e *tiled) WriteRow(src []uint64, plane, x, y, n int) {
	e.lastDepth = 0
	e.tiles.WriteRow(src, plane, x, y, n)
}

// Generation implements sim.Engine.
func (e *tiled) Generation() uint64 { return e.generation }

// SetGeneration implements sim.Engine.
func (e *tiled) SetGeneration(g uint64) { e.generation = g }

// Population implements sim.Engine.
func (e *tiled) Population() uint64 { return e.population() }

// Info implements sim.Engine.
func (e *tiled) Info() sim.Info {
	info := sim.Info{
		Engine: "cpu",
		Device: device(len(e.workers)),
		Plan:   e.plan.String(),
		Bytes:  e.bytes(),
	}
	if e.fullPlane || e.rules > 1 && e.generation%2 == 1 {
		info.Background = 1
	}
	return info
}

// Close implements sim.Engine.
func (e *tiled) Close() error { return nil }
