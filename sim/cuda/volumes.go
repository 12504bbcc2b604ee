package cuda

import (
	"context"
	"fmt"
	"math"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/batch"
	"github.com/gosper-life/gosper/sim/cuda/internal/bands"
	"github.com/gosper-life/gosper/sim/cuda/internal/cells"
	"github.com/gosper-life/gosper/sim/cuda/internal/multispin"
	"github.com/gosper-life/gosper/sim/cuda/internal/plan"
	"github.com/gosper-life/gosper/topology"
)

// volumeBatch is a batch of volumes. They follow each other in the memory of one engine, whose launches advance all of
// them.
type volumeBatch struct {
	*engine
	t       topology.Topology // of each
	repeats int               // of the cells of a row in a row of the engine
}

// repeated is the torus that is stored for a volume, and how often its rows repeat those of the volume. Rows that would
// fill a half of a word, a quarter or less are repeated until they fill it. Rows of whole words need no halo, and are
// faster in lanes of one word than in others. A rule that depends on the columns only knows whether they are even.
func repeated(t topology.Topology) (topology.Topology, int, error) {
	const word = 32
	if t.Kind != topology.Torus || t.W >= word || word%t.W != 0 {
		return t, 1, nil
	}
	wide, err := topology.NewVolume(t.Kind, word, t.LayerRows(), t.D)
	return wide, word / t.W, err
}

// mostVolumes is the most blocks of a grid in its second direction.
const mostVolumes = 1<<16 - 1

// newVolumes makes a batch of volumes on a device. It refuses what does not fit before it takes any memory.
func newVolumes(dev *gpu.Device, cfg batch.Config) (*volumeBatch, error) {
	t, n := cfg.Topology, cfg.Universes
	refuse := func(why string, args ...any) error {
		return scope.Refuse(fmt.Sprintf("a batch of %d volumes, %v%s", n, cfg.Rule, t.Suffix()), fmt.Sprintf(why, args...))
	}
	if cfg.Rule.Random() {
		return nil, refuse("rules with chance advance one volume at a time")
	}
	if n > mostVolumes || n > bands.MostRows/t.H {
		return nil, refuse("want at most %d", min(mostVolumes, bands.MostRows/t.H))
	}
	wide, repeats, err := repeated(t)
	if err != nil {
		return nil, err
	}
	one := sim.Config{Rule: cfg.Rule, Topology: wide}
	programs := plan.Programs{}
	p, err := programs.Choose(one)
	if err != nil {
		return nil, err
	}
	f, err := programs.Of(one, p)
	if err != nil {
		return nil, err
	}
	layout := p.Layout(f, wide, n*t.H)
	if bytes := uint64(t.H) * uint64(layout.Stride); bytes > math.MaxInt32 {
		return nil, refuse("a volume of %d bytes keeps a GPU busy alone: want less than 2 GiB", bytes)
	}
	var e *engine
	err = dev.Do(func() error {
		free, _, err := dev.FreeMemory()
		if err == nil && 2*layout.Bytes() > free/multispin.MemoryShare {
			err = refuse("they take more than a %dth of the free memory", multispin.MemoryShare)
		}
		return err
	})
	if err == nil {
		e, err = newEngine([]*gpu.Device{dev}, one, n, programs, []cells.Tool{cells.MakeSoup, cells.Population})
	}
	if err != nil {
		return nil, err
	}
	e.cells.Repeat(repeats)
	return &volumeBatch{e, t, repeats}, nil
}

// Fill implements batch.Batch.
func (b *volumeBatch) Fill(ctx context.Context, soups []batch.Soup) error {
	made, err := batch.Soups(soups, b.volumes)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	b.SetGeneration(0)
	return b.access(func() error {
		if err := b.cells.Fill(made...); err != nil {
			return err
		}
		return b.cells.Wait()
	})
}

// rows returns the rows of universe i, which a grid has to fit.
func (b *volumeBatch) rows(i int, g *grid.Grid) (grid.Rect, error) {
	switch {
	case i < 0 || i >= b.volumes:
		return grid.Rect{}, fmt.Errorf("universe %d: want 0 to %d", i, b.volumes-1)
	case g.W() != b.t.W || g.H() != b.t.H:
		return grid.Rect{}, fmt.Errorf("a grid of %d×%d does not fit volumes of %s", g.W(), g.H(), b.t.Size())
	}
	return grid.Rect{Y: i * b.t.H, W: b.t.W, H: b.t.H}, nil
}

// Write implements batch.Batch.
func (b *volumeBatch) Write(i int, g *grid.Grid) error {
	to, err := b.rows(i, g)
	if err != nil {
		return err
	}
	for i := range b.repeats {
		if err := grid.Copy(b.engine, g, g.Bounds(), i*b.t.W, to.Y); err != nil {
			return err
		}
	}
	return nil
}

// Read implements batch.Batch. It is fast for universes in rising order.
func (b *volumeBatch) Read(i int, g *grid.Grid) error {
	from, err := b.rows(i, g)
	if err != nil {
		return err
	}
	return grid.Copy(g, b.engine, from, 0, 0)
}

// Step implements batch.Batch.
func (b *volumeBatch) Step(ctx context.Context, n uint64) error {
	_, err := b.engine.Step(ctx, n)
	return err
}

// Populations implements batch.Batch.
func (b *volumeBatch) Populations(ctx context.Context, dst []uint64) error {
	if len(dst) != b.volumes {
		return fmt.Errorf("a slice of %d populations for %d universes", len(dst), b.volumes)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return b.access(func() error { return b.cells.Populations(dst) })
}

// Clusters implements batch.Batch. The host finds them.
func (b *volumeBatch) Clusters(ctx context.Context, c component.Connectivity, dst *batch.Histograms) error {
	return multispin.LabelOnHost(ctx, b, b.t, b.Planes(), b.volumes, c, dst)
}

// Info implements batch.Batch.
func (b *volumeBatch) Info() sim.Info {
	info := b.engine.Info()
	info.Plan = "volumes," + info.Plan
	return info
}
