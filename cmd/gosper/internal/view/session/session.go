// Package session runs a universe that people look at. It plays, pauses and steps; cells are drawn and taken
// back; any number of viewers attach.
//
// One goroutine owns the engine. Commands are functions that it calls between two steps, so a step should take
// about 10 ms.
//
// Viewers pull. Each asks for its next frame when it is ready for one, in a buffer of its own. A slow viewer
// asks rarely, and one that is gone does not ask. Nothing is queued for either. All frames together take at
// most a sixth of the time of a universe that runs at full rate, so with many viewers each gets fewer frames.
// Counting cells takes at most an eightieth of the time.
//
// Anything that may take long runs outside that goroutine. A universe is made and loaded while the present one
// keeps running. Many cells are drawn a few at a time.
package session

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/far"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/run"
)

// Errors of calls.
var (
	// ErrClosed is returned by all calls after the session is closed.
	ErrClosed = errors.New("the session is closed")
	// ErrMaking is returned by commands that cannot wait until another universe is loaded.
	ErrMaking = errors.New("a universe is being loaded: try again in a moment")
	// ErrNothing is returned by Undo and Redo if there is nothing to undo or redo.
	ErrNothing = errors.New("there is nothing to undo or redo: you have changed nothing, or others have since")
)

// Opener makes an engine for a dead universe: sim.Open with the engine, threads and plan that the user chose.
type Opener func(ctx context.Context, cfg sim.Config) (sim.Engine, error)

// Session is a universe that viewers look at. All methods may be called by any goroutine at any time. They
// return ErrClosed after Close.
type Session struct {
	terms  Terms
	start  string          // tells the session from all others
	open   Opener          // belongs to who holds the token of making
	ctx    context.Context // done: closed
	cancel context.CancelFunc
	jobs   chan job
	shots  chan *shot
	ended  chan struct{}
	notice *board[Status]
	// making holds a token while a universe is being made: one at a time.
	making chan struct{}
	first  chan struct{} // closed when the first universe is loaded or has failed
	failed error         // why the first universe failed
	// closing guards closed, the result of Close.
	closing sync.Once
	closed  error

	// The fields below belong to the goroutine of loop.
	engine   sim.Engine
	config   sim.Config // of the engine
	origin   *Origin
	base     *snapshot // what Reset goes back to; nil means origin
	held     bool      // the universe must not change, because another one is being made from it
	history  history
	timeline timeline
	series   series
	probe    probe
	info     sim.Info // when the engine was opened
	pace     pacer
	tuner    run.Tuner  // of the steps while playing
	rival    *run.Rival // on the way to a target; nil if there is none
	meter    meter
	free     time.Time // when a busy engine may make the next frame
	playing  bool
	target   uint64 // where playing ends; sim.Forever if it does not
	stepping bool   // whether the target is that of Step
	loads    uint64 // how many universes have been loaded
	loaded   uint64 // the number of the present one
	edited   bool   // whether cells were changed since the origin was loaded
	drawings uint64 // number of drawings so far
	unkept   bool   // whether the universe was stepped without a snapshot to go back to
	counted  counted
	failure  string
	chosen   string // the engine that somebody has chosen; empty for that which the session began with
}

// job is a command on its way to the engine's goroutine.
type job struct {
	do    func() error
	quiet bool // it changes nothing
	done  chan<- error
}

// shot is a request for a frame.
type shot struct {
	region scene.Region
	frame  *Frame
	done   chan struct{}
}

