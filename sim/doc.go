// Package sim is the contract of engines, which advance a universe.
//
// An [Engine] holds a universe, advances it and returns its cells. Package sim/run drives an engine, and
// observers watch it. Engines are packages of their own below this one. They register themselves by name when
// they are imported: sim/reference computes from the definition, sim/cpu runs machine code on the processor,
// sim/cuda runs on NVIDIA GPUs, sim/hashlife remembers squares. All of them compute exactly the same cells.
// Package sim/batch runs many small universes together, and sim/checkpoint writes files that a run can continue
// from.
//
// The package runs no cells itself. It knows engines only by the names in the table that chooses among them
// (choice.go). A program that wants a universe without choosing an engine should use package gosper.
//
// Start with [Open] and [Engine].
package sim
