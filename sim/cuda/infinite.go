package cuda

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cuda/internal/cells"
	"github.com/gosper-life/gosper/sim/cuda/internal/plan"
	"github.com/gosper-life/gosper/topology"
)

// infinite advances a universe that is infinite in one or both directions. It sees the universe through a
// window that is so large that no cell notices its edges, and that moves and grows as the cells do. The window
// is a torus, or a plane between dead edges. It holds states as they are: what a B0 rule does to the
// background, it also does to the empty part of the window.
type infinite struct {
	dev        *gpu.Device
	windows    WindowSizes
	cfg        sim.Config
	window     *engine
	x, y       int    // of the window's first cell
	reach      int    // cells a generation
	room       uint64 // generations in which no cell can notice the window's edges
	generation uint64
	// the background from which the window's cells differ; it is that of an earlier generation until the next step
	held  uint8
	box   grid.Rect // the cells that differ from the background, in the window
	boxed bool      // whether box is known
}

// WindowSizes say how large the windows of infinite universes are. The zero value suits GPUs: a window of 1024
// columns is one strip closed to a ring, and no smaller one is faster. Tests on the host take smaller ones.
type WindowSizes struct {
	Side        int // the smallest side of a window
	Generations int // generations for which a new window should have room
}

// grain is the number of columns by which the places and widths of windows differ. It is a multiple of the
// groups of every layout.
const grain = 128

// newInfinite makes an infinite universe of one window, which moves and grows with its cells.
func newInfinite(devs []*gpu.Device, cfg sim.Config, w WindowSizes) (*infinite, error) {
	if len(devs) > 1 {
		return nil, scope.Refuse(fmt.Sprintf("topology %v on %d GPUs", cfg.Topology, len(devs)),
			"infinite universes run on one GPU: give a single number")
	}
	if w == (WindowSizes{}) {
		w = WindowSizes{Side: 1024, Generations: 256}
	}
	if cfg.Plan == "" {
		// each window would have patches of its own, whose kernel takes longer to compile than the window lasts
		cfg.Plan = plan.OfStrips
	}
	u := &infinite{dev: devs[0], windows: w, cfg: cfg, reach: max(1, cfg.Rule.Radius())}
	err := u.move(grid.Rect{})
	return u, err
}

// background is the state of all but finitely many cells in generation g. B0 makes it 1 in generation 1. If S
// has all neighbours it stays 1, else it alternates.
func (u *infinite) background(g uint64) uint8 {
	switch {
	case !u.cfg.Rule.BirthOnEmpty():
		return 0
	case u.cfg.Rule.SurvivesFull():
		return 1
	}
	return uint8(g & 1)
}

// now is the present background.
func (u *infinite) now() uint8 { return u.background(u.generation) }

// A window has a margin of at most this many cells, or of the smallest number of generations. It is replaced
// when less than this share of its generations is left.
const (
	widestMargin      = 2048
	fewestGenerations = 16
	leastShare        = 8
)

// generations is the number of generations that a new window has room for: fewer if each reaches far.
func (u *infinite) generations() int {
	return min(u.windows.Generations, max(fewestGenerations, widestMargin/u.reach))
}

// frame returns a window for a box of cells, with room for some generations or for growth.
func (u *infinite) frame(box grid.Rect, growth bool) (x, y int, t topology.Topology) {
	t = u.cfg.Topology
	if t.Kind == topology.Unbounded {
		t.Kind = topology.Torus
	}
	side := func(first, n, grain int) (from, length int) {
		margin := u.generations() * u.reach
		if growth {
			margin = max(margin, n/4)
		}
		length = (max(u.windows.Side, n+2*margin+grain-1) + grain - 1) / grain * grain
		before := (length - n - grain + 1) / 2 // the same on the other side, wherever the next grain begins
		return (first - before) &^ (grain - 1), length
	}
	if t.W == 0 {
		x, t.W = side(box.X, box.W, grain)
	}
	if t.H == 0 {
		y, t.H = side(box.Y, box.H, 2) // even rows stay even
	}
	return x, y, t
}

