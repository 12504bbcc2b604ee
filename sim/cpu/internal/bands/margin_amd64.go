package bands

import "github.com/gosper-life/gosper/internal/jit"

// putSpots8 replaces, for each of n spots, its bit of eight words of a row by a bit of eight words of edges.
//
//go:noescape
func putSpots8(row, edges *uint64, spots *spot, n int)

// collectBits8 ORs a bit of each of n vectors of eight words, shifted left by the number of the vector and by to.
//
//go:noescape
func collectBits8(dst, words *uint64, n, bit, to int)

var lanes8 = jit.HasAVX512()

// putSpots is put for eight slabs of one word each by AVX-512. It reports whether this processor has that.
func putSpots(row, edges []uint64, spots []spot) bool {
	if !lanes8 || len(spots) == 0 {
		return false
	}
	putSpots8(&row[0], &edges[0], &spots[0], len(spots))
	return true
}

// collectBits is the loop of collectEnd for eight slabs of one word each, in the same way.
func collectBits(dst, words []uint64, n, bit, to int) bool {
	if lanes8 {
		collectBits8(&dst[0], &words[8*n-8], n, bit, to)
	}
	return lanes8
}
