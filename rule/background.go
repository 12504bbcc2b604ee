package rule

// A rule with B0 fills the unbounded plane at its first step. Two ways out, both Golly's (help page "QuickLife"):
//
//   - with Smax the complemented universe has no B0: run Complement's rule on it;
//   - without, the plane is full at odd generations: store the complement then. Going from an even to an odd
//     generation the result is complemented, going back the input is.

// Complement is the rule that does to the complement of any universe what r does to the universe. ok is false where
// there are more than two states.
func (r Rule) Complement() (c Rule, ok bool) {
	return r.complement(true, true)
}

// Alternating are the rules that stand for a B0 rule without Smax when odd generations are stored complemented: even
// leads from an even generation to an odd one, odd back. ok is false where there are more than two states.
func (r Rule) Alternating() (even, odd Rule, ok bool) {
	even, ok = r.complement(false, true)
	odd, _ = r.complement(true, false)
	return even, odd, ok
}

// complement is r with its input, its output or both complemented.
func (r Rule) complement(input, output bool) (Rule, bool) {
	if r.States != 2 {
		return Rule{}, false
	}
	if r.Table != nil {
		r.Family, r.File = MAP, nil
		table := *r.Table
		r.Table = newTable(func(block int) bool {
			if input {
				block ^= fullBlock
			}
			return (table.At(block) == 1) != output
		})
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
