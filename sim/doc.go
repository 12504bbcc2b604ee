// Package sim is the contract between engines, which advance a universe, and everything that drives or watches one.
//
// An [Engine] holds a universe, advances it and gives its cells; [Run] drives one from sample to sample, and observers watch it. Engines are packages of
// their own below this one, which register themselves by name when they are imported: sim/reference is the definition, sim/cpu runs machine code
// on the processor, sim/cuda on NVIDIA GPUs, sim/hashlife remembers squares. Which of them runs never changes a bit. Many small universes side by side
// are sim/batch's, files to go on from sim/checkpoint's.
//
// The package runs no cells itself and knows no engine. Programs that want a universe without choosing one are better served by package gosper.
//
// Start with [Open] and [Engine].
package sim
