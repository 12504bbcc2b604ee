// Package hosts runs one universe in bands of rows on many hosts.
//
// A coordinator (Run) cuts the universe into bands. Each worker (Serve) opens an ordinary engine over one band and a
// halo of rows above and below it. In a pass all bands advance by the same number of generations, at most the depth.
// The outer rows of the halo are then wrong, but those of the band are right. Before the next pass the workers send
// their boundary rows to their neighbours. They compute these rows first, with small engines of their own, so that
// the rows travel while the rest of the band is computed.
//
// Messages go through a NATS server. Each carries the run, the epoch and a checksum. An epoch is an assignment of bands
// to workers. If a worker dies or falls silent, the coordinator begins a new epoch at the last checkpoint, and messages
// of earlier epochs are refused. A universe therefore is always whole, and its cells are those of a run on one machine.
//
// The package does not choose engines (package sim) or move bytes (internal/queue/jetstream). Start with Run.
package hosts
