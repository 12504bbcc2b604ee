package cuda

import (
	"fmt"
	"unsafe"

	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/topology"
)

// universe is the cells of a bounded universe, or of a band of its rows, on one GPU: two copies, of which a pass reads one and
// writes the other.
type universe struct {
	layout
	dev      device
	top      int  // the band's first row
	band     bool // others hold the rest: the rows above and below are theirs to give
	f        *flow
	t        topology.Topology
	plan     Plan
	wrapRows bool     // after the last row comes the first
	wrapCols bool     // the groups of a row are a ring
	memory   []uint64 // allocations of cells
	copies   [2]uint64
	current  int           // the copy that holds the cells
	count    uint64        // memory for a result: a population, an extent
	scratch  uint64        // see paramScratch
	held     uint64        // its size
	labeller *labeller     // see clusters.go; nil: no memory is taken
	kernels  map[int]*pass // by depth
	tools    map[string]kernel
	graphs   map[graphKey]func() error
	params   [streamParams]uint64 // of the next launch
}

// pass is the kernel of a depth.
type pass struct {
	schedule
	kernel    kernel
	ringBytes int
}

type graphKey struct{ depth, passes, from int }

// wrapsColumns reports whether the columns beyond the left and right edge are those of the same row from the other edge, and rows
// are whole groups, so that a kernel can find them without ghosts.
func wrapsColumns(t topology.Topology, words int) bool {
	return t.Kind == topology.Torus && t.Axis != topology.Vertical && t.W%(32*words) == 0
}

// wrapsRows reports whether kernels find the rows beyond the top and bottom of so many rows at the other end.
func (p Plan) wrapsRows(t topology.Topology, rows int) bool {
	return wrapsRows(t) && rows == t.H && p.Chunk == 0
}

// layout is the layout of so many rows of a universe.
func (p Plan) layout(f *flow, t topology.Topology, rows int) layout {
	var groups, above int
	below := prefetched
	if !wrapsColumns(t, p.Words) {
		groups = schedule{depth: p.Depth, words: p.Words}.halo(f)
	}
	if !p.wrapsRows(t, rows) {
		more := 0
		if rows < t.H {
			more = (p.exchanged(f, t, rows) - 1) * p.Depth * f.radius
		}
		above = p.Depth*f.radius + more
		s := streamer{schedule: p.schedule(t), f: f}
		below += s.lastIteration(p.Depth-1) + 1 + 2*p.Unroll + more // a strip loads ahead of what it needs
	}
	l := newLayout(t.W, rows, f.planes, p.Words, groups, above, below)
	if p.Chunk > 0 {
		l.shift = p.Chunk + above + below
	}
	return l
}

// wrapsRows reports whether the rows beyond the top and bottom are whole rows of the universe, unmoved.
func wrapsRows(t topology.Topology) bool {
	return t.Kind == topology.Torus && t.Axis != topology.Horizontal
}

// newUniverse makes the rows from top to top+rows-1 of a dead universe; dev is entered.
func newUniverse(dev device, f *flow, t topology.Topology, plan Plan, top, rows int) (*universe, error) {
	u := &universe{
		dev: dev, f: f, t: t, plan: plan, top: top, band: rows < t.H,
		kernels: map[int]*pass{}, tools: map[string]kernel{}, graphs: map[graphKey]func() error{},
	}
	u.wrapRows, u.wrapCols = plan.wrapsRows(t, rows), wrapsColumns(t, plan.Words)
	u.layout = plan.layout(f, t, rows)
	if err := u.allocate(); err != nil {
		u.close()
		return nil, fmt.Errorf("universe %d×%d: %w", t.W, t.H, err)
	}
	var err error
	if u.count, err = dev.alloc(16); err == nil && u.fills() {
		_, err = u.toolKernel("ghosts") // before launches are recorded
	}
	if err != nil {
		u.close()
		return nil, err
	}
	return u, nil
}

// close gives the memory back.
func (u *universe) close() {
	for _, at := range u.memory {
		u.dev.free(at)
	}
	u.memory = nil
	u.dropLabeller()
	for _, at := range []*uint64{&u.count, &u.scratch} {
		if *at != 0 {
			u.dev.free(*at)
			*at = 0
		}
	}
}

// schedule is the plan's schedule for another depth.
func (u *universe) schedule(depth int) schedule {
	s := u.plan.schedule(u.t)
	s.depth = depth
	return s
}

// tool launches one of the kernels beside those that advance cells, which is compiled at its first use.
func (u *universe) tool(name string, gridX, gridY int, params []uint64) error {
	k, err := u.toolKernel(name)
	if err != nil {
		return err
	}
	return u.dev.launch(k, gridX, gridY, params)
}

func (u *universe) toolKernel(name string) (kernel, error) {
	if k := u.tools[name]; k != nil {
		return k, nil
	}
	var m ptx.Module
	switch name {
	case "population":
		writePopulation(&m, u.planes, u.words)
	case "soup":
		writeSoup(&m, u.planes, u.words)
	case "pack":
		writePack(&m, u.words)
	case "unpack":
		writeUnpack(&m, u.words)
	case "extent":
		writeExtent(&m, u.planes, u.words)
	case "invert":
		writeInvert(&m)
	case "blocks":
		writeBlockCounts(&m, u.planes, u.words)
	case "groups":
		writeGroupCounts(&m, u.planes, u.words)
	case "ghosts":
		writeGhosts(&m, u.t, u.words)
	}
	mod, err := u.dev.load(m.String())
	if err != nil {
		return nil, err
	}
	u.tools[name], err = mod.kernel(name, 0)
	return u.tools[name], err
}

