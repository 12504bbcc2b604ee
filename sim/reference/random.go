package reference

import (
	"github.com/gosper-life/gosper/internal/random"
	"github.com/gosper-life/gosper/rule/chance"
)

// decide is the new state of cell (x, y) by a rule with chance. next is its state by the rule without. count is its number of neighbours where
// chance decides whether it goes on to its next state.
func (t *transition) decide(x, y int, generation uint64, state, next uint8, count int) uint8 {
	c := t.chance
	if c == nil {
		return next
	}
	below := func(use uint8, p, most chance.Probability) bool {
		return random.At(c.Seed, c.Draw(generation)).Row(y, use).Below(x, uint64(p), uint64(most))
	}
	if c.Advance != nil {
		next = state
		if p := c.Probability(state, count); p > 0 && (p == chance.Certain || below(chance.UseAdvance, p, t.most)) {
			next = (state + 1) % uint8(t.rule.States)
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
	switch {
	case c.Checkerboard && (x+y+int(generation%2))&1 == 1, !below(chance.UseUpdate, c.Update, c.Update):
		return state
	}
	return next
}
