// Package grid stores universes as bit planes: Grid for bounded universes, Tiles for the unbounded plane. The
// functions on a Source (Copy, FirstDifference, Population, StateCounts, StateHash, BytesHash) read row by row,
// so they also work on engines.
//
// A state is a binary number, and plane k holds its bit k. A plane of a Grid is stored row by row in words.
// Column 64·w + i is bit i of word w, least significant bit first. Each row starts on a boundary of 64 bytes
// and is padded with zero words:
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
// Spare bits and padding are always zero, so whole words can be counted, compared and hashed.
//
// The package does not know rules or time. It stores, copies, counts and hashes cells. The engines of package
// sim advance them, and package pattern reads and writes pattern files.
//
// Start with [Grid] and [Source]. [Quadtree] is a source that is stored as a tree.
package grid
