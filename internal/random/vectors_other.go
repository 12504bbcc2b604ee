//go:build !amd64

package random

// lanes is the number of words of 64 bits a vector has.
var lanes int

// climb would do the work of Row with vectors, several words at a time. There are no vectors here.
func (s *Stream) climb([][]uint64, []uint64, int) bool { return false }

// climbSeeds would do the work of Rows.
func (s *Stream) climbSeeds([][]uint64, []uint64, []uint64, int) bool { return false }

// climb would do the work of Draw.
func (e *Eights) climb([][]uint64, []uint64) {}

// several would draw the waiting segments.
func (d *Drawing) several() bool { return false }
