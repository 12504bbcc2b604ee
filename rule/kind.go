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
)

// Kind returns the kind of the rule.
func (r Rule) Kind() Kind {
	switch {
	case r.Chance != nil:
		return KindStochastic
	case r.Phases != nil:
		return KindAlternating
	case r.Block != nil:
		return KindBlocks
	case r.Local != nil:
		return KindFunction
	case r.Table != nil:
		return KindTable
	}
	return KindCounting
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
	}
	return fmt.Sprintf("rules of kind %d", int(k))
}

// unknown is the message of a panic for a kind that a switch does not list.
func (k Kind) unknown() string { return fmt.Sprintf("rule: kind %d is not handled", int(k)) }
