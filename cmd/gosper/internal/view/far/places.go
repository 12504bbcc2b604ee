package far

import (
	"cmp"
	"slices"

	"github.com/gosper-life/gosper/grid"
)

// Place is a part of a universe that is active: blocks that touch each other.
type Place struct {
	Box     grid.Rect
	Changed uint64 // cells that differ from what they were six generations before
}

// mostPlaces is the most that Places lists.
const mostPlaces = 256

// Places lists where the universe is active, the most active first.
func (m *Map) Places() []Place {
	across := m.area.W >> m.scale
	seen := make([]bool, len(m.blocks))
	var all []Place
	for i := range m.blocks {
		if seen[i] || m.blocks[i].changed == 0 {
			continue
		}
		seen[i] = true
		var p Place
		for group := []int{i}; len(group) > 0; {
			at := group[len(group)-1]
			group = group[:len(group)-1]
			x, y := m.corner(at)
			p.Box = p.Box.Union(grid.Rect{X: x, Y: y, W: 1 << m.scale, H: 1 << m.scale})
			p.Changed += uint64(m.blocks[at].changed)
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					near := at + dy*across + dx
					if column := at%across + dx; column < 0 || column >= across || near < 0 || near >= len(m.blocks) {
						continue
					}
					if !seen[near] && m.blocks[near].changed > 0 {
						seen[near] = true
						group = append(group, near)
					}
				}
			}
		}
		all = append(all, p)
	}
	slices.SortStableFunc(all, func(a, b Place) int { return cmp.Compare(b.Changed, a.Changed) })
	return all[:min(len(all), mostPlaces)]
}
