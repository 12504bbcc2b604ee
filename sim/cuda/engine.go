// Package cuda runs every rule on NVIDIA GPUs, bit-sliced: 32 cells a word, three-input lookup tables instead
// of counting.
//
// A rule goes from circuit to kernel through these packages. They use a GPU through internal/gpu:
//
//	wavefront  a rule's program (internal/compile/warpprog) as text in PTX: one warp goes down a strip and advances it by several generations
//	patches    a small universe in the registers of all warps, as text in PTX: a patch of it in each, which exchanges its edges with others
//	cells      which cell is which bit of a GPU's memory; kernels that fill, find, count, copy and hash cells
//	plan       how a universe is advanced: depth, words, strips, chunks; never what comes out
//	devices    the GPUs that a configuration names
//	bands      a universe in the memory of one GPU, or in bands of rows on several, and the rows that pass between it and the host
//	noise      the random bits of rules with chance, in planes beside the cells or drawn in the pass
//	labels     the clusters of some rows
//	multispin  batches of many small universes, each in the registers of one warp
//
// The engines are here: one of bounded universes, and one that sees an infinite universe through a bounded
// window, which moves and grows.
package cuda

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/batch"
	"github.com/gosper-life/gosper/sim/cuda/internal/bands"
	"github.com/gosper-life/gosper/sim/cuda/internal/cells"
	"github.com/gosper-life/gosper/sim/cuda/internal/devices"
	"github.com/gosper-life/gosper/sim/cuda/internal/multispin"
	"github.com/gosper-life/gosper/sim/cuda/internal/plan"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// Name is the name under which the engines are registered. ":" and the numbers of the GPUs may follow it.
const Name = devices.Engine

// engine advances a bounded universe.
type engine struct {
	devs       []*gpu.Device
	volumes    int // of a batch, which advance together: see volumes.go; 1: the engine has one universe
	cells      *bands.Universe
	plan       plan.Plan
	programs   plan.Programs
	tools      []cells.Tool // to compile ahead
	generation uint64
	passes     int           // launched together
	last       time.Duration // the time that they took
	lost       error         // why the cells belong to no known generation; nil if they are valid
}

func init() {
	sim.Register(scope, open)
	batch.Register(Name, openBatch)
}

// scope has every rule with a circuit, except triangles. Random bits are made for bounded universes only. What B0 does
// to an infinite universe is held in one bit for all its empty cells.
var scope = sim.Scope{
	Engine: Name, Volumes: true,
	Kinds: []rule.Kind{
		rule.KindCounting, rule.KindTable, rule.KindFunction, rule.KindBlocks, rule.KindAlternating, rule.KindStochastic,
		rule.KindSwaps,
	},
	Rule: circuit.Check,
	Universe: func(r rule.Rule, t topology.Topology) error {
		switch {
		case t.Bounded():
			return nil
		case r.Kind() == rule.KindStochastic:
			return errors.New("it makes random bits for bounded universes only")
		case r.BirthOnEmpty() && r.Period() > 1:
			return errors.New("B0 has a background only under rules that do the same in every generation")
		case r.BirthOnEmpty() && (r.States > 2 || t.Kind == topology.Plane):
			return errors.New("B0 has a background only with two states and without dead edges")
		}
		return nil
	},
}

// open returns an engine on the GPUs that cfg.Device lists by number, "0" or "0,1,2"; if it is empty, on the
// first GPU. Without NVIDIA's driver it returns a *sim.Unsupported.
func open(_ context.Context, cfg sim.Config) (sim.Engine, error) {
	devs, err := devices.Open(cfg.Device)
	if err != nil {
		return nil, err
	}
	return OpenOn(devs, cfg, WindowSizes{})
}

