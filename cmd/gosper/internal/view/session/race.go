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

// startRace lets a rival race to a target. There is none if the universe has edges, if somebody has chosen its
// engine, or if that leaps itself.
func (u *universe) startRace(target uint64) {
	u.endRace()
	cfg := u.config
	if u.terms.Rival == nil || target == sim.Forever || cmp.Or(u.chosen, sim.Auto) != sim.Auto || u.info.Leaps ||
		len(u.info.GPUs) > 0 || cfg.Topology.Kind != topology.Unbounded {
		return
	}
	cfg.Memory = min(cmp.Or(cfg.Memory, rivalMemory), rivalMemory)
	u.rival = run.NewRival(func(ctx context.Context) (sim.Engine, error) { return u.terms.Rival(ctx, cfg) })
}

// endRace drops the rival.
func (u *universe) endRace() {
	if u.rival != nil {
		u.rival.Close()
		u.rival = nil
	}
}

// relieve replaces a rival that has won by an engine of the session's own with its cells. If these are too many, the
// rival stays.
func (u *universe) relieve(won sim.Engine) {
	u.engine, u.info, u.tuner, u.rival = won, won.Info(), run.Tuner{}, nil
	own, err := u.handBack(won)
	if err != nil {
		return
	}
	u.engine, u.info = own, own.Info()
	if err := won.Close(); err != nil {
		u.fail(err)
	}
}

// handBack opens an engine of the session's own with the cells of another one.
func (u *universe) handBack(from sim.Engine) (sim.Engine, error) {
	tree, ok := from.(grid.Quadtree)
	if !ok {
		return nil, errors.New("the cells are no tree")
	}
	parts, err := cells.OfTree(tree, mostRelieved)
	if err != nil {
		return nil, err
	}
	e, err := u.open(u.ctx, u.config)
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
