package soup

import "github.com/gosper-life/gosper/internal/jit"

// words4 is portable with four cells in a vector of AVX2.
//
//go:noescape
func words4(dst *uint64, n int, z, limit uint64)

var lanes4 = jit.HasAVX2()

// words makes n words of 64 cells; the first cell follows state z.
func words(dst []uint64, z, limit uint64) {
	if lanes4 && len(dst) > 0 {
		words4(&dst[0], len(dst), z, limit)
		return
	}
	portable(dst, z, limit)
}
