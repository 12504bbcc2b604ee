package web

import (
	"context"
	"sync"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/far"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web/internal/wire"
)

// stage makes frames for all viewers who see the same. Each is read and packed once.
type stage struct {
	server  *Server
	sight   sight
	viewers int // guarded by the mutex of Server

	mu       sync.Mutex
	last     *picture // the newest; nil if there is none yet
	making   *making  // the next; nil if nobody waits for it
	pictures uint64   // so far

	frame session.Frame // belongs to make
}

// picture is the frame that all viewers of a stage get at one moment. It does not change, and viewers may keep it.
type picture struct {
	number  uint64 // on its stage
	made    time.Time
	status  session.Status
	message []byte // the frame, with any sequence number; nil if the cells could not be read

	mu      sync.Mutex
	base    uint64 // the number of the picture that changes are from
	changes []byte // the message for who has that one
}

// making is a picture on its way.
type making struct {
	waiting int // viewers; guarded by the mutex of the stage
	cancel  context.CancelFunc
	done    chan struct{} // closed when the other fields are there
	picture *picture
	err     error
}

// stage returns the stage of a sight. The caller calls release.
func (s *Server) stage(of sight) *stage {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.stages[of]
	if st == nil {
		st = &stage{server: s, sight: of}
		s.stages[of] = st
	}
	st.viewers++
	return st
}

// release is called when a viewer sees something else. A nil stage is released already.
func (s *Server) release(st *stage) {
	if st == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if st.viewers--; st.viewers == 0 {
		delete(s.stages, st.sight)
	}
}

// next returns a picture of a version above after. It is the newest one, or not older than fresh, so that viewers who
// ask at different moments get the same picture.
func (st *stage) next(ctx context.Context, after uint64, fresh time.Duration) (*picture, error) {
	for {
		st.mu.Lock()
		if p := st.last; p != nil && p.status.Version > after &&
			(time.Since(p.made) < fresh || p.status.Version == st.server.session.Status().Version) {
			st.mu.Unlock()
			return p, nil
		}
		m := st.making
		if m == nil {
			m = &making{done: make(chan struct{})}
			var inner context.Context
			inner, m.cancel = context.WithCancel(st.server.ctx)
			st.making = m
			go st.make(inner, m, after)
		}
		m.waiting++
		st.mu.Unlock()
		select {
		case <-m.done:
		case <-ctx.Done():
		}
		st.mu.Lock()
		if m.waiting--; m.waiting == 0 {
			m.cancel()
		}
		st.mu.Unlock()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case m.err == nil && m.picture.status.Version > after:
			return m.picture, nil
		case m.err != nil && m.err != context.Canceled: // all who waited for it had left
			return nil, m.err
		}
	}
}

// make makes the next picture.
func (st *stage) make(ctx context.Context, m *making, after uint64) {
	defer close(m.done)
	f := &st.frame
	f.Channel = st.sight.channel
	m.err = st.server.session.Frame(ctx, st.sight.Region, after, f)
	st.mu.Lock()
	defer st.mu.Unlock()
	st.making = nil
	if m.err != nil {
		return
	}
	st.pictures++
	m.picture = &picture{number: st.pictures, made: time.Now(), status: f.Status}
	if f.Err == nil {
		if f.Channel == far.Clusters && f.Scale > 0 {
			f.Levels = st.sight.sizes.Levels(f.Levels, st.sight.Region)
		}
		m.picture.message = wire.Append(nil, &f.Frame, f.Levels, f.Status.Generation, f.Status.Background)
		if st.last != nil && f.Status.Playing { // at rest all is exact
			wire.Calm(st.last.message, m.picture.message)
		}
	}
	st.last = m.picture
}

// since returns the message of a picture for a viewer who has another one of the same stage.
func (p *picture) since(last *picture) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.base != last.number {
		p.base, p.changes = last.number, wire.Changes(last.message, p.message)
	}
	return p.changes
}
