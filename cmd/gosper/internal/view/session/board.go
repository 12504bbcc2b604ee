package session

import (
	"context"
	"sync"
)

// board holds a value in versions: one writes the next, any number wait for it.
type board[T any] struct {
	mu      sync.Mutex
	version uint64
	current T
	changed chan struct{} // closed at the next change
}

// newBoard makes a board with the zero value, under version 0.
func newBoard[T any]() *board[T] { return &board[T]{changed: make(chan struct{})} }

// Read returns the present value.
func (b *board[T]) Read() T {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.current
}

// Write makes the next version of the present one. change is told its number.
func (b *board[T]) Write(change func(now T, version uint64) T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.version++
	b.current = change(b.current, b.version)
	close(b.changed)
	b.changed = make(chan struct{})
}

// Wait returns once the version is above after, or with an error: that of ctx, or closed once ended is closed.
func (b *board[T]) Wait(ctx context.Context, ended <-chan struct{}, closed error, after uint64) error {
	for {
		b.mu.Lock()
		version, changed := b.version, b.changed
		b.mu.Unlock()
		if version > after {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		case <-ended:
			return closed
		}
	}
}
