// Package worker does the jobs of an ensemble: it runs their universes, all together where an engine for many small ones can, and measures them
// at the generations that are asked for. Every engine gives the same results.
//
// Start with [NewPool], or with a [Worker] alone.
package worker
