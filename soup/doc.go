// Package soup makes random universes by counting: whether a cell is alive depends on the seed, the density and the
// index of the cell alone, so any cell can be made anywhere, and every engine, size of work and thread count gives the
// same bits.
//
// The cell of index i = y·W + x of a universe of width W is alive iff the upper 53 bits of SplitMix64's output i are
// below the threshold ⌊density·2^53⌋ (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA
// 2014):
//
//	z = seed + (i+1)·0x9E3779B97F4A7C15   (mod 2^64)
//	z = (z xor z>>30)·0xBF58476D1CE4E5B9
//	z = (z xor z>>27)·0x94D049BB133111EB
//	z = z xor z>>31
//	alive iff z>>11 < ⌊density·2^53⌋
//
// Two consequences: soups of one seed and different densities are nested, and soups of one seed and different widths
// share bits.
//
// It makes cells that are independent of each other, in two states. What is done with many soups is package ensemble's matter.
//
// Start with [Fill].
package soup
