// Package background finds what rules do to the empty parts of infinite universes. A rule with B0 fills the
// unbounded plane at its first step, and may change it at every step after that. All cells that nothing reaches
// are in one state, the background. Its states one after the other are an Orbit.
//
// Universes are stored so that they are empty nearly everywhere, so engines hold cells with two states exchanged:
// state 0, and that of the background (Exchange). For two states, that is the complement. Golly does the same (help
// page "QuickLife"):
//
//   - with Smax, the rule for the complemented universe has no B0: run Complement's rule on it;
//   - without Smax, the plane is full at odd generations: store the complement there. A step from an even to an
//     odd generation complements its result, and a step from an odd to an even one complements its input.
//
// Rules that take turns, and rules of more states, may do other things: Orbit.Steps has them all.
package background

import (
	"math"

	"github.com/gosper-life/gosper/rule"
)

// Complement returns the rule under which the complement of a universe evolves as the universe does under r. ok is
// false if r has more than two states.
func Complement(r rule.Rule) (c rule.Rule, ok bool) {
	return complement(r, true, true)
}

// Alternating returns the rules that replace a B0 rule without Smax if odd generations are stored complemented:
// even leads from an even generation to an odd one, odd from an odd one to an even one. ok is false if r has
// more than two states.
func Alternating(r rule.Rule) (even, odd rule.Rule, ok bool) {
	even, ok = complement(r, false, true)
	odd, _ = complement(r, true, false)
	return even, odd, ok
}

// complement returns r with its input, its output or both complemented. ok is false for kinds of rules that cannot be
// complemented, alone or in turns with others.
func complement(r rule.Rule, input, output bool) (c rule.Rule, ok bool) {
	if r.States != 2 {
		return rule.Rule{}, false
	}
	switch r.Kind() {
	case rule.KindAlternating:
		phases := make([]rule.Rule, len(r.Phases))
		for i, p := range r.Phases {
			if phases[i], ok = complement(p, input, output); !ok {
				return rule.Rule{}, false
			}
		}
		r.Phases = phases
		return r, true
	case rule.KindBlocks:
		b := r.Block.Complement(input, output)
		r.Block = &b
		return r, true
	case rule.KindTable:
		r.Family, r.File = rule.MAP, nil
		var t rule.Table
		for block := range 64 * len(t) {
			from := block
			if input {
				from = 64*len(t) - 1 - block
			}
			if (r.Table.At(from) == 1) != output {
				t.Set(block)
			}
		}
		r.Table = &t
		return r, true
	case rule.KindCounting:
		if input {
			sum := (r.StateWeight(0) + r.StateWeight(1)) * r.Neighbourhood.TotalWeight()
			r.Birth, r.Survival = r.Survival.Reflect(sum), r.Birth.Reflect(sum)
		}
		if output {
			lo, hi := r.CountRange()
			r.Birth, r.Survival = r.Birth.Complement(lo, hi), r.Survival.Complement(lo, hi)
		}
		return r, true
	default:
		return rule.Rule{}, false
	}
}

// Exchange returns the state of a cell whose held state is given, and the other way round: state 0 and the
// background's state are exchanged.
func Exchange(state, background uint8) uint8 {
	switch state {
	case 0:
		return background
	case background:
		return 0
	}
	return state
}

// Orbit is the states of the background, generation by generation: some that come once, and then some that come
// again and again.
type Orbit struct {
	rule   rule.Rule
	states []uint8
	once   int // how many of the states come only once
}

