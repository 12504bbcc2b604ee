// Package ensemble describes the measurement of many independent random universes. A [Spec] says which
// universes and what to measure. [Spec.Check] turns it into a [Study], and [Study.Jobs] divides that into jobs,
// which are pure values. A [Result] is what a job measured. The rows of all tables are defined here as well.
//
// The package runs nothing itself. Package ensemble/worker does jobs on any engine. Package ensemble/tables
// merges results into tables with errors and intervals, and ensemble/figures draws them. Package
// ensemble/estimate predicts how long it will take. Package internal/queue stores and distributes the jobs.
// gosper.Ensemble does all of it on one machine. Start with [Spec].
//
// The unit of all statistics is the universe. A universe is the soup of a seed that its job computes from the spec
// (see Seed), so gosper run can make the same one. A job is identified by the hash of what it computes and of the
// version of each measure, not by the version of the program, so results stay valid after a release. Merged data
// depend only on the spec, byte for byte. Dividing, distributing, repeating or interrupting the jobs does not change
// them. Rows are in the order of the spec, sums are of whole numbers, and means, errors and intervals are computed
// from them at the end.
package ensemble
