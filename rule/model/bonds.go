package model

import (
	"github.com/gosper-life/gosper/rule/chance"
	"github.com/gosper-life/gosper/rule/local"
)

// Bits of the states of a contact process over bonds. Each site has the bonds to two of its neighbours, so that
// all have four; they never change.
const (
	particle = 1 << iota
	bondE
	bondS
	bondStates
)

// bondContact is the contact process on a lattice with open and closed bonds. A particle dies with probability die.
// An empty site gets a particle with probability n times infect, at most 1, where n is the number of neighbours with
// a particle that are joined to it by an open bond.
func bondContact(infect float64, die chance.Probability) (*local.Function, error) {
	with := func(bits uint8) (states []uint8) {
		for s := range uint8(bondStates) {
			if s&bits == bits {
				states = append(states, s)
			}
		}
		return states
	}
	a := &local.Asking{Questions: []local.Question{
		local.Some([]int{local.E}, with(particle)...),
		local.Some([]int{local.S}, with(particle)...),
		local.Some([]int{local.W}, with(particle|bondE)...),
		local.Some([]int{local.N}, with(particle|bondS)...),
	}}
	number := map[[2]uint8]uint8{} // of the outcome, by state and neighbours with particles
	add := func(state, n, becomes uint8, p chance.Probability) {
		switch {
		case p == 0:
			number[[2]uint8{state, n}] = state
		case p == chance.Certain:
			number[[2]uint8{state, n}] = becomes
		default:
			number[[2]uint8{state, n}] = uint8(bondStates + len(a.Outcomes))
			a.Outcomes = append(a.Outcomes, local.Outcome{
				{Below: uint64(p), State: becomes},
				{Below: uint64(chance.Certain), State: state},
			})
		}
	}
	for bonds := uint8(0); bonds < bondStates; bonds += bondE {
		add(bonds|particle, 0, bonds, die)
		for n := range uint8(5) {
			add(bonds, n, bonds|particle, chance.Of(min(1, float64(n)*infect)))
		}
	}
	a.Next = func(state uint8, yes func(int) bool) uint8 {
		n := uint8(0)
		if state&particle == 0 {
			for q, open := range [...]bool{state&bondE != 0, state&bondS != 0, true, true} {
				if open && yes(q) {
					n++
				}
			}
		}
		return number[[2]uint8{state, n}]
	}
	return a.Function(bondStates)
}

// bondColours show particles, and sites by how many bonds they have to the right and down.
var bondColours = map[uint8][3]uint8{
	0: {15, 15, 20}, 2: {45, 50, 70}, 4: {45, 50, 70}, 6: {75, 85, 115},
	1: {200, 90, 50}, 3: {230, 130, 60}, 5: {230, 130, 60}, 7: {255, 190, 90},
}
