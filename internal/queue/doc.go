// Package queue distributes jobs: to the cores of this process (Local), as static shares of the work (Shard), or, in package queue/jetstream, to
// workers on many machines.
//
// A job is a task with a key. Its result is kept under that key in a folder (Results). Work that is lost is done again, and a second run writes
// the same bytes under the same name. So nothing is lost and nothing counts twice. A job that fails again and again is parked with its error,
// while the others go on.
//
// It does not know what a job computes: package ensemble's jobs are bytes to it.
//
// Start with [Local] and [OpenResults].
package queue
