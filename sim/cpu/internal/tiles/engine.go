package tiles

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/background"
	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/bytewise"
	"github.com/gosper-life/gosper/sim/cpu/internal/blocks"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/cpu/internal/plan"
	"github.com/gosper-life/gosper/topology"
)

// Engine advances the unbounded plane, or a torus. It computes only blocks that can change. If a block came out
// of the last pass as it went in, and nothing changed within reach of it, the next pass would not change it
// either. A pass takes 6 generations if the radius is 1, so still lifes and oscillators of period 2, 3 and 6
// cost nothing. It implements sim.Engine.
type Engine struct {
	*tiles
	orbit      background.Orbit
	rules      []*compile.Compiled // one rule, or one for each step of the orbit
	period     uint64              // generations after which a rule does the same again
	plan       plan.Plan
	radius     int
	workers    []*batch          // made by the first pass
	creature   *bytewise.Stepper // advances the cells while they are one small creature; nil: all is left to passes
	generation uint64
	work       uint64  // of the passes until now: see Work
	lastDepth  int     // of the last pass; 0 if cells were written since
	limit      uint64  // bytes that may be taken; 0: all free memory
	allowed    uint64  // bytes that are known to fit the memory
	awake      []*tile // with active blocks in the last pass
	slept      []*tile // with active blocks in the pass before
	jobs       []job   // of the last pass, and what changed beyond a seam
	changes    []uint64
	mark       *marked // nil if nothing is marked
}

// New returns an engine for the unbounded plane or a torus of dead cells. The plan must be valid for it. rules
// are the result of WithoutB0 for the rule r. The error is codegen.ErrNotCompiled if there can be no such code
// for them.
func New(r rule.Rule, rules []*compile.Compiled, t topology.Topology, chosen plan.Plan) (*Engine, error) {
	e := newEngine(r, rules, t, chosen)
	return e, e.open()
}

// newEngine makes an engine without the code of the rules.
func newEngine(r rule.Rule, rules []*compile.Compiled, t topology.Topology, chosen plan.Plan) *Engine {
	if len(rules) > 1 {
		chosen.Depth = 1 // a pass has one program
	}
	e := &Engine{plan: chosen, rules: rules, period: rules[0].Rule.Period()}
	if t.Kind == topology.Unbounded {
		e.orbit, _ = background.Of(r)
	}
	for _, c := range rules {
		e.radius = max(e.radius, c.Rule.Radius())
	}
	reach := chosen.Depth * e.radius
	e.tiles = newTiles(r.Planes(), plan.Core(reach), t, reach)
	return e
}

// open makes the code of the rules.
func (e *Engine) open() error {
	for range e.plan.Threads {
		var all []*blocks.Blocks
		for _, c := range e.rules {
			b, err := blocks.New(blocks.Config{
				Rule: c, Code: e.plan.Code, Lanes: e.plan.Slabs, Columns: 2 * e.core, Height: e.core, Depth: e.plan.Depth,
			})
			if err != nil {
				return err
			}
			all = append(all, b)
		}
		e.workers = append(e.workers, newBatch(e.tiles, all))
	}
	return nil
}

// ErrNoBackground says why a rule with B0 is refused on the unbounded plane.
var ErrNoBackground = errors.New("on the unbounded plane it has no background")

// WithoutB0 returns what is run in place of a rule on a topology: one rule, or one for each step of the
// background's orbit. The error is *sim.Unsupported if there is no orbit.
//
// A rule with B0 would fill the unbounded plane. The cells stored are therefore those that differ from the background
// (package background). If the background alternates between two states, the stored cells still follow one rule in
// all steps, so that a pass can compute several generations.
func WithoutB0(r rule.Rule, t topology.Topology) ([]*compile.Compiled, error) {
	if t.Kind != topology.Unbounded || !r.BirthOnEmpty() {
		return []*compile.Compiled{compile.New(r)}, nil
	}
	orbit, ok := background.Of(r)
	if !ok {
		return nil, &sim.Unsupported{Engine: "cpu", What: r.String(), Why: ErrNoBackground.Error()}
	}
	if r.Period() > 1 {
		if c, ok := orbit.Without(); ok {
			return []*compile.Compiled{compile.New(c)}, nil
		}
	}
	var rules []*compile.Compiled
	for _, s := range orbit.Steps() {
		rules = append(rules, compile.Exchanged(s.Rule, s.Before, s.After))
	}
	return rules, nil
}

