// Package worker does the jobs of an ensemble. It runs their universes, all together if an engine can run many
// small ones, and measures them at the generations that the job asks for. Every engine gives the same results.
//
// Start with [NewPool], or with a single [Worker].
package worker
