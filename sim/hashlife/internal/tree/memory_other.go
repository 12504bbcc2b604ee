//go:build !linux || race

package tree

// resized returns a list with room for n values. It keeps the old values, and new ones are zero. The old list
// must not be used afterwards. The race detector sees only memory of Go, so it uses this version.
func resized[T any](list []T, n int) ([]T, error) {
	to := make([]T, n)
	copy(to, list)
	return to, nil
}

// advise does nothing: this version cannot ask the system for huge pages.
func advise[T any]([]T) {}

// populate does nothing, for the same reason.
func populate[T any]([]T) {}
