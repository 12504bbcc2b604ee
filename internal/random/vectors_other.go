//go:build !amd64

package random

// lanes is the number of words of 64 bits a vector has.
var lanes int

// climb is Row, several words at a time, where there are vectors for it.
func (s *Stream) climb([][]uint64, []uint64, int) bool { return false }

// climbSeeds is Rows, several words at a time, where there are vectors for it.
func (s *Stream) climbSeeds([][]uint64, []uint64, []uint64, int) bool { return false }

// climb draws what Draw does, where there are vectors for it.
func (e *Eights) climb([][]uint64, []uint64) {}

// several draws the segments that wait, where there are vectors for it.
func (d *Drawing) several() bool { return false }
