package session

import (
	"context"
	"sync"
)

// board shows the status to viewers, in versions. Any number of them wait for the next version.
type board struct {
	ended   <-chan struct{} // closed when the session has ended
	mu      sync.Mutex
	current Status
	changed chan struct{} // closed at the next change
}

// newBoard makes a board with an empty status, under version 0.
func newBoard(ended <-chan struct{}) *board {
	return &board{ended: ended, changed: make(chan struct{})}
}

// Status returns the present status without waiting for the engine.
func (b *board) Status() Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.current
}

// Repeat posts the present status again: something that is shown beside it has changed.
func (b *board) Repeat() { b.amend(func(*Status) {}) }

// amend posts the present status with a change, under the next version.
func (b *board) amend(change func(*Status)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.current.Version++
	change(&b.current)
	close(b.changed)
	b.changed = make(chan struct{})
}

// post replaces the status, but not what it says about loading.
func (b *board) post(next Status) {
	b.amend(func(now *Status) {
		next.Version, next.Loading = now.Version, now.Loading
		*now = next
	})
}

// progress posts how much of a universe has been loaded. Only the holder of the making token calls it.
func (b *board) progress(p *Progress) { b.amend(func(st *Status) { st.Loading = p }) }

// wait waits until the version of the status is above after.
func (b *board) wait(ctx context.Context, after uint64) error {
	for {
		b.mu.Lock()
		version, changed := b.current.Version, b.changed
		b.mu.Unlock()
		if version > after {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		case <-b.ended:
			return ErrClosed
		}
	}
}
