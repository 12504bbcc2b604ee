// Package multispin runs batches of many universes on a GPU: small ones each in the registers of one warp,
// larger ones one after the other.
package multispin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/batch"
	"github.com/gosper-life/gosper/sim/cuda/internal/cells"
	"github.com/gosper-life/gosper/sim/cuda/internal/devices"
	"github.com/gosper-life/gosper/sim/cuda/internal/labels"
	"github.com/gosper-life/gosper/topology"
)

// New makes a batch on a device, for tori of two states. Those that do not fit in the registers of one warp
// take turns. Closing the batch closes the device.
func New(dev *gpu.Device, cfg batch.Config, turns Turns) (batch.Batch, error) {
	s := newShape(cfg.Topology.W, cfg.Topology.H)
	u, err := newUniverses(dev, cfg, turns, mostLabelWarps(s, cfg.Universes, dev.Multiprocessors))
	if err != nil {
		return nil, err
	}
	return u, nil
}

// universes are the universes of a batch on one GPU.
type universes struct {
	shape
	dev        *gpu.Device
	n          int
	generation uint64
	texts      map[string]func(*ptx.Module) // of kernels, by name
	kernels    map[string]*gpu.Kernel       // kernels that have been compiled
	labellers  map[component.Connectivity]*labeller
	labelled   map[string]*labeller // by name of the kernel
	sampled    map[*labeller]*sampled
	held       []uint64 // addresses of all allocated memory
	buffers    []func() // free the host's pinned memory
	bytes      uint64
	program    *warpprog.Program // nil if they take turns
	drawn      *drawn            // random bits; nil where the rule leaves nothing to chance
	turns      Turns             // what advances the universes; nil if warps do
	seeds      []uint64          // of universes that take turns
	spanners   map[component.Connectivity]*labels.Many

	cells, starts, populations, counts, spans uint64 // addresses; the cursor of counts follows the spans

	// memory of Tally; addresses are 0 at first
	before, tallies uint64
	patterns        [mostTallied + 1]uint64 // by the side of blocks
	remembers       bool

	copied      []uint32 // the present cells of some universes
	firstCopied int
	places      []uint32 // of counts: spans and cursor, on the host
}

// These limits keep a universe within the registers of a warp, and the driver's compilation within reasonable time.
const (
	mostWords        = 64     // of cells in a lane
	mostInstructions = 40_000 // of a generation
)

// Universes that take turns have rows of whole groups of words, as an engine stores them, and no larger side: a
// larger universe keeps a GPU busy alone.
const (
	wholeGroups = 4 * 32
	mostSide    = 2048
)

// MemoryShare says which part of a GPU's free memory a batch may take: a 16th, because some batches use it at the same
// time.
const MemoryShare = 16

