package run

import (
	"context"
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/grid"

	"github.com/gosper-life/gosper/sim"
)

// leaving detects that an unbounded universe only repeats, apart from groups of cells that fly away forever. The
// gliders of a methuselah keep the whole state from ever repeating.
//
// In T generations nothing can move further than a certain distance. Groups of cells that are more than twice that
// distance apart evolve independently for these generations. Suppose that a universe consists of such groups, that
// each group is the same T generations later except for a shift, and that no two groups' shifts bring them closer.
// Then the next T generations pass in the same way, and so on forever. This proves that the universe only repeats,
// apart from the groups that fly away. The population only says when to look.
type leaving struct {
	cfg    sim.Config
	recent past   // the look before, if the population has not changed
	older  past   // taken again whenever its age has doubled, to find periods of any length
	age    uint64 // of the older one when it will be replaced
	last   uint64 // population at the look before
}

// check looks at a universe at generations divisible by LookEvery. It returns what the universe does forever, if that
// is known.
func (l *leaving) check(ctx context.Context, e sim.Engine, g, population uint64) (c cycle, found bool, err error) {
	if !canLeave(l.cfg) {
		return cycle{}, false, nil
	}
	for _, p := range []past{l.recent, l.older} {
		if p.cells == nil || p.population != population {
			continue
		}
		groups, ok, err := l.same(p, e, g-p.generation)
		if ok || err != nil {
			return cycle{p, g - p.generation, groups}, ok, err
		}
	}
	l.recent = past{}
	if population == l.last {
		l.recent, err = remembered(ctx, e, g, population, leavingCells)
	}
	l.last = population
	if err == nil && (l.older.cells == nil || g-l.older.generation >= l.age) {
		l.age = max(2*l.age, LookEvery)
		l.older, err = remembered(ctx, e, g, population, leavingCells)
	}
	return cycle{}, false, err
}

// leavingCells is the largest area that is looked at again and again.
const leavingCells = 1 << 34

// same reports whether e is the same as p apart from groups of cells that leave. It returns all groups.
func (l *leaving) same(p past, e sim.Engine, generations uint64) (groups []group, ok bool, err error) {
	const farthest = 1 << 40
	if generations > farthest {
		return nil, false, nil
	}
	reach := l.cfg.Rule.Radius() * int(generations)
	var boxes []grid.Rect
	for _, part := range p.cells.Occupied() {
		box, err := within(p.cells, part)
		if err != nil {
			return nil, false, err
		}
		boxes = joined(boxes, box, 2*reach)
	}
	groups = []group{} // nil: not known; empty: no group leaves
	for _, box := range boxes {
		area := grid.Rect{X: box.X - reach, Y: box.Y - reach, W: box.W + 2*reach, H: box.H + 2*reach}
		now, err := within(e, area)
		if err != nil || now.W != box.W || now.H != box.H {
			return nil, false, err
		}
		if same, err := equal(p.cells, box, e, now); err != nil || !same {
			return nil, false, err
		}
		groups = append(groups, group{box, area, [2]int{now.X - box.X, now.Y - box.Y}})
	}
	for i, a := range groups {
		for _, b := range groups[:i] {
			if !parting(a.box, b.box, a.shift, b.shift, 2*reach) {
				return nil, false, nil
			}
		}
	}
	return groups, true, nil
}

// joined adds a box to boxes that are all more than far apart along at least one axis. It joins boxes that are closer.
func joined(boxes []grid.Rect, box grid.Rect, far int) []grid.Rect {
	if box.Empty() {
		return boxes
	}
	for i := 0; i < len(boxes); i++ {
		if b := boxes[i]; max(gap(box.X, box.W, b.X, b.W), gap(box.Y, box.H, b.Y, b.H)) <= far {
			box = box.Union(b)
			boxes = slices.Delete(boxes, i, i+1)
			i = -1 // the larger box may be close to others
		}
	}
	return append(boxes, box)
}

// gap is the distance from the last cell of one interval to the first of the other. It is 0 or less if they overlap.
func gap(a, lenA, b, lenB int) int { return max(b-(a+lenA-1), a-(b+lenB-1)) }

// parting reports whether two boxes are more than far apart along an axis along which they never come closer.
func parting(a, b grid.Rect, shiftA, shiftB [2]int, far int) bool {
	along := func(a, lenA, b, lenB, approach int) bool { // approach: how much a gains on b, from the left
		return b-(a+lenA-1) > far && approach <= 0 || a-(b+lenB-1) > far && approach >= 0
	}
	return along(a.X, a.W, b.X, b.W, shiftA[0]-shiftB[0]) || along(a.Y, a.H, b.Y, b.H, shiftA[1]-shiftB[1])
}

// within returns the bounding box of the cells not in state 0 in an area.
func within(src grid.Source, area grid.Rect) (grid.Rect, error) {
	parts, err := grid.Occupied(src)
	if err != nil {
		return grid.Rect{}, err
	}
	var box grid.Rect
	for _, part := range parts {
		part = part.Intersect(area)
		live, row := make([]uint64, (part.W+63)/64), make([]uint64, (part.W+63)/64)
		for y := part.Y; y < part.Y+part.H; y++ {
			if err := liveIn(live, row, src, part.X, y, part.W); err != nil {
				return grid.Rect{}, err
			}
			first := slices.IndexFunc(live, func(word uint64) bool { return word != 0 })
			if first < 0 {
				continue
			}
			last := len(live) - 1
			for live[last] == 0 {
				last--
			}
			from, to := 64*first+bits.TrailingZeros64(live[first]), 64*last+bits.Len64(live[last])
			box = box.Union(grid.Rect{X: part.X + from, Y: y, W: to - from, H: 1})
		}
	}
	return box, nil
}

// liveIn stores which of n cells from (x, y) to the right are not in state 0. row is for its own use.
func liveIn(live, row []uint64, src grid.Source, x, y, n int) error {
	clear(live)
	for k := range src.Planes() {
		if err := src.ReadRow(row, k, x, y, n); err != nil {
			return err
		}
		for i, word := range row {
			live[i] |= word
		}
	}
	return nil
}
