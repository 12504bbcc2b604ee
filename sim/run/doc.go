// Package run drives engines: it steps one to the generation where a run ends, and lets observers and hooks look at it
// on the way.
//
// [Run] decides how long each step lasts, ends a run on a condition ([Until]), and lets a second engine race with the
// first one. Commands, viewers, ensembles and series all advance their universes by it.
//
// Start with [Run] and [Options].
package run
