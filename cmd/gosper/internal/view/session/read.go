package session

import (
	"context"
	"errors"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/cells"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/far"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/sim"
)

// reader copies the universe and the measurements of it.
type reader struct {
	mail *mailbox
	u    *universe
}

// Read calls f with the present cells and the metadata for a pattern file. The universe does not change
// meanwhile. If its background is alive, Read refuses; ReadHeld does not.
func (r *reader) Read(ctx context.Context, f func(cells grid.Source, meta pattern.Meta) error) error {
	return r.ReadHeld(ctx, func(cells grid.Source, meta pattern.Meta) error {
		if r.u.background() != 0 {
			return errors.New("the background is alive: step to a generation where it is dead")
		}
		return f(cells, meta)
	})
}

// ReadHeld is Read for files that imply a living background by their rule and generation
// (pattern.Format.HoldsBackground). State 0 and that of the background are exchanged in the cells.
func (r *reader) ReadHeld(ctx context.Context, f func(cells grid.Source, meta pattern.Meta) error) error {
	return r.mail.order(ctx, func() error {
		if r.u.loads == 0 {
			return ErrMaking
		}
		var src grid.Source = r.u.engine
		cfg := r.u.config
		if _, isTree := src.(grid.Quadtree); !isTree && !cfg.Topology.Bounded() {
			tiles, err := grid.TilesOf(ctx, r.u.engine)
			if err != nil {
				return err
			}
			src = tiles
		}
		meta := r.u.meta()
		meta.X, meta.Y = pattern.Corner(cfg.Topology)
		meta.HasPosition, meta.States = true, cfg.Rule.States
		meta.Rule, meta.Generation = cfg.Rule.String()+cfg.Topology.Suffix(), r.u.engine.Generation()
		return f(src, meta)
	}, true)
}

// Keep lets f read the cells as the engine has them, to keep them. from has all of an origin but Load. The
// universe does not change meanwhile.
func (r *reader) Keep(ctx context.Context, f func(cells grid.Source, from Origin) error) error {
	return r.mail.do(ctx, func() error {
		if r.u.loads == 0 {
			return ErrMaking
		}
		return f(r.u.engine, Origin{
			Config: r.u.config, Generation: r.u.engine.Generation(), Meta: r.u.meta(),
			Soup: r.u.origin.Soup, Edited: r.u.edited, Universe: r.u.name(),
		})
	})
}

// Places lists where the universe was active when that was measured last, the most active first, and the
// generation of that.
func (r *reader) Places(ctx context.Context) (places []far.Place, generation uint64, err error) {
	err = r.mail.look(ctx, func() { places, generation = r.u.probe.Far.Places(), r.u.probe.Far.Generation() })
	return places, generation, err
}

// Series returns the population and activity so far: few samples, evenly spread over the generations since the
// universe was loaded.
func (r *reader) Series(ctx context.Context) (samples []Sample, err error) {
	err = r.mail.look(ctx, func() { samples = r.u.series.All() })
	return samples, err
}

// Copy returns a separate engine with the present universe, to look at its future. The caller closes it.
func (r *reader) Copy(ctx context.Context) (sim.Engine, sim.Config, error) {
	var from *snapshot
	var open Opener
	if err := r.mail.do(ctx, func() error {
		if r.u.loads == 0 {
			return ErrMaking
		}
		if from, open = r.u.snapshot(), r.u.open; from == nil {
			return errors.New("the universe is too large to be copied")
		}
		return nil
	}); err != nil {
		return nil, sim.Config{}, err
	}
	e, err := open(ctx, from.config)
	if err != nil {
		return nil, sim.Config{}, err
	}
	if err := cells.Copy(ctx, e, from.cells, func(_, _ uint64) {}); err != nil {
		return nil, sim.Config{}, errors.Join(err, e.Close())
	}
	e.SetGeneration(from.generation)
	return e, from.config, nil
}

// Cells returns a copy of an area. Cells beyond the universe are dead.
func (r *reader) Cells(ctx context.Context, area grid.Rect) (*grid.Grid, error) {
	g, empty, err := r.Apart(ctx, area)
	if err == nil {
		cells.Exchange(g, empty)
	}
	return g, err
}

// Apart is Cells with state 0 and that of the background, empty, exchanged: the cells that differ from the
// background are those that are not 0.
func (r *reader) Apart(ctx context.Context, area grid.Rect) (apart *grid.Grid, empty uint8, err error) {
	if err := checkArea(area); err != nil {
		return nil, 0, err
	}
	err = r.mail.do(ctx, func() error {
		if err := r.u.editable(0); err != nil {
			return err
		}
		empty = r.u.background()
		apart, err = r.u.read(area)
		return err
	})
	return apart, empty, err
}

// Shrink returns the smallest area that has all cells of an area that differ from the background. It is empty without
// live cells.
func (r *reader) Shrink(ctx context.Context, area grid.Rect) (grid.Rect, error) {
	g, _, err := r.Apart(ctx, area)
	if err != nil {
		return grid.Rect{}, err
	}
	box := g.BoundingBox()
	return grid.Rect{X: area.X + box.X, Y: area.Y + box.Y, W: box.W, H: box.H}, nil
}
