package session

import (
	"cmp"
	"context"
	"errors"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/cells"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/run"
	"github.com/gosper-life/gosper/topology"
)

const (
	// rivalMemory is the most bytes of the cells of a rival.
	rivalMemory = 256 << 20
	// mostRelieved is the most squares of 64×64 cells that are handed back to an engine of the session's own.
	mostRelieved = 1 << 16
)

// startRace lets a rival race to the target. There is none if the universe has edges, if somebody has chosen its
// engine, or if that leaps itself.
func (s *Session) startRace() {
	s.endRace()
	cfg := s.config
	if s.terms.Rival == nil || s.target == sim.Forever || cmp.Or(s.chosen, sim.Auto) != sim.Auto || s.info.Leaps ||
		len(s.info.GPUs) > 0 || cfg.Topology.Kind != topology.Unbounded {
		return
	}
	cfg.Memory = min(cmp.Or(cfg.Memory, rivalMemory), rivalMemory)
	s.rival = run.NewRival(func(ctx context.Context) (sim.Engine, error) { return s.terms.Rival(ctx, cfg) })
}

// endRace drops the rival.
func (s *Session) endRace() {
	if s.rival != nil {
		s.rival.Close()
		s.rival = nil
	}
}

// relieve replaces a rival that has won by an engine of the session's own with its cells. If these are too many, the
// rival stays.
func (s *Session) relieve(won sim.Engine) {
	s.engine, s.info, s.tuner, s.rival = won, won.Info(), run.Tuner{}, nil
	own, err := s.handBack(won)
	if err != nil {
		return
	}
	s.engine, s.info = own, own.Info()
	if err := won.Close(); err != nil {
		s.fail(err)
	}
}

// handBack opens an engine of the session's own with the cells of another one.
func (s *Session) handBack(from sim.Engine) (sim.Engine, error) {
	tree, ok := from.(grid.Quadtree)
	if !ok {
		return nil, errors.New("the cells are no tree")
	}
	parts, err := cells.OfTree(tree, mostRelieved)
	if err != nil {
		return nil, err
	}
	e, err := s.open(s.ctx, s.config)
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		if err := grid.Copy(e, from, part, part.X, part.Y); err != nil {
			return nil, errors.Join(err, e.Close())
		}
	}
	e.SetGeneration(from.Generation())
	return e, nil
}
