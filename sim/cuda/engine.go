// Package cuda runs every rule on NVIDIA GPUs, bit-sliced: 32 cells a word, three-input lookup tables instead of counting.
//
// A rule's program (package logic) becomes a flow (flow.go), the flow a kernel in PTX (stream.go), which the driver compiles for
// the GPU at hand. A layout (layout.go) says which cell is which bit; cells beyond the edges are found by wrapping in the kernel
// or filled once a pass by the topology's index map (cells.go); an engine owns a universe on one GPU.
package cuda

import (
	"context"
	"fmt"
	"time"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/soup"
)

// Name is the name the engine is registered under; ":" and the numbers of the GPUs to use may follow.
const Name = "cuda"

// engine advances a bounded universe on one GPU.
type engine struct {
	dev        device
	u          *universe
	rows       *rows
	generation uint64
	passes     int           // launched together
	last       time.Duration // they took
	err        error         // of a row access, which cannot report it: the next step does
}

// open makes an engine on a device, which it closes with itself.
func open(dev device, cfg sim.Config) (sim.Engine, error) {
	e, err := newEngine(dev, cfg)
	if err != nil {
		dev.close()
		return nil, err
	}
	return e, nil
}

func newEngine(dev device, cfg sim.Config) (*engine, error) {
	t := cfg.Topology
	if !t.Bounded() {
		return nil, &sim.Unsupported{Engine: Name, What: "topology " + t.String(), Why: "it is infinite"}
	}
	if t.H > never/2 || grid.Product(uint64(t.W), uint64(t.H)) > 1<<45 {
		return nil, fmt.Errorf("universe %d×%d is too large for a GPU", t.W, t.H)
	}
	e := &engine{dev: dev, passes: 1}
	err := dev.do(func() error {
		var err error
		if cfg.Plan != "" {
			e.u, err = forcedUniverse(dev, cfg)
		} else {
			e.u, err = chosenUniverse(dev, cfg)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	e.rows = newRows(e.u)
	return e, nil
}

// forcedUniverse makes the universe of a plan that was asked for.
func forcedUniverse(dev device, cfg sim.Config) (*universe, error) {
	plan, err := ParsePlan(cfg.Plan)
	if err != nil {
		return nil, err
	}
	if err := plan.sane(); err != nil {
		return nil, err
	}
	f, err := flowFor(cfg, plan)
	if err != nil {
		return nil, err
	}
	if err := plan.valid(f, cfg.Rule, cfg.Topology); err != nil {
		return nil, err
	}
	return newUniverse(dev, f, cfg.Rule, cfg.Topology, plan)
}

// chosenUniverse makes the universe with the plan that should be fastest.
func chosenUniverse(dev device, cfg sim.Config) (*universe, error) {
	words := wordsFor(cfg.Topology)
	f, err := flowFor(cfg, Plan{Words: words, Depth: maxDepth * lanes}) // a depth that leads nowhere
	if err != nil {
		return nil, err
	}
	plan := choose(f, cfg.Rule, cfg.Topology, words)
	for {
		if f, err = flowFor(cfg, plan); err != nil {
			return nil, err
		}
		p, err := compile(dev, f, plan.schedule(cfg.Topology))
		if err != nil {
			return nil, err
		}
		if _, spilled := p.kernel.resources(); spilled > 0 && plan.Depth > 1 {
			plan.Depth-- // registers in memory cost more than a pass more often
			continue
		}
		stages := plan.Stages
		resident := p.kernel.resident()
		if p.ringBytes > sharedBytes {
			resident = min(resident, 4) // each takes memory
		}
		plan.settle(f, cfg.Topology, dev.multiprocessors(), resident)
		if err := plan.valid(f, cfg.Rule, cfg.Topology); err != nil {
			return nil, err
		}
		u, err := newUniverse(dev, f, cfg.Rule, cfg.Topology, plan)
		if err == nil && plan.Stages == stages {
			u.kernels[plan.Depth] = p
		}
		return u, err
	}
}

// flowFor compiles the rule of a configuration for a plan.
func flowFor(cfg sim.Config, plan Plan) (*flow, error) {
	f := newFlow(cfg.Rule, plan.Words, false)
	if n := f.tables(); n > largestProgram {
		return nil, &sim.Unsupported{
			Engine: Name, What: cfg.Rule.String(), Why: fmt.Sprintf("it takes %d tables a cell, at most %d are compiled", n, largestProgram),
		}
	}
	if plan.leads(f, cfg.Topology) {
		f = newFlow(cfg.Rule, plan.Words, true)
	}
	return f, nil
}

// sync is about how long launches run between looks at the context.
const sync = 10 * time.Millisecond

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
	err = e.dev.do(func() error {
		if err := e.rows.flush(); err != nil {
			return err
		}
		e.rows.forget()
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
	depth := e.u.plan.Depth
	if n < uint64(depth) {
		depth = 1
		if n >= 4 && e.u.plan.Depth > 4 {
			depth = 4
		}
	}
	passes := int(min(uint64(e.passes), n/uint64(depth)))
	start := time.Now()
	if passes >= graphPasses && e.last/time.Duration(e.passes) < graphLimit {
		passes -= passes % graphPasses
		for range passes / graphPasses {
			if err := e.u.replay(depth, graphPasses); err != nil {
				return 0, err
			}
		}
	} else if err := e.u.advance(depth, passes); err != nil {
		return 0, err
	}
	if err := e.dev.wait(); err != nil {
		return 0, err
	}
	if passes == e.passes || depth == e.u.plan.Depth && passes >= e.passes/2 {
		e.last = time.Since(start)
		switch {
		case e.last < sync/2:
			e.passes = min(2*e.passes, 1<<16)
		case e.last > 2*sync:
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
		if err := e.rows.flush(); err != nil {
			return err
		}
		var err error
		n, err = e.u.population()
		return err
	})
	return n
}

// FillSoup makes the cells those of a soup, on the device.
func (e *engine) FillSoup(s soup.Soup) error {
	return e.dev.do(func() error {
		e.rows.dirty, e.rows.edited = false, false
		e.rows.forget()
		return e.u.fill(s.Seed(), s.Threshold(), 0)
	})
}

// Info implements sim.Engine.
func (e *engine) Info() sim.Info {
	return sim.Info{Engine: Name, Device: e.dev.name(), Plan: e.u.plan.String(), Bytes: 2 * e.u.bytes()}
}

// Close implements sim.Engine.
func (e *engine) Close() error {
	err := e.dev.do(func() error {
		e.u.close()
		return nil
	})
	e.dev.close()
	return err
}

// Bounds implements grid.Source.
func (e *engine) Bounds() grid.Rect { return grid.Rect{W: e.u.w, H: e.u.h} }

// Planes implements grid.Source.
func (e *engine) Planes() int { return e.u.planes }

// ReadRow implements grid.Source. A failure of the device is reported by the next Step; the cells are then dead.
func (e *engine) ReadRow(dst []uint64, plane, x, y, n int) {
	dst = dst[:(max(n, 0)+63)/64]
	clear(dst)
	row := grid.Rect{X: x, Y: y, W: n, H: 1}.Intersect(e.Bounds())
	if row.Empty() || plane < 0 || plane >= e.u.planes || !e.openRow(plane, y) {
		return
	}
	copyBits(dst, row.X-x, e.rows.cells, row.X, row.W)
}

// WriteRow implements grid.Sink. A failure of the device is reported by the next Step.
func (e *engine) WriteRow(src []uint64, plane, x, y, n int) {
	row := grid.Rect{X: x, Y: y, W: n, H: 1}.Intersect(e.Bounds())
	if row.Empty() || plane < 0 || plane >= e.u.planes || !e.openRow(plane, y) {
		return
	}
	copyBits(e.rows.cells, row.X, src, row.X-x, row.W)
	e.rows.edited = true
}

func (e *engine) openRow(plane, y int) bool {
	if e.rows.row == y && e.rows.plane == plane {
		return true
	}
	if e.rows.first <= y && y < e.rows.first+e.rows.n {
		return e.rows.open(plane, y) == nil // no transfer: no need to go to the device's thread
	}
	return e.access(func() error { return e.rows.open(plane, y) })
}

// access does something on the device that cannot return an error.
func (e *engine) access(f func() error) bool {
	if err := e.dev.do(f); err != nil && e.err == nil {
		e.err = err
	}
	return e.err == nil
}

// copyBits copies n bits of src from bit s on over those of dst from bit d on.
func copyBits(dst []uint64, d int, src []uint64, s, n int) {
	for n > 0 {
		k := min(n, 64-d&63, 64-s&63)
		mask := ^uint64(0) >> (64 - k)
		bits := src[s>>6] >> (s & 63) & mask
		word := &dst[d>>6]
		*word = *word&^(mask<<(d&63)) | bits<<(d&63)
		d, s, n = d+k, s+k, n-k
	}
}
