// Package jetstream distributes the jobs of package queue to workers on any number of machines, through NATS
// JetStream: either a server embedded in this process, or a cluster elsewhere.
//
// Jobs are in a work queue under gosper.jobs.ENSEMBLE.KEY, each at most once. A worker takes a job. While it works, it
// tells the server so, three times within the allowed time. It puts the result into an object store under the job's
// key, and announces it under gosper.done.ENSEMBLE. After that, it removes the job with an acknowledgement that the
// server confirms. If a worker dies, the server no longer hears from it and gives the job to another worker. The
// coordinator reads the announcements, stores the results in its folder, and then removes each announcement. If
// anything dies between two of these steps, the steps are repeated, with the same bytes under the same name, so nothing
// is lost and nothing counts twice.
package jetstream
