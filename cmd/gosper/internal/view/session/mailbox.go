package session

import (
	"context"
)

// job is a command on its way to the engine's goroutine.
type job struct {
	do    func() error
	quiet bool // it changes nothing
	done  chan<- error
}

// mailbox takes commands to the goroutine that owns the engine.
type mailbox struct {
	jobs  chan job
	ended chan struct{} // closed when that goroutine has ended
}

// do makes the engine's goroutine call f between two steps. Once f has begun, do waits for its end.
func (m *mailbox) do(ctx context.Context, f func() error) error { return m.order(ctx, f, false) }

// set is do for a function that cannot fail.
func (m *mailbox) set(ctx context.Context, f func()) error {
	return m.order(ctx, func() error { f(); return nil }, false)
}

// look is set for a function that changes nothing. Viewers get no new frame because of it.
func (m *mailbox) look(ctx context.Context, f func()) error {
	return m.order(ctx, func() error { f(); return nil }, true)
}

// order has the session's goroutine call f, and returns its error. Once the goroutine has taken the
// order, it is carried out, even if the caller's context ends.
func (m *mailbox) order(ctx context.Context, f func() error, quiet bool) error {
	done := make(chan error, 1)
	select {
	case m.jobs <- job{f, quiet, done}:
		return <-done
	case <-ctx.Done():
		return ctx.Err()
	case <-m.ended:
		return ErrClosed
	}
}
