// Package circuit turns a rule into a boolean circuit: what the next state of a cell is, in three-input lookup tables over bits of the
// cells around it, and in the abstract neighbour sums and thresholds of large-radius rules. A circuit knows neither machine nor layout.
package circuit
