package multispin

import (
	"fmt"
	"math/bits"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim/batch"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
	"github.com/gosper-life/gosper/topology"
)

// side holds the cells of a group's universes in packed rows, side by side, so that they can be read one
// universe at a time.
type side struct {
	t      topology.Topology
	planes int
	rows   [][]uint64 // of plane k: row y at k·h + y; universe b begins at bit b·w
	first  int        // the bit at which the chosen universe begins
}

// hold selects universe b for reading.
func (s *side) hold(b int) { s.first = b * s.t.W }

// Extent implements grid.Source.
func (s *side) Extent() (grid.Rect, error) { return grid.Rect{W: s.t.W, H: s.t.H}, nil }

// Planes implements grid.Source.
func (s *side) Planes() int { return s.planes }

// ReadRow implements grid.Source for rows that lie in the universe.
func (s *side) ReadRow(dst []uint64, plane, x, y, n int) error {
	row := s.rows[plane*s.t.H+y]
	for i := 0; i < n; i += 64 {
		dst[i>>6] = layout.Load(row, s.first+x+i, min(64, n-i))
	}
	return nil
}

// population counts the cells of the chosen universe that are not in state 0.
func (s *side) population() (n uint64) {
	for y := range s.t.H {
		for x := 0; x < s.t.W; x += 64 {
			var live uint64
			for k := range s.planes {
				live |= layout.Load(s.rows[k*s.t.H+y], s.first+x, min(64, s.t.W-x))
			}
			n += uint64(bits.OnesCount64(live))
		}
	}
	return n
}

// clusters appends the counts of the chosen universe to counts.
func (s *side) clusters(l *component.Labeller, c component.Connectivity, counts []batch.Count) ([]batch.Count, error) {
	found, err := l.Label(s, s.t, c)
	if err != nil {
		return nil, fmt.Errorf("clusters: %w", err)
	}
	for size, n := range found.Sizes.All() {
		counts = append(counts, batch.Count{Size: uint32(size), Count: uint32(n)})
	}
	return counts, nil
}