// move replaces the window by one around a box of the universe, which holds all cells that differ from the
// background. If memory is short the new window has less room to grow.
func (u *infinite) move(box grid.Rect) error {
	var err error
	for _, growth := range []bool{true, false} {
		if err = u.moveTo(box, growth); err == nil {
			return nil
		}
		if u.window == nil {
			return err
		}
	}
	return fmt.Errorf("the cells are spread over %d×%d: %w", box.W, box.H, err)
}

// moveTo opens another window around a box and copies the cells from the present one, on the device.
func (u *infinite) moveTo(box grid.Rect, growth bool) error {
	x, y, t := u.frame(box, growth)
	cfg := u.cfg
	cfg.Topology = t
	programs, tools := plan.Programs(nil), []cells.Tool{cells.Pack, cells.Extent, cells.Population, cells.Unpack}
	if u.window != nil {
		programs, tools = u.window.programs, nil // they are compiled
	}
	window, err := newEngine([]*gpu.Device{u.dev}, cfg, 1, programs, tools)
	if err != nil {
		return err
	}
	next := infinite{
		dev: u.dev, windows: u.windows, cfg: u.cfg, window: window, x: x, y: y, reach: u.reach,
		generation: u.generation, held: u.held,
	}
	do := window.access
	if u.window != nil {
		do = u.window.access // after this nothing is read from it any more
	}
	err = do(func() error {
		if u.held == 1 {
			if err := window.cells.Invert(); err != nil {
				return err
			}
		}
		if u.window == nil {
			return nil
		}
		from := u.outer(u.bounds()).Intersect(box)
		return window.cells.Adopt(u.window.cells, grid.Rect{X: from.X - u.x, Y: from.Y - u.y, W: from.W, H: from.H}, u.x-x,
			u.y-y)
	})
	if err != nil {
		_ = window.cells.Release()
		return err
	}
	if u.window != nil {
		_ = u.window.cells.Release()
	}
	*u = next
	return nil
}

// find looks where the cells are.
func (u *infinite) find() error {
	if u.boxed {
		return nil
	}
	err := u.window.access(func() error {
		var err error
		u.box, err = u.window.cells.Extent(u.held)
		return err
	})
	u.boxed = err == nil
	return err
}

// outer converts a rectangle of the window to the universe.
func (u *infinite) outer(r grid.Rect) grid.Rect {
	if r.Empty() {
		return grid.Rect{}
	}
	r.X, r.Y = r.X+u.x, r.Y+u.y
	return r
}

// margin is the room around the cells. Their box must be known.
func (u *infinite) margin() uint64 {
	if u.box.Empty() {
		return math.MaxUint64
	}
	least := math.MaxInt
	if w := u.bounds().W; u.cfg.Topology.W == 0 {
		least = min(least, u.box.X, w-u.box.X-u.box.W)
	}
	if h := u.bounds().H; u.cfg.Topology.H == 0 {
		least = min(least, u.box.Y, h-u.box.Y-u.box.H)
	}
	return uint64(least / u.reach)
}

// makeRoom makes sure that the cells can be advanced.
func (u *infinite) makeRoom() error {
	if err := u.find(); err != nil {
		return err
	}
	if u.margin() < uint64(u.generations()/leastShare) {
		if err := u.move(u.outer(u.box)); err != nil {
			return err
		}
		if err := u.find(); err != nil {
			return err
		}
	}
	u.room = u.margin()
	return nil
}

