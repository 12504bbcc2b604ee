package cpu

import (
	"context"
	"errors"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cpu/internal/bands"
	"github.com/gosper-life/gosper/sim/cpu/internal/plan"
	"github.com/gosper-life/gosper/sim/cpu/internal/tiles"
)

// adaptive advances a torus in bands while much of it changes, and in tiles once most of it has settled. A pass over bands costs the same for all
// cells. A block of tiles that changes costs about ten times as much as its cells do in bands. A block that does not change costs nothing.
type adaptive struct {
	*bands.Engine
	tiles  *tiles.Engine                 // holds the cells if it is not nil
	open   func() (*tiles.Engine, error) // makes an empty one; after an error or nil it is not called again
	wait   uint64                        // generations from one look at how much changes to the next
	limit  uint64                        // the most that wait may become by doubling
	since  uint64                        // generations since the last look
	work   uint64                        // blocks computed since
	blocks float64                       // of the torus
}

const (
	firstWait  = 96      // generations: a look costs about as much as ten of them
	usualWait  = 960     // if much changes
	longWait   = 1 << 20 // if tiles have repeatedly not paid
	leastCells = 1 << 20 // with fewer cells, changing over is not worth it
	quietShare = 1.0 / 16
	busyShare  = 1.0 / 8
)

// adapt returns the engine e, or one that may change over from it to tiles as the plan says.
func adapt(e *bands.Engine, cfg sim.Config, rules []*compile.Compiled, chosen plan.Plan) sim.Engine {
	cells := cfg.Topology.W * cfg.Topology.H
	if cells < leastCells || chosen.Valid(cfg.Rule, cfg.Topology) != nil {
		return e
	}
	return &adaptive{Engine: e, wait: firstWait, limit: usualWait, blocks: float64(cells) / 1024, open: func() (*tiles.Engine, error) {
		t, err := tiles.New(cfg.Rule, rules, cfg.Topology, chosen)
		if err != nil || !t.Quick() {
			return nil, err
		}
		return t, nil
	}}
}

// Step implements sim.Engine.
func (a *adaptive) Step(ctx context.Context, n uint64) (done uint64, err error) {
	for done < n && err == nil {
		var k uint64
		switch {
		case a.tiles != nil && n-done < uint64(a.tiles.Depth()):
			// A shorter pass says nothing about the next long one, so both would compute every block with cells.
			err = a.leave()
		case a.tiles != nil:
			k, err = a.stepTiles(ctx)
		case a.open == nil:
			k, err = a.Engine.Step(ctx, n-done)
		case a.since >= a.wait && n-done >= lookDepth:
			k, err = a.look(ctx)
		default:
			k = min(n-done, max(lookDepth, a.wait-min(a.wait, a.since)))
			k += (n - done - k) % lookDepth // leave whole passes for the tiles
			k, err = a.Engine.Step(ctx, k)
			a.since += k
		}
		done += k
	}
	return done, err
}

// stepTiles advances the tiles by a pass. It goes back to bands if too much is computed.
func (a *adaptive) stepTiles(ctx context.Context) (done uint64, err error) {
	depth := uint64(a.tiles.Depth())
	done, err = a.tiles.Step(ctx, depth)
	a.SetGeneration(a.Generation() + done)
	a.since += done
	a.work += uint64(a.tiles.Computed())
	if err != nil && ctx.Err() == nil { // no memory
		a.open = nil
		return done, a.leave()
	}
	if a.since >= 16*depth {
		if float64(a.work*depth) > busyShare*float64(a.since)*a.blocks {
			err = errors.Join(err, a.leave())
		}
		a.since, a.work = 0, 0
	}
	return done, err
}

// leave goes back to bands. The next look comes later than after the last time.
func (a *adaptive) leave() error {
	if err := grid.Copy(a.Engine, a.tiles, a.Bounds(), 0, 0); err != nil {
		return err
	}
	a.tiles, a.since = nil, 0
	a.limit = min(2*a.limit, longWait)
	a.wait = a.limit
	return nil
}

