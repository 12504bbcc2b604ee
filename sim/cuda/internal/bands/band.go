package bands

import (
	"fmt"

	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/sim/cuda/internal/cells"
	"github.com/gosper-life/gosper/sim/cuda/internal/noise"
	"github.com/gosper-life/gosper/sim/cuda/internal/plan"
	"github.com/gosper-life/gosper/sim/cuda/internal/wavefront"
	"github.com/gosper-life/gosper/topology"
)

// band is the cells of a bounded universe, or of a band of its rows, on one GPU. There are two copies: a pass
// reads one and writes the other.
type band struct {
	cells.Layout
	dev      *gpu.Device
	top      int             // the band's first row
	place    wavefront.Place // of the band in the universe that has the random bits
	deep     int             // rows that are one row for strips: see plan.Deep
	divided  bool            // other GPUs hold the rest, among them the rows above and below
	volumes  int             // of a batch, one after the other; 1: the band is no batch
	repeats  int             // of the cells of a row: see Repeat
	f        *warpprog.Program
	t        topology.Topology
	plan     plan.Plan
	wrapRows bool     // after the last row comes the first
	wrapCols bool     // the groups of a row are a ring
	memory   []uint64 // allocations of cells
	copies   [2]uint64
	current  int           // the copy that holds the cells
	now      uint64        // their generation, if SetGeneration has told it
	count    uint64        // memory for 16 bytes of each volume: its soup, its population; or for an extent
	scratch  uint64        // see wavefront.Arguments
	held     uint64        // its size
	labeller *labeller     // see clusters.go; nil: no memory is taken
	table    uint64        // address of a table for rare random bits that passes draw
	seed     uint64        // the seed of the rule's random events
	drawn    *drawn        // planes of random bits; nil where the rule leaves nothing to chance, or passes draw them
	patched  *Patched      // nil: cells stream through passes
	kernels  map[int]*Pass // by depth
	ahead    map[int]*Pass // by depth: those that are compiled ahead
	tools    map[cells.Tool]*gpu.Kernel
	graphs   map[graphKey]func() error
	params   []uint64 // of the last launch
}

// A graphKey is everything that the parameters of recorded launches depend on.
type graphKey struct {
	depth, passes, from int
	turn                uint64 // the generation, as far as the rule depends on it
}

