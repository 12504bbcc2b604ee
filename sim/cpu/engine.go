// Package cpu runs every rule on the processor, bit-sliced: 64 cells a word, three-input lookup tables instead of counting.
//
// Layout (layout.go) says which cell is which bit; universe fills the ghost cells beyond edges by the topology's index map; a
// band walks down the rows through several generations in place; a kernel computes one row and knows neither topology nor width.
package cpu

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/logic"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

func init() { sim.Register("cpu", Open) }

// engine advances a bounded universe.
type engine struct {
	u          *universe
	plan       Plan
	tuner      *tuner // nil once the depth is settled
	bands      []*band
	generation uint64
	cells      []uint64        // one packed row
	counters   []*blockCounter // made by Sample
}

// Open returns an engine for the configuration. Unbounded universes are made of tiles; all others of strips.
func Open(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
	threads := cfg.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	if cfg.Topology.Kind != topology.Unbounded && !cfg.Topology.Bounded() {
		return openTube(ctx, cfg)
	}
	rules, err := withoutB0(cfg)
	if err != nil {
		return nil, err
	}
	circuit := logic.Compile(rules[0])
	p := logic.LowerColumns(circuit)
	plan := choose(fastestCode(), cfg.Rule, p, cfg.Topology, threads)
	if cfg.Plan != "" {
		asked, err := plan.adjust(cfg.Plan)
		if err != nil {
			return nil, err
		}
		plan = choose(asked.Code, cfg.Rule, p, cfg.Topology, threads) // the other parts follow the code
		if asked.Tiles {
			plan = tilePlan(plan.Code, p, threads)
		}
		if plan, err = plan.adjust(cfg.Plan); err != nil {
			return nil, err
		}
	}
	if err := plan.valid(cfg.Rule, cfg.Topology); err != nil {
		return nil, err
	}
	if plan.Tiles {
		return newTiled(cfg, plan)
	}
	if plan.Code == Portable {
		p = logic.Lower(circuit)
	}
	l := newLayout(cfg.Topology.W, cfg.Topology.H, plan.Code.lanes(), plan.Slabs, radius(p))
	spare := plan.Threads * maxDrift(p)
	if err := grid.Fits(grid.Product(8, uint64(l.stride), uint64(p.Planes), uint64(l.nh+spare))); err != nil {
		return nil, fmt.Errorf("universe %d×%d: %w", cfg.Topology.W, cfg.Topology.H, err)
	}
	e := &engine{plan: plan, u: newUniverse(cfg.Topology, p.Planes, l, spare)}
	e.cells = make([]uint64, (cfg.Topology.W+63)/64)
	deepest := e.plan.Depth
	if cfg.Plan == "" && plan.Depth > 1 && plan.Code != Portable {
		deepest = e.tune(p)
	}
	for i := range plan.Threads {
		k, err := newKernel(plan.Code, p, &e.u.layout, e.u.ghosts)
		if err != nil && cfg.Plan == "" {
			cfg.Plan = string(Portable) // too large a program for machine code
			return Open(ctx, cfg)
		}
		if err != nil {
			return nil, err
		}
		e.bands = append(e.bands, newBand(e.u, p, k, deepest, i*l.nh/plan.Threads, (i+1)*l.nh/plan.Threads, i))
	}
	if cfg.Plan == "" {
		return adapt(e, cfg, tilePlan(plan.Code, p, threads)), nil
	}
	return e, nil
}

func newKernel(c Code, p *logic.Program, l *layout, ghosts []move) (kernel, error) {
	if c == Portable {
		return newInterpreter(p, l, ghosts), nil
	}
	return newMachine(p, l, ghosts, nil)
}

// withoutB0 returns the rules that stand for the configured one: one, or two that alternate.
//
// Rules with B0 would fill the unbounded plane. Where the full plane stays full, the complement is run; otherwise odd
// generations are stored complemented (rule.Complement, rule.Alternating). Cells are then those that differ from the background.
func withoutB0(cfg sim.Config) ([]rule.Rule, error) {
	if cfg.Topology.Kind != topology.Unbounded || !cfg.Rule.BirthOnEmpty() {
		return []rule.Rule{cfg.Rule}, nil
	}
	if cfg.Rule.SurvivesFull() {
		if c, ok := cfg.Rule.Complement(); ok {
			return []rule.Rule{c}, nil
		}
	} else if even, odd, ok := cfg.Rule.Alternating(); ok {
		return []rule.Rule{even, odd}, nil
	}
	return nil, &sim.Unsupported{
		Engine: "cpu", What: cfg.Rule.String(), Why: "B0 on the unbounded plane needs two states",
	}
}