// newUniverses refuses what does not fit before it takes any memory. Universes that are too large for
// a warp take turns on an engine.
func newUniverses(dev *gpu.Device, cfg batch.Config, turns Turns, mostWarps int) (*universes, error) {
	t := cfg.Topology
	refuse := func(what fmt.Stringer, why string, args ...any) error {
		return &sim.Unsupported{Engine: devices.Engine, What: what.String() + " in batches", Why: fmt.Sprintf(why, args...)}
	}
	if cfg.Rule.States != 2 {
		return nil, refuse(cfg.Rule, "want two states, not %d", cfg.Rule.States)
	}
	if !cfg.Rule.Random() && !cfg.Rule.Homogeneous() {
		return nil, refuse(cfg.Rule, "it does not do the same everywhere in every generation")
	}
	if !t.WrapsStraight() {
		return nil, refuse(t, "want a torus without a shift")
	}
	if t.W > 1<<16 || t.H > 1<<16 {
		return nil, refuse(t, "it does not fit the registers of a warp")
	}
	u := &universes{
		shape: newShape(t.W, t.H), dev: dev, n: cfg.Universes,
		texts: map[string]func(*ptx.Module){}, kernels: map[string]*gpu.Kernel{},
		labellers: map[component.Connectivity]*labeller{}, labelled: map[string]*labeller{},
		sampled:  map[*labeller]*sampled{},
		spanners: map[component.Connectivity]*labels.Many{},
	}
	switch r := cfg.Rule.Radius(); {
	case u.perLane() > mostWords && t.W%wholeGroups == 0 && max(t.W, t.H) <= mostSide:
		u.turns = turns
	case u.perLane() > mostWords:
		return nil, refuse(
			t, "a lane of a warp would hold %d words of 32 cells; the limit is %d. Larger universes take turns if their width is a multiple of %d and no side above %d",
			u.perLane(), mostWords, wholeGroups, mostSide)
	case u.short > 0 && 2*r > t.H:
		return nil, refuse(t, "a radius of %d is more than half of a height that is not divided evenly between lanes", r)
	default:
		if err := u.writeSteps(cfg.Rule); err != nil {
			return nil, refuse(cfg.Rule, "%v", err)
		}
	}
	u.write(mostWarps)
	err := dev.Do(func() error {
		if u.turns != nil {
			free, _, err := dev.FreeMemory()
			if err != nil || u.cellBytes() > free/MemoryShare {
				return cmp.Or(err, refuse(t, "%d of them take more than a %dth of the free memory", u.n, MemoryShare))
			}
		}
		if err := u.open(); err != nil {
			u.release()
			return err
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return u, nil
}

// The names of the kernels that label: for histograms, for sums, and for sums of many samples.
var (
	clusterKernels = map[component.Connectivity]string{component.Four: "clusters4", component.Eight: "clusters8"}
	sumsKernels    = map[component.Connectivity]string{component.Four: "sums4", component.Eight: "sums8"}
	samplesKernels = map[component.Connectivity]string{component.Four: "samples4", component.Eight: "samples8"}
)

// writeSteps records how the kernel is written that advances universes in registers.
func (u *universes) writeSteps(r rule.Rule) error {
	f := compile.Warp(r, 1, false)
	if n := f.Tables() * u.words * (u.rows + 2*f.Radius); n > mostInstructions {
		return fmt.Errorf("a generation would take about %d instructions in each lane; the limit is %d", n, mostInstructions)
	}
	u.program = f
	u.texts["step"] = func(m *ptx.Module) { writeStep(m, u.shape, f, u.randomPlane()) }
	if r.Random() {
		u.drawn = &drawn{rule: *r.Chance, program: f}
	}
	return nil
}

// write records how each other kernel is written.
func (u *universes) write(mostWarps int) {
	u.texts["soup"] = func(m *ptx.Module) { writeSoup(m, u.shape) }
	u.texts[string(cells.States)] = func(m *ptx.Module) { cells.States.Write(m, 1, 1, topology.Topology{}) }
	u.texts["population"] = func(m *ptx.Module) { writePopulation(m, u.shape) }
	for block := range mostTallied + 1 {
		u.texts[tallyKernel(block)] = func(m *ptx.Module) { writeTally(m, u.shape, block) }
	}
	blocks := (u.n + u.dev.Multiprocessors - 1) / u.dev.Multiprocessors
	for c, name := range clusterKernels {
		l := newLabeller(u.shape, c == component.Eight, u.dev.SharedBlockBytes, blocks, mostWarps)
		if l.fits() {
			u.labellers[c] = l
			for name, write := range map[string]func(m *ptx.Module, name string){
				name: l.write, sumsKernels[c]: l.writeSums,
				samplesKernels[c]: func(m *ptx.Module, name string) { l.writeSamples(m, name, u.program) },
			} {
				u.texts[name] = func(m *ptx.Module) { write(m, name) }
				u.labelled[name] = l
			}
		}
	}
}

// kernel returns the kernel with a name. It compiles the kernel at its first use, in a separate module. The labelling
// kernels take the driver longer than all others, and most batches use at most one of them. The device must be
// current.
func (u *universes) kernel(name string) (*gpu.Kernel, error) {
	if k, ok := u.kernels[name]; ok {
		return k, nil
	}
	var m ptx.Module
	u.texts[name](&m)
	warps, shared := 1, 0
	if l := u.labelled[name]; l != nil {
		warps, shared = l.warps, l.shared()
	}
	k, err := u.dev.Kernel(m.String(), name, warps*ptx.Lanes, shared)
	if err != nil {
		return nil, err
	}
	u.kernels[name] = k
	return k, nil
}

// launch launches a kernel for all universes. The device must be current.
func (u *universes) launch(name string, args ...uint64) error {
	k, err := u.kernel(name)
	if err != nil {
		return err
	}
	return k.Launch(u.n, 1, args...)
}

// open compiles the kernel that every batch needs, and begins to compile those that fill and count it, and
// allocates memory. The device must be current.
func (u *universes) open() error {
	for _, name := range []string{"soup", "population"} {
		var m ptx.Module
		u.texts[name](&m)
		// These two kernels are needed next. The driver compiles them while the one below is compiled.
		u.dev.Ahead(m.String())
	}
	if u.turns == nil {
		if _, err := u.kernel("step"); err != nil {
			return err
		}
	}
	most := 0
	for _, l := range u.labellers {
		most = max(most, l.mostCounts())
	}
	if uint64(u.n)*uint64(most) > 1<<32 {
		return fmt.Errorf("%d universes of %d×%d are too many for one batch", u.n, u.w, u.h)
	}
	n := uint64(u.n)
	for _, part := range []struct {
		at    *uint64
		bytes uint64
	}{
		{&u.cells, u.cellBytes() + 4*uint64(u.perLane())}, // a short last lane loads more than its rows
		{&u.starts, 16 * n},
		{&u.populations, 4 * n},
		{&u.counts, 8 * n * uint64(max(most, 1))},
		{&u.spans, 8*n + 4},
	} {
		var err error
		if *part.at, err = u.dev.Alloc(part.bytes); err != nil {
			return fmt.Errorf("%d universes of %d×%d: %w", u.n, u.w, u.h, err)
		}
		u.held = append(u.held, *part.at)
		u.bytes += part.bytes
	}
	if u.drawn != nil {
		if err := u.openDrawn(); err != nil {
			return err
		}
	}
	return u.dev.Clear(u.cells, u.cellBytes())
}

func (u *universes) release() {
	if u.drawn != nil {
		u.drawn.source.Free()
	}
	for _, m := range u.spanners {
		m.Close()
	}
	clear(u.spanners)
	u.dev.Free(u.held...)
	for _, free := range u.buffers {
		free()
	}
	u.held, u.buffers = nil, nil
}

// Fill implements batch.Batch.
func (u *universes) Fill(ctx context.Context, soups []batch.Soup) error {
	made, err := batch.Soups(soups, u.n)
	if err != nil {
		return err
	}
	u.forget()
	u.remembers = false
	starts := make([]uint64, 2*u.n)
	u.seeds = make([]uint64, u.n)
	for i, s := range made {
		starts[2*i], starts[2*i+1] = s.Seed(), s.Threshold()
		u.seeds[i] = s.Seed()
	}
	return u.dev.Do(func() error {
		err := ctx.Err()
		if err == nil {
			err = u.dev.Write(u.starts, gpu.Bytes(starts))
		}
		if err == nil {
			err = u.launch("soup", u.cells, u.starts)
		}
		if err == nil && u.drawn != nil {
			err = u.seed(made)
		}
		u.generation = 0
		return errors.Join(err, u.dev.Wait())
	})
}

// checkGrid refuses universe numbers that are out of range and grids of another size.
func (u *universes) checkGrid(i int, g *grid.Grid) error {
	switch {
	case i < 0 || i >= u.n:
		return fmt.Errorf("universe %d: want 0 to %d", i, u.n-1)
	case g.W() != u.w || g.H() != u.h:
		return fmt.Errorf("a grid of %d×%d does not fit universes of %d×%d", g.W(), g.H(), u.w, u.h)
	}
	return nil
}

// cellBytes is the size of all universes.
func (u *universes) cellBytes() uint64 { return 4 * uint64(u.n) * uint64(u.perUniverse()) }

// address is the address of universe i.
func (u *universes) address(i int) uint64 { return u.cells + 4*uint64(i)*uint64(u.perUniverse()) }

// Write implements batch.Batch.
func (u *universes) Write(i int, g *grid.Grid) error {
	if err := u.checkGrid(i, g); err != nil {
		return err
	}
	u.forget()
	words := make([]uint32, u.perUniverse())
	for y := range u.h {
		// A word of the grid has 64 columns, a word of a lane 32: the lower half comes first.
		row := g.Row(0, y)
		for j := range u.words {
			words[y*u.words+j] = uint32(row[j/2] >> (32 * (j & 1)))
		}
	}
	return u.dev.Do(func() error { return u.dev.Write(u.address(i), gpu.Bytes(words)) })
}

// copyBytes is about how much is copied to the host at once. A copy for each universe would cost more than
// advancing it.
const copyBytes = 4 << 20

// Read implements batch.Batch. It is fast for universes in rising order.
func (u *universes) Read(i int, g *grid.Grid) error {
	if err := u.checkGrid(i, g); err != nil {
		return err
	}
	size := u.perUniverse()
	if i < u.firstCopied || i >= u.firstCopied+len(u.copied)/size {
		n := min(u.n-i, max(1, copyBytes/(4*size)))
		u.copied, u.firstCopied = slices.Grow(u.copied[:0], n*size)[:n*size], i
		if err := u.dev.Do(func() error { return u.dev.Read(gpu.Bytes(u.copied), u.address(i)) }); err != nil {
			u.forget()
			return err
		}
	}
	words := u.copied[(i-u.firstCopied)*size:][:size]
	g.Clear()
	for y := range u.h {
		row := g.Row(0, y)
		for j := range u.words {
			row[j/2] |= uint64(words[y*u.words+j]) << (32 * (j & 1))
		}
	}
	return nil
}

// ReadOnDevice implements sim.DeviceReader.
func (u *universes) ReadOnDevice(handle [64]byte, area grid.Rect) error {
	if all := (grid.Rect{W: u.w, H: u.n * u.h}); area.Empty() || all.Intersect(area) != area {
		return fmt.Errorf("%d×%d cells from (%d, %d) on are not within %d×%d", area.W, area.H, area.X, area.Y, all.W, all.H)
	}
	return u.dev.Do(func() error {
		k, err := u.kernel(string(cells.States))
		if err != nil {
			return err
		}
		blocks, stride := cells.StateBlocks(area.W), 4*uint64(u.words)
		return u.dev.Foreign(handle, func(at uint64) error {
			return k.Launch(area.H*blocks, 1, u.cells+uint64(area.Y)*stride, 0, stride, uint64(area.X), uint64(area.W),
				uint64(blocks), 0, at)
		})
	})
}

// forget drops the copied cells, because cells are about to change.
func (u *universes) forget() { u.copied = u.copied[:0] }

// launchCells is the most cells that one launch updates. That takes about a tenth of a second; then the context
// is checked.
const launchCells = 1 << 41

// mostDrawn is the most generations of which each has launches of its own, before the context is checked.
const mostDrawn = 256

// Step implements batch.Batch.
func (u *universes) Step(ctx context.Context, n uint64) error {
	u.forget()
	if u.turns != nil {
		return u.takeTurns(ctx, n)
	}
	return u.dev.Do(func() error {
		for n > 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			done := min(n, u.mostAtOnce())
			if err := u.advance(done); err != nil {
				return err
			}
			if err := u.dev.Wait(); err != nil {
				return err
			}
			n -= done
			u.generation += done
		}
		return nil
	})
}

// mostAtOnce is the most generations before the context is checked.
func (u *universes) mostAtOnce() uint64 {
	most := max(1, launchCells/(uint64(u.n)*uint64(u.w)*uint64(u.h)))
	if u.drawn != nil {
		most = min(most, mostDrawn)
	}
	return min(most, 1<<30)
}

// advance launches what advances the cells by some generations.
func (u *universes) advance(n uint64) error {
	if u.drawn == nil {
		return u.launch("step", u.cells, n)
	}
	for i := range n {
		if err := u.stepDrawn(u.generation + i); err != nil {
			return err
		}
	}
	return nil
}

// Generation implements batch.Batch.
func (u *universes) Generation() uint64 { return u.generation }

// SetGeneration implements batch.Batch.
func (u *universes) SetGeneration(g uint64) { u.generation = g }

// Populations implements batch.Batch.
func (u *universes) Populations(ctx context.Context, dst []uint64) error {
	if len(dst) != u.n {
		return fmt.Errorf("a slice of %d populations for %d universes", len(dst), u.n)
	}
	counts := make([]uint32, u.n)
	err := u.dev.Do(func() error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := u.launch("population", u.cells, u.populations); err != nil {
			return err
		}
		return u.dev.Read(gpu.Bytes(counts), u.populations)
	})
	for i, c := range counts {
		dst[i] = uint64(c)
	}
	return err
}

// Clusters implements batch.Batch.
func (u *universes) Clusters(ctx context.Context, c component.Connectivity, dst *batch.Histograms) error {
	switch {
	case u.turns != nil && c != component.Six:
		return u.clustersInTurn(ctx, c, dst)
	case u.labellers[c] == nil:
		return LabelOnHost(ctx, u, topology.Topology{Kind: topology.Torus, W: u.w, H: u.h}, 1, u.n, c, dst)
	}
	u.places = slices.Grow(u.places[:0], 2*u.n+1)[:2*u.n+1]
	err := u.dev.Do(func() error {
		cursor := u.spans + 8*uint64(u.n)
		err := ctx.Err()
		if err == nil {
			err = u.dev.Clear(cursor, 4)
		}
		if err == nil {
			err = u.launch(clusterKernels[c], u.cells, u.counts, cursor, u.spans)
		}
		if err == nil {
			err = u.dev.Read(gpu.Bytes(u.places), u.spans)
		}
		if err != nil {
			return err
		}
		return u.dev.Read(gpu.Bytes(dst.Reset(u.n, int(u.places[2*u.n]))), u.counts)
	})
	if err != nil {
		return err
	}
	dst.PlaceAll(u.places[:2*u.n])
	return nil
}

// LabelOnHost is Clusters for a batch of n universes in planes of bits if the GPU does not find them.
func LabelOnHost(ctx context.Context, b batch.Batch, t topology.Topology, planes, n int, c component.Connectivity,
	dst *batch.Histograms,
) error {
	g, err := grid.New(t.W, t.H, planes)
	if err != nil {
		return err
	}
	var labeller component.Labeller
	return batch.Gather(dst, n, func(add func(first int, counts []batch.Count, ends []int)) error {
		for i := range n {
			err := ctx.Err()
			if err == nil {
				err = b.Read(i, g)
			}
			if err != nil {
				return err
			}
			found, err := labeller.Label(g, t, c)
			if err != nil {
				return err
			}
			counts, err := batch.CountsOf(&found.Sizes)
			if err != nil {
				return err
			}
			add(i, counts, []int{len(counts)})
		}
		return nil
	})
}

// Info implements batch.Batch.
func (u *universes) Info() sim.Info {
	info := sim.Info{
		Engine: devices.Engine, Device: u.dev.Name, Bytes: u.bytes,
		Plan: fmt.Sprintf("warps,lanes=%d,rows=%d,words=%d", u.used, u.rows, u.words),
	}
	if u.turns != nil {
		info.Plan = "turns"
	}
	if id := u.dev.BusID; id != "" {
		info.GPUs = []string{id}
	}
	return info
}

// Close implements batch.Batch.
func (u *universes) Close() error {
	var turnsErr error
	if u.turns != nil {
		turnsErr = u.turns.Close()
	}
	err := errors.Join(turnsErr, u.dev.Do(func() error {
		u.release()
		return nil
	}))
	gpu.CloseAll([]*gpu.Device{u.dev})
	return err
}
