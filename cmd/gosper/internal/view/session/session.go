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
	"sync"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
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
//
// Its parts own what they need: the universe and its history, which belong to the goroutine of loop, and those who
// send it commands: playback advances the universe, maker replaces it, writer changes its cells, reader copies them.
type Session struct {
	*board
	*playback
	*maker
	*writer
	*reader
	mail   *mailbox
	u      *universe
	past   *history
	cancel context.CancelFunc
	shots  chan *shot
	free   time.Time     // when a busy engine may make the next frame; belongs to the goroutine of loop
	first  chan struct{} // closed when the first universe is loaded or has failed
	failed error         // why the first universe failed
	// closing guards closed, the result of Close.
	closing sync.Once
	closed  error
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
	t = t.Filled()
	mail := &mailbox{jobs: make(chan job), ended: make(chan struct{})}
	b := newBoard(mail.ended)
	u := newUniverse(t, open)
	past := &history{most: t.History(), u: u}
	m := &maker{mail: mail, board: b, u: u, past: past, making: make(chan struct{}, 1)}
	s := &Session{
		board: b, mail: mail, u: u, past: past, maker: m,
		playback: &playback{
			mail: mail, board: b, u: u, past: past, target: sim.Forever,
			pace: pacer{Speed: Speed{Step: 1, PerSecond: 30}},
		},
		writer: &writer{mail: mail, u: u, past: past, maker: m},
		reader: &reader{mail: mail, u: u},
		shots:  make(chan *shot), first: make(chan struct{}),
	}
	u.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
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
	from, err := find(s.u.ctx)
	if err != nil {
		return err
	}
	return s.remake(s.u.ctx, func() (*design, error) { return s.fresh(from), nil })
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
		<-s.mail.ended
		s.making <- struct{}{} // wait until nothing is being made, and block later attempts
		s.closed = s.u.engine.Close()
	})
	return s.closed
}

// Frame waits until the session's version is above after, and then reads a region. If after is 0 it does not
// wait. A viewer passes the version of the frame that it has, so a universe at rest costs nothing. Frame reuses
// the buffers of f, so f must not be read meanwhile.
func (s *Session) Frame(ctx context.Context, r scene.Region, after uint64, f *Frame) error {
	if err := r.Validate(); err != nil {
		return err
	}
	if err := s.board.wait(ctx, after); err != nil {
		return err
	}
	sh := &shot{r, f, make(chan struct{})}
	select {
	case s.shots <- sh:
		<-sh.done
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-s.mail.ended:
		return ErrClosed
	}
}

// Jump runs to a generation at full rate and pauses there. For an earlier generation it starts from a copy before
// it, or from the beginning if there is no copy. Jump does not wait; Idle does.
func (s *Session) Jump(ctx context.Context, generation uint64) error {
	elsewhere := false
	err := s.mail.do(ctx, func() error { // in one job, because a universe that plays could pass the generation
		if elsewhere = s.u.elsewhere(generation); elsewhere {
			return nil
		}
		return s.run(ctx, generation)
	})
	if err != nil || !elsewhere {
		return err
	}
	if err := s.back(ctx, generation); err != nil {
		return err
	}
	return s.mail.do(ctx, func() error {
		if generation < s.u.engine.Generation() {
			return errors.New("the universe starts at a later generation")
		}
		return s.run(ctx, generation)
	})
}

// Back is Jump to the generation n before the present one, or to the start if there are fewer. On the way to another
// generation it counts from that one. Calls that come faster than they are done are therefore all done.
func (s *Session) Back(ctx context.Context, n uint64) error {
	var from, start uint64
	if err := s.mail.look(ctx, func() {
		from, start = s.u.engine.Generation(), s.u.origin.Generation
		if s.u.playing && s.target != sim.Forever {
			from = s.target
		}
	}); err != nil {
		return err
	}
	if from <= start {
		return errors.New("no generation comes before the start")
	}
	return s.Jump(ctx, from-min(n, from-start))
}

// SetEngine lets another engine run the universe, and all that are loaded from now on. Status.Chosen becomes name. The
// cells, the generation and the history stay, and a universe that plays goes on.
func (s *Session) SetEngine(ctx context.Context, name string, open Opener) error {
	playing, target := false, uint64(0)
	err := s.replace(ctx, func() (*design, error) {
		if !s.u.changeable() {
			return nil, ErrMaking
		}
		playing, target = s.u.playing, s.target
		load, err := s.present(0, 0, func(g grid.Source) grid.Source { return g })
		if err != nil {
			return nil, err
		}
		from := Origin{Config: s.u.config, Generation: s.u.engine.Generation(), Load: load}
		from.Config.Plan = "" // plans are those of one engine
		return &design{from: from, open: open, hold: true, taken: func(*snapshot) { s.u.open, s.u.chosen = open, name }}, nil
	})
	if playing {
		err = errors.Join(err, s.mail.do(ctx, func() error { return s.run(ctx, target) }))
	}
	return err
}
