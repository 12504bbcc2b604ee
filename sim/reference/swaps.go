package reference

import "github.com/gosper-life/gosper/rule"

// stepSwaps is step for cells that change places: see rule.Swaps.
func (b *bounded) stepSwaps(t *transition, generation uint64) {
	size := [3]int{b.w, b.h, b.d}
	// The axes of the plane: 0 along a row, 1 along a column, 2 through the layers.
	plane := [3][2]int{{0, 1}, {1, 2}, {0, 2}}[generation%3]
	moved := func(c [3]int, by [2]int) [3]int {
		c[plane[0]] += by[0]
		c[plane[1]] += by[1]
		return c
	}
	live := func(c [3]int) bool { return b.near(c[0], c[1], c[2]) == 1 }
	// called lists the diagonals of a cell along which a knight's move away from both cells of the pair one is live.
	called := func(c [3]int) (diagonals [][2]int) {
		for _, d := range [4][2]int{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}} {
			if live(moved(c, [2]int{2 * d[0], -d[1]})) || live(moved(c, [2]int{-d[0], 2 * d[1]})) {
				diagonals = append(diagonals, d)
			}
		}
		return diagonals
	}
	inside := func(c [3]int) bool {
		for axis, v := range c {
			if v < 0 || v >= size[axis] {
				return false
			}
		}
		return true
	}
	for row := range b.h * b.d {
		for x := range b.w {
			c := [3]int{x, row % b.h, row / b.h}
			state := b.cells[row*b.w+x]
			next := state
			if (c[0]+c[1]+c[2]+int(generation%2))%2 == 0 {
				if ways := called(c); len(ways) == 1 {
					other := moved(c, ways[0])
					across := t.swaps == rule.SwapsAcross || inside(other)
					if across && len(called(other)) == 1 {
						next = b.near(other[0], other[1], other[2])
					}
				}
			}
			b.next[row*b.w+x] = t.decide(x, row, generation, state, next, 0)
		}
	}
}
