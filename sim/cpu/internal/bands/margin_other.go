//go:build !amd64

package bands

// putSpots reports that this processor has no AVX-512.
func putSpots(_, _ []uint64, _ []spot) bool { return false }

func collectBits(_, _ []uint64, _, _, _ int) bool { return false }
