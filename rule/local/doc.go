// Package local holds transition functions of many states: the next state of a cell, for every 3×3 block of
// states around it. They are defined by tables of transitions (Lines) or by trees (Tree), as Golly's rule files
// have them, or by Go code (Code).
//
// Each function becomes a decision diagram, which compilers read, unless it asks questions (Asking). The
// definition is kept for the oracle: Function.Define evaluates it in the most obvious way.
//
//	lines, tree or code ──▶ Diagram (multi-valued, ordered, reduced) ──▶ circuits
package local
