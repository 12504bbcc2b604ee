package soup

import "github.com/gosper-life/gosper/internal/jit"

// words4 is portable with four cells in a vector of AVX2.
//
//go:noescape
func words4(dst *uint64, n int, z, limit uint64)

// words8 is portable with eight cells in a vector of AVX-512.
//
//go:noescape
func words8(dst *uint64, n int, z, limit uint64)

var lanes4, lanes8 = jit.HasAVX2(), jit.HasAVX512()

// words makes n words of 64 cells; the first cell follows state z.
func words(dst []uint64, z, limit uint64) {
	switch {
	case len(dst) == 0:
	case lanes8:
		words8(&dst[0], len(dst), z, limit)
	case lanes4:
		words4(&dst[0], len(dst), z, limit)
	default:
		portable(dst, z, limit)
	}
}
