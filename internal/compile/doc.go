// Package compile turns rules into programs for machines.
//
//	rule.Rule
//	   │ circuit.Of         what the next state of a cell is: tables of the cells around it, or a neighbour sum and a threshold
//	   ▼
//	circuit.Circuit
//	   │ dataflow.Build     rows of bits that follow from rows of cells and from earlier rows; one graph a recipe for the sum
//	   ▼
//	dataflow.Graph
//	   │ passes             one list a target, see targets.go
//	   ▼
//	rowprog.Program             processors: rows in memory, one after the other (sim/cpu/internal/codegen makes the code)
//	warpprog.Program            GPUs: rows in registers and shared memory (sim/cuda/internal/stream and sim/cuda/internal/multispin make the PTX)
//
// Package synth finds the shortest circuits of rules of the 3×3 block, package lut names the tables written by hand.
package compile
