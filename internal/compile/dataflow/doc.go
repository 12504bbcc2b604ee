// Package dataflow represents a rule as a graph of rows. The graph makes each row of the next generation from
// rows of cells around it and from rows that it made earlier. It is the only form between a circuit and a
// machine's program.
//
//	circuit.Circuit ── Build ──▶ Graph ── passes ──▶ Graph ──▶ rowprog.Program (processors), warpprog.Program (GPUs)
//
// Build writes out the neighbour sum by one of several recipes (see Recipe). The passes shorten the graph, or
// prepare it for a machine, without changing what it computes. Package compile lists the passes of each
// machine.
package dataflow
