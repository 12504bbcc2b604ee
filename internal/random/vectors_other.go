//go:build !amd64

package random

// lanes is how many words of 64 bits there are vectors for.
var lanes int

// climb is the start of Row, several words at a time, where there are vectors for it.
func (s *Stream) climb([][]uint64, []uint64, int) (words int) { return 0 }

// climbSeeds is the start of Rows, several words at a time, where there are vectors for it.
func (s *Stream) climbSeeds([][]uint64, []uint64, []uint64, int) (made int) { return 0 }

// several draws the segments that wait, where there are vectors for it.
func (d *Drawing) several() {}

// climb draws what Draw does, where there are vectors for it.
func (q *Quads) climb([][]uint64, []uint64) {}
