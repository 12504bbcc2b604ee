// Package logic compiles rules into boolean circuits.
//
//	rule ── Compile ──▶ Circuit ── Lower ──▶ Program ──▶ an executor (sim/cpu, sim/cuda)
//
// A Circuit says what the next state of a cell is, in three-input lookup tables (LUTs) over bits of the cells around it and in
// the abstract neighbour sums and thresholds of large-radius rules. It knows neither machine nor layout.
//
// A Program is the circuit made into work on whole rows: every value is one row of bits, a table combines rows moved sideways by
// whole cells, and rows that later rows need again (row sums, running totals) are kept in streams. The passes that shorten a
// Program are one list in passes.go.
package logic
