// Package code numbers outer-totalistic rules by the code of Wolfram, and makes one circuit that runs them all.
package code

import (
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/rule"
)

// Of returns Wolfram's code of an outer-totalistic rule of two states and radius 1, whose bit 2n+s says whether
// a cell in state s with n live neighbours lives in the next generation: 224 is Conway's rule (N. H. Packard
// and S. Wolfram, "Two-dimensional cellular automata", J. Stat. Phys. 38, 1985). It returns false for all other
// rules.
func Of(r rule.Rule) (code uint64, ok bool) {
	if r.Kind() != rule.KindCounting || r.States != 2 || r.Neighbourhood.Radius != 1 || r.Neighbourhood.Triangles ||
		r.Neighbourhood.Volume || r.StateWeights != nil {
		return 0, false
	}
	offsets := r.Neighbourhood.Offsets()
	if slices.ContainsFunc(offsets, func(o rule.Offset) bool { return o.Weight != 1 }) {
		return 0, false
	}
	for n := range len(offsets) + 1 {
		if r.Birth.Has(n) {
			code |= 1 << (2 * n)
		}
		if r.Survival.Has(n) {
			code |= 2 << (2 * n)
		}
	}
	return code, true
}

// Bits is the number of bits a code has at most.
const Bits = 18

// Rule returns the rule of a code with the neighbourhood of another one.
func Rule(like rule.Rule, code uint64) rule.Rule {
	var births, survivals []rule.Interval
	for rest := code; rest != 0; rest &= rest - 1 {
		bit := bits.TrailingZeros64(rest)
		at := rule.Interval{Lo: bit / 2, Hi: bit / 2}
		if bit&1 == 0 {
			births = append(births, at)
		} else {
			survivals = append(survivals, at)
		}
	}
	like.Birth, like.Survival = rule.NewCounts(births...), rule.NewCounts(survivals...)
	return like
}