// OpenOn makes an engine on devices: GPUs, or their stand-ins in tests. Closing the engine closes them.
func OpenOn(devs []*gpu.Device, cfg sim.Config, w WindowSizes) (sim.Engine, error) {
	var e sim.Engine
	err := check(cfg)
	if err != nil {
	} else if cfg.Topology.Bounded() {
		e, err = newEngine(devs, cfg, 1, nil, boundedTools(devs, cfg))
	} else {
		e, err = newInfinite(devs, cfg, w)
	}
	if err != nil {
		gpu.CloseAll(devs)
		return nil, err
	}
	return e, nil
}

// openBatch returns many universes on the GPU whose number is cfg.Device, by default the first one.
func openBatch(_ context.Context, cfg batch.Config) (batch.Batch, error) {
	if cfg.Rules != nil {
		return nil, &sim.Unsupported{Engine: Name, What: "a batch of rules", Why: "all universes of a batch have one rule"}
	}
	if err := check(sim.Config{Rule: cfg.Rule, Topology: cfg.Topology}); err != nil {
		return nil, err
	}
	if cfg.Rule.Period() > 1 && !cfg.Topology.Volume() {
		return nil, scope.Refuse(fmt.Sprintf("rule %v", cfg.Rule), "in a batch it must do the same in every generation")
	}
	devs, err := devices.Open(cfg.Device)
	if err != nil {
		return nil, err
	}
	if len(devs) > 1 {
		gpu.CloseAll(devs)
		return nil, &sim.Unsupported{Engine: Name, What: "GPUs " + cfg.Device, Why: "a batch runs on one GPU"}
	}
	b, err := newBatch(devs[0], cfg)
	if err != nil {
		gpu.CloseAll(devs)
		return nil, err
	}
	return b, nil
}

// newBatch makes a batch on a device. Closing the batch closes the device.
func newBatch(dev *gpu.Device, cfg batch.Config) (batch.Batch, error) {
	if cfg.Topology.Volume() {
		return newVolumes(dev, cfg)
	}
	return multispin.New(dev, cfg, newTurns(dev, cfg))
}

// mostGates is the largest circuit that is compiled for a GPU. With more tables the driver takes minutes.
const mostGates = 3000

// check refuses what is not in the scope, and rules whose kernels would be too large. That is no part of the scope,
// because it makes the circuit, for which machines without a GPU have no use.
func check(cfg sim.Config) error {
	if err := scope.Check(cfg); err != nil {
		return err
	}
	c := circuit.Of(cfg.Rule)
	if cfg.Volume() && !circuit.OwnChance(c) {
		return scope.Refuse(cfg.Rule.String(), "in three dimensions, a cell sees no random bits but its own")
	}
	if n := len(c.Nodes); n > mostGates {
		return scope.Refuse(fmt.Sprintf("rule %v", cfg.Rule),
			fmt.Sprintf("its circuit has %d tables of three inputs; GPUs allow at most %d", n, mostGates))
	}
	return nil
}

// boundedTools are the kernels that a run of a bounded universe is likely to need, besides its passes: to fill
// it, to count its cells and to hash them.
func boundedTools(devs []*gpu.Device, cfg sim.Config) []cells.Tool {
	fill := cells.MakeSoup
	if cfg.Outlook.Population > 0 { // a pattern
		fill = cells.Pack
	}
	return append([]cells.Tool{fill, cells.Population}, bands.DigestTools(cfg.Topology, len(devs))...)
}

