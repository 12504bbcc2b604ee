// Package compile turns rules into programs for machines.
//
//	rule.Rule
//	   │ circuit.Of         the next state of a cell: tables of the cells around it, or a neighbour sum and a threshold
//	   ▼
//	circuit.Circuit
//	   │ dataflow.Build     rows of bits, made of rows of cells and of earlier rows; a graph for each recipe for the sum
//	   ▼
//	dataflow.Graph
//	   │ passes             a list for each target, see targets.go
//	   ▼
//	rowprog.Program         processors: rows in memory, one after the other (package sim/cpu makes the machine code)
//	warpprog.Program        GPUs: rows in registers and shared memory (package sim/cuda makes the PTX)
//
// Package synth finds the shortest circuits of rules of the 3×3 block, package lut names the tables written by hand.
package compile
