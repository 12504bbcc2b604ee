package session

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/run"
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

// replace makes a universe in place of the present one, which keeps running meanwhile. Only one is made at a time.
func (s *Session) replace(ctx context.Context, plan func() (*design, error)) error {
	select {
	case s.making <- struct{}{}:
	case <-s.ended:
		return ErrClosed
	default:
		return ErrMaking
	}
	s.progress(&Progress{})
	defer s.made()
	return s.remake(ctx, plan)
}

// made gives the making token back and says so in the status, both at once: a client that reads in the status that
// nothing is being loaded can load.
func (s *Session) made() {
	s.amend(func(st *Status) {
		st.Loading = nil
		<-s.making // never waits, because the caller holds the token
	})
}

// remake is replace for callers that hold the making token. The goroutine of loop calls plan. Everything that
// may take long runs in the caller's goroutine.
func (s *Session) remake(ctx context.Context, plan func() (*design, error)) (err error) {
	defer func() {
		if err != nil && s.ctx.Err() != nil {
			err = ErrClosed
		}
	}()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	var d *design
	if err = s.do(ctx, func() (err error) {
		if d, err = plan(); err == nil && d.hold {
			s.held, s.playing = true, false
		}
		return err
	}); err != nil {
		return err
	}
	if d.hold {
		// If the session has ended, this is not needed.
		defer s.set(context.WithoutCancel(ctx), func() { s.held = false })
	}
	open := s.open
	if d.open != nil {
		open = d.open
	}
	e, err := open(ctx, d.from.Config)
	if err != nil {
		return err
	}
	if err := d.from.Load(ctx, e, s.reporter()); err != nil {
		return errors.Join(err, e.Close())
	}
	e.SetGeneration(d.from.Generation)
	var old sim.Engine
	var freed uint64
	if err := s.set(ctx, func() {
		before := s.snapshot()
		old, freed = s.engine, s.info.Bytes+s.origin.Bytes
		s.take(e, d.from)
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
func (s *Session) reporter() func(done, total uint64) {
	var last time.Time
	return func(done, total uint64) {
		if now := time.Now(); now.Sub(last) >= progressEvery {
			last = now
			s.progress(&Progress{done, total})
		}
	}
}

const progressEvery = time.Second / 10

// take makes a loaded engine the session's universe, and pauses.
func (s *Session) take(e sim.Engine, from Origin) {
	s.engine, s.info, s.config = e, e.Info(), from.Config
	s.playing, s.unkept, s.failure = false, false, ""
	s.tuner = run.Tuner{}
	s.counted = counted{}
	s.probe = newProbe()
	s.timeline.next = time.Time{}
}

// fresh returns the design of a universe that does not depend on the present one.
func (s *Session) fresh(from Origin) *design {
	return &design{from: from, taken: func(*snapshot) {
		first := cmp.Or(from.First, &from)
		first.Universe = from.Universe
		s.begins(first)
		s.base, s.edited = nil, from.Edited
		s.series, s.timeline = series{}, timeline{}
		s.loads++
		s.loaded = s.loads
	}}
}

// begins records what the universe started from.
func (s *Session) begins(from *Origin) { s.origin, s.history.present = from, from }

// changeable reports whether the universe may change: it is loaded, and no other universe is being made from it.
func (s *Session) changeable() bool { return !s.held && s.loads > 0 }