// newEngine makes an engine of a bounded universe, or of a number of volumes on one device. compiled are programs of
// the same rule, if there are any. The tools are compiled while the pass is.
func newEngine(devs []*gpu.Device, cfg sim.Config, volumes int, compiled plan.Programs, tools []cells.Tool) (*engine,
	error,
) {
	t := cfg.Topology
	if t.H > bands.MostRows || grid.Product(uint64(t.W), uint64(t.H)) > 1<<45 {
		return nil, fmt.Errorf("universe %s is too large for a GPU", t.Size())
	}
	e := &engine{devs: devs, volumes: volumes, passes: 1, programs: compiled, tools: tools}
	if e.programs == nil {
		e.programs = plan.Programs{}
	}
	err := devs[0].Do(func() error {
		switch cfg.Plan {
		case "":
			done, err := e.choosePatches(cfg)
			if done || err != nil {
				return err
			}
			return e.choose(cfg)
		case plan.OfStrips:
			return e.choose(cfg)
		case plan.OfPatches:
			done, err := e.choosePatches(cfg)
			if !done && err == nil {
				err = &sim.Unsupported{
					Engine: Name, What: fmt.Sprintf("plan %s", cfg.Plan),
					Why: fmt.Sprintf("%v on %v does not fit the registers in patches", cfg.Rule, cfg.Topology),
				}
			}
			return err
		}
		return e.force(cfg)
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

// force makes the universe with the plan that was asked for.
func (e *engine) force(cfg sim.Config) error {
	p, err := plan.Parse(cfg.Plan)
	if err != nil {
		return err
	}
	f, err := e.programs.Of(cfg, p)
	if err != nil {
		return err
	}
	e.compileTools(cfg, f, p)
	return e.divide(cfg, f, p)
}

// compileTools begins to compile the kernels that the universe needs besides its passes.
func (e *engine) compileTools(cfg sim.Config, f *warpprog.Program, p plan.Plan) {
	bands.Ahead(e.devs[0], f, cfg.Topology, p, len(e.devs), e.tools...)
}

// choosePatches makes the universe with the plan of patches that should be fastest, if there is one.
func (e *engine) choosePatches(cfg sim.Config) (done bool, err error) {
	if len(e.devs) > 1 {
		return false, nil
	}
	p, ok := e.programs.ChoosePatches(cfg, e.devs[0].Multiprocessors)
	if !ok {
		return false, nil
	}
	f, err := e.programs.Of(cfg, p)
	if err != nil {
		return false, err
	}
	e.compileTools(cfg, f, p)
	if _, fits, err := bands.CompilePatched(e.devs[0], f, cfg.Topology, p); !fits || err != nil {
		return false, err
	}
	return true, e.divide(cfg, f, p)
}

// choose makes the universe with the plan of strips that should be fastest.
func (e *engine) choose(cfg sim.Config) error {
	p, err := e.programs.Choose(cfg)
	if err != nil {
		return err
	}
	for {
		f, err := e.programs.Of(cfg, p)
		if err != nil {
			return err
		}
		e.compileTools(cfg, f, p)
		height := plan.Height(cfg.Topology) / len(e.devs)
		if len(e.devs) > 1 {
			height += 2 * (p.Exchanged(f, cfg.Topology, height) - 1) * p.Depth * f.Radius // rows of the halo that are computed
		} else {
			free, _, err := e.devs[0].FreeMemory()
			if err != nil {
				return err
			}
			if !cfg.Rule.Random() {
				p.Chunk = p.ChunkRows(f, cfg.Topology, free)
			}
			if p.Chunk > 0 {
				height = p.Chunk
			}
		}
		p.Stages = p.LikelyStages(f, cfg.Topology, height, e.devs[0].Multiprocessors)
		k, err := bands.Compile(e.devs[0], f, p.OfStrips(cfg.Topology))
		if err != nil {
			return err
		}
		if k.Spilled > 0 && p.Depth > 1 {
			p.Depth-- // registers that spill to memory cost more than shallower passes
			continue
		}
		stages := p.Stages
		p.Settle(f, cfg.Topology, e.volumes, height, e.devs[0].Multiprocessors, k.Strips())
		if err := e.divide(cfg, f, p); err != nil {
			return err
		}
		if p.Stages == stages {
			e.cells.Use(k)
		}
		e.compilePasses(cfg.Outlook.Ahead)
		return nil
	}
}

// divide makes the universe.
func (e *engine) divide(cfg sim.Config, f *warpprog.Program, p plan.Plan) error {
	if err := p.Valid(f, cfg.Rule, cfg.Topology); err != nil {
		return err
	}
	if err := p.Divisible(f, cfg.Topology, len(e.devs)); err != nil {
		return err
	}
	e.plan = p
	var err error
	if e.volumes > 1 {
		e.cells, err = bands.NewVolumes(e.devs[0], f, cfg.Topology, p, e.volumes)
	} else {
		e.cells, err = bands.New(e.devs, f, cfg.Topology, p)
	}
	if err == nil && cfg.Rule.Random() {
		err = e.cells.SetSeed(cfg.Rule.Chance.Seed)
	}
	return err
}

// sync is about how long launches run before the context is checked. Several GPUs all wait for the host then.
func (e *engine) sync() time.Duration {
	if len(e.devs) > 1 {
		return 100 * time.Millisecond
	}
	return 10 * time.Millisecond
}

// graphPasses is the number of passes a CUDA graph holds. If passes take longer than graphLimit, a graph gains nothing.
const (
	graphPasses = 64
	graphLimit  = 100 * time.Microsecond
)

// Step implements sim.Engine.
func (e *engine) Step(ctx context.Context, n uint64) (done uint64, err error) {
	if n == 0 {
		return 0, nil
	}
	err = e.access(func() error {
		e.cells.Forget()
		e.cells.SetGeneration(e.generation)
		e.compilePasses(n)
		for done < n {
			if err := ctx.Err(); err != nil {
				return err
			}
			did, err := e.batch(n - done)
			done += did
			e.generation += did
			if err != nil {
				e.lost = fmt.Errorf("the cells were lost in a step: %w", err)
				return e.lost
			}
		}
		return nil
	})
	return done, err
}

// depth is that of the first pass of n generations.
func (e *engine) depth(n uint64) int {
	switch {
	case n >= uint64(e.plan.Depth):
		return e.plan.Depth
	case n >= 4 && e.plan.Depth > 4:
		return 4
	}
	return 1
}

// compilePasses begins to compile the passes that n generations need.
func (e *engine) compilePasses(n uint64) {
	if e.plan.Patches {
		return
	}
	for n > 0 {
		depth := e.depth(n)
		e.cells.Ahead(depth)
		n %= uint64(depth)
	}
}

// batch advances at most n generations, for about the time of sync, and then waits for the device.
func (e *engine) batch(n uint64) (done uint64, err error) {
	if e.plan.Patches {
		return e.stay(n)
	}
	depth := e.depth(n)
	if e.generation%2 == 1 && e.cells.Shares(depth) {
		depth, n = 1, 1
	}
	passes := int(min(uint64(e.passes), n/uint64(depth)))
	start := time.Now()
	if passes >= graphPasses && e.last/time.Duration(e.passes) < graphLimit {
		passes -= passes % graphPasses
		for range passes / graphPasses {
			if err := e.cells.Replay(depth, graphPasses); err != nil {
				return 0, err
			}
		}
	} else if err := e.cells.Advance(depth, passes); err != nil {
		return 0, err
	}
	if err := e.cells.Wait(); err != nil {
		return 0, err
	}
	if passes == e.passes || depth == e.plan.Depth && passes >= e.passes/2 {
		e.adapt(time.Since(start))
	}
	return uint64(passes) * uint64(depth), nil
}

// stay is batch if the cells stay in registers.
func (e *engine) stay(n uint64) (done uint64, err error) {
	most := uint64(e.passes) * uint64(e.plan.Depth)
	done = min(n, most)
	start := time.Now()
	if err := e.cells.Stay(uint32(done)); err != nil {
		return 0, err
	}
	if err := e.cells.Wait(); err != nil {
		return 0, err
	}
	if done >= most/2 {
		e.adapt(time.Since(start))
	}
	return done, nil
}

// adapt changes the number of passes that are launched together, given the time that they took.
func (e *engine) adapt(took time.Duration) {
	e.last = took
	switch {
	case e.last < e.sync()/2:
		e.passes = min(2*e.passes, 1<<16)
	case e.last > 2*e.sync():
		e.passes = max(1, e.passes/2)
	}
}

// Generation implements sim.Engine.
func (e *engine) Generation() uint64 { return e.generation }

// SetGeneration implements sim.Engine.
func (e *engine) SetGeneration(g uint64) { e.generation = g }

// Reseed implements sim.Seeder.
func (e *engine) Reseed(seed uint64) error {
	return e.access(func() error { return e.cells.SetSeed(seed) })
}

// Place implements sim.Placer.
func (e *engine) Place(first, rows int) error { return e.cells.Place(first, rows) }

// access calls f, which uses the cells on the device, after all pending writes.
func (e *engine) access(f func() error) error {
	if e.lost != nil {
		return e.lost
	}
	return e.cells.Do(func() error {
		if err := e.cells.Flush(); err != nil {
			return err
		}
		return f()
	})
}

// Population implements sim.Engine.
func (e *engine) Population() (n uint64, err error) {
	err = e.access(func() error {
		var err error
		n, err = e.cells.Population()
		return err
	})
	return n, err
}

// FillSoup implements soup.Filler, on the devices. It waits for them. Otherwise the first step would take the time of
// the soup as well.
func (e *engine) FillSoup(s soup.Soup) error {
	return e.access(func() error {
		if err := e.cells.Fill(s); err != nil {
			return err
		}
		return e.cells.Wait()
	})
}

// PieceSums hashes pieces of packed rows on the devices, for grid.StateHash.
func (e *engine) PieceSums(ctx context.Context, planes, bytes int) (sums []*grid.Digest, err error) {
	err = e.access(func() error {
		err := ctx.Err()
		if err == nil {
			sums, err = e.cells.Digests(ctx, planes, bytes)
		}
		return err
	})
	return sums, err
}

// Info implements sim.Engine.
func (e *engine) Info() sim.Info {
	info := sim.Info{
		Engine: Name, Device: e.devs[0].Name, Plan: e.plan.String(), Bytes: e.cells.Bytes(), Steady: true,
		Grain: uint64(e.plan.Depth),
	}
	for _, d := range e.devs {
		if d.BusID != "" { // empty for a test's stand-in
			info.GPUs = append(info.GPUs, d.BusID)
		}
	}
	if n := len(e.devs); n > 1 {
		info.Device = fmt.Sprintf("%d × %s", n, info.Device)
	}
	return info
}

// Close implements sim.Engine.
func (e *engine) Close() error {
	err := e.cells.Release()
	gpu.CloseAll(e.devs)
	return err
}

// Extent implements grid.Source.
func (e *engine) Extent() (grid.Rect, error) { return e.cells.Bounds(), nil }

// Planes implements grid.Source.
func (e *engine) Planes() int { return e.cells.Planes() }

// ReadRow implements grid.Source.
func (e *engine) ReadRow(dst []uint64, plane, x, y, n int) error {
	if e.lost != nil {
		return e.lost
	}
	return e.cells.ReadRow(dst, plane, x, y, n)
}

// CopyRows implements grid.RowCopier, for other universes on the same GPU.
func (e *engine) CopyRows(src grid.Source, first, n, to int) (done bool, err error) {
	from, ok := src.(*engine)
	if !ok || from == e {
		return false, nil
	}
	if err := from.access(func() error { return from.cells.Wait() }); err != nil {
		return false, err
	}
	err = e.access(func() error {
		var err error
		done, err = e.cells.CopyRows(from.cells, first, n, to)
		return err
	})
	return done, err
}

// WriteRow implements grid.Sink.
func (e *engine) WriteRow(src []uint64, plane, x, y, n int) error {
	if e.lost != nil {
		return e.lost
	}
	return e.cells.WriteRow(src, plane, x, y, n)
}