// newBand makes rows top to top+rows-1 of a dead universe on a device, or those of each of n volumes. It makes the
// device current.
func newBand(dev *gpu.Device, f *warpprog.Program, t topology.Topology, p plan.Plan, top, rows, n int) (*band, error) {
	if err := dev.Enter(); err != nil {
		return nil, err
	}
	b := &band{
		dev: dev, f: f, t: t, plan: p, top: top, deep: plan.Deep(t), divided: rows < t.H, volumes: n, repeats: 1,
		kernels: map[int]*Pass{}, ahead: map[int]*Pass{}, tools: map[cells.Tool]*gpu.Kernel{},
		graphs: map[graphKey]func() error{}, place: wavefront.Place{Top: top, Tall: t.H},
	}
	b.wrapRows, b.wrapCols = p.WrapsRows(t, rows), plan.WrapsColumns(t, p.Words)
	b.Layout = p.Layout(f, t, n*rows)
	if err := b.allocate(); err != nil {
		b.close()
		return nil, fmt.Errorf("universe %s: %w", t.Size(), err)
	}
	var err error
	if b.count, err = dev.Alloc(16 * uint64(n)); err == nil && !p.Patches && b.fills() {
		_, err = b.toolKernel(cells.Halo) // before launches are recorded
	}
	switch {
	case err != nil || len(f.Chances()) == 0:
	case !p.Drawn:
		err = b.makeDrawn()
	case noise.OneRare(f.Chances()):
		b.table, err = noise.NewTable(dev, f.Chances())
	}
	if err == nil && p.Patches {
		err = b.makePatched()
	}
	if err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

// close frees the memory.
func (b *band) close() {
	b.dropLabeller()
	b.drawn.free(b.dev)
	b.dev.Free(append(b.memory, b.count, b.scratch, b.table)...)
	if b.patched != nil {
		b.dev.Free(b.patched.memory)
	}
	b.memory, b.count, b.scratch, b.table = nil, 0, 0, 0
}

// planOf returns the plan of a kernel at another depth.
func (b *band) planOf(depth int) wavefront.Plan {
	p := b.plan.OfStrips(b.t)
	p.Depth = depth
	return p
}

// run launches a kernel that does not advance cells. It is compiled when it is first used.
func (b *band) run(t cells.Tool, gridX, gridY int, params []uint64) error {
	k, err := b.toolKernel(t)
	if err != nil {
		return err
	}
	return k.Launch(gridX, gridY, params...)
}

func (b *band) toolKernel(t cells.Tool) (*gpu.Kernel, error) {
	if k := b.tools[t]; k != nil {
		return k, nil
	}
	k, err := b.dev.Kernel(toolText(t, b.Planes, b.Words, b.t), string(t), ptx.Lanes, 0)
	if err != nil {
		return nil, err
	}
	b.tools[t] = k
	return k, nil
}

// pass returns the kernel of a depth, compiled at its first use.
func (b *band) pass(depth int) (*Pass, error) {
	if k := b.kernels[depth]; k != nil {
		return k, nil
	}
	k := b.ahead[depth]
	if k == nil {
		k = newPass(b.f, b.planOf(depth))
	}
	delete(b.ahead, depth)
	if err := k.compile(b.dev); err != nil {
		return nil, err
	}
	b.kernels[depth] = k
	return k, nil
}

// never is a row number that no kernel reaches.
const never = 1 << 29

// MostRows is the largest height of a universe.
const MostRows = never / 2

// height is the rows of the band, or of each volume of a batch.
func (b *band) height() int { return b.H / b.volumes }

// step launches one pass, over some rows around a band as well. In a volume these are layers.
func (b *band) step(depth, around int) error {
	if err := b.fillHalo(depth*b.f.Radius, around*b.deep); err != nil {
		return err
	}
	if b.Shift > 0 {
		if err := b.launchChunks(depth); err != nil {
			return err
		}
	} else if err := b.launch(depth, -around, b.height()/b.deep+around); err != nil {
		return err
	}
	b.current = 1 - b.current
	b.now += uint64(depth)
	return nil
}

// turn returns the generation, as far as the rule depends on it.
func (b *band) turn() uint64 { return b.now % uint64(circuit.Cycle(b.f.Given()...)) }

// launch launches a pass over some rows, or layers of a volume.
func (b *band) launch(depth, from, to int) error {
	k, err := b.pass(depth)
	if err != nil {
		return err
	}
	// Rows that are not a ring continue above and below in the halo, which is filled before a pass.
	first, end := -b.Above, never
	switch {
	case b.t.Volume():
		first, end = -b.Above/b.deep, (b.height()+b.Above)/b.deep
	case b.wrapRows:
		first, end = 0, b.H
	}
	// The last block may have warps without a strip. They end at once, but their scratch memory must
	// exist.
	rows := min(b.plan.Rows, to-from)
	warps := k.plan.Warps(b.f, b.Groups, b.deep, to-from, rows)
	blocks := (warps + k.plan.BlockWarps() - 1) / k.plan.BlockWarps()
	if err := b.makeScratch(k, b.volumes*blocks*k.plan.BlockWarps()); err != nil {
		return err
	}
	args := wavefront.Arguments{
		Source: b.copies[b.current] + b.Origin(), Target: b.copies[1-b.current] + b.Origin(), Plane: b.PlaneBytes(),
		Stride: b.Stride * b.deep,
		Groups: b.Groups, Before: b.Before, After: b.After, Wrap: b.wrapCols,
		First: first, End: end, From: from, To: to, StripRows: rows, Strips: k.plan.Across(b.f, b.Groups),
		Width: b.W, Top: b.top / b.deep, Tall: b.t.H / b.deep, Scratch: b.scratch,
	}
	if b.t.Volume() {
		args.Deep, args.LayerRows = b.Stride, b.deep
	}
	if b.volumes > 1 {
		args.Next = b.height() * b.Stride
	}
	for _, p := range wavefront.Turning(b.f) {
		args.Turns = append(args.Turns, wavefront.Turns(p, b.now))
	}
	switch {
	case b.plan.Drawn:
		args.Random = k.plan.RandomArguments(b.f, b.seed, b.now, b.table, b.place)
	case b.drawn != nil:
		for l := range depth {
			at, err := b.draw(b.now + uint64(l))
			if err != nil {
				return err
			}
			args.Random = append(args.Random, at)
		}
	}
	b.params = args.Append(b.params[:0])
	return k.Launch(blocks, b.volumes, b.params...)
}

// makeScratch takes the memory for rings that shared memory does not hold, at the first pass that needs it.
func (b *band) makeScratch(k *Pass, warps int) error {
	need := uint64(k.ringBytes) * uint64(warps)
	if !k.outside() || need <= b.held {
		return nil
	}
	b.dev.Free(b.scratch)
	b.scratch, b.held = 0, 0
	at, err := b.dev.Alloc(need)
	if err == nil {
		b.scratch, b.held = at, need
	}
	return err
}

// advance launches passes of one depth.
func (b *band) advance(depth, passes int) error {
	for ; passes > 0; passes-- {
		if err := b.step(depth, 0); err != nil {
			return err
		}
	}
	return nil
}

// replay is advance through a CUDA graph, in which each launch costs less.
func (b *band) replay(depth, passes int) error {
	if b.drawn != nil || b.plan.Drawn { // what is recorded draws the random bits of one generation
		return b.advance(depth, passes)
	}
	// A recorded launch has fixed parameters. They depend on the copy that is read first, and on the generation as far
	// as the rule does.
	key := graphKey{depth, passes, b.current, b.turn()}
	run := b.graphs[key]
	if run == nil {
		if _, err := b.pass(depth); err != nil {
			return err
		}
		// Recording runs nothing, but it changes these as if it had.
		current, now := b.current, b.now
		var err error
		run, err = b.dev.Record(func() error { return b.advance(depth, passes) })
		if err != nil {
			return err
		}
		b.current, b.now = current, now
		b.graphs[key] = run
	}
	b.now += uint64(depth) * uint64(passes)
	if passes%2 == 1 {
		b.current = 1 - b.current
	}
	return run()
}
