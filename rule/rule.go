package rule

import (
	"github.com/gosper-life/gosper/rule/block"
	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/rulefile"
	"github.com/gosper-life/gosper/topology"
)

// Family is the notation family a rule was written in.
type Family uint8

const (
	OuterTotalistic Family = iota // B3/S23, with V and H
	Isotropic                     // Hensel letters: B2-a/S12
	MAP                           // base64 tables of 512, 128 or 32 bits
	LargerThanLife                // R5,C0,M1,S34..58,B34..45,NM
	HROT                          // R2,C2,S8,11-15,B4,9
	Weighted                      // NW
	RuleFile                      // the name of a rule file
	Margolus                      // blocks of 2×2 cells: M0,8,4,3,…
	Alternating                   // rules that take turns: B3/S23|B36/S23
)

// Rule is what a rule string means. A cell in state 0 is born (state 1) when the count of its neighbourhood is in
// Birth; a cell in state 1 survives when it is in Survival; otherwise it goes to state 2, or to 0 when States is 2. A
// cell in state k ≥ 2 goes to k+1, and from States-1 to 0. Rules with a Table look the 3×3 block of state-1 cells up
// instead of counting; rules with a Local function look up the states themselves.
//
// The count is Σ weight(offset)·w(state) over Neighbourhood, centre excluded, where w is StateWeights, or 1 for state 1
// and 0 for every other state when StateWeights is nil. Notations that count the centre (M1, NG, NW) are turned into
// this form by the parser, which shifts Birth and Survival. The zero Rule is no rule: rules come from Parse, or are put
// together from parts.
type Rule struct {
	Family        Family
	States        int // 2 to 256
	Neighbourhood Neighbourhood
	Birth         Counts
	Survival      Counts
	Table         *Table      // nil for rules that count
	StateWeights  []int       // by state, 0 to 15; nil for the usual 0,1,0,0…
	Block         *block.Rule // of 2×2 blocks; nil for rules that compute each cell from those around it. What counts is empty then.
	// Phases are the rules that lead from generations 0, 1, 2, … to the next, in turn; nil where one does. What counts is empty then.
	Phases []Rule
	// Local is the function of rules of more than two states that neither count nor have a Table: the next state follows from all states
	// of the 3×3 block. Birth and Survival are empty then.
	Local    *local.Function
	File     *rulefile.File // where a rule of family RuleFile comes from; nil for all others
	Topology topology.Topology
	Bounded  bool // whether the string carried a bounded-grid suffix (Topology)

	countsCentre bool // written with M1: String adds the centre back to Survival
}
