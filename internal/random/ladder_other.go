//go:build !amd64

package random

// climb is the start of Row, several words at a time, where there are vectors for it.
func (s *Stream) climb([][]uint64, []uint64, int) (words int) { return 0 }