// Step implements sim.Engine.
func (e *engine) Step(ctx context.Context, n uint64) (done uint64, err error) {
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
		e.each(func(b *band) { b.gather(depth) })
		e.each((*band).prepare)
		e.each(func(b *band) { b.run(depth) })
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

// tune takes the best depth from an earlier engine like this one, or prepares to find it, and returns the deepest it will use.
func (e *engine) tune(p *logic.Program) (deepest int) {
	cost := p.Cost()
	key := tuned{e.plan.Code, cost.Tables, cost.Loads, e.u.nv, e.u.stride, e.u.nh}
	if best, ok := depths.Load(key); ok {
		e.plan.Depth = best.(int)
		return e.plan.Depth
	}
	candidates := []int{4, 6, 8}
	if p.Warm > 0 {
		candidates = []int{1, 2, 3}
	}
	e.tuner = newTuner(key, candidates)
	return slices.Max(candidates)
}

// each does something for all bands at once and waits.
func (e *engine) each(do func(*band)) {
	if len(e.bands) == 1 {
		do(e.bands[0])
		return
	}
	var wg sync.WaitGroup
	for _, b := range e.bands {
		wg.Go(func() { do(b) })
	}
	wg.Wait()
}

// Generation implements sim.Engine.
func (e *engine) Generation() uint64 { return e.generation }

// SetGeneration implements sim.Engine.
func (e *engine) SetGeneration(g uint64) { e.generation = g }

// Population implements sim.Engine.
func (e *engine) Population() uint64 {
	if n, ok := e.countAll(); ok {
		return n
	}
	return e.u.population()
}

// Info implements sim.Engine.
func (e *engine) Info() sim.Info {
	return sim.Info{
		Engine: "cpu",
		Device: device(e.plan.Threads),
		Plan:   e.plan.String(),
		Bytes:  uint64(len(e.u.words)) * 8,
	}
}

// device says what an engine runs on, and why it makes no machine code where it cannot.
func device(threads int) string {
	text := runtime.GOARCH + ", 1 thread"
	if threads > 1 {
		text = fmt.Sprintf("%s, %d threads", runtime.GOARCH, threads)
	}
	if fastestCode() == Portable {
		text += fmt.Sprintf(", portable code (%v)", AVX2.available())
	}
	return text
}

// Close implements sim.Engine.
func (e *engine) Close() error { return nil }

// Bounds implements grid.Source.
func (e *engine) Bounds() grid.Rect { return grid.Rect{W: e.u.w, H: e.u.h} }

// Planes implements grid.Source.
func (e *engine) Planes() int { return e.u.planes }

// ReadRow implements grid.Source.
func (e *engine) ReadRow(dst []uint64, plane, x, y, n int) {
	clear(dst[:(n+63)/64])
	if y < 0 || y >= e.u.h {
		return
	}
	e.u.unpack(e.cells, e.u.row(plane, y%e.u.nh), y/e.u.nh)
	from, to := max(x, 0), min(x+n, e.u.w)
	for c := from; c < to; c += 64 {
		store(dst, c-x, load(e.cells, c, min(64, to-c)), min(64, to-c))
	}
}

// WriteRow implements grid.Sink.
func (e *engine) WriteRow(src []uint64, plane, x, y, n int) {
	if y < 0 || y >= e.u.h {
		return
	}
	row, slab := e.u.row(plane, y%e.u.nh), y/e.u.nh
	e.u.unpack(e.cells, row, slab)
	from, to := max(x, 0), min(x+n, e.u.w)
	for c := from; c < to; c += 64 {
		k := min(64, to-c)
		replace(e.cells, c, load(src, c-x, k), k)
	}
	e.u.pack(row, slab, e.cells)
	e.u.mend(row, e.u.ghosts)
}
