package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/cells"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
)

// design describes a universe that will replace the present one.
type design struct {
	from Origin
	open Opener // of the engine; nil means that of the session
	hold bool   // the new universe is made from the present one, which must not change meanwhile
	// taken is called by the goroutine of loop when the new universe is in place. before is the replaced one; it
	// is nil if that was too large to keep.
	taken func(before *snapshot)
}

// maker makes universes in place of the present one.
type maker struct {
	mail   *mailbox
	board  *board
	u      *universe
	past   *history
	making chan struct{} // holds a token while a universe is being made: one at a time
}

// replace makes a universe in place of the present one, which keeps running meanwhile. Only one is made at a time.
func (m *maker) replace(ctx context.Context, plan func() (*design, error)) error {
	select {
	case m.making <- struct{}{}:
	case <-m.mail.ended:
		return ErrClosed
	default:
		return ErrMaking
	}
	m.board.progress(&Progress{})
	defer m.made()
	return m.remake(ctx, plan)
}

// made gives the making token back and says so in the status, both at once: a client that reads in the status that
// nothing is being loaded can load.
func (m *maker) made() {
	m.board.amend(func(st *Status) {
		st.Loading = nil
		<-m.making // never waits, because the caller holds the token
	})
}

// remake is replace for callers that hold the making token. The goroutine of loop calls plan. Everything that
// may take long runs in the caller's goroutine.
func (m *maker) remake(ctx context.Context, plan func() (*design, error)) (err error) {
	defer func() {
		if err != nil && m.u.ctx.Err() != nil {
			err = ErrClosed
		}
	}()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(m.u.ctx, cancel)()
	var d *design
	if err = m.mail.do(ctx, func() (err error) {
		if d, err = plan(); err == nil && d.hold {
			m.u.held, m.u.playing = true, false
		}
		return err
	}); err != nil {
		return err
	}
	if d.hold {
		// If the session has ended, this is not needed.
		defer m.mail.set(context.WithoutCancel(ctx), func() { m.u.held = false })
	}
	open := m.u.open
	if d.open != nil {
		open = d.open
	}
	e, err := open(ctx, d.from.Config)
	if err != nil {
		return err
	}
	if err := d.from.Load(ctx, e, m.reporter()); err != nil {
		return errors.Join(err, e.Close())
	}
	e.SetGeneration(d.from.Generation)
	var old sim.Engine
	var freed uint64
	if err := m.mail.set(ctx, func() {
		before := m.u.snapshot()
		old, freed = m.u.engine, m.u.info.Bytes+m.u.origin.Bytes
		m.u.take(e, d.from)
		d.taken(before)
	}); err != nil {
		return errors.Join(err, e.Close())
	}
	err = old.Close()
	old = nil
	if freed+d.from.Bytes > worthFreeing {
		// without this, the process keeps the memory for minutes, or forever if nothing more is allocated
		debug.FreeOSMemory()
	}
	return err
}

// worthFreeing is the number of bytes from which memory is returned to the system at once.
const worthFreeing = 32 << 20

// reporter returns a function that posts the progress of a Load, at limited intervals.
func (m *maker) reporter() func(done, total uint64) {
	var last time.Time
	return func(done, total uint64) {
		if now := time.Now(); now.Sub(last) >= progressEvery {
			last = now
			m.board.progress(&Progress{done, total})
		}
	}
}

const progressEvery = time.Second / 10

// fresh returns the design of a universe that does not depend on the present one.
func (m *maker) fresh(from Origin) *design {
	return &design{from: from, taken: func(*snapshot) {
		first := cmp.Or(from.First, &from)
		first.Universe = from.Universe
		m.u.origin = first
		m.u.base, m.u.edited = nil, from.Edited
		m.u.series, m.u.timeline = series{}, timeline{}
		m.u.loads++
		m.u.loaded = m.u.loads
	}}
}

// Load replaces the universe by another one and pauses. The present one keeps running until the other one is loaded.
func (m *maker) Load(ctx context.Context, from Origin) error {
	return m.replace(ctx, func() (*design, error) {
		d := m.fresh(from)
		fresh := d.taken
		d.taken = func(before *snapshot) {
			fresh(before)
			m.past.remember(personOf(ctx), before)
		}
		return d, nil
	})
}

// Reset goes back to the start: what was loaded, or what had been drawn before the first generation.
func (m *maker) Reset(ctx context.Context) error {
	return m.replace(ctx, func() (*design, error) { return m.toStart(ctx) })
}

// toStart returns the design of the start.
func (m *maker) toStart(ctx context.Context) (*design, error) {
	if !m.u.changeable() {
		return nil, ErrMaking
	}
	if base := m.u.base; base != nil {
		series, timeline := m.u.series.Copy(), m.u.timeline
		return m.again(base, func(before *snapshot) {
			m.u.base, m.u.series, m.u.timeline = base, series, timeline
			m.u.rewound(base.generation)
			m.past.remember(personOf(ctx), before)
		}), nil
	}
	return &design{from: *m.u.origin, taken: func(before *snapshot) {
		if m.u.edited { // another future
			m.u.series, m.u.timeline = series{}, timeline{}
		}
		m.u.edited = m.u.origin.Edited
		m.past.remember(personOf(ctx), before)
	}}, nil
}

