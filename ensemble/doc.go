// Package ensemble describes the measurement of many independent random universes: a [Spec] says which and what to measure, [Spec.Check] makes a
// [Study] of it, [Study.Jobs] cuts that into jobs that are pure values, and a [Result] is what a job measured. The rows of all tables are here as well.
//
// It runs nothing itself. Package ensemble/worker does jobs on any engine, ensemble/tables puts results together in tables with errors and
// intervals, ensemble/figures draws those, and ensemble/estimate says beforehand how long it will take. Package queue keeps and spreads the
// jobs; gosper.Ensemble does all of it on one machine. Start with [Spec].
//
// The unit of all statistics is the universe. A universe is the soup of a seed that its job computes from the spec (see Seed), so
// `gosper run` makes the same one again. A job's identity is the hash of what it computes and of the semantics version of each
// measure, not of the program: a release does not orphan results. Merged data depend on the spec alone, byte for byte, however the
// jobs were cut, spread, repeated or interrupted: rows are in the order of the spec, sums are of whole numbers, and means, errors and
// intervals are computed last, from those.
package ensemble
