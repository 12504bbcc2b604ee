// Package random makes the random bits of stochastic rules by counting. Every cell has a uniform number U for
// each generation and each use of chance. It is a function of seed, generation, row, column and use alone, so
// every engine, layout, plan and number of threads gives the same bits, and nothing has to be stored to
// continue a run.
//
// # Random words
//
// A [Stream] belongs to a generation, a row and a use. It has sequences by number, and a sequence has random words of
// 64 bits one after the other. Where they begin is Philox4x32 with seven rounds (Salmon, Moraes, Dror and Shaw,
// "Parallel random numbers: as easy as 1, 2, 3", SC 2011), which passes BigCrush. Its key is the seed, its
// counter, from the first word of 32 bits on:
//
//	the sequence's number, the row, the generation's low half, its upper half (28 bits) and the use (4 bits)
//
// Therefore, no two sequences have the same counter and key, of 2^32 rows, 2^60 generations and 2^64 seeds. The four
// words of the result, in pairs with the low half first, are the first states of two generators MWC64X (Thomas, "The
// MWC64X random number generator", 2011), which passes BigCrush as well:
//
//	output   low half of z xor upper half of z
//	next     z = low half of z · 4294883355 + upper half of z
//
// An output of the first generator is the low half of a word, one of the second its upper half. MWC64X alone
// would be a weak hash of a place, and Philox alone would cost three times as much: here Philox says where the
// few words of a place begin.
//
// Both need products of 32 bits alone. For 512 bits AVX-512 takes 9 operations of vectors, and 50 for a
// beginning; a GPU for 32 bits one multiplication with addition and one table, and 14 multiplications and
// tables for the beginning of 64 columns.
//
// # Cells
//
// A probability is a number of 2^-32. Cell x of a row is picked with probability t if U < t. U is defined in
// one of two ways, according to the greatest probability of its use, so that frequent cells cost few random
// bits and rare ones fewer:
//
//   - Ladder: bit l of U, from the highest, l = 0 to 31, is bit x mod 64 of word l of sequence ⌊x/64⌋. The bits
//     are taken level by level, and no more of them than decide all cells of a word: about log2 64 + 2.
//   - Points, if the greatest probability p of the use is at most [Rare]: points fall on the cells of a row as
//     raindrops do, with a mean of -log(1-p) points on a cell. All points miss a given cell with probability 1-p,
//     independently of other cells (a Poisson process; Kingman, "Poisson Processes", 1993). Segment n of 4,096
//     columns has the words of sequence n. Word 0 decides its number of points by inversion: it is the number of k ≥ 0
//     with word 0 < P(more than k points)·2^64, where P is the Poisson distribution (Devroye, "Non-uniform random
//     variate generation", 1986, chapter X.3). Word j belongs to point j: bits 20 to 31 are its column, the upper
//     half is its mark. A cell has U < t if it has a point whose mark is below 2^32·log(1-t)/log(1-p).
//
// Cells that are picked with one probability of a use are also picked with every greater one. Different uses
// are independent.
//
// The package is independent of rules and layouts. Start with [At].
package random
