// Package web shows a universe in browsers. One page draws with WebGL2. Over a socket it receives the part of
// the universe that it shows and sends its user's commands.
//
// A viewer acknowledges each frame and then gets the newest one. Frames in between are never made, so a viewer that
// is slow, asleep or gone costs the engine no time and the server no memory. All viewers together take no more of the
// engine's time than package session allows.
package web

import (
	"context"
	"fmt"
	"hash/fnv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/far"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web/internal/intake"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// Options of a Server. With the zero value it serves this machine only.
type Options struct {
	Base       sim.Config // threads, plan and device of the universes that viewers load
	Token      string     // secret that viewers must give; empty for none
	AnyHost    bool       // without a token, answer to other host names than localhost
	MaxViewers int        // at the same time; 0 means 32; a quarter of them for one browser, half for one address
	Proxied    bool       // requests come through a proxy; its header X-Forwarded-For ends with the client's address
	Ensemble   Handler    // answers the page of an ensemble, with paths below /ensemble/data; nil if there is none
	MaxCells   uint64     // of a two-state universe that a viewer asks for, fewer if states take more bits; 0 means 2^32
	MaxPattern uint64     // bytes of the cells of a pattern that a viewer opens; 0 means 128 MiB
	Common     *Common    // what the server shares with others; nil means nothing
	// Open opens the engines that viewers choose; nil means sim.Open.
	Open     func(ctx context.Context, engine string, cfg sim.Config) (sim.Engine, error)
	Sessions bool // tell pages that there may be universes beside this one
	Rules    bool // take rule files from viewers
}

// Server is the web viewer of a session. It does not close the session.
type Server struct {
	front   // how viewers come in
	session *session.Session
	opts    Options
	ctx     context.Context // done when the server is closed
	cancel  context.CancelCauseFunc
	started time.Time
	sizes   atomic.Pointer[far.Sizes] // of the clusters, as somebody has asked for them last
	// patience is the longest time that a viewer may take to read a message or to answer a ping.
	patience time.Duration

	mu      sync.Mutex
	viewers map[*viewer]struct{}
	stages  map[sight]*stage
	gone    sync.WaitGroup
	total   uint64 // number of viewers so far
}

// Common holds what all servers of one program share. It lets them do work that needs much memory one at a time.
type Common struct {
	files *intake.Intake
	films intake.Turn
	rules intake.Rules
}

// NewCommon is for servers that share.
func NewCommon() *Common { return &Common{files: intake.New(maxUploads), films: intake.NewTurn()} }

// New makes a server for a session.
func New(s *session.Session, opts Options) *Server {
	if opts.MaxViewers == 0 {
		opts.MaxViewers = 32
	}
	if opts.MaxCells == 0 {
		opts.MaxCells = 1 << 32
	}
	if opts.MaxPattern == 0 {
		opts.MaxPattern = intake.MaxBytes
	}
	if opts.Open == nil {
		opts.Open = sim.Open
	}
	if opts.Common == nil {
		opts.Common = NewCommon()
	}
	srv := &Server{
		session: s, opts: opts, started: time.Now(), patience: usualPatience,
		viewers: map[*viewer]struct{}{}, stages: map[sight]*stage{},
	}
	srv.ctx, srv.cancel = context.WithCancelCause(context.Background())
	return srv
}

// Close disconnects all viewers and waits until they are gone.
func (s *Server) Close() { s.CloseFor(GoingAway, "the server ends") }

// CloseFor is Close with another reason, which viewers are told.
func (s *Server) CloseFor(why Ending, words string) {
	s.mu.Lock() // so that who joins at this moment is waited for, too
	s.cancel(&closed{why, words})
	s.mu.Unlock()
	s.gone.Wait()
}

// closed is why a server has been closed.
type closed struct {
	why   Ending
	words string
}

func (c *closed) Error() string { return c.words }

// Attach serves a viewer over a connection until either side ends it.
func (s *Server) Attach(conn Connection) error { return s.attach(conn, Pass{}) }

// attach serves one viewer until its connection ends.
func (s *Server) attach(conn Connection, p Pass) error {
	v, err := s.join(p)
	if err != nil {
		return err
	}
	s.session.Repeat() // others see how many look
	defer func() {
		s.leave(v)
		s.session.Repeat()
	}()
	v.run(s.ctx, conn)
	return nil
}

// join admits a viewer if there is room.
func (s *Server) join(p Pass) (*viewer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.viewers) >= s.opts.MaxViewers {
		return nil, fmt.Errorf("there are already %d viewers, the most this server allows", len(s.viewers))
	}
	browser, address := 0, 0
	for v := range s.viewers {
		if p.Person != "" && v.pass.Person == p.Person {
			browser++
		}
		if p.Address != "" && v.pass.Address == p.Address {
			address++
		}
	}
	if most := max(s.opts.MaxViewers/4, 1); browser >= most {
		return nil, fmt.Errorf("your browser already shows this universe %d times, the most it may at once", browser)
	}
	if most := max(s.opts.MaxViewers/2, 1); address >= most {
		return nil, fmt.Errorf("there are already %d viewers from your address, half of those this server allows", address)
	}
	if s.ctx.Err() != nil {
		return nil, context.Cause(s.ctx)
	}
	s.total++
	who := session.Person(s.total)
	if p.Person != "" { // the same after the page was loaded again, so that its changes are still its own
		h := fnv.New64a()
		h.Write([]byte(p.Person))
		who = session.Person(h.Sum64() | 1<<63) // and none of the numbers above
	}
	v := newViewer(s, who, p)
	s.viewers[v] = struct{}{}
	s.gone.Add(1)
	return v, nil
}

func (s *Server) leave(v *viewer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.viewers, v)
	s.gone.Done()
}

// allow refuses universes that are larger than viewers may ask for, and rules that take too much to compile.
func (s *Server) allow(t topology.Topology, w, h int, r rule.Rule) error {
	if err := intake.Affordable(r); err != nil {
		return err
	}
	states := r.States
	if t.Bounded() {
		w, h = t.W, t.H
	}
	most, of := s.opts.MaxCells/uint64(grid.PlanesOf(states)), ""
	if states > 2 {
		of = fmt.Sprintf(" of %d states", states)
	}
	if grid.Product(uint64(w), uint64(h)) > most {
		return fmt.Errorf("%d×%d cells%s: this server makes universes of at most %d", w, h, of, most)
	}
	return nil
}
