package worker

import (
	"context"
	"crypto/sha256"
	"encoding/binary"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/run"
	"github.com/gosper-life/gosper/topology"
)

// The worker looks at a universe every run.LookEvery generations until its state is one that it had before (see
// run.Recurrence). Then it finds the transient and the period exactly, by single generations from the last look
// before the cycle.

// horizon is the last generation at which a look is useful. A universe that has settled by the cap, and whose
// period divides 60 or that of a circling glider, repeats by then. If it does not, its transient is censored at
// the cap.
func horizon(w *ensemble.Wanted, t topology.Topology) uint64 {
	a, b := ensemble.LeastCap(t), uint64(run.LookEvery)
	for b != 0 {
		a, b = b, a%b
	}
	last := w.Cap + ensemble.LeastCap(t)/a*run.LookEvery
	return (last + run.LookEvery - 1) / run.LookEvery * run.LookEvery
}

// settling records how one universe reaches its cycle.
type settling struct {
	done, settled     bool
	transient, period uint64

	seen   run.Recurrence
	recent [recentLooks]*grid.Grid // by number of the look, modulo recentLooks
}

// recentLooks is the number of states that are kept. It is enough to go back by one look, and to find periods of one or
// two looks.
const recentLooks = 4

// look records the state of every member that has not settled yet.
func (l *life) look(ctx context.Context) error {
	number := l.generation / run.LookEvery
	for i, u := range l.members {
		s := &u.settling
		if s.done {
			continue
		}
		g, err := l.readOne(&l.now, i)
		if err != nil {
			return err
		}
		hash := stateHash(g)
		earlier, again := s.seen.Look(hash, l.generation)
		switch {
		case again:
			err = l.finder.find(ctx, l.measurement, u, g, earlier/run.LookEvery, number)
		case l.generation+run.LookEvery > horizon(&l.study.Wanted, l.at.Topology):
			*s = settling{done: true, transient: l.wanted().Cap}
		default:
			err = s.remember(g, number)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// remember keeps the state of a look.
func (s *settling) remember(g *grid.Grid, number uint64) error {
	kept := &s.recent[number%recentLooks]
	if *kept == nil {
		var err error
		*kept, err = g.Copy()
		return err
	}
	return grid.Copy(*kept, g, g.Bounds(), 0, 0)
}

// stateHash is the SHA-256 of the cells of a grid. Only grids of one size are compared.
func stateHash(g *grid.Grid) grid.Digest {
	buffer := make([]byte, 0, g.Planes()*g.H()*((g.W()+63)/64)*8)
	for k := range g.Planes() {
		for y := range g.H() {
			for _, word := range g.Row(k, y) {
				buffer = binary.LittleEndian.AppendUint64(buffer, word)
			}
		}
	}
	return sha256.Sum256(buffer)
}

// settler finds transients and periods on an engine of its own, which it makes when it is first needed.
type settler struct {
	engine sim.Engine
	cells  *grid.Grid
}

func (f *settler) close() {
	if f.engine != nil {
		f.engine.Close()
	}
}

// open makes the engine and a grid for its cells. Both serve all universes of the worker.
func (f *settler) open(ctx context.Context, m *measurement) error {
	if f.engine != nil {
		return nil
	}
	var err error
	if f.cells, err = grid.New(m.at.Topology.W, m.at.Topology.H, m.planes); err != nil {
		return err
	}
	// Auto chooses an engine for one small universe, which may differ from the one that runs many.
	if f.engine, err = m.worker.single(ctx, m.at, sim.Auto); err != nil && ctx.Err() == nil {
		f.engine, err = m.worker.single(ctx, m.at, m.worker.Engine)
	}
	return err
}

// find settles a universe whose state g at look second is the one it had at look first, and at no look
// before that. The universe was on its cycle at look first, and not at the look before:
//
//	look          first-1          first            second
//	generation    │ ······· │──────────────────────────│
//	                        └ the cycle begins somewhere between both looks
//
// The period divides the distance of both looks. It is found by single generations from g on. Then the
// universe goes on from look first-1, until a state comes again one period later.
func (f *settler) find(ctx context.Context, m *measurement, u *universe, g *grid.Grid, first, second uint64) error {
	if err := f.open(ctx, m); err != nil {
		return err
	}
	if err := f.load(g); err != nil {
		return err
	}
	period, err := run.Period(ctx, f.engine, (second-first)*run.LookEvery, m.at.Rule.Period(), f.hash)
	if err != nil {
		return err
	}
	var transient uint64
	if first > 0 {
		start := (first - 1) * run.LookEvery
		if err := f.goBack(ctx, m, u, first-1, second); err != nil {
			return err
		}
		steps, err := run.Entry(ctx, f.engine, period, f.hash)
		if err != nil {
			return err
		}
		transient = start + steps
	}
	u.settling = settling{done: true, settled: transient <= m.study.Wanted.Cap, transient: transient, period: period}
	if !u.settling.settled {
		u.settling.transient, u.settling.period = m.study.Wanted.Cap, 0
	}
	return nil
}

func (f *settler) load(g *grid.Grid) error {
	f.engine.SetGeneration(0)
	return grid.Copy(f.engine, g, g.Bounds(), 0, 0)
}

// hash returns the hash of the engine's cells.
func (f *settler) hash() (grid.Digest, error) {
	err := grid.Copy(f.cells, f.engine, f.cells.Bounds(), 0, 0)
	return stateHash(f.cells), err
}

// goBack loads the state of a universe at an earlier look, from memory or by running it again from the start.
func (f *settler) goBack(ctx context.Context, m *measurement, u *universe, look, now uint64) error {
	if now-look < recentLooks {
		return f.load(u.settling.recent[look%recentLooks])
	}
	again := simulatedEngine{engine: f.engine, at: m.at}
	if err := m.start(ctx, &again, []uint64{u.seed}); err != nil {
		return err
	}
	return again.step(ctx, look*run.LookEvery)
}