// Of returns the orbit of a rule on an infinite universe without edges. ok is false if the rule has no background.
// Under a rule of blocks the cells of the background can become different, and with births by chance they do.
//
// The plane begins in state 0. With two states it begins in state 1 if state 0 never comes back, as in Golly.
func Of(r rule.Rule) (o Orbit, ok bool) {
	if r.BirthOnEmpty() {
		_, complements := complement(r, false, false)
		if r.Random() || r.States == 2 && !complements {
			return Orbit{}, false
		}
	}
	type moment struct {
		state uint8
		phase uint64
	}
	o.rule = r
	period := r.Period()
	seen := map[moment]int{}
	for state, g := uint8(0), uint64(0); ; g++ {
		now := moment{state, g % period}
		if first, again := seen[now]; again {
			o.once = first
			break
		}
		seen[now] = int(g)
		o.states = append(o.states, state)
		if state, ok = uniform(r.At(g), state); !ok {
			return Orbit{}, false
		}
	}
	if r.States == 2 && o.once > 0 {
		began := make([]uint8, o.Period())
		for i := range began {
			began[i] = o.At(uint64(i) + uint64(o.once)*period)
		}
		o.states, o.once = began, 0
	}
	return o, true
}

// uniform returns the next state of a plane whose cells are all in the same state. ok is false if it depends on
// the cell or on chance.
func uniform(r rule.Rule, state uint8) (next uint8, ok bool) {
	switch r.Kind() {
	case rule.KindBlocks:
		return r.Block.Uniform(state)
	case rule.KindFunction:
		next = r.Local.Uniform(state)
		return next, int(next) < r.States
	case rule.KindCounting, rule.KindTable, rule.KindStochastic, rule.KindSwaps:
		switch {
		case state == 0 && r.BirthOnEmpty(), state == 1 && r.SurvivesFull():
			return 1, true
		case state == 0 || int(state) == r.States-1:
			return 0, true
		}
		return state + 1, true
	default:
		return 0, false
	}
}

// At is the state of the background at a generation.
func (o Orbit) At(generation uint64) uint8 { return o.states[o.Step(generation)] }

// Step is the index in Steps of the step that leads from a generation to the next.
func (o Orbit) Step(generation uint64) int {
	if generation < uint64(len(o.states)) {
		return int(generation)
	}
	once := uint64(o.once)
	return int(once + (generation-once)%o.Period())
}

// Once is the number of steps that come first, and only once.
func (o Orbit) Once() int { return o.once }

// Period is after how many generations the others come again. It is a multiple of the rule's period.
func (o Orbit) Period() uint64 { return uint64(len(o.states) - o.once) }

// Rest is the least number of generations of which all multiples have a background in state 0: math.MaxUint64
// if only generation 0 has one, and 0 if not even that.
func (o Orbit) Rest() uint64 {
	if o.states[0] != 0 {
		return 0
	}
	for every := uint64(1); every <= uint64(len(o.states)); every++ {
		rests := true
		for g := every; rests && g < uint64(o.once)+every*o.Period(); g += every {
			rests = o.At(g) == 0
		}
		if rests {
			return every
		}
	}
	return math.MaxUint64
}

// Step is a rule for cells that are held: it leads from cells with state 0 and Before exchanged to cells with
// state 0 and After exchanged. By it, cells in the background's state stay so, and that is state 0.
type Step struct {
	Rule          rule.Rule // for the cells as they are
	Before, After uint8
}

// Steps lists the steps of the orbit. With two states, the rule of a step is complemented if necessary, and no states
// are exchanged.
func (o Orbit) Steps() []Step {
	steps := make([]Step, len(o.states))
	for i := range steps {
		g := uint64(i)
		s := Step{o.rule.At(g), o.At(g), o.At(g + 1)}
		if of, two := complement(s.Rule, s.Before == 1, s.After == 1); two {
			s = Step{Rule: of}
		}
		steps[i] = s
	}
	return steps
}

// Without returns the rule for held cells: an alternating rule, or the rule itself if the background is
// always 0. ok is false if the rule has more than two states, whose steps are not rules.
func (o Orbit) Without() (without rule.Rule, ok bool) {
	if !o.rule.BirthOnEmpty() {
		return o.rule, true
	}
	if o.rule.States != 2 {
		return rule.Rule{}, false
	}
	without = o.rule
	without.Block, without.Table, without.Birth, without.Survival, without.StateWeights, without.Phases = nil, nil, nil,
		nil, nil, nil
	without.Family = rule.Alternating
	for _, s := range o.Steps() {
		without.Phases = append(without.Phases, s.Rule)
	}
	return without, true
}
