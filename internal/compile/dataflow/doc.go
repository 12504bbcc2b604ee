// Package dataflow holds a rule as a graph of rows: how the row of cells that is made follows from rows of cells around it and from rows
// that were made earlier. It is the one form between a circuit and a machine's program.
//
//	circuit.Circuit ── Build ──▶ Graph ── passes ──▶ Graph ──▶ rowprog.Program (processors), warpprog.Program (GPUs)
//
// Build writes out the neighbour sum by one of several recipes (see Recipe). The passes shorten the graph, or suit it to a machine, without
// changing what it computes; which of them serve which machine is listed in package compile.
package dataflow
