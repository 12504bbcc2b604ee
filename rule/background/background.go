// Package background finds what rules do to the empty parts of infinite universes. A rule with B0 fills the unbounded plane at its first step. Golly
// has two ways to run it (help page "QuickLife"), and this package has the same two:
//
//   - with Smax, the rule for the complemented universe has no B0: run Complement's rule on it;
//   - without Smax, the plane is full at odd generations: store the complement there. A step from an even to an odd generation complements its result, and a step from an odd to an even one complements its input.
//
// Block rules and alternating rules may do either, or fill the plane only in some generations. Without returns the rule for the cells that differ
// from the background.
package background

import (
	"github.com/gosper-life/gosper/rule"
)

// Complement returns the rule that does to the complement of any universe what r does to the universe. ok is false if r has more than two states.
func Complement(r rule.Rule) (c rule.Rule, ok bool) {
	return complement(r, true, true)
}

// Alternating returns the rules that replace a B0 rule without Smax if odd generations are stored complemented: even leads from an even generation to
// an odd one, odd from an odd one to an even one. ok is false if r has more than two states.
func Alternating(r rule.Rule) (even, odd rule.Rule, ok bool) {
	even, ok = complement(r, false, true)
	odd, _ = complement(r, true, false)
	return even, odd, ok
}

// complement returns r with its input, its output or both complemented.
func complement(r rule.Rule, input, output bool) (rule.Rule, bool) {
	if r.States != 2 {
		return rule.Rule{}, false
	}
	if r.Phases != nil {
		phases := make([]rule.Rule, len(r.Phases))
		for i, p := range r.Phases {
			phases[i], _ = complement(p, input, output)
		}
		r.Phases = phases
		return r, true
	}
	if r.Block != nil {
		c := r.Block.Complement(input, output)
		r.Block = &c
		return r, true
	}
	if r.Table != nil {
		r.Family, r.File = rule.MAP, nil
		var c rule.Table
		for block := range 64 * len(c) {
			from := block
			if input {
				from = 64*len(c) - 1 - block
			}
			if (r.Table.At(from) == 1) != output {
				c.Set(block)
			}
		}
		r.Table = &c
		return r, true
	}
	if input {
		sum := (r.StateWeight(0) + r.StateWeight(1)) * r.Neighbourhood.TotalWeight()
		r.Birth, r.Survival = r.Survival.Reflect(sum), r.Birth.Reflect(sum)
	}
	if output {
		lo, hi := r.CountRange()
		r.Birth, r.Survival = r.Birth.Complement(lo, hi), r.Survival.Complement(lo, hi)
	}
	return r, true
}

// Of returns the state of all but finitely many cells of an infinite universe at a generation. ok is false if there is no such state. The plane
// begins in state 0, or in state 1 if state 0 never comes back.
func Of(r rule.Rule, generation uint64) (state uint8, ok bool) {
	period := r.Period()
	once, ok := after(r, 0, period)
	if !ok {
		return 0, false
	}
	twice, ok := after(r, once, period)
	switch {
	case !ok:
		return 0, false
	case twice == 1:
		return after(r, 1, generation%period)
	}
	return after(r, 0, generation%(2*period))
}

// after returns the state of a uniform plane after some generations. ok is false if its cells come to differ.
func after(r rule.Rule, state uint8, generations uint64) (uint8, bool) {
	for g := range generations {
		var ok bool
		if state, ok = uniform(r.At(g), state); !ok {
			return 0, false
		}
	}
	return state, true
}

// uniform returns the next state of a plane whose cells are all in the same state, 0 or 1. ok is false if it depends on the cell, or if there are
// more states than a background can have.
func uniform(r rule.Rule, state uint8) (next uint8, ok bool) {
	if r.Block != nil {
		return r.Block.Uniform(state)
	}
	alive := state == 0 && r.BirthOnEmpty() || state == 1 && r.SurvivesFull()
	if alive {
		next = 1
	}
	return next, r.States == 2 || state == 0 && !alive
}

// Without returns the rule for the cells that differ from the background: an alternating rule, or r itself if the background is always 0. ok is false
// if there is no such rule.
func Without(r rule.Rule) (without rule.Rule, ok bool) {
	if !r.BirthOnEmpty() {
		return r, true
	}
	without = r
	without.Block, without.Table, without.Birth, without.Survival, without.StateWeights, without.Phases = nil, nil, nil, nil, nil, nil
	without.Family = rule.Alternating
	period := r.Period()
	if once, _ := Of(r, period); once != 0 {
		period *= 2 // a background of 1 from the start needs no doubling, but the rules may come twice
	}
	for g := range period {
		before, okBefore := Of(r, g)
		after, okAfter := Of(r, g+1)
		part, okPart := complement(r.At(g), before == 1, after == 1)
		if !okBefore || !okAfter || !okPart {
			return rule.Rule{}, false
		}
		without.Phases = append(without.Phases, part)
	}
	return without, true
}