// pass returns the kernel of a depth, compiled at its first use.
func (u *universe) pass(depth int) (*pass, error) {
	if p := u.kernels[depth]; p != nil {
		return p, nil
	}
	p, err := compile(u.dev, u.f, u.schedule(depth))
	if err != nil {
		return nil, err
	}
	u.kernels[depth] = p
	return p, nil
}

// compile makes the kernel of a schedule.
func compile(dev device, f *flow, s schedule) (*pass, error) {
	var m ptx.Module
	const name = "stream"
	p := &pass{schedule: s, ringBytes: writeStream(&m, name, f, s)}
	mod, err := dev.load(m.String())
	if err != nil {
		return nil, err
	}
	shared := p.ringBytes
	if shared > sharedBytes {
		shared = 0
	}
	p.kernel, err = mod.kernel(name, shared)
	return p, err
}

// across is the number of strips side by side.
func (u *universe) across(s schedule) int {
	_, stored := s.stored(u.f)
	return (u.groups + stored - 1) / stored
}

// never is a row that is not reached.
const never = 1 << 29

// step launches one pass, over some rows around a band as well.
func (u *universe) step(depth, around int) error {
	if err := u.fillGhosts(depth*u.f.radius, around); err != nil {
		return err
	}
	if u.shift > 0 {
		if err := u.launchChunks(depth); err != nil {
			return err
		}
	} else if err := u.launch(depth, -around, u.h+around); err != nil {
		return err
	}
	u.current = 1 - u.current
	return nil
}

// launch launches a pass over some rows.
func (u *universe) launch(depth, from, to int) error {
	p, err := u.pass(depth)
	if err != nil {
		return err
	}
	first, end := -u.above, never
	if u.wrapRows {
		first, end = 0, u.h
	}
	rows := min(u.plan.Rows, to-from)
	across, down := u.across(p.schedule), (to-from+rows-1)/rows
	if err := u.makeScratch(p, across*down); err != nil {
		return err
	}
	params := u.params[:]
	set := func(i, v int) { params[i] = uint64(uint32(int32(v))) }
	params[paramSource] = u.copies[u.current] + u.origin()
	params[paramTarget] = u.copies[1-u.current] + u.origin()
	params[paramPlane] = u.planeBytes()
	set(paramStride, u.stride)
	set(paramGroups, u.groups)
	set(paramBefore, u.before)
	set(paramAfter, u.after)
	set(paramWrap, 0)
	if u.wrapCols {
		set(paramWrap, 1)
	}
	set(paramFirst, first)
	set(paramEnd, end)
	set(paramFrom, from)
	set(paramTo, to)
	set(paramStripRows, rows)
	set(paramStrips, across)
	set(paramWidth, u.w)
	set(paramTop, u.top)
	set(paramTall, u.t.H)
	params[paramScratch] = u.scratch
	return u.dev.launch(p.kernel, across*down, 1, params)
}

// makeScratch takes the memory for rings that shared memory does not hold, at the first pass that needs it.
func (u *universe) makeScratch(p *pass, blocks int) error {
	need := uint64(p.ringBytes) * uint64(blocks)
	if p.ringBytes <= sharedBytes || need <= u.held {
		return nil
	}
	if u.scratch != 0 {
		u.dev.free(u.scratch)
	}
	var err error
	u.held = need
	u.scratch, err = u.dev.alloc(need)
	return err
}

// advance launches passes of one depth.
func (u *universe) advance(depth, passes int) error {
	for ; passes > 0; passes-- {
		if err := u.step(depth, 0); err != nil {
			return err
		}
	}
	return nil
}

// replay is advance through a graph, which costs less for each launch.
func (u *universe) replay(depth, passes int) error {
	key := graphKey{depth, passes, u.current}
	run := u.graphs[key]
	if run == nil {
		if _, err := u.pass(depth); err != nil {
			return err
		}
		current := u.current
		var err error
		run, err = u.dev.record(func() error { return u.advance(depth, passes) })
		if err != nil {
			return err
		}
		u.current = current
		u.graphs[key] = run
	}
	if passes%2 == 1 {
		u.current = 1 - u.current
	}
	return run()
}

// population counts the cells not in state 0.
func (u *universe) population() (uint64, error) {
	if err := u.dev.clear(u.count, 8); err != nil {
		return 0, err
	}
	blocks := min(u.h, 32*u.dev.multiprocessors())
	err := u.tool("population", blocks, 1, []uint64{
		u.copies[u.current] + u.origin(), u.planeBytes(), uint64(u.stride), uint64(u.groups * u.words),
		uint64(u.w), uint64(u.h), u.count,
	})
	if err != nil {
		return 0, err
	}
	var n [1]uint64
	err = u.dev.read(unsafe.Slice((*byte)(unsafe.Pointer(&n)), 8), u.count)
	return n[0], err
}

// fill makes a soup; firstIndex is the index of cell (0, 0).
func (u *universe) fill(seed, threshold, firstIndex uint64) error {
	blocks := min(u.h, 32*u.dev.multiprocessors())
	return u.tool("soup", blocks, 1, []uint64{
		u.copies[u.current] + u.origin(), u.planeBytes(), uint64(u.stride), uint64(u.groups * u.words),
		uint64(u.w), uint64(u.h), seed, threshold, firstIndex,
	})
}
