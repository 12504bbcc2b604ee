package tree

import "github.com/gosper-life/gosper/grid"

// middle stores the leaf in the middle of four in dst.
func (s Shape) middle(dst []uint64, nw, ne, sw, se []uint64) {
	side, half := 1<<s.Leaf, 1<<(s.Leaf-1)
	for k := range s.Planes {
		plane := k << (2 * s.Leaf)
		for y := range side {
			west, east, from := nw, ne, y+half
			if y >= half {
				west, east, from = sw, se, y-half
			}
			to := plane + y*side
			from = plane + from*side
			grid.CopyBits(dst, to, west, from+half, half)
			grid.CopyBits(dst, to+half, east, from, half)
		}
	}
}
