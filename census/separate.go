package census

import (
	"math/bits"
	"slices"
)

// Two objects may be so close that a cell between them has neighbours in both. They are still two objects if each evolves as it would on its own: a
// bi-block is two blocks. So the phases of one period are divided into islands: cells that touch in the same generation or from one generation to the
// next. Islands that need each other are then joined, until each group evolves on its own as it does among the others.

// island is a part of a periodic pattern: its cells in each phase.
type island [][]Cell

// parts divides a periodic pattern into objects. The pattern is given by its phases, and moves by (dx, dy) in a period.
func (c *classifier) parts(phases [][]Cell, dx, dy int) []Object {
	islands := c.joined(islandsOf(phases, dx, dy), dx, dy)
	groups := c.groups(islands, dx, dy)
	if len(groups) <= 1 {
		return []Object{c.object(phases, dx, dy)}
	}
	var objects []Object
	for _, group := range groups {
		// A part may have a shorter period than the whole, and may consist of several objects.
		cells := sorted(group[0])
		period, dx, dy := c.period(cells)
		if period == 0 {
			return []Object{c.object(phases, dx, dy)}
		}
		objects = append(objects, c.parts(c.phases(cells, period), dx, dy)...)
	}
	return objects
}

// event is the place of a cell in a phase.
type event struct {
	Cell
	t int
}

// islandsOf finds the islands of the phases of one period, after which everything has moved by (dx, dy).
func islandsOf(phases [][]Cell, dx, dy int) []island {
	index := map[event]int32{}
	var events []event
	var ages []uint8
	for t, cells := range phases {
		for _, c := range cells {
			e := event{placeOf(c), t}
			index[e] = int32(len(events))
			events, ages = append(events, e), append(ages, c.Age)
		}
	}
	parent := make([]int32, len(events))
	for i := range parent {
		parent[i] = int32(i)
	}
	find := func(i int32) int32 {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for i, e := range events {
		later := event{e.Cell, e.t + 1}
		if later.t == len(phases) {
			later = event{Cell{X: e.X - dx, Y: e.Y - dy}, 0}
		}
		for _, around := range []event{e, later} {
			for d := range 9 {
				at := event{Cell{X: around.X + d%3 - 1, Y: around.Y + d/3 - 1}, around.t}
				if j, ok := index[at]; ok {
					parent[find(int32(i))] = find(j)
				}
			}
		}
	}
	place := map[int32]int{}
	var islands []island
	for i, e := range events {
		root := find(int32(i))
		k, ok := place[root]
		if !ok {
			k = len(islands)
			place[root] = k
			islands = append(islands, make(island, len(phases)))
		}
		islands[k][e.t] = append(islands[k][e.t], Cell{X: e.X, Y: e.Y, Age: ages[i]})
	}
	return islands
}

// placeOf is a cell without its age.
func placeOf(c Cell) Cell { return Cell{X: c.X, Y: c.Y} }

// together returns the cells of several islands.
func together(islands []island) island {
	all := make(island, len(islands[0]))
	for t := range all {
		for _, i := range islands {
			all[t] = append(all[t], i[t]...)
		}
	}
	return all
}

// astray lists the cells that an island would get wrong on its own, each with the phase before: those whose state in the next phase would be another
// one.
func (c *classifier) astray(i island, dx, dy int) []event {
	var all []event
	for t, cells := range i {
		next := i[(t+1)%len(i)]
		if t+1 == len(i) {
			next = moved(next, dx, dy)
		}
		for _, cell := range difference(c.after(cells), next) {
			all = append(all, event{cell, t})
		}
	}
	return all
}

// after returns the cells one generation later. It goes cell by cell, which is fast enough because it is called rarely and for small patterns.
func (c *classifier) after(cells []Cell) []Cell {
	blocks := make(map[Cell]int, 9*len(cells))
	var next []Cell
	for _, cell := range cells {
		for d := range 9 {
			if cell.Age == 0 {
				// Seen from this neighbour, the cell lies in the opposite direction.
				blocks[Cell{X: cell.X + d%3 - 1, Y: cell.Y + d/3 - 1}] |= 1 << d
			}
		}
	}
	add := func(cell Cell, state uint8) {
		if state > 0 {
			cell.Age = state - 1
			next = append(next, cell)
		}
	}
	for _, cell := range cells {
		if cell.Age > 0 { // it goes on dying, whatever lives around it
			delete(blocks, placeOf(cell))
			add(cell, c.rule.NextInBlock(cell.Age+1, 0))
		}
	}
	const centre = 1 << 4
	for cell, block := range blocks {
		add(cell, c.rule.NextInBlock(uint8(block&centre/centre), block))
	}
	return next
}

// difference returns the cells that are in exactly one of the lists, with this age.
func difference(a, b []Cell) []Cell {
	in := make(map[Cell]bool, len(a))
	for _, c := range a {
		in[c] = true
	}
	for _, c := range b {
		if in[c] {
			delete(in, c)
		} else {
			in[c] = true
		}
	}
	var out []Cell
	for c := range in {
		out = append(out, c)
	}
	return out
}

// joined joins islands that need each other. If an island on its own would get a cell wrong, another island with a live neighbour of that cell must
// prevent it: a dying cell that takes up the place of a birth touches the parents, so it is of their island. If only one island has such a neighbour, the two belong together.
func (c *classifier) joined(islands []island, dx, dy int) []island {
	for changed := true; changed && len(islands) > 1; {
		changed = false
	search:
		for i := range islands {
			for _, e := range c.astray(islands[i], dx, dy) {
				if j, only := near(islands, i, e); only {
					islands[i] = together([]island{islands[i], islands[j]})
					islands = slices.Delete(islands, j, j+1)
					changed = true
					break search
				}
			}
		}
	}
	return islands
}

// near finds the island other than i that has a live neighbour of an event's cell, if there is exactly one.
func near(islands []island, i int, e event) (j int, only bool) {
	found := -1
	for k, other := range islands {
		if k == i {
			continue
		}
		if slices.ContainsFunc(other[e.t], func(c Cell) bool {
			return c.Age == 0 && max(c.X-e.X, e.X-c.X, c.Y-e.Y, e.Y-c.Y) <= 1
		}) {
			if found >= 0 {
				return 0, false
			}
			found = k
		}
	}
	return found, found >= 0
}

// mostIslands is the largest number of islands for which all groupings are tried.
const mostIslands = 14

// groups puts islands into groups, each of which evolves on its own as it does among the others. It finds the smallest number of groups, at least
// two. It returns nil if there is no such grouping.
func (c *classifier) groups(islands []island, dx, dy int) []island {
	n := len(islands)
	if n < 2 {
		return nil
	}
	faithful := map[uint]bool{}
	alone := func(mask uint) bool {
		ok, seen := faithful[mask]
		if !seen {
			ok = len(c.astray(together(chosen(islands, mask)), dx, dy)) == 0
			faithful[mask] = ok
		}
		return ok
	}
	if n > mostIslands {
		for i := range islands {
			if len(c.astray(islands[i], dx, dy)) > 0 {
				return nil
			}
		}
		return islands
	}
	// split divides the islands in rest into k groups. The first group it chooses contains the island with the lowest number.
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
			groups := make([]island, len(masks))
			for i, mask := range masks {
				groups[i] = together(chosen(islands, mask))
			}
			return groups
		}
	}
	return nil
}

func chosen(islands []island, mask uint) []island {
	var some []island
	for ; mask != 0; mask &= mask - 1 {
		some = append(some, islands[bits.TrailingZeros(mask)])
	}
	return some
}
