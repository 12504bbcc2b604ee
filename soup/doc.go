// Package soup makes random universes by counting. Whether a cell is alive depends only on the seed, the density and
// the index of the cell. As a result, any cell can be computed on its own, and every engine gives the same bits, with
// any number of threads.
//
// The cell of index i = y·W + x of a universe of width W is alive if and only if the upper 53 bits of
// SplitMix64's output i are below the threshold ⌊density·2^53⌋ (Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", OOPSLA 2014):
//
//	z = seed + (i+1)·0x9E3779B97F4A7C15   (mod 2^64)
//	z = (z xor z>>30)·0xBF58476D1CE4E5B9
//	z = (z xor z>>27)·0x94D049BB133111EB
//	z = z xor z>>31
//	alive iff z>>11 < ⌊density·2^53⌋
//
// This has two consequences. Soups of one seed and different densities are nested. Soups of one seed and
// different widths share bits.
//
// The cells of a soup have two states and are independent of each other. A [Start] makes other first cells,
// which follow from the seed as well: exact counts, shares of states, correlated fields, patterns with noise.
// Fields alone need floating point: a cell within rounding of the threshold may differ between processors of
// different kinds. Package ensemble measures many universes.
//
// Start with [Fill].
package soup
