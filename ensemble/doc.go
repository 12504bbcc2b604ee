// Package ensemble measures many independent random universes: a Spec says which and what to measure, Jobs cuts it into jobs that are
// pure values, Run does one anywhere, and Merge puts the results of all together.
//
// The unit of all statistics is the universe. A universe is the soup of a seed that its job computes from the spec (see Seed), so
// `gosper run` makes the same one again. A job's identity is the hash of what it computes and of the semantics version of each
// measure, not of the program: a release does not orphan results. Merged data depend on the spec alone, byte for byte, however the
// jobs were cut, spread, repeated or interrupted: rows are in the order of the spec, sums are of whole numbers, and means, errors and
// intervals are computed last, from those.
package ensemble
