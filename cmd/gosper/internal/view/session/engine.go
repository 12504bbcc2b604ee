package session

import (
	"context"
	"errors"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/cells"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
)

// SetEngine lets another engine run the universe, and all that are loaded from now on. name is what
// Status.Chosen says then. The cells, the generation and the history stay, and a universe that plays goes on.
func (s *Session) SetEngine(ctx context.Context, name string, open Opener) error {
	playing, target := false, uint64(0)
	err := s.replace(ctx, func() (*design, error) {
		if !s.changeable() {
			return nil, ErrMaking
		}
		playing, target = s.playing, s.target
		load, err := s.present(0, 0, func(g grid.Source) grid.Source { return g })
		if err != nil {
			return nil, err
		}
		from := Origin{Config: s.config, Generation: s.engine.Generation(), Load: load}
		from.Config.Plan = "" // plans are those of one engine
		return &design{from: from, open: open, hold: true, taken: func(*snapshot) { s.open, s.chosen = open, name }}, nil
	})
	if playing {
		err = errors.Join(err, s.do(ctx, func() error { return s.run(ctx, target) }))
	}
	return err
}

// present returns a function that loads the cells of the present universe, moved by (dx, dy) and seen through a
// filter, into another one. It is called by the goroutine of loop, and the universe must not change until the
// other one is loaded.
func (s *Session) present(dx, dy int, through func(g grid.Source) grid.Source) (
	func(ctx context.Context, e sim.Engine, progress func(done, total uint64)) error, error,
) {
	planes := s.engine.Planes()
	occupied, err := grid.Occupied(s.engine)
	if err != nil {
		return nil, err
	}
	parts := cells.Pieces(occupied, planes)
	return func(ctx context.Context, e sim.Engine, progress func(done, total uint64)) error {
		for i, part := range parts {
			g, err := s.copyOf(ctx, part, planes)
			if err != nil {
				return err
			}
			if err := grid.Copy(e, through(g), g.Bounds(), part.X+dx, part.Y+dy); err != nil {
				return err
			}
			progress(uint64(i+1), uint64(len(parts)))
		}
		return nil
	}, nil
}

// Copy returns an engine of its own with the present universe, to look at its future. The caller closes it.
func (s *Session) Copy(ctx context.Context) (sim.Engine, sim.Config, error) {
	var from *snapshot
	var open Opener
	if err := s.do(ctx, func() error {
		if s.loads == 0 {
			return ErrMaking
		}
		if from, open = s.snapshot(), s.open; from == nil {
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