// back goes back to a generation, or to an earlier one from which it can be reached. Undo takes it back together with
// the run from there.
func (m *maker) back(ctx context.Context, generation uint64) error {
	return m.replace(ctx, func() (d *design, err error) {
		if !m.u.changeable() {
			return nil, ErrMaking
		}
		if d = m.goTo(ctx, generation); d == nil {
			d, err = m.toStart(ctx)
		}
		if err != nil {
			return nil, err
		}
		taken := d.taken
		d.taken = func(before *snapshot) {
			taken(before)
			if h := m.past; len(h.undo) > 0 && h.undo[len(h.undo)-1].by == personOf(ctx) {
				h.undo[len(h.undo)-1].run = true
			}
		}
		return d, nil
	})
}

// SetRule changes the rule. The cells stay. Cells whose state the new rule does not have get its highest state.
// A bounded-grid suffix changes the topology as well: cells keep their place in the coordinates of pattern
// files, and cells outside are dropped. If the new rule has another background at this generation (B0 rules),
// cells that differ from the old one differ from that.
func (m *maker) SetRule(ctx context.Context, text string) error {
	r, suffix, err := rule.ParseApart(text)
	if err != nil {
		return err
	}
	return m.replace(ctx, func() (*design, error) {
		if !m.u.changeable() {
			return nil, ErrMaking
		}
		old := m.u.config
		next := Origin{Config: old, Generation: m.u.engine.Generation()}
		next.Config.Rule = r
		if suffix != nil {
			next.Config.Topology = *suffix
		}
		if to := next.Config.Topology; to.Volume() != old.Topology.Volume() {
			return nil, fmt.Errorf(
				"the universe has %s cells, and a rule does not change the number of dimensions: fill another universe",
				old.Topology.Size())
		}
		x0, y0 := pattern.Corner(old.Topology)
		x1, y1 := pattern.Corner(next.Config.Topology)
		var err error
		if next.Load, err = m.present(x0-x1, y0-y1, func(g grid.Source) grid.Source {
			return cells.AtMost(g, uint8(r.States-1), old.Rule.States)
		}); err != nil {
			return nil, err
		}
		return &design{from: next, hold: true, taken: func(before *snapshot) {
			m.u.changed()
			m.u.timeline = timeline{} // its copies are under the old rule
			m.past.remember(personOf(ctx), before)
		}}, nil
	})
}

// copyOf copies a part of the universe, which must not change meanwhile. The copy is made by the goroutine of loop.
func (m *maker) copyOf(ctx context.Context, part grid.Rect, planes int) (*grid.Grid, error) {
	g, err := grid.New(part.W, part.H, planes)
	if err != nil {
		return nil, err
	}
	return g, m.mail.do(ctx, func() error { return grid.Copy(g, m.u.engine, part, 0, 0) })
}

// again returns the design of a snapshot's universe.
func (m *maker) again(snap *snapshot, taken func(before *snapshot)) *design {
	return &design{
		from: Origin{
			Config: snap.config, Generation: snap.generation,
			Load: func(ctx context.Context, e sim.Engine, progress func(done, total uint64)) error {
				return cells.Copy(ctx, e, snap.cells, progress)
			},
		},
		hold: true,
		taken: func(before *snapshot) {
			m.u.origin = snap.origin
			m.u.base, m.u.edited, m.u.loaded, m.u.series, m.u.timeline = snap.base, snap.edited, snap.loaded, snap.series.Copy(),
				timeline{}
			taken(before)
		},
	}
}

// present returns a function that loads the cells of the present universe, moved by (dx, dy) and seen through a
// filter, into another one. It is called by the goroutine of loop, and the universe must not change until the
// other one is loaded.
func (m *maker) present(dx, dy int, through func(g grid.Source) grid.Source) (
	func(ctx context.Context, e sim.Engine, progress func(done, total uint64)) error, error,
) {
	planes := m.u.engine.Planes()
	occupied, err := grid.Occupied(m.u.engine)
	if err != nil {
		return nil, err
	}
	parts := cells.Pieces(occupied, planes)
	return func(ctx context.Context, e sim.Engine, progress func(done, total uint64)) error {
		for i, part := range parts {
			g, err := m.copyOf(ctx, part, planes)
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

// goTo returns the design of the latest copy that is not after a generation; nil if the universe has to start
// again. Undo goes back to where the universe was before the person began to run it.
func (m *maker) goTo(ctx context.Context, generation uint64) *design {
	at, _ := m.u.timeline.find(generation)
	if at < 0 {
		return nil
	}
	c := m.u.timeline.copies[at]
	return &design{
		from: Origin{
			Config: m.u.config, Generation: c.generation,
			Load: func(ctx context.Context, e sim.Engine, progress func(done, total uint64)) error {
				return cells.Copy(ctx, e, c.cells, progress)
			},
		},
		hold: true,
		taken: func(before *snapshot) {
			m.u.rewound(c.generation)
			by := personOf(ctx)
			if h := m.past; !h.runs(by) || h.undo[len(h.undo)-1].whole.generation > c.generation {
				m.past.remember(by, before)
			}
		},
	}
}
