// Package jetstream has the jobs of package queue done by workers on any number of machines, through NATS JetStream: a server embedded
// in this process, or a cluster elsewhere.
//
// Jobs lie in a work queue under gosper.jobs.ENSEMBLE.KEY, each at most once. A worker takes one, tells the server every third of
// the time it is allowed that it is still at it, puts the result into an object store under the job's key, announces it under
// gosper.done.ENSEMBLE, and only then has the job struck off, with an acknowledgement that is acknowledged. A worker that dies falls
// silent, and the job goes to another. The coordinator takes announcements, keeps the results in its folder, and strikes them
// off in turn. Whatever dies between two of these steps, the steps are done again, with the same bytes under the same name: nothing is
// lost and nothing counts twice.
package jetstream
