package reference

import "github.com/gosper-life/gosper/rule"

// transition is a rule spelled out: the neighbours with their weights, and what a count does to a state.
type transition struct {
	rule        rule.Rule
	offsets     []rule.Offset
	stateWeight [256]int
	reach       int // the largest distance of a neighbour along either axis
}

func newTransition(r rule.Rule) transition {
	t := transition{rule: r}
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
	for _, o := range t.offsets {
		t.reach = max(t.reach, o.DX, -o.DX, o.DY, -o.DY)
	}
	return t
}

// next is the state that follows a state with the given count.
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

// uniform is the count of a cell in a universe where every cell is in the same state.
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