// SetMemory limits the bytes that the universe may take. 0 means all that fits in the machine's memory.
func (e *Engine) SetMemory(limit uint64) { e.limit = limit }

// Quick reports whether tiles are fast enough to be worth it on a universe that could be computed in bands.
func (e *Engine) Quick() bool { return e.workers[0].blocks[0].Quick() }

// Depth is the number of generations a whole pass takes.
func (e *Engine) Depth() int { return e.plan.Depth }

// Computed is the number of blocks that the last pass computed.
func (e *Engine) Computed() int { return len(e.jobs) }

// Work implements sim.Metered.
func (e *Engine) Work() time.Duration {
	total := e.work
	if e.creature != nil {
		total += e.creature.Work()
	}
	return time.Duration(total)
}

// StepWithin implements sim.Metered.
func (e *Engine) StepWithin(ctx context.Context, n uint64, most time.Duration) (done uint64, err error) {
	const few = 1 << 10 // generations of a creature
	for end := e.Work() + most; done < n && err == nil; {
		if e.Work() >= end {
			return done, sim.ErrWork
		}
		k := min(n-done, uint64(e.plan.Depth))
		if e.creature != nil {
			k = min(n-done, few)
		}
		k, err = e.Step(ctx, k)
		done += k
	}
	return done, err
}

// Step implements sim.Engine.
func (e *Engine) Step(ctx context.Context, n uint64) (done uint64, err error) {
	for done < n {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		if k, err := e.stepCreature(ctx, n-done); k > 0 || err != nil {
			if done += k; err != nil {
				return done, err
			}
			continue
		}
		depth := int(min(n-done, uint64(e.plan.Depth)))
		if err := e.pass(depth); err != nil {
			return done, err
		}
		done += uint64(depth)
		e.generation += uint64(depth)
	}
	return done, nil
}

// Continue tells an engine how its cells, which were written, changed in the plan's depth of generations before
// the present one, so the next pass need not compute all blocks. touches has the blocks row by row, across of
// them in each row, from cell (0, 0) on. The touch of a block says which blocks around it can be affected by
// its changes. It is 0 if the block did not change. Otherwise bit 3·(dy+1) + dx+1 is set if a cell of the block
// changed within reach of the block dx to the right and dy down:
//
//	0 1 2   above
//	3 4 5   4 is the block itself
//	6 7 8   below
func (e *Engine) Continue(touches []uint16, across int) {
	n := e.side / e.core
	e.jobs = e.jobs[:0]
	for i, touch := range touches {
		if x, y := i%across, i/across; touch != 0 {
			e.jobs = append(e.jobs, job{tile: e.at(grid.TileAt{X: x / n, Y: y / n}), bx: x % n, by: y % n, touch: touch})
		}
	}
	if e.seam != nil {
		e.jobs = e.seam.refresh(e.jobs)
	}
	e.lastDepth = e.plan.Depth
}

// fits checks that the memory suffices for the given number of words of changes, in addition to the tiles.
func (e *Engine) fits(changes int) error {
	held := e.tiles.bytes() + uint64(max(changes, len(e.changes)))*8 + uint64(cap(e.jobs))*jobBytes
	if held <= e.allowed {
		return nil
	}
	allowed, err := sim.AllowMemory(held, e.limit)
	if err != nil {
		return &sim.OutOfMemory{What: fmt.Sprintf("the pattern has grown to %d tiles of %d×%d cells", e.tiles.held, e.side,
			e.side), Why: err}
	}
	e.allowed = allowed
	return nil
}

const jobBytes = uint64(unsafe.Sizeof(job{}))

// jobWork is about the nanoseconds that a block takes in a pass beside its generations. passWork is that of a pass
// without a block. If nothing changes, passes cost so little, but not nothing: a run would never look for a period.
const jobWork, passWork = 125, 50

// pass advances by some generations. It does nothing if there is not enough memory.
//
//	wake      which blocks can change: those that changed in the last pass, and those that these touch; after a
//	          pass of another depth, all with cells and those around them
//	list      a job for each of them
//	compute   the jobs, several at a time in the lanes of vectors; the tiles stay as they are
//	apply     the changes of all jobs to the tiles
//	refresh   the copies of cells beyond a seam, if a torus is not made of whole tiles
//
// Because nothing is written before all jobs are done, they may be computed in any order and by any
// thread.
func (e *Engine) pass(depth int) error {
	if e.workers == nil {
		if err := e.open(); err != nil {
			return err
		}
	}
	if e.seam != nil && e.lastDepth == 0 {
		e.seam.refresh(nil)
	}
	e.wake(depth)
	e.list()
	if err := e.fits(e.needed()); err != nil {
		e.jobs, e.lastDepth = e.jobs[:0], 0
		return err
	}
	e.compute(depth)
	e.work += passWork + uint64(float64(len(e.jobs))*(jobWork+float64(depth)*e.workers[0].blocks[0].Cost()))
	for i := range e.jobs {
		if j := &e.jobs[i]; j.touch != 0 {
			e.keep(j.tile)
			e.workers[0].apply(j)
		}
	}
	if e.seam != nil {
		e.jobs = e.seam.refresh(e.jobs)
	}
	return nil
}