const lookDepth = 6

// look advances the bands by as many generations as a pass of tiles takes. It counts the blocks of a sample in which the lowest plane changes.
// If these are few it changes over to tiles.
func (a *adaptive) look(ctx context.Context) (done uint64, err error) {
	const places = 8
	area := a.Bounds()
	words := (area.W + 63) / 64
	before, after := make([]uint64, places*32*words), make([]uint64, places*32*words)
	sample := func(into []uint64) error {
		for i := range places * 32 {
			y := min(i/32*area.H/places&^31+i%32, area.H-1)
			if err := a.Engine.ReadRow(into[i*words:(i+1)*words], 0, 0, y, area.W); err != nil {
				return err
			}
		}
		return nil
	}
	if err := sample(before); err != nil {
		return 0, err
	}
	if done, err = a.Engine.Step(ctx, lookDepth); err != nil {
		return done, err
	}
	if err := sample(after); err != nil {
		return done, err
	}
	a.since = 0
	changed := 0
	for place := range places {
		for w := range words {
			var v uint64
			for y := range 32 {
				i := (place*32+y)*words + w
				v |= before[i] ^ after[i]
			}
			if v&0xFFFFFFFF != 0 {
				changed++
			}
			if v>>32 != 0 {
				changed++
			}
		}
	}
	if float64(changed) > quietShare*float64(2*places*words) {
		a.wait = min(2*a.wait, a.limit)
		return done, nil
	}
	t, err := a.open()
	if err != nil || t == nil {
		a.open = nil
		return done, nil
	}
	if err := grid.Copy(t, a.Engine, a.Bounds(), 0, 0); err != nil {
		return done, err
	}
	t.SetGeneration(a.Generation())
	a.tiles, a.work = t, 0
	return done, nil
}

// SetGeneration implements sim.Engine.
func (a *adaptive) SetGeneration(g uint64) {
	a.Engine.SetGeneration(g)
	if a.tiles != nil {
		a.tiles.SetGeneration(g)
	}
}

// Population implements sim.Engine.
func (a *adaptive) Population() (uint64, error) {
	if a.tiles != nil {
		return a.tiles.Population()
	}
	return a.Engine.Population()
}

// Info implements sim.Engine.
func (a *adaptive) Info() sim.Info {
	info := a.Engine.Info()
	if a.tiles != nil {
		quiet := a.tiles.Info()
		info.Plan, info.Bytes, info.Grain = quiet.Plan, info.Bytes+quiet.Bytes, quiet.Grain
	} else if a.open != nil {
		info.Grain = uint64(plan.CommonMultiple(int(info.Grain), lookDepth))
	}
	return info
}

var _ sim.Counter = (*adaptive)(nil)

// Counts implements sim.Counter. It returns false while the cells are in tiles.
func (a *adaptive) Counts(dst []uint64, area grid.Rect, scale int) (bool, error) {
	return a.Sample(dst, area, scale, 1)
}

// Sample is that of the bands. It returns false while the cells are in tiles.
func (a *adaptive) Sample(dst []uint64, area grid.Rect, scale, step int) (bool, error) {
	if a.tiles != nil {
		return false, nil
	}
	return a.Engine.Sample(dst, area, scale, step)
}

// ReadRow implements grid.Source.
func (a *adaptive) ReadRow(dst []uint64, plane, x, y, n int) error {
	if a.tiles != nil {
		return a.tiles.ReadRow(dst, plane, x, y, n)
	}
	return a.Engine.ReadRow(dst, plane, x, y, n)
}

// WriteRow implements grid.Sink.
func (a *adaptive) WriteRow(src []uint64, plane, x, y, n int) error {
	if a.tiles != nil {
		return a.tiles.WriteRow(src, plane, x, y, n)
	}
	return a.Engine.WriteRow(src, plane, x, y, n)
}