// Step implements sim.Engine.
func (u *infinite) Step(ctx context.Context, n uint64) (done uint64, err error) {
	if n == 0 {
		return 0, nil
	}
	if err := u.turnOver(); err != nil {
		return 0, err
	}
	for done < n {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		if u.room == 0 {
			if err := u.makeRoom(); err != nil {
				return done, err
			}
		}
		u.window.SetGeneration(u.generation)
		k, err := u.window.Step(ctx, min(n-done, u.room))
		u.boxed = u.boxed && k == 0
		u.room -= k
		u.generation += k
		u.held = u.now()
		done += k
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// Generation implements sim.Engine.
func (u *infinite) Generation() uint64 { return u.generation }

// SetGeneration implements sim.Engine. Cells keep their difference from the background. The next step inverts
// them if the background has changed.
func (u *infinite) SetGeneration(g uint64) { u.generation = g }

// turnOver inverts the window if its background is not the present one.
func (u *infinite) turnOver() error {
	if u.held == u.now() {
		return nil
	}
	err := u.window.access(func() error {
		u.window.cells.Forget()
		return u.window.cells.Invert()
	})
	if err == nil {
		u.held = u.now()
	}
	return err
}

// bounds is the window's own rectangle.
func (u *infinite) bounds() grid.Rect { return u.window.cells.Bounds() }

// Population implements sim.Engine.
func (u *infinite) Population() (uint64, error) {
	n, err := u.window.Population()
	if u.held == 1 && err == nil {
		n = uint64(u.bounds().W)*uint64(u.bounds().H) - n
	}
	return n, err
}

// Extent implements grid.Source.
func (u *infinite) Extent() (grid.Rect, error) {
	err := u.find()
	return u.outer(u.box), err
}

// Planes implements grid.Source.
func (u *infinite) Planes() int { return u.window.Planes() }

// ReadRow implements grid.Source.
func (u *infinite) ReadRow(dst []uint64, plane, x, y, n int) error {
	err := u.window.ReadRow(dst, plane, x-u.x, y-u.y, n)
	if u.held == 1 && plane == 0 {
		invertWithin(dst, grid.Rect{X: x - u.x, Y: y - u.y, W: n, H: 1}, u.bounds())
	}
	return err
}

// invertWithin inverts the bits of a row's segment that lie in the bounds.
func invertWithin(bits []uint64, segment, bounds grid.Rect) {
	in := segment.Intersect(bounds)
	for i := in.X - segment.X; i < in.X-segment.X+in.W; {
		n := min(64-i&63, in.X-segment.X+in.W-i)
		bits[i>>6] ^= ^uint64(0) >> (64 - n) << (i & 63)
		i += n
	}
}

// WriteRow implements grid.Sink.
func (u *infinite) WriteRow(src []uint64, plane, x, y, n int) error {
	if n <= 0 {
		return nil
	}
	src = src[:(n+63)/64]
	first, end := grid.BitSpan(src)
	segment := u.sides().Intersect(grid.Rect{X: x + first, Y: y, W: min(end, n) - first, H: 1})
	if whole := u.outer(u.bounds()); !segment.Empty() && whole.Intersect(segment) != segment {
		err := u.find()
		if err == nil {
			err = u.move(u.outer(u.box).Union(segment))
		}
		if err != nil {
			return err
		}
	}
	u.room, u.boxed = 0, false
	if u.held == 1 && plane == 0 {
		src = slices.Clone(src)
		for i := range src {
			src[i] = ^src[i]
		}
	}
	return u.window.WriteRow(src, plane, x-u.x, y-u.y, n)
}

// sides is the part of the plane between the edges.
func (u *infinite) sides() grid.Rect {
	const half = math.MaxInt / 4
	r := grid.Rect{X: -half, Y: -half, W: 2 * half, H: 2 * half}
	if w := u.cfg.Topology.W; w > 0 {
		r.X, r.W = 0, w
	}
	if h := u.cfg.Topology.H; h > 0 {
		r.Y, r.H = 0, h
	}
	return r
}

// Info implements sim.Engine.
func (u *infinite) Info() sim.Info {
	info := u.window.Info()
	info.Background = u.now()
	return info
}

// Close implements sim.Engine.
func (u *infinite) Close() error { return u.window.Close() }
