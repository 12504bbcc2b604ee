//go:build !linux || race

package memory

// Resized returns a list with room for n values. It keeps the old values, and new ones are zero. The old list
// must not be used afterwards. The race detector sees only memory of Go, so it uses this version.
func Resized[T any](list []T, n int) ([]T, error) {
	to := make([]T, n)
	copy(to, list)
	return to, nil
}

// Huge does nothing: this version cannot ask the system for huge pages.
func Huge[T any]([]T) {}

// Populate does nothing, for the same reason.
func Populate[T any]([]T) {}
