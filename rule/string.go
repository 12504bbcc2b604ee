package rule

import (
	"fmt"
	"strings"
)

// String returns the canonical notation with the bounded-grid suffix. Parse reads it as an equal rule. It stays
// in the family in which the rule was written, if possible.
func (r Rule) String() string {
	return r.notation() + r.Topology.Suffix()
}

// notation writes a rule without a bounded grid, in the notation of its family.
func (r Rule) notation() string {
	if r.Family == RuleFile {
		return r.File.Name
	}
	switch kind := r.Kind(); kind {
	case KindStochastic:
		return r.stochasticString()
	case KindBlocks:
		return r.Block.String()
	case KindSwaps:
		return r.Swaps.notation()
	case KindAlternating:
		parts := make([]string, len(r.Phases))
		for i, p := range r.Phases {
			parts[i] = p.notation()
		}
		return strings.Join(parts, "|")
	case KindTable:
		if r.Family == Isotropic {
			letters := lettersOf(r.Neighbourhood)
			if birth, survival, ok := r.Table.classSets(letters); ok {
				return r.lifelikeString(letters.String(birth), letters.String(survival))
			}
		}
		if n, ok := r.Table.elementary(); ok && r.States == 2 {
			return fmt.Sprintf("W%d", n)
		}
		return r.mapString()
	case KindCounting:
		return r.countingString()
	default:
		panic(kind.unknown()) // functions come from files, which have names
	}
}

// countingString writes a rule that counts neighbours in the shortest notation that can say it.
func (r Rule) countingString() string {
	if r.Neighbourhood.Volume {
		return r.volumeString()
	}
	if suffix := trianglesSuffix(r.Neighbourhood); suffix != "" && r.Family == OuterTotalistic && r.StateWeights == nil {
		return r.lifelikeOf(trianglesDigits(r.Birth), trianglesDigits(r.Survival), suffix)
	}
	lettered := r.Neighbourhood.Letter == 'M' || r.Neighbourhood.Letter == 'N' || r.Neighbourhood.Letter == 'H'
	if r.Family == OuterTotalistic && r.Neighbourhood.Radius == 1 && lettered && r.StateWeights == nil {
		_, most := r.CountRange()
		return r.lifelikeString(r.Birth.Clip(0, most).Digits(), r.Survival.Clip(0, most).Digits())
	}
	return r.rangedString()
}
