package session

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/gosper-life/gosper/sim"
)

// design is a universe to be made in place of the present one.
type design struct {
	from Origin
	hold bool // this universe is made of the present one, which must not change meanwhile
	// taken is called by the goroutine of loop when the universe is there, with the one before as it was; nil: that is too large to be kept.
	taken func(before *snapshot)
}

// replace makes a universe in place of the present one, which goes on meanwhile. Only one is made at a time.
func (s *Session) replace(ctx context.Context, plan func() (*design, error)) error {
	select {
	case s.making <- struct{}{}:
	case <-s.ended:
		return ErrClosed
	default:
		return ErrMaking
	}
	defer func() { <-s.making }()
	s.notice.progress(&Progress{})
	defer s.notice.progress(nil)
	return s.remake(ctx, plan)
}

// remake is replace for callers that hold the token of making. The goroutine of loop calls plan. Everything that may take long happens in the
// caller's goroutine.
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
		// An ended session needs no more.
		defer s.do(context.WithoutCancel(ctx), func() error { s.held = false; return nil })
	}
	e, err := s.open(ctx, d.from.Config)
	if err != nil {
		return err
	}
	if err := d.from.Load(ctx, e, s.reporter()); err != nil {
		return errors.Join(err, e.Close())
	}
	e.SetGeneration(d.from.Generation)
	var old sim.Engine
	var freed uint64
	if err := s.do(ctx, func() error {
		before := s.snapshot()
		old, freed = s.engine, s.info.Bytes+s.origin.Bytes
		s.take(e, d.from)
		d.taken(before)
		return nil
	}); err != nil {
		return errors.Join(err, e.Close())
	}
	err = old.Close()
	old = nil
	if freed+d.from.Bytes > worthFreeing {
		debug.FreeOSMemory() // else the process keeps the memory for minutes, or for ever if nothing more is allocated
	}
	return err
}

// worthFreeing is how many bytes are given back to the system at once.
const worthFreeing = 32 << 20

// reporter posts the progress of a Load, not too often.
func (s *Session) reporter() func(done, total uint64) {
	var last time.Time
	return func(done, total uint64) {
		if now := time.Now(); now.Sub(last) >= progressEvery {
			last = now
			s.notice.progress(&Progress{done, total})
		}
	}
}

const progressEvery = time.Second / 10

// take makes an engine that was loaded from an origin the universe, and pauses.
func (s *Session) take(e sim.Engine, from Origin) {
	s.engine, s.info, s.config = e, e.Info(), from.Config
	s.playing, s.unkept, s.failure = false, false, ""
	s.tuner = sim.Tuner{}
	s.counted = counted{}
	s.probe = probe{activity: -1}
	s.series.cut(from.Generation)
}

// fresh is the design of a universe that has nothing to do with the one before.
func (s *Session) fresh(from Origin) *design {
	return &design{from: from, taken: func(*snapshot) {
		s.begins(&from)
		s.base, s.edited = nil, false
		s.series = series{}
		s.loads++
		s.loaded = s.loads
	}}
}

// begins says what the universe started from.
func (s *Session) begins(from *Origin) { s.origin, s.history.present = from, from }

// changeable reports whether the universe may change: it is there, and none is being made of it.
func (s *Session) changeable() bool { return !s.held && s.loads > 0 }
