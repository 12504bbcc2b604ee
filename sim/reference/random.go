package reference

import (
	"github.com/gosper-life/gosper/internal/random"
	"github.com/gosper-life/gosper/rule/chance"
)

// proposes is the new state of cell (x, y) by a rule that proposes one of the other states. The argument
// returns the state of each cell around it.
func (t *transition) proposes(x, y int, generation uint64, is func(dx, dy, dz int) uint8) uint8 {
	c := t.chance
	row := func(use uint8) random.Stream {
		return random.At(c.Seed, chance.Draw(use, c.Checkerboard, generation)).Row(y, use)
	}
	old := is(0, 0, 0)
	after := 1
	below := c.Proposals(t.states)
	for _, p := range below {
		if !row(chance.UseFlip).Below(x, uint64(p), uint64(below[len(below)-1])) {
			after++
		}
	}
	proposed := uint8((int(old) + after) % t.states)
	fewer := 0
	for _, o := range t.offsets {
		switch is(o.DX, o.DY, o.DZ) {
		case old:
			fewer++
		case proposed:
			fewer--
		}
	}
	if fewer > 0 {
		if p := c.Accept[fewer-1]; p == 0 || p < chance.Certain &&
			!row(chance.UseAdvance).Below(x, uint64(p), uint64(t.most)) {
			return old
		}
	}
	return proposed
}

// decide is the new state of cell (x, y) by a rule with chance. next is its state by the rule without. count is
// its number of neighbours where chance decides whether it goes on to its next state.
func (t *transition) decide(x, y int, generation uint64, state, next uint8, count int) uint8 {
	c := t.chance
	if c == nil {
		return next
	}
	below := func(use uint8, p, most chance.Probability) bool {
		return random.At(c.Seed, chance.Draw(use, c.Checkerboard, generation)).Row(y, use).Below(x, uint64(p), uint64(most))
	}
	switch {
	case c.Function != nil: // next is the number of an outcome
		for _, share := range c.Function.Outcome(next) {
			if share.Below == uint64(chance.Certain) || below(chance.UseAdvance, chance.Probability(share.Below), t.most) {
				next = share.State
				break
			}
		}
	case c.Advance != nil:
		next = state
		if p := c.Probability(state, count); p > 0 && (p == chance.Certain || below(chance.UseAdvance, p, t.most)) {
			next = (state + 1) % uint8(t.states)
		}
	}
	if below(chance.UseFlip, c.Flip, c.Flip) {
		next ^= 1
	}
	var sum, all chance.Probability
	for _, p := range c.Set {
		all += p
	}
	for s, p := range c.Set {
		if below(chance.UseSet, sum+p, all) && !below(chance.UseSet, sum, all) {
			next = uint8(s)
		}
		sum += p
	}
	switch site := c.Dead + c.Frozen; {
	case below(chance.UseSite, c.Dead, site):
		return 0
	case below(chance.UseSite, site, site), c.Checkerboard && (t.sum(x, y)+int(generation%2))&1 == 1,
		!below(chance.UseUpdate, c.Update, c.Update):
		return state
	}
	return next
}

// sum is that of a cell's column and row, and in a volume of its layer.
func (t *transition) sum(x, y int) int {
	if t.layerRows > 0 {
		return x + y%t.layerRows + y/t.layerRows
	}
	return x + y
}
