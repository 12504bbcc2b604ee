package ensemble

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gosper-life/gosper/grid"
)

// Extends reports whether an ensemble is the same as another one, with at least as many universes of each root.
func (p *Study) Extends(other *Study) bool { return p.kind() == other.kind() && p.Covers(other) }

// Covers reports whether there are at least as many universes of each root as in another ensemble. Ensembles with
// rows are compared by Widens.
func (p *Study) Covers(other *Study) bool {
	mine := map[string]int{}
	for _, part := range p.parts() {
		mine[part.Root] = part.Universes
	}
	return !slices.ContainsFunc(other.parts(), func(part Part) bool { return mine[part.Root] < part.Universes })
}

// Widens reports whether an ensemble has all places of another one and more, with at least as many universes of each
// root, and is otherwise the same.
func (p *Study) Widens(other *Study) bool {
	if p.rows == nil && other.rows == nil {
		return p.anywhere() == other.anywhere() && p.Covers(other) && len(other.placesBeside(p)) == 0
	}
	missing := len(other.Points)
	for _, theirs := range other.Rows() {
		for _, mine := range p.Rows() {
			common := len(theirs.Points) - len(theirs.placesBeside(mine))
			if common > 0 && (mine.anywhere() != theirs.anywhere() || !mine.Covers(theirs)) {
				return false
			}
			missing -= common
		}
	}
	return missing == 0
}

// anywhere is the hash of a study without its places and universes. It is equal for ensembles that differ only in
// these.
func (p *Study) anywhere() string {
	common := *p
	s := &common.Spec
	s.Rules, s.Sizes, s.Starts, s.Densities, s.Patterns = nil, nil, nil, nil, nil
	return common.kind()
}

// placesBeside returns the places of an ensemble that another one lacks.
func (p *Study) placesBeside(other *Study) (beside []Place) {
	there := map[Place]bool{}
	for _, at := range other.Points {
		there[at.Place()] = true
	}
	for _, at := range p.Points {
		if !there[at.Place()] {
			beside = append(beside, at.Place())
		}
	}
	return beside
}

// GoesOn reports whether an ensemble differs from an earlier one only in its universes and in its generations:
// how many there are, and which are sampled, averaged and dumped. The error says why it cannot go on from the
// earlier one's last states; then it is another ensemble.
func (p *Study) GoesOn(from *Study) (bool, error) {
	if p.rows != nil && len(p.rows) == len(from.rows) {
		return p.rowsGoOn(from)
	}
	end, mine := from.Spec.Generations, p.Spec.Generations
	if end == mine || p.timeless() != from.timeless() {
		return false, nil
	}
	early := func(generations []uint64) []uint64 {
		n, _ := slices.BinarySearch(generations, end+1)
		return generations[:n]
	}
	dumped := len(early(p.Dump.Generations)) > 0
	switch first := p.Times[0]; {
	case mine < end:
		return true, fmt.Errorf("it has run to generation %d: it can go on to more, but %d are fewer", end, mine)
	case p.Unbounded():
		return true, fmt.Errorf(
			"it has run to generation %d, and universes on the unbounded plane do not keep their last states", end)
	case !from.Spec.Keep:
		return true, fmt.Errorf("it was run to generation %d without keep (--keep), so it cannot go on to %d", end, mine)
	case p.Wanted.Cap != from.Wanted.Cap:
		return true, fmt.Errorf("measure settling: cap %d was %d before, and has to stay that to go on", p.Wanted.Cap,
			from.Wanted.Cap)
	case p.Wanted.Needs()&NeedsFirst != 0 && first <= end && first != from.Times[0]:
		return true, fmt.Errorf("its measures compare with the first sample, of generation %d, which was %d before", first,
			from.Times[0])
	case p.Wanted.Kinetics && (!slices.Equal(early(p.Times), from.Times) || from.Times[len(from.Times)-1] != end):
		return true, fmt.Errorf(
			"measure kinetics compares each sample with the one before: the samples up to generation %d have to be the same as before, with one of that generation", end)
	case dumped && !slices.Equal(early(p.Dump.Generations), from.Dump.Generations):
		return true, fmt.Errorf("up to generation %d, dump has to name the same generations as before: %s", end,
			cmp.Or(from.Spec.Dump, "none"))
	case dumped && p.Spec.DumpUniverses != from.Spec.DumpUniverses:
		return true, fmt.Errorf("dump_universes have to be the same as before: %s", cmp.Or(from.Spec.DumpUniverses, "all"))
	}
	for _, t := range early(p.Times) {
		if _, found := slices.BinarySearch(from.Times, t); !found {
			return true, fmt.Errorf(
				"it has no sample of generation %d, which it has passed: it can have further ones from generation %d on", t, end+1)
		}
	}
	return true, nil
}

// rowsGoOn is GoesOn if each row of an ensemble goes on from a row of the earlier one, or is the same.
func (p *Study) rowsGoOn(from *Study) (bool, error) {
	any := false
	for i, r := range p.rows {
		goesOn, err := r.GoesOn(from.rows[i])
		if err != nil {
			return true, fmt.Errorf("row %d: %w", i+1, err)
		}
		if !goesOn && !r.Extends(from.rows[i]) {
			return false, nil
		}
		any = any || goesOn
	}
	return any, nil
}

// timeless is the hash of a study without its times. It is equal for two ensembles if one continues the other.
func (p *Study) timeless() string {
	common := *p
	s := &common.Spec
	s.Generations, s.Every, s.Times, s.Warmup, s.Dump, s.DumpUniverses, s.DumpAs = 0, 0, nil, nil, "", "", ""
	s.Cap, common.Wanted.Cap = 0, 0
	return common.kind()
}

// mostLast is the number of bytes the last states of a universe take at most, so that a result fits in memory.
const mostLast = 1 << 30

// LastBytes is the number of bytes the last states of a universe take, where they are kept: all planes of its cells,
// those of its twin, and the cells in state 1 at its first sample, the last two if measures need them.
func (p *Study) LastBytes(at Point) int {
	planes, t := grid.PlanesOf(at.Rule.States), at.Topology
	if p.Wanted.Needs()&NeedsTwin != 0 {
		planes *= 2
	}
	if p.Wanted.Needs()&NeedsFirst != 0 {
		planes++
	}
	return planes * t.H * ((t.W + 7) / 8)
}
