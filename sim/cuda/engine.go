// Package cuda runs every rule on NVIDIA GPUs, bit-sliced: 32 cells a word, three-input lookup tables instead of counting.
//
// A rule's program (package logic) becomes a flow (flow.go), the flow a kernel in PTX (stream.go), which the driver compiles for
// the GPU at hand. A layout (layout.go) says which cell is which bit; cells beyond the edges are found by wrapping in the kernel
// or filled once a pass by the topology's index map (ghosts.go). An engine owns a bounded universe, on one GPU or in bands on several
// (bands.go), in two copies or, where memory is short, in one buffer (chunks.go). An infinite universe is seen through a bounded window
// that moves and grows (infinite.go). Plans (plan.go) say how, never what comes out.
package cuda

import (
	"context"
	"fmt"
	"time"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/soup"
)

// Name is the name the engine is registered under; ":" and the numbers of the GPUs to use may follow.
const Name = "cuda"

// engine advances a bounded universe.
type engine struct {
	devs       []device
	bands      *bands
	rows       []*rows // by band
	plan       Plan
	flows      flows
	generation uint64
	passes     int           // launched together
	last       time.Duration // they took
	err        error         // of a row access, which cannot report it: the next step does
}

// open makes an engine on devices, which it closes with itself.
func open(devs []device, cfg sim.Config) (sim.Engine, error) {
	var e sim.Engine
	var err error
	if cfg.Topology.Bounded() {
		e, err = newEngine(devs, cfg, nil)
	} else {
		e, err = newInfinite(devs, cfg)
	}
	if err != nil {
		closeAll(devs)
		return nil, err
	}
	return e, nil
}

