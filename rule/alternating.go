package rule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/rule/block"
	"github.com/gosper-life/gosper/rule/model"
	"github.com/gosper-life/gosper/topology"
)

// mostPhases is the number of rules that may take turns.
const mostPhases = 64

// At is the rule that leads from a generation to the next: r itself, unless rules take turns.
func (r Rule) At(generation uint64) Rule {
	if r.Kind() != KindAlternating {
		return r
	}
	return r.Phases[generation%uint64(len(r.Phases))]
}

// Period is the number of generations after which the rule does the same to the same cells. It is 1 for most rules
// and 2 for rules of blocks, because blocks move. Cells that change places do so in six phases. For a rule of several
// parts it is the least common multiple of their periods, and of the number of alternating rules.
func (r Rule) Period() uint64 {
	period := uint64(max(1, len(r.Phases)))
	switch kind := r.Kind(); {
	case kind == KindBlocks, kind == KindStochastic && r.Chance.Checkerboard:
		period = 2
	case kind == KindSwaps:
		period = swapsPeriod
	}
	for _, p := range r.Parts() {
		period = leastCommonMultiple(period, p.Period())
	}
	return period
}

func leastCommonMultiple(a, b uint64) uint64 {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	return a / x * b
}

// Blocks reports whether the rule, or one of several alternating rules, uses 2×2 blocks or a checkerboard, as cells
// that change places do. Such a rule treats even and odd columns and rows differently.
func (r Rule) Blocks() bool {
	switch r.Kind() {
	case KindStochastic:
		return r.Chance.Checkerboard || slices.ContainsFunc(r.Parts(), Rule.Blocks)
	case KindAlternating:
		return slices.ContainsFunc(r.Phases, Rule.Blocks)
	case KindBlocks, KindSwaps:
		return true
	}
	return false
}

// Triangles reports whether the cells of the rule, or of one of several alternating rules, are triangles.
func (r Rule) Triangles() bool {
	return r.Neighbourhood.Triangles || slices.ContainsFunc(r.Parts(), Rule.Triangles)
}

// Hexagons reports whether the cells of the rule, or of one of several alternating rules, are hexagons: the cells to
// the north-east and the south-west are no neighbours.
func (r Rule) Hexagons() bool {
	hexagonal := func(n Neighbourhood) bool { return !n.Volume && (n.Letter == 'H' || n.Letter == '3') }
	return hexagonal(r.Neighbourhood) || r.File != nil && hexagonal(r.File.Neighbourhood) ||
		slices.ContainsFunc(r.Parts(), Rule.Hexagons)
}

// DependsOnPlace reports whether the rule treats cells in even and odd columns or rows differently: they have
// different places in their 2×2 block, or they are triangles that point in different directions.
func (r Rule) DependsOnPlace() bool { return r.Blocks() || r.Triangles() }

// Homogeneous reports whether the rule does the same to all cells in all generations, as most rules do. Chance
// does not.
func (r Rule) Homogeneous() bool { return r.Period() == 1 && !r.DependsOnPlace() && !r.Random() }

// Fits returns an error that says why the rule does not fit universes of a topology. The dimensions may differ: two
// and three. Or the universe cannot be cut into the rule's 2×2 blocks, triangles or a checkerboard: its edges are
// joined, and the sides or the shift are odd. All other rules fit everywhere.
func (r Rule) Fits(t topology.Topology) error {
	switch {
	case r.Volume() && !t.Volume():
		return fmt.Errorf("%v has two dimensions and the rule has three: want a size like 64x64x64, or :T64,64,64", t)
	case t.Volume() && !r.Volume():
		if r.Random() {
			name, _, _ := strings.Cut(r.Chance.Model, "~")
			if solid, ok := model.Lookup("3D" + name); ok {
				return fmt.Errorf("%v has three dimensions and the rule has two: want %s", t, solid.Name)
			}
		}
		return fmt.Errorf("%v has three dimensions and the rule has two", t)
	case r.swapping() && t.Kind != topology.Torus:
		return fmt.Errorf("%v has dead cells beyond its faces: BusyBoxes and BusyBoxesW are for tori, like :T64,64,64", t)
	case r.Blocks() && t.Kind != topology.Plane &&
		(t.W%2 != 0 || t.LayerRows()%2 != 0 || t.D%2 != 0 || t.Shift%2 != 0):
		return fmt.Errorf("%v has an odd side or shift: for 2×2 blocks and checkerboards, sides that are joined must be even",
			t)
	case r.Triangles():
		return fitTriangles(t)
	}
	return nil
}

// Reverse is the rule that undoes r, by which a universe runs backwards if its generation is made one more
// (blocks are then where they were in the step before). Rules of blocks that are permutations have one.
func (r Rule) Reverse() (Rule, error) {
	switch r.Kind() {
	case KindBlocks:
	case KindStochastic:
		return Rule{}, fmt.Errorf("rule %v cannot be run backwards: chance keeps no record", r)
	default:
		return Rule{}, fmt.Errorf("rule %v cannot be run backwards: only rules of 2×2 blocks can", r)
	}
	inverse, merged, ok := r.Block.Inverse()
	if !ok {
		return Rule{}, fmt.Errorf("rule %v cannot be run backwards: blocks %d and %d both become %d", r, merged[0], merged[1],
			r.Block[merged[0]])
	}
	r.Block = &inverse
	return r, nil
}

// alternating reads rules that take turns, between bars: B3/S23|B36/S23.
func (s *scanner) alternating() (Rule, error) {
	start, end := s.pos, s.end
	var r Rule
	for at := start; at <= end; at++ {
		to := end
		if bar := strings.IndexByte(s.input[at:end], '|'); bar >= 0 {
			to = at + bar
		}
		part, err := parseNotation(s.input, at, to)
		switch {
		case err != nil:
			return Rule{}, err
		case len(r.Phases) == mostPhases:
			return Rule{}, s.fail(at, "%d rules may take turns, no more", mostPhases)
		case part.Kind() == KindStochastic:
			return Rule{}, s.fail(
				at, "rules that take turns are without chance: what is left to it stands behind all of them, after ~")
		case len(r.Phases) == 0:
			r = Rule{Family: Alternating, States: part.States, Neighbourhood: part.Neighbourhood}
		case part.States != r.States:
			return Rule{}, s.fail(at, "rules that take turns have the same number of states, not %d and %d", r.States,
				part.States)
		case part.Volume() != r.Volume():
			return Rule{}, s.fail(at, "rules that take turns all have two or all have three dimensions")
		}
		if part.Radius() > r.Radius() {
			r.Neighbourhood = part.Neighbourhood
		}
		r.Phases = append(r.Phases, part)
		at = to
	}
	return r, nil
}

// blocks reads M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15, or the same as MS,D0;8;4;….
func (s *scanner) blocks() (Rule, error) {
	b, at, err := block.Parse(s.rest())
	if err != nil {
		return Rule{}, s.fail(s.pos+at, "%v", err)
	}
	return Rule{Family: Margolus, States: 2, Neighbourhood: Neighbourhood{Letter: 'M', Radius: 1}, Block: &b}, nil
}
