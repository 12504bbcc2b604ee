// Package islands divides periodic patterns into objects. Two objects may be so close that a cell between them has
// neighbours in both. They are still two objects if each evolves as it would on its own: a bi-block is two blocks. To
// find objects, the phases of one period are divided into islands (Of): cells that see each other in the same
// generation or from one generation to the next. In the 3×3 block, these touch. Islands that need each other are then
// joined (Joined), until each group evolves on its own as it does among the others (Groups).
package islands

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// Island is a part of a periodic pattern: its cells in each phase.
type Island [][]sparse.Cell

// near calls f with the indices of each two cells of a and of b that are at most reach columns and rows apart after b
// has moved by (x, y). Both are in order, row by row.
func near(a, b []sparse.Cell, x, y, reach int, f func(i, j int)) {
	first := make([]int, 2*reach+1) // of b, the first cell in each row around that is not too far left
	for i, c := range a {
		left := c.X - reach - x
		for d := range first {
			row, j := c.Y+d-reach-y, first[d]
			for j < len(b) && (b[j].Y < row || b[j].Y == row && b[j].X < left) {
				j++
			}
			for first[d] = j; j < len(b) && b[j].Y == row && b[j].X <= left+2*reach; j++ {
				f(i, j)
			}
		}
	}
}

// Of finds the islands of the phases of one period, after which everything has moved by (dx, dy). The cells of a phase
// are in order, row by row. Cells see each other up to a radius.
func Of(phases [][]sparse.Cell, dx, dy, radius int) []Island {
	var parent []int32                  // of each cell, in the order of the phases
	begin := make([]int32, len(phases)) // the number of a phase's first cell
	for t, cells := range phases {
		begin[t] = int32(len(parent))
		for range cells {
			parent = append(parent, int32(len(parent)))
		}
	}
	find := func(i int32) int32 {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	join := func(t, later, x, y int) {
		near(phases[t], phases[later], x, y, radius, func(i, j int) {
			parent[find(begin[t]+int32(i))] = find(begin[later] + int32(j))
		})
	}
	for t := range phases {
		join(t, t, 0, 0)
		if t+1 < len(phases) {
			join(t, t+1, 0, 0)
		} else {
			join(t, 0, dx, dy)
		}
	}
	numbers := map[int32]int{} // of islands, by their roots
	var islands []Island
	i := int32(0)
	for t, cells := range phases {
		for _, c := range cells {
			root := find(i)
			k, ok := numbers[root]
			if !ok {
				k = len(islands)
				numbers[root] = k
				islands = append(islands, make(Island, len(phases)))
			}
			islands[k][t] = append(islands[k][t], c)
			i++
		}
	}
	return islands
}

// place is the place where a cell is. Patterns are not wide enough for two cells to have the same place.
type place struct{ x, y int32 }

func placeOf(x, y int) place { return place{int32(x), int32(y)} }

// Meeting is a dead cell with live neighbours in several islands. It stays dead, or the newborn cell would make one
// island of them. If only some of the islands were there, it might come alive. Nowhere else does an island depend on
// others.
type Meeting struct {
	islands [4]int // by number, in order, then -1. Of more than four around a cell, two would be one.
	births  uint16 // bit m: whether the cell comes alive if there are only those islands of which mask m has the bit
}

// around lists the islands that one cell sees.
type around struct {
	islands [4]int
	sums    [4]int // of the live cells of each island
	n       int    // islands
}

// MeetingsOf lists the meetings of islands under a rule, each kind once. The first phase is that of generation 0 if
// rules take turns.
func MeetingsOf(r *Rule, islands []Island) []Meeting {
	if len(islands) < 2 {
		return nil
	}
	kinds := map[Meeting]bool{}
	cells := map[place]around{}
	for t := range islands[0] {
		clear(cells)
		for _, part := range besideOthers(r, islands, t) {
			for _, add := range r.adds {
				at := placeOf(part.cell.X+add.dx, part.cell.Y+add.dy)
				a := cells[at]
				if a.n == 0 || a.islands[a.n-1] != part.island {
					a.islands[a.n] = part.island
					a.n++
				}
				a.sums[a.n-1] += add.sum
				cells[at] = a
			}
		}
		for _, a := range cells {
			if a.n > 1 {
				kinds[meetingAt(r, t, a)] = true
			}
		}
	}
	return slices.Collect(maps.Keys(kinds))
}

// part is a live cell of an island.
type part struct {
	cell   sparse.Cell
	island int
}

// besideOthers lists the live cells of a phase that have a neighbour in common with a cell of another island, island by
// island. Dying cells are nobody's neighbours.
func besideOthers(r *Rule, islands []Island, t int) []part {
	var parts []part
	for k, island := range islands {
		for _, cell := range island[t] {
			if cell.Age == 0 {
				parts = append(parts, part{cell, k})
			}
		}
	}
	slices.SortFunc(parts, func(a, b part) int { return sparse.ByRow(a.cell, b.cell) })
	cells := make([]sparse.Cell, len(parts))
	for i, p := range parts {
		cells[i] = p.cell
	}
	beside := make([]bool, len(parts))
	near(cells, cells, 0, 0, 2*r.Radius, func(i, j int) {
		beside[i] = beside[i] || parts[i].island != parts[j].island
	})
	kept := parts[:0]
	for i, p := range parts {
		if beside[i] {
			kept = append(kept, p)
		}
	}
	slices.SortFunc(kept, func(a, b part) int { return cmp.Compare(a.island, b.island) })
	return kept
}

// meetingAt lists which sets of the islands around a dead cell of a phase would make it live. Bit m of births
// stands for the set of islands whose bits are in m, so that a set is looked up by its number.
func meetingAt(r *Rule, phase int, a around) Meeting {
	m := Meeting{islands: [4]int{-1, -1, -1, -1}}
	copy(m.islands[:], a.islands[:a.n])
	for mask := range uint(1) << a.n {
		sum := 0
		for k := range a.n {
			if mask>>k&1 != 0 {
				sum += a.sums[k]
			}
		}
		if r.next(phase, 0, sum) != 0 {
			m.births |= 1 << mask
		}
	}
	return m
}

// renumbered is the meeting of islands of which some have been joined: number has the new number of each. ok is false
// if one of them is left.
func (m Meeting) renumbered(number []int) (after Meeting, ok bool) {
	after.islands = [4]int{-1, -1, -1, -1}
	var masks []uint // which old islands are in each new one
	for k, i := range m.islands {
		if i < 0 {
			break
		}
		at := slices.Index(after.islands[:len(masks)], number[i])
		if at < 0 {
			at = len(masks)
			after.islands[at] = number[i]
			masks = append(masks, 0)
		}
		masks[at] |= 1 << k
	}
	for mask := range uint(1) << len(masks) {
		before := uint(0)
		for k, b := range masks {
			if mask>>k&1 != 0 {
				before |= b
			}
		}
		after.births |= m.births >> before & 1 << mask
	}
	return after, len(masks) > 1
}

// Joined joins islands that need each other. If an island on its own would give life to a cell, another island
// with a live neighbour of that cell must prevent it. If only one other island has such a neighbour, the two
// belong together.
func Joined(islands []Island, meetings []Meeting) ([]Island, []Meeting) {
	for {
		i, j := together(meetings)
		if i == j {
			return islands, meetings
		}
		number := make([]int, len(islands))
		for k := range number {
			switch {
			case k == j:
				number[k] = i
			case k > j:
				number[k] = k - 1
			default:
				number[k] = k
			}
		}
		for t := range islands[i] {
			islands[i][t] = append(islands[i][t], islands[j][t]...)
		}
		islands = slices.Delete(islands, j, j+1)
		kept := meetings[:0]
		for _, m := range meetings {
			if m, ok := m.renumbered(number); ok {
				kept = append(kept, m)
			}
		}
		meetings = kept
	}
}

// together finds two islands, i < j, one of which needs the other. It returns 0 and 0 if there are none.
func together(meetings []Meeting) (i, j int) {
	for _, m := range meetings {
		if m.islands[2] < 0 && m.births&(1<<1|1<<2) != 0 {
			return min(m.islands[0], m.islands[1]), max(m.islands[0], m.islands[1])
		}
	}
	return 0, 0
}

// mostIslands is the largest number of islands for which all groupings are tried.
const mostIslands = 14

// Groups puts islands into groups, each of which evolves on its own as it does among the others. It finds the
// smallest number of groups, at least two. It returns nil if there is no such grouping.
func Groups(islands []Island, meetings []Meeting) []Island {
	n := len(islands)
	if n < 2 {
		return nil
	}
	if n > mostIslands {
		for _, m := range meetings {
			if m.births&(1<<1|1<<2|1<<4|1<<8) != 0 { // an island alone
				return nil
			}
		}
		return islands
	}
	faithful := map[uint]bool{}
	alone := func(mask uint) bool {
		ok, seen := faithful[mask]
		if !seen {
			ok = !slices.ContainsFunc(meetings, func(m Meeting) bool { return m.Births(mask) })
			faithful[mask] = ok
		}
		return ok
	}
	// split divides the islands in rest into k groups. The first group it chooses contains the island with the
	// lowest number.
	var split func(rest uint, k int) []uint
	split = func(rest uint, k int) []uint {
		if k == 1 {
			if rest != 0 && alone(rest) {
				return []uint{rest}
			}
			return nil
		}
		lowest := rest & -rest
		for others := (rest - lowest) & (rest - lowest - 1); ; others = (others - 1) & (rest - lowest) {
			if group := lowest | others; group != rest && alone(group) {
				if more := split(rest&^group, k-1); more != nil {
					return append(more, group)
				}
			}
			if others == 0 {
				return nil
			}
		}
	}
	for k := 2; k <= n; k++ {
		if masks := split(1<<n-1, k); masks != nil {
			groups := make([]Island, len(masks))
			for i, mask := range masks {
				groups[i] = Some(islands, mask)
			}
			return groups
		}
	}
	return nil
}

// Births reports whether the cell comes alive with only the islands of a mask there.
func (m Meeting) Births(mask uint) bool {
	there := uint(0)
	for k, i := range m.islands {
		if i >= 0 && mask>>i&1 != 0 {
			there |= 1 << k
		}
	}
	return m.births>>there&1 != 0
}

// Some is one island of those whose numbers are the bits of a mask.
func Some(islands []Island, mask uint) Island {
	all := make(Island, len(islands[0]))
	for ; mask != 0; mask &= mask - 1 {
		for t, cells := range islands[bits.TrailingZeros(mask)] {
			all[t] = append(all[t], cells...)
		}
	}
	return all
}
