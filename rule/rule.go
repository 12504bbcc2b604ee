package rule

import (
	"github.com/gosper-life/gosper/rule/block"
	"github.com/gosper-life/gosper/rule/chance"
	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/rulefile"
	"github.com/gosper-life/gosper/topology"
)

// Family is the family of the notation in which a rule was written.
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
	Stochastic                    // rules with chance: B3/S23~flip=0.001, PN/0,0.25,0.5,0.75,1/0.2
	Swapping                      // cells of a volume that change places: BusyBoxes
)

// Rule is the meaning of a rule string. A cell in state 0 is born (state 1) if the count of its neighbourhood
// is in Birth. A cell in state 1 survives if the count is in Survival; otherwise it goes to state 2, or to 0 if
// States is 2. A cell in state k ≥ 2 goes to k+1, and from States-1 to 0. Rules with a Table do not count: they
// look up the 3×3 block of state-1 cells. Rules with a Local function look up the states themselves.
//
// The count is Σ weight(offset)·w(state) over Neighbourhood without the centre. w is StateWeights; if that is
// nil, w is 1 for state 1 and 0 for every other state. Notations that count the centre (M1, NG, NW) are
// converted to this form by the parser, which shifts Birth and Survival. The zero Rule is not valid: rules come
// from Parse, or are built from parts.
type Rule struct {
	Family        Family
	States        int // 2 to 256
	Neighbourhood Neighbourhood
	Birth         Counts
	Survival      Counts
	Table         *Table      // nil for rules that count
	StateWeights  []int       // by state, 0 to 15; nil for the usual 0,1,0,0…
	Block         *block.Rule // of 2×2 blocks; nil for other rules. The fields for counting are empty then
	Swaps         Swaps       // whether cells change places. The fields for counting are empty then
	// Phases are the rules of an alternating rule: they lead from generations 0, 1, 2, … to the next, in turn. The
	// fields for counting are empty then.
	Phases []Rule
	// Local is the function of rules with more than two states that neither count nor have a Table. The next state
	// follows from all states of the 3×3 block. Birth and Survival are empty then.
	Local *local.Function
	// Chance describes how chance changes the cells; nil for deterministic rules. Without is the rule without it, nil
	// where Chance says it all. The fields for transitions are empty then. Ask Random and Base, not for nil.
	Chance   *chance.Chance
	Without  *Rule
	File     *rulefile.File // the source of a rule of family RuleFile; nil for all others
	Topology topology.Topology
	Bounded  bool // whether the string carried a bounded-grid suffix (Topology)

	countsCentre bool // written with M1: String adds the centre to Survival again
}
