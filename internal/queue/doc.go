// Package queue distributes jobs: to the cores of this process (Local), as fixed shares of the work (Shard),
// or, in package queue/jetstream, to workers on many machines.
//
// A job is a task with a key. Its result is stored under that key in a folder (Results). Lost work is done again, and
// a second run writes the same bytes under the same name, so nothing is lost and nothing counts twice. A job that
// fails repeatedly is set aside (parked) with its error, while the others go on.
//
// The package is independent of the work of a job. To it, the jobs of package ensemble are bytes.
//
// Start with [Local] and [OpenResults].
package queue
