// Package islands divides periodic patterns into objects. Two objects may be so close that a cell between them has
// neighbours in both. They are still two objects if each evolves as it would on its own: a bi-block is two blocks. To
// find objects, a pattern is divided into islands (Of): cells that see each other in the same generation or from one
// generation to the next. In the 3×3 block, these touch. Islands that need each other are then joined (Joined), until
// each group evolves on its own as it does among the others (Groups).
package islands

import (
	"iter"
	"maps"
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// Island is a part of a periodic pattern: its cells in the first phase.
type Island []sparse.Cell

// Change is a cell that has changed: its position, and its states before and after.
type Change struct {
	X, Y     int
	From, To uint8
}

// Meeting is a dead cell with live neighbours in several islands. It stays dead, or the newborn cell would make one
// island of them. If only some of the islands were there, it might come alive. Nowhere else does an island depend on
// others.
type Meeting struct {
	islands [4]int // by number, in order, then -1. Of more than four around a cell, two would be one.
	births  uint16 // bit m: whether the cell comes alive if there are only those islands of which mask m has the bit
}

// Of finds the islands of a pattern that comes back, moved by (dx, dy), and lists their meetings, each kind once. The
// cells are those of the first phase, row by row, which is that of generation 0 if rules take turns. The history must
// give the changes of every generation from then on until the pattern has come back, and the same ones when it is asked
// again.
//
// Most cells of a large pattern do not change from one generation to the next, so only the places around changes are
// looked at.
func Of(r *Rule, cells []sparse.Cell, dx, dy int, history iter.Seq[[]Change]) ([]Island, []Meeting) {
	s := shore{radius: r.Radius}
	s.begin(cells)
	first := make([]int32, len(cells))
	for i, c := range cells {
		first[i] = s.at(c.X, c.Y).label
	}
	for changes := range history {
		s.apply(changes)
	}
	for i, c := range cells {
		s.join(first[i], s.at(c.X+dx, c.Y+dy).label)
	}
	s.number()
	islands := make([]Island, s.islands)
	for i, c := range cells {
		k := s.islandOf(first[i])
		islands[k] = append(islands[k], c)
	}
	if len(islands) < 2 {
		return islands, nil
	}
	return islands, s.meetings(r, cells, history)
}

// shore has the cells of a phase, each with a label. Cells with the same label are of one island. Labels that turn out
// to be of one island are joined.
type shore struct {
	radius  int
	patches map[patchAt]*patch
	latest  [latestSide * latestSide]latest
	parent  []int32 // of each label; a root is its own parent. Label 0 is that of no cell.
	labels  int32   // that have been given in this run through the period
	numbers []int32 // of the islands, by label
	islands int
}

// spot is a place. Its label and its state are 0 if no cell is there.
type spot struct {
	label int32
	state uint8
}

// patch is a square of spots, patchSide on each side.
type patch [patchSide * patchSide]spot

const patchSide = 16

// patchAt is the position of a patch, in patches.
type patchAt struct{ x, y int }

// patchOf is the position of the patch that has a place.
func patchOf(x, y int) patchAt { return patchAt{x >> 4, y >> 4} }

// latest is the patch, or nil if there is none, that was looked up last of those whose position ends with the same
// bits. It saves nearly all look-ups in the map.
type latest struct {
	at patchAt
	*patch
	known bool
}

const latestSide = 16

// nowhere is a spot of a patch without cells. It is never written.
var nowhere spot

// at returns a place, to be read.
func (s *shore) at(x, y int) *spot {
	at := patchOf(x, y)
	l := &s.latest[at.y&(latestSide-1)*latestSide+at.x&(latestSide-1)]
	if l.at != at || !l.known {
		*l = latest{at, s.patches[at], true}
	}
	if l.patch == nil {
		return &nowhere
	}
	return &l.patch[y&(patchSide-1)*patchSide+x&(patchSide-1)]
}

// begin makes cells the first phase. Labels that were joined before stay joined.
func (s *shore) begin(cells []sparse.Cell) {
	s.patches, s.labels = map[patchAt]*patch{}, 0
	clear(s.latest[:])
	for _, c := range cells {
		s.place(c.X, c.Y, c.Age+1)
	}
}

// place puts a cell in a place, and joins the labels of all cells that it sees.
func (s *shore) place(x, y int, state uint8) {
	label := int32(0)
	for v := y - s.radius; v <= y+s.radius; v++ {
		for u := x - s.radius; u <= x+s.radius; u++ {
			switch other := s.at(u, v).label; {
			case other == 0 || other == label:
			case label == 0:
				label = other
			default:
				s.join(label, other)
			}
		}
	}
	if label == 0 {
		s.labels++
		label = s.labels
		for int(label) >= len(s.parent) {
			s.parent = append(s.parent, int32(len(s.parent)))
		}
	}
	there := s.at(x, y)
	if there == &nowhere {
		at := patchOf(x, y)
		s.patches[at] = new(patch)
		s.latest[at.y&(latestSide-1)*latestSide+at.x&(latestSide-1)].known = false
		there = s.at(x, y)
	}
	*there = spot{label, state}
}

// apply makes the changes that lead to the next phase. Newborn cells see those of both phases: cells leave only when
// all newborn ones are there. A cell that stays has seen all others of both phases before, or is seen by them.
func (s *shore) apply(changes []Change) {
	for _, c := range changes {
		if c.From == 0 {
			s.place(c.X, c.Y, c.To)
		}
	}
	for _, c := range changes {
		switch at := s.at(c.X, c.Y); {
		case c.To == 0:
			*at = spot{}
		default:
			at.state = c.To
		}
	}
}

// root returns the label that stands for all that are joined with one.
func (s *shore) root(label int32) int32 {
	for s.parent[label] != label {
		s.parent[label] = s.parent[s.parent[label]]
		label = s.parent[label]
	}
	return label
}

// join makes two labels those of one island. The root is the label that was given first.
func (s *shore) join(a, b int32) {
	a, b = s.root(a), s.root(b)
	s.parent[max(a, b)] = min(a, b)
}

// number numbers the islands in the order of their first cells.
func (s *shore) number() {
	s.numbers, s.islands = make([]int32, len(s.parent)), 0
	for label := int32(1); label < int32(len(s.parent)); label++ {
		if root := s.root(label); root != label {
			s.numbers[label] = s.numbers[root]
			continue
		}
		s.numbers[label] = int32(s.islands)
		s.islands++
	}
}

// islandOf returns the number of the island of a label.
func (s *shore) islandOf(label int32) int { return int(s.numbers[label]) }

// meetings goes through the period again, with the islands that number has numbered. A meeting is the same as before if
// nothing has changed around it since the rule was the same.
func (s *shore) meetings(r *Rule, cells []sparse.Cell, history iter.Seq[[]Change]) []Meeting {
	kinds := map[Meeting]bool{}
	s.begin(cells)
	for _, c := range cells {
		s.meetAround(r, 0, c.X, c.Y, kinds)
	}
	phase := 0
	recent := make([][]Change, len(r.turns)) // the latest changes, as many as rules take turns
	for changes := range history {
		s.apply(changes)
		last := &recent[phase%len(recent)]
		*last = append((*last)[:0], changes...)
		phase++
		if phase < len(r.turns) { // the rule is another one than in all phases before
			for at, b := range s.patches {
				for i, spot := range b {
					if spot.label != 0 {
						s.meetAround(r, phase, at.x*patchSide+i%patchSide, at.y*patchSide+i/patchSide, kinds)
					}
				}
			}
			continue
		}
		for _, changes := range recent {
			for _, c := range changes {
				s.meetAround(r, phase, c.X, c.Y, kinds)
			}
		}
	}
	return slices.Collect(maps.Keys(kinds))
}

// meetAround adds the meetings that see a place in a phase.
func (s *shore) meetAround(r *Rule, phase, x, y int, kinds map[Meeting]bool) {
	if !s.hasTwo(x, y) {
		return
	}
	for v := y - s.radius; v <= y+s.radius; v++ {
		for u := x - s.radius; u <= x+s.radius; u++ {
			if s.at(u, v).label != 0 {
				continue
			}
			if a := s.around(r, u, v); a.n > 1 {
				kinds[meetingAt(r, phase, a)] = true
			}
		}
	}
}

// hasTwo reports whether a cell beside a place, or there, can see several islands.
func (s *shore) hasTwo(x, y int) bool {
	label, distance := int32(0), 2*s.radius
	for v := y - distance; v <= y+distance; v++ {
		for u := x - distance; u <= x+distance; u++ {
			switch other := s.at(u, v).label; {
			case other == 0 || other == label:
			case label == 0:
				label = other
			case s.numbers[label] != s.numbers[other]:
				return true
			}
		}
	}
	return false
}

// around lists the islands that one cell sees.
type around struct {
	islands [4]int // in order
	sums    [4]int // of the live cells of each island
	n       int    // islands
}

// around lists the islands around a place. Dying cells are nobody's neighbours.
func (s *shore) around(r *Rule, x, y int) (a around) {
	for _, add := range r.adds {
		spot := s.at(x-add.dx, y-add.dy)
		if spot.state != 1 {
			continue
		}
		island := s.islandOf(spot.label)
		k := 0
		for k < a.n && a.islands[k] < island {
			k++
		}
		if k == a.n || a.islands[k] != island {
			copy(a.islands[k+1:], a.islands[k:a.n])
			copy(a.sums[k+1:], a.sums[k:a.n])
			a.islands[k], a.sums[k] = island, 0
			a.n++
		}
		a.sums[k] += add.sum
	}
	return a
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
		islands[i] = append(islands[i], islands[j]...)
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
func Some(islands []Island, mask uint) (all Island) {
	for ; mask != 0; mask &= mask - 1 {
		all = append(all, islands[bits.TrailingZeros(mask)]...)
	}
	return all
}
