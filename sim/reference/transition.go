package reference

import (
	"fmt"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/block"
	"github.com/gosper-life/gosper/rule/chance"
	"github.com/gosper-life/gosper/rule/local"
)

// way is the method by which the next state of a cell is found, before chance changes it.
type way int

const (
	byCount    way = iota // the weights of the neighbours, added up
	byStates              // a function of the states around the cell
	byBlock               // the cells of the 2×2 block
	byProposal            // the neighbours in the state that chance proposes, and in the old one
	bySwap                // the cells around in the plane in which cells change places
)

// transition is a rule in explicit form: the neighbours with their weights, and the next state for each state
// and count. What chance does is apart from it, so no test of the rule's kind depends on whether there is chance.
type transition struct {
	way     way
	states  int
	chance  *chance.Chance     // nil where nothing is left to chance
	most    chance.Probability // the greatest of those of going on to the next state that are left to chance
	offsets []rule.Offset      // of triangles, for those that point down
	// for those that point up, in odd columns of even rows and the other way round; nil if cells are no triangles
	turned      []rule.Offset
	stateWeight [256]int
	alive       func(state uint8, count int) bool // byCount: whether state 0 or 1 is followed by 1
	local       *local.Function                   // byStates
	defined     map[local.Around]uint8            // results of its definition, which may take long to evaluate
	block       *block.Rule                       // byBlock
	swaps       rule.Swaps                        // bySwap
	reach       int                               // the largest distance of a neighbour along any axis
	layerRows   int                               // of a volume; 0 in two dimensions
}

// newTransition prepares the definition of a rule: which cells around it reads, and with which weights. c is what
// chance does then. A rule whose chance says all that cells do is the only one with chance in it.
func newTransition(r rule.Rule, c *chance.Chance) (transition, error) {
	t := transition{states: r.States, chance: c}
	if c != nil {
		for _, p := range c.Distinct() {
			t.most = p
		}
	}
	switch kind := r.Kind(); kind {
	case rule.KindCounting:
		t.count(r, r.Neighbourhood.Offsets())
		t.alive = func(state uint8, count int) bool {
			if state == 0 {
				return contains(r.Birth, count)
			}
			return contains(r.Survival, count)
		}
	case rule.KindTable:
		// With these weights the count of a block is its index in the table (see rule.Table). The centre counts too.
		var block []rule.Offset
		for i := range 9 {
			block = append(block, rule.Offset{DX: i%3 - 1, DY: i/3 - 1, Weight: 1 << (8 - i)})
		}
		t.count(r, block)
		t.alive = func(_ uint8, index int) bool { return tableBit(r.Table, index) }
	case rule.KindFunction:
		t.evaluate(r.Local)
	case rule.KindBlocks:
		t.way, t.block, t.reach = byBlock, r.Block, 1
	case rule.KindSwaps:
		t.way, t.swaps, t.reach = bySwap, r.Swaps, r.Radius()
	case rule.KindStochastic:
		switch {
		case c.Function != nil:
			t.evaluate(c.Function)
		case c.Accept != nil:
			t.count(r, r.Neighbourhood.Offsets())
			t.way = byProposal
		default: // the state after this one, if chance says so
			t.count(r, r.Neighbourhood.Offsets())
			t.alive = func(uint8, int) bool { return false }
		}
	default:
		return t, scope.Refuse(fmt.Sprintf("rule %v", r), fmt.Sprintf("it has no definition of %v", kind))
	}
	return t, nil
}

// count prepares a rule that adds up the weights of some cells.
func (t *transition) count(r rule.Rule, offsets []rule.Offset) {
	t.way, t.offsets = byCount, offsets
	t.stateWeight[1] = 1
	copy(t.stateWeight[:], r.StateWeights)
	if r.Neighbourhood.Triangles {
		for _, o := range t.offsets {
			t.turned = append(t.turned, rule.Offset{DX: o.DX, DY: -o.DY, Weight: o.Weight})
		}
	}
	for _, o := range t.offsets {
		t.reach = max(t.reach, o.DX, -o.DX, o.DY, -o.DY, o.DZ, -o.DZ)
	}
}

// evaluate prepares a function of the states around a cell.
func (t *transition) evaluate(f *local.Function) {
	t.way, t.local, t.reach, t.defined = byStates, f, 1, map[local.Around]uint8{}
	if w := f.Wide(); w != nil {
		t.reach = w.Radius()
	}
}

// of is the neighbours of the cell (x, y).
func (t *transition) of(x, y int) []rule.Offset {
	if t.turned != nil && (x%2 != 0) != (y%2 != 0) {
		return t.turned
	}
	return t.offsets
}

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
	return t.block[block] >> (x - left + 2*(y-top)) & 1
}

// nextOf is the result of a local function. The argument returns the state of each cell around the one in the middle.
func (t *transition) nextOf(is func(local.Place) uint8) uint8 {
	if w := t.local.Wide(); w != nil {
		return w.Define(is(local.Place{}), is)
	}
	var b local.Around
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
	case state <= 1 && t.alive(state, count):
		return 1
	case state == 0 || int(state)+1 >= t.states:
		return 0
	default:
		return state + 1
	}
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
