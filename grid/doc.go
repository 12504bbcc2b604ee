// Package grid stores universes as bit planes: Grid for bounded ones, Tiles for the unbounded plane. The functions over
// a Source (Copy, FirstDifference, Population, StateCounts, StateHash, BytesHash) stream rows, so they serve engines
// too.
//
// A state is a binary number and plane k holds its bit k. A plane of a Grid is row-major words, column 64·w + i in bit
// i of word w, least significant bit first; each row is padded with zero words to a multiple of 64 bytes, and each
// starts on such a boundary:
//
//	column      0 1 2 … 63   64 65 … 127       … W−1  spare   padding
//	          ┌────────────┬─────────────┬─────┬──────────────┬─────────┐
//	row 0     │   word 0   │   word 1    │  …  │ word ⌈W/64⌉−1│ 0 … 0   │  plane 0
//	row 1     │ bit 0 … 63 │ bit 0 … 63  │  …  │ bits, zeros  │ 0 … 0   │
//	  ⋮       │            │             │     │              │         │
//	row H−1   │            │             │     │              │         │
//	          ├────────────┼─────────────┼─────┼──────────────┼─────────┤
//	row 0     │            │             │     │              │         │  plane 1
//	  ⋮
//
// Spare bits and padding are zero at all times, so whole words can be counted, compared and hashed.
//
// The package knows nothing of rules or time: cells are stored, copied, counted and hashed, and package sim's engines advance them. Patterns in files
// are package pattern's.
//
// Start with [Grid] and [Source]. [Quadtree] is a source that is a tree already.
package grid