// New opens an engine for the origin, loads it, and starts a paused session.
func New(ctx context.Context, open Opener, from Origin) (*Session, error) {
	s := Start(ctx, open, func(context.Context) (Origin, error) { return from, nil })
	if err := s.Ready(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Start starts a session before its first universe is loaded. find says what to load. Until then viewers see an
// empty plane and Status.Loading, and commands that need the universe return ErrMaking. Only Close ends the
// session; ctx does not.
func Start(ctx context.Context, open Opener, find func(ctx context.Context) (Origin, error)) *Session {
	return StartOn(ctx, Terms{}, open, find)
}

// StartOn is Start for a session that is one of several.
func StartOn(ctx context.Context, t Terms, open Opener, find func(ctx context.Context) (Origin, error)) *Session {
	s := &Session{
		start: strconv.FormatUint(rand.Uint64(), 36),
		terms: t.Filled(), history: history{most: t.Filled().History()}, chosen: t.Chosen,
		open: open, jobs: make(chan job), shots: make(chan *shot), ended: make(chan struct{}), notice: newBoard[Status](),
		making: make(chan struct{}, 1), first: make(chan struct{}), target: sim.Forever,
		pace: pacer{Speed: Speed{Step: 1, PerSecond: 30}},
	}
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	s.engine, s.config = newVoid()
	s.begins(&Origin{})
	s.probe = newProbe()
	s.publish()
	s.progress(&Progress{}) // before any viewer can look
	s.making <- struct{}{}
	go s.loop()
	go func() {
		defer close(s.first)
		defer s.made()
		s.failed = s.begin(find)
	}()
	return s
}

// begin makes the first universe.
func (s *Session) begin(find func(ctx context.Context) (Origin, error)) error {
	from, err := find(s.ctx)
	if err != nil {
		return err
	}
	return s.remake(s.ctx, func() (*design, error) { return s.fresh(from), nil })
}

// Ready waits until the first universe is loaded. It returns the error if that fails.
func (s *Session) Ready(ctx context.Context) error {
	select {
	case <-s.first:
		return s.failed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close ends the session and closes its engine. Later calls return the same error as the first.
func (s *Session) Close() error {
	s.closing.Do(func() {
		s.cancel()
		<-s.ended
		s.making <- struct{}{} // wait until nothing is being made, and block later attempts
		s.closed = s.engine.Close()
	})
	return s.closed
}

// do makes the engine's goroutine call f between two steps. Once f has begun, do waits for its end.
func (s *Session) do(ctx context.Context, f func() error) error { return s.order(ctx, f, false) }

// set is do for what cannot fail.
func (s *Session) set(ctx context.Context, f func()) error {
	return s.order(ctx, func() error { f(); return nil }, false)
}

// look is set for what changes nothing: it is no news for viewers, who would all get another frame.
func (s *Session) look(ctx context.Context, f func()) error {
	return s.order(ctx, func() error { f(); return nil }, true)
}

func (s *Session) order(ctx context.Context, f func() error, quiet bool) error {
	done := make(chan error, 1)
	select {
	case s.jobs <- job{f, quiet, done}:
		return <-done
	case <-ctx.Done():
		return ctx.Err()
	case <-s.ended:
		return ErrClosed
	}
}

// Frame waits until the session's version is above after, and then reads a region. If after is 0 it does not
// wait. A viewer passes the version of the frame that it has, so a universe at rest costs nothing. Frame reuses
// the buffers of f, so f must not be read meanwhile.
func (s *Session) Frame(ctx context.Context, r scene.Region, after uint64, f *Frame) error {
	if err := r.Validate(); err != nil {
		return err
	}
	if err := s.news(ctx, after); err != nil {
		return err
	}
	sh := &shot{r, f, make(chan struct{})}
	select {
	case s.shots <- sh:
		<-sh.done
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-s.ended:
		return ErrClosed
	}
}

// Places lists where the universe was active when that was measured last, the most active first, and the
// generation of that.
func (s *Session) Places(ctx context.Context) (places []far.Place, generation uint64, err error) {
	err = s.look(ctx, func() { places, generation = s.probe.Far.Places(), s.probe.Far.Generation() })
	return places, generation, err
}

// Status returns the present status without waiting for the engine.
func (s *Session) Status() Status { return s.notice.Read() }

// Play runs until Pause.
func (s *Session) Play(ctx context.Context) error {
	return s.do(ctx, func() error { return s.run(ctx, sim.Forever) })
}

// Pause ends playing, stepping or jumping.
func (s *Session) Pause(ctx context.Context) error {
	return s.set(ctx, func() { s.playing = false })
}

// SetSpeed changes the speed of Play.
func (s *Session) SetSpeed(ctx context.Context, v Speed) error {
	if v.Step > 0 && !(v.PerSecond >= 0.01 && v.PerSecond <= 1000) {
		return errors.New("speed: want 0.01 to 1000 steps a second")
	}
	return s.set(ctx, func() { s.pace = pacer{Speed: v} })
}

// Step runs n generations at full rate and then pauses. It does not wait for them; Idle does. Steps that come
// faster than they are done are all done.
func (s *Session) Step(ctx context.Context, n uint64) error {
	return s.do(ctx, func() error {
		g := s.engine.Generation()
		if s.playing && s.stepping {
			g = s.target
		}
		if n > sim.Forever-1-g {
			return errors.New("this many generations cannot be counted")
		}
		if err := s.run(ctx, g+n); err != nil {
			return err
		}
		s.stepping = true
		return nil
	})
}

// Jump runs to a generation at full rate and pauses there. For an earlier generation it starts from a copy
// before it, else from the beginning. Jump does not wait; Idle does.
func (s *Session) Jump(ctx context.Context, generation uint64) error {
	elsewhere := false
	if err := s.look(ctx, func() { elsewhere = s.elsewhere(generation) }); err != nil {
		return err
	}
	if elsewhere {
		if err := s.back(ctx, generation); err != nil {
			return err
		}
	}
	return s.do(ctx, func() error {
		if generation < s.engine.Generation() {
			return errors.New("the universe starts at a later generation")
		}
		return s.run(ctx, generation)
	})
}

// Idle waits until nothing is playing.
func (s *Session) Idle(ctx context.Context) error {
	for {
		st := s.Status()
		if !st.Playing {
			return nil
		}
		if err := s.news(ctx, st.Version); err != nil {
			return err
		}
	}
}

// Series returns the population and activity so far: few samples, evenly spread over the generations since the
// universe was loaded.
func (s *Session) Series(ctx context.Context) (samples []Sample, err error) {
	err = s.look(ctx, func() { samples = s.series.All() })
	return samples, err
}

// run starts playing to a target.
func (s *Session) run(ctx context.Context, target uint64) error {
	switch {
	case s.failure != "":
		return errors.New(s.failure)
	case !s.changeable():
		return ErrMaking
	}
	s.keepStart(personOf(ctx))
	s.target, s.playing, s.stepping = target, target > s.engine.Generation(), false
	s.startRace()
	s.pace.Start(time.Now())
	s.meter.Start(time.Now(), s.engine.Generation())
	return nil
}