// newEngine makes an engine of a bounded universe; compiled are flows of the same rule, if there are any.
func newEngine(devs []device, cfg sim.Config, compiled flows) (*engine, error) {
	t := cfg.Topology
	if t.H > never/2 || grid.Product(uint64(t.W), uint64(t.H)) > 1<<45 {
		return nil, fmt.Errorf("universe %d×%d is too large for a GPU", t.W, t.H)
	}
	e := &engine{devs: devs, passes: 1, flows: compiled}
	if e.flows == nil {
		e.flows = flows{}
	}
	err := e.do(func() error {
		var err error
		if cfg.Plan != "" {
			err = e.force(cfg)
		} else {
			err = e.choose(cfg)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := e.do(e.addRows); err != nil {
		_ = e.release()
		return nil, err
	}
	return e, nil
}

func (e *engine) addRows() error {
	return e.bands.each(func(_ int, u *universe) error {
		r, err := newRows(u, transferBytes)
		e.rows = append(e.rows, r)
		return err
	})
}

// do runs f where the first device is entered, when nothing is being read any more.
func (e *engine) do(f func() error) error {
	for _, r := range e.rows {
		r.settle()
	}
	return e.devs[0].do(f)
}

// force makes the universe of a plan that was asked for.
func (e *engine) force(cfg sim.Config) error {
	plan, err := ParsePlan(cfg.Plan)
	if err != nil {
		return err
	}
	if err := plan.sane(); err != nil {
		return err
	}
	f, err := e.flows.of(cfg, plan)
	if err != nil {
		return err
	}
	return e.divide(cfg, f, plan)
}

// choose makes the universe with the plan that should be fastest.
func (e *engine) choose(cfg sim.Config) error {
	words := wordsFor(cfg.Topology)
	f, err := e.flows.of(cfg, Plan{Words: words, Depth: maxDepth * lanes}) // a depth that leads nowhere
	if err != nil {
		return err
	}
	plan := choose(f, cfg.Rule, cfg.Topology, words)
	for {
		if f, err = e.flows.of(cfg, plan); err != nil {
			return err
		}
		p, err := compile(e.devs[0], f, plan.schedule(cfg.Topology))
		if err != nil {
			return err
		}
		if _, spilled := p.kernel.resources(); spilled > 0 && plan.Depth > 1 {
			plan.Depth-- // registers in memory cost more than a pass more often
			continue
		}
		resident := p.kernel.resident()
		if p.ringBytes > sharedBytes {
			resident = min(resident, 4) // each takes memory
		}
		height := cfg.Topology.H / len(e.devs)
		if len(e.devs) > 1 {
			height += 2 * (plan.exchanged(f, cfg.Topology, height) - 1) * plan.Depth * f.radius // rows of the halo that are computed
		} else {
			free, err := e.devs[0].memory()
			if err != nil {
				return err
			}
			if plan.Chunk = plan.chunk(f, cfg.Topology, free); plan.Chunk > 0 {
				height = plan.Chunk
			}
		}
		stages := plan.Stages
		plan.settle(f, cfg.Topology, height, e.devs[0].multiprocessors(), resident)
		if err := e.divide(cfg, f, plan); err != nil {
			return err
		}
		if plan.Stages == stages {
			e.bands.all[0].kernels[plan.Depth] = p
		}
		return nil
	}
}

// divide makes the universe.
func (e *engine) divide(cfg sim.Config, f *flow, plan Plan) error {
	if err := plan.valid(f, cfg.Rule, cfg.Topology); err != nil {
		return err
	}
	if err := divisible(cfg.Topology, f, plan, len(e.devs)); err != nil {
		return err
	}
	e.plan = plan
	var err error
	e.bands, err = newBands(e.devs, f, cfg.Topology, plan)
	return err
}

// flows are the flows of a rule by the words of a lane and whether they have a lead.
type flows map[flowKind]*flow

type flowKind struct {
	words int
	lead  bool
}

// of is the flow of a configuration's rule for a plan.
func (fs flows) of(cfg sim.Config, plan Plan) (*flow, error) {
	f := fs.get(cfg.Rule, plan.Words, false)
	if plan.Recall {
		again, ok := f.recalled()
		if !ok {
			return nil, &sim.Unsupported{Engine: Name, What: fmt.Sprintf("plan %v", plan), Why: "the rule remembers nothing that could be recalled"}
		}
		f = again
	}
	if n := f.tables(); n > largestProgram {
		return nil, &sim.Unsupported{
			Engine: Name, What: cfg.Rule.String(), Why: fmt.Sprintf("it takes %d tables a cell, at most %d are compiled", n, largestProgram),
		}
	}
	if plan.leads(f, cfg.Topology) {
		f = fs.get(cfg.Rule, plan.Words, true)
	}
	return f, nil
}

// get compiles a rule at the first use.
func (fs flows) get(r rule.Rule, words int, lead bool) *flow {
	kind := flowKind{words, lead}
	if fs[kind] == nil {
		fs[kind] = newFlow(r, words, lead)
	}
	return fs[kind]
}

// sync is about how long launches run between looks at the context. Several GPUs all wait for the host after each.
func (e *engine) sync() time.Duration {
	if len(e.devs) > 1 {
		return 100 * time.Millisecond
	}
	return 10 * time.Millisecond
}

// graphPasses is how many passes a graph holds; universes whose passes take longer than graphLimit gain nothing by one.
const (
	graphPasses = 64
	graphLimit  = 100 * time.Microsecond
)

// Step implements sim.Engine.
func (e *engine) Step(ctx context.Context, n uint64) (done uint64, err error) {
	if e.err != nil {
		return 0, e.err
	}
	if n == 0 {
		return 0, nil
	}
	err = e.do(func() error {
		if err := e.flush(); err != nil {
			return err
		}
		for _, r := range e.rows {
			r.forget()
		}
		for done < n {
			if err := ctx.Err(); err != nil {
				return err
			}
			did, err := e.batch(n - done)
			done += did
			e.generation += did
			if err != nil {
				return err
			}
		}
		return nil
	})
	return done, err
}

// batch advances at most n generations, for about the time of sync, and waits.
func (e *engine) batch(n uint64) (done uint64, err error) {
	depth := e.plan.Depth
	if n < uint64(depth) {
		depth = 1
		if n >= 4 && e.plan.Depth > 4 {
			depth = 4
		}
	}
	passes := int(min(uint64(e.passes), n/uint64(depth)))
	start := time.Now()
	if passes >= graphPasses && e.last/time.Duration(e.passes) < graphLimit {
		passes -= passes % graphPasses
		for range passes / graphPasses {
			if err := e.bands.replay(depth, graphPasses); err != nil {
				return 0, err
			}
		}
	} else if err := e.bands.advance(depth, passes); err != nil {
		return 0, err
	}
	if err := e.bands.wait(); err != nil {
		return 0, err
	}
	if passes == e.passes || depth == e.plan.Depth && passes >= e.passes/2 {
		e.last = time.Since(start)
		switch {
		case e.last < e.sync()/2:
			e.passes = min(2*e.passes, 1<<16)
		case e.last > 2*e.sync():
			e.passes = max(1, e.passes/2)
		}
	}
	return uint64(passes) * uint64(depth), nil
}

// Generation implements sim.Engine.
func (e *engine) Generation() uint64 { return e.generation }

// SetGeneration implements sim.Engine.
func (e *engine) SetGeneration(g uint64) { e.generation = g }

// Population implements sim.Engine.
func (e *engine) Population() uint64 {
	var n uint64
	e.access(func() error {
		if err := e.flush(); err != nil {
			return err
		}
		var err error
		n, err = e.bands.population()
		return err
	})
	return n
}

// FillSoup implements soup.Filler, on the devices.
func (e *engine) FillSoup(s soup.Soup) error {
	return e.do(func() error {
		return e.bands.each(func(i int, u *universe) error {
			e.rows[i].forget()
			return u.fill(s.Seed(), s.Threshold(), uint64(u.top)*uint64(u.w))
		})
	})
}

// flush writes all edited rows back.
func (e *engine) flush() error {
	return e.bands.each(func(i int, _ *universe) error { return e.rows[i].flush() })
}

// Info implements sim.Engine.
func (e *engine) Info() sim.Info {
	info := sim.Info{Engine: Name, Device: e.devs[0].name(), Plan: e.plan.String(), Steady: true}
	for _, d := range e.devs {
		if g, ok := d.(*gpu); ok {
			info.GPUs = append(info.GPUs, g.dev.BusID)
		}
	}
	if n := len(e.devs); n > 1 {
		info.Device = fmt.Sprintf("%d × %s", n, info.Device)
	}
	for _, u := range e.bands.all {
		info.Bytes += uint64(len(u.memory))*u.bytes() + u.held
		if u.labeller != nil {
			info.Bytes += u.labeller.bytes
		}
	}
	for _, r := range e.rows {
		info.Bytes += r.bytes()
	}
	return info
}

// Close implements sim.Engine.
func (e *engine) Close() error {
	err := e.release()
	closeAll(e.devs)
	return err
}

// release gives all memory back.
func (e *engine) release() error {
	return e.do(func() error {
		_ = e.bands.each(func(i int, _ *universe) error {
			if i < len(e.rows) {
				e.rows[i].close()
			}
			return nil
		})
		e.bands.close()
		return e.devs[0].enter()
	})
}

// Bounds implements grid.Source.
func (e *engine) Bounds() grid.Rect { return grid.Rect{W: e.bands.all[0].w, H: e.bands.all[0].t.H} }

// Planes implements grid.Source.
func (e *engine) Planes() int { return e.bands.all[0].planes }

// ReadRow implements grid.Source. A failure of the device is reported by the next Step; the cells are then dead.
func (e *engine) ReadRow(dst []uint64, plane, x, y, n int) {
	dst = dst[:(max(n, 0)+63)/64]
	clear(dst)
	row := grid.Rect{X: x, Y: y, W: n, H: 1}.Intersect(e.Bounds())
	if row.Empty() || plane < 0 || plane >= e.Planes() {
		return
	}
	if cells := e.openRow(plane, y, false); cells != nil {
		copyBits(dst, row.X-x, cells, row.X, row.W)
	}
}

// WriteRow implements grid.Sink. A failure of the device is reported by the next Step.
func (e *engine) WriteRow(src []uint64, plane, x, y, n int) {
	row := grid.Rect{X: x, Y: y, W: n, H: 1}.Intersect(e.Bounds())
	if row.Empty() || plane < 0 || plane >= e.Planes() {
		return
	}
	if cells := e.openRow(plane, y, true); cells != nil {
		copyBits(cells, row.X, src, row.X-x, row.W)
	}
}

// access does something on the device that cannot return an error.
func (e *engine) access(f func() error) bool {
	if err := e.do(f); err != nil && e.err == nil {
		e.err = err
	}
	return e.err == nil
}

// copyBits copies n bits of src from bit s on over those of dst from bit d on.
func copyBits(dst []uint64, d int, src []uint64, s, n int) {
	if whole := n >> 6; whole > 0 && (d|s)&63 == 0 {
		copy(dst[d>>6:][:whole], src[s>>6:])
		d, s, n = d+whole<<6, s+whole<<6, n-whole<<6
	}
	for n > 0 {
		k := min(n, 64-d&63, 64-s&63)
		mask := ^uint64(0) >> (64 - k)
		bits := src[s>>6] >> (s & 63) & mask
		word := &dst[d>>6]
		*word = *word&^(mask<<(d&63)) | bits<<(d&63)
		d, s, n = d+k, s+k, n-k
	}
}
