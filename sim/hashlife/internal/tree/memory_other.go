//go:build !linux || race

package tree

// resized is a list with room for n values: those it had stay, others are zero. The old list is gone. The race detector sees memory of Go only.
func resized[T any](list []T, n int) ([]T, error) {
	to := make([]T, n)
	copy(to, list)
	return to, nil
}

// huge does nothing where the system cannot be asked.
func huge[T any]([]T) {}
