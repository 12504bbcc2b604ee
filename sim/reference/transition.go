package reference

import (
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/chance"
	"github.com/gosper-life/gosper/rule/local"
)

// transition is a rule in explicit form: the neighbours with their weights, and the next state for each state
// and count.
type transition struct {
	rule    rule.Rule
	chance  *chance.Chance     // nil where nothing is left to chance
	most    chance.Probability // the greatest of those of going on to the next state that are left to chance
	offsets []rule.Offset      // of triangles, for those that point down
	// for those that point up, in odd columns of even rows and the other way round; nil if cells are no triangles
	turned []rule.Offset
	// of rules without counts and without a table, including those with random results; else nil
	local       *local.Function
	stateWeight [256]int
	reach       int                   // the largest distance of a neighbour along any axis
	layerRows   int                   // of a volume; 0 in two dimensions
	defined     map[local.Block]uint8 // results of a local function's definition, which may take long to evaluate
}

// newTransition prepares the definition of a rule: which cells around it reads, and with which
// weights.
func newTransition(r rule.Rule) transition {
	t := transition{rule: r, chance: r.Chance, local: r.Local}
	if r.Chance != nil {
		if r.Chance.Function != nil {
			t.local = r.Chance.Function
		}
		for _, p := range r.Chance.Distinct() {
			t.most = p
		}
	}
	if t.local != nil {
		t.reach, t.defined = 1, map[local.Block]uint8{}
		if w := t.local.Wide(); w != nil {
			t.reach = w.Radius()
		}
		return t
	}
	if t.isBlocks() {
		t.reach = 1
		return t
	}
	t.stateWeight[1] = 1
	copy(t.stateWeight[:], r.StateWeights)
	if r.Table != nil {
		// With these weights the count of a block is its index in the table (see rule.Table). The centre counts too.
		for i := range 9 {
			t.offsets = append(t.offsets, rule.Offset{DX: i%3 - 1, DY: i/3 - 1, Weight: 1 << (8 - i)})
		}
	} else {
		t.offsets = r.Neighbourhood.Offsets()
	}
	if r.Neighbourhood.Triangles {
		for _, o := range t.offsets {
			t.turned = append(t.turned, rule.Offset{DX: o.DX, DY: -o.DY, Weight: o.Weight})
		}
	}
	for _, o := range t.offsets {
		t.reach = max(t.reach, o.DX, -o.DX, o.DY, -o.DY, o.DZ, -o.DZ)
	}
	return t
}

// isLocal reports whether the rule is a local function, which does not count neighbours.
func (t *transition) isLocal() bool { return t.local != nil }

// of is the neighbours of the cell (x, y).
func (t *transition) of(x, y int) []rule.Offset {
	if t.turned != nil && (x%2 != 0) != (y%2 != 0) {
		return t.turned
	}
	return t.offsets
}

// isBlocks reports whether the rule is one of 2×2 blocks. Such a rule may leave something to chance afterwards:
// see phases.
func (t *transition) isBlocks() bool { return t.rule.Block != nil }

// nextOfBlock is the next state of cell (x, y) by a rule of 2×2 blocks. The argument returns the state of each
// cell. Blocks begin at even columns and rows in even generations, at odd ones in odd generations.
func (t *transition) nextOfBlock(x, y int, generation uint64, is func(x, y int) uint8) uint8 {
	odd := generation%2 == 1
	left, top := x, y
	if (x%2 != 0) != odd {
		left--
	}
	if (y%2 != 0) != odd {
		top--
	}
	block := is(left, top) + 2*is(left+1, top) + 4*is(left, top+1) + 8*is(left+1, top+1)
	return t.rule.Block[block] >> (x - left + 2*(y-top)) & 1
}

// nextOf is the result of a local function. The argument returns the state of each cell around the one in the middle.
func (t *transition) nextOf(is func(local.Place) uint8) uint8 {
	if w := t.local.Wide(); w != nil {
		return w.Define(is(local.Place{}), is)
	}
	var b local.Block
	for i := range b {
		dx, dy := local.Offset(i)
		b[i] = is(local.Place{DX: dx, DY: dy})
	}
	next, ok := t.defined[b]
	if !ok {
		next = t.local.Define(&b)
		t.defined[b] = next
	}
	return next
}

// next is the next state for a state and a count.
func (t *transition) next(state uint8, count int) uint8 {
	switch {
	case state == 0 && t.born(count), state == 1 && t.survives(count):
		return 1
	case state == 0 || int(state)+1 >= t.rule.States:
		return 0
	default:
		return state + 1
	}
}

func (t *transition) born(count int) bool {
	if t.rule.Table != nil {
		return tableBit(t.rule.Table, count)
	}
	return contains(t.rule.Birth, count)
}

func (t *transition) survives(count int) bool {
	if t.rule.Table != nil {
		return tableBit(t.rule.Table, count)
	}
	return contains(t.rule.Survival, count)
}

// uniform is the count of a cell in a universe whose cells are all in the same state.
func (t *transition) uniform(state uint8) int {
	count := 0
	for _, o := range t.offsets {
		count += o.Weight * t.stateWeight[state]
	}
	return count
}

func contains(counts rule.Counts, n int) bool {
	for _, c := range counts {
		if c.Lo <= n && n <= c.Hi {
			return true
		}
	}
	return false
}

func tableBit(t *rule.Table, index int) bool {
	return t[index>>6]>>(index&63)&1 == 1
}
