package rule

import "fmt"

// Kind says how a rule finds the next state, and in which fields of Rule that is written. Every rule has exactly one.
// Code that treats rules by their kind lists the kinds that it handles and refuses all others, so that a new kind is
// refused everywhere until somebody adds it.
type Kind int

const (
	// KindCounting compares a weighted number of neighbours with Birth and Survival: Life, Generations, Larger than
	// Life. StateWeights says which states count.
	KindCounting Kind = iota
	// KindTable looks the 3×3 block of states 0 and 1 up in Table. States above 1 are those of dying cells.
	KindTable
	// KindFunction evaluates Local on the states of the cell and of its neighbours: rule tables, rule trees and functions
	// of the user's own. Such a rule may be wider than the 3×3 block.
	KindFunction
	// KindBlocks replaces 2×2 blocks by Block, the Margolus neighbourhood.
	KindBlocks
	// KindAlternating applies the rules in Phases in turn, one for each generation.
	KindAlternating
	// KindStochastic applies Chance, after the rule in Without if there is one.
	KindStochastic
	// KindSwaps lets cells of a volume change places, as Swaps says.
	KindSwaps
)

// Kind returns the kind of the rule. A rule with the fields of two kinds is a fault of the program that built it, and
// Kind panics: code that asks for the one kind would silently leave out the other.
func (r Rule) Kind() Kind {
	kind, kinds := KindCounting, 0
	for of, is := range [...]bool{
		KindTable: r.Table != nil, KindFunction: r.Local != nil, KindBlocks: r.Block != nil,
		KindAlternating: r.Phases != nil, KindStochastic: r.Chance != nil, KindSwaps: r.Swaps != SwapsNone,
	} {
		if is {
			kind = Kind(of)
			kinds++
		}
	}
	if kinds > 1 {
		panic("rule: a rule has the fields of two kinds")
	}
	return kind
}

// Random reports whether the cells depend on chance. They then evolve differently under another seed.
func (r Rule) Random() bool { return r.Chance != nil }

// Base returns the rule that chance is added to. ok is false for a rule without chance, and for one whose chance says
// all that cells do.
func (r Rule) Base() (base Rule, ok bool) {
	if r.Without == nil {
		return Rule{}, false
	}
	return *r.Without, true
}

// Parts returns the rules that the rule is made of: those that take turns, or the one that chance is added to. All
// other rules have none.
func (r Rule) Parts() []Rule {
	if base, ok := r.Base(); ok {
		return []Rule{base}
	}
	return r.Phases
}

// String says which rules are of a kind: "rules that count neighbours".
func (k Kind) String() string {
	switch k {
	case KindCounting:
		return "rules that count neighbours"
	case KindTable:
		return "rules of tables of the 3×3 block"
	case KindFunction:
		return "rules of functions"
	case KindBlocks:
		return "rules of 2×2 blocks"
	case KindAlternating:
		return "rules that take turns"
	case KindStochastic:
		return "rules that are left to chance"
	case KindSwaps:
		return "rules under which cells change places"
	}
	return fmt.Sprintf("rules of kind %d", int(k))
}

// unknown is the message of a panic for a kind that a switch does not list.
func (k Kind) unknown() string { return fmt.Sprintf("rule: kind %d is not handled", int(k)) }
