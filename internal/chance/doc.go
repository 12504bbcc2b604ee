// Package chance makes the random bits of stochastic rules by counting. Every cell has a uniform number U for each generation and each use of
// chance. It is a function of seed, generation, row, column and use alone, so every engine, layout, plan and number of threads gives the same bits,
// and nothing has to be stored to continue a run.
//
// # Random words
//
// A [Stream] belongs to a generation, a row and a use. It has a random word of 64 bits for every pair of numbers n and m:
//
//	z = a + n·0x9E3779B97F4A7C15 + m·0xD1342543DE82EF95   (mod 2^64)
//	z = (z xor z>>30)·0xBF58476D1CE4E5B9 xor b
//	z = (z xor z>>27)·0x94D049BB133111EB
//	z = z xor z>>31
//
// With b = 0 and m = 0 these are the outputs of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014),
// which passes BigCrush, from a start that each stream has for itself. The second multiplier is that of Steele and Vigna ("Computationally easy,
// spectrally good multipliers for congruential pseudorandom number generators", 2021). The second key b makes streams different whose keys a lie
// close to each other: without it, one would be a part of the other. Keys are hashed from seed, then generation, then row and use, by the same mixer,
// each in a chain of its own, so that two of 2^64 streams have the same keys with probability 2^-64 or so.
//
// # Cells
//
// A probability is a number of 2^-32. Cell x of a row is picked with probability t if U < t. U is defined in one of two ways, according to the
// greatest probability of its use, so that frequent cells cost few random bits and rare ones fewer:
//
//   - Ladder: bit l of U, from the highest, l = 0 to 31, is bit x mod 64 of the word of n = ⌊x/64⌋ and m = l. The bits are taken level by level, and
//     no more of them than decide all cells of a word: about log2 64 + 2.
//   - Gaps, where the greatest probability p of the use is at most [Rare]: cells with U < p are found by the geometric gaps between them (Devroye,
//     "Non-uniform random variate generation", 1986, chapter X.2). Each segment of 4,096 columns begins anew. In segment n the gap before the cell
//     found as number j is the greatest k with V < (1-p)^k·2^64, where V is the word of m = 64 + 2j. That cell's U is the upper part of p times the
//     word of m = 65 + 2j, which again is uniform below p. All other cells have U ≥ p.
//
// Cells that are picked with one probability of a use are also picked with every greater one. Different uses are independent.
//
// The package knows neither rules nor layouts. Start with [At].
package chance