// needed is the words of changes that the jobs make.
func (e *Engine) needed() int {
	lanes := e.plan.Slabs
	return (len(e.jobs) + lanes - 1) / lanes * e.workers[0].changesSize()
}

// wake makes the blocks active that can change, and drops the tiles that are dead and stay dead.
func (e *Engine) wake(depth int) {
	e.slept, e.awake = e.awake, e.slept[:0]
	if depth != e.lastDepth || len(e.rules) > 1 || uint64(depth)%e.period != 0 {
		// That cells came back after another number of generations, or at another phase of the rule, says nothing
		// about this number.
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

// wakeAll activates blocks with cells and the blocks around them.
func (e *Engine) wakeAll() {
	n := e.side / e.core
	for _, t := range e.live() {
		for i := range n * n {
			if e.alive(t, i%n, i/n) {
				e.stir(t, i%n, i/n, 1<<9-1)
			}
		}
	}
	e.slept = e.slept[:0]
	for t := range e.all {
		e.slept = append(e.slept, t)
	}
}

// stir activates a block and the blocks around it that it touches.
func (e *Engine) stir(t *tile, bx, by int, touch uint16) {
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

// floorDiv is x/n rounded down, for blocks -1 ≤ x ≤ n of a tile with n blocks a side.
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
func (e *Engine) list() {
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
func (e *Engine) compute(depth int) {
	lanes := e.plan.Slabs
	batches := (len(e.jobs) + lanes - 1) / lanes
	if need := e.needed(); need > len(e.changes) {
		e.changes = nil // drop everything that refers to it, so that its memory can be reused
		clear(e.jobs[len(e.jobs):cap(e.jobs)])
		e.changes = make([]uint64, need+need/8)
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
func (e *Engine) batch(b *batch, i, depth int) {
	lanes, size := e.plan.Slabs, b.changesSize()
	jobs := e.jobs[i*lanes : min(len(e.jobs), (i+1)*lanes)]
	step := 0
	if len(e.rules) > 1 {
		step = e.orbit.Step(e.generation)
	}
	b.do(jobs, e.changes[i*size:(i+1)*size], step, e.generation, depth, depth*e.radius)
	if e.seam != nil {
		for k := range jobs {
			e.seam.trim(b, &jobs[k], depth*e.radius)
		}
	}
}

// WriteRow implements grid.Sink.
func (e *Engine) WriteRow(src []uint64, plane, x, y, n int) error {
	e.lastDepth, e.mark = 0, nil
	if err := e.tiles.WriteRow(src, plane, x, y, n); err != nil {
		return err
	}
	return e.fits(0)
}

// Generation implements sim.Engine.
func (e *Engine) Generation() uint64 { return e.generation }

// SetGeneration implements sim.Engine.
func (e *Engine) SetGeneration(g uint64) {
	if (g-e.generation)%e.period != 0 {
		e.lastDepth = 0 // cells that repeated in the last pass may not repeat in the next one
	}
	e.generation = g
}

// Population implements sim.Engine.
func (e *Engine) Population() (uint64, error) { return e.population(), nil }

// Info implements sim.Engine.
func (e *Engine) Info() sim.Info {
	info := sim.Info{
		Engine: "cpu",
		Device: codegen.Device(e.plan.Threads),
		Plan:   e.plan.String(),
		Bytes:  e.bytes(),
		Grain:  uint64(e.plan.Depth),
	}
	if !e.bounded() {
		info.Background = e.orbit.At(e.generation)
	}
	return info
}

// Close implements sim.Engine. It lets go of the cells, although somebody may still refer to the engine.
func (e *Engine) Close() error {
	clear(e.rows)
	e.held, e.unused, e.workers, e.awake, e.slept, e.jobs = 0, nil, nil, nil, nil, nil
	return nil
}
