// Package marked has the rules that run a rule R of two states and mark its cells: [R]History, [R]Super and
// [R]Investigator. They agree with Golly 4 and LifeViewer (Golly's help page "Super"; LifeWiki's pages
// "LifeSuper" and "StateInvestigator").
package marked

import (
	"strings"

	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/neighbourhood"
	"github.com/gosper-life/gosper/rule/rulefile"
)

// Rule is a rule of two states on the 3×3 block, or part of it.
type Rule struct {
	Name          string // canonical
	Neighbourhood neighbourhood.Set
	Cells         int // that the rule depends on: bit 8-i for cell i of the block
	// Lives reports whether the middle of a block is live in the next generation. Bit 8-i of block is cell i.
	Lives func(block int) bool
}

// neighbours returns the cells that the rule depends on, without the middle.
func (r *Rule) neighbours() (cells []int) {
	for i := range 9 {
		if i != local.C && r.Cells>>(8-i)&1 == 1 {
			cells = append(cells, i)
		}
	}
	return cells
}

// Kind is a way to mark.
type Kind struct {
	Suffix string // after the name of R
	What   string
	states int
	asking func(Rule) *local.Asking
	names  map[uint8]string
	colour map[uint8][3]uint8
}

// Kinds lists all ways to mark.
var Kinds = []Kind{
	{"History", "Live cells, and where cells have been live.", historyStates, history, historyNames, historyColours},
	{
		"Super", "Live cells of several kinds, where they have been live, and marks that move.", superStates, super,
		superNames, superColours,
	},
	{
		"Investigator", "Cells that never change, or flip, and kill their neighbours or give birth.",
		investigatorStates, investigator, investigatorNames, investigatorColours,
	},
}

// Cut splits a name like "LifeSuper" into the rule and the kind. It returns false if the name does not end in a kind.
func Cut(name string) (r string, kind Kind, ok bool) {
	for _, k := range Kinds {
		if end := len(name) - len(k.Suffix); end >= 0 && strings.EqualFold(name[end:], k.Suffix) {
			return name[:end], k, true
		}
	}
	return name, Kind{}, false
}

// File returns the rule R with marks of this kind.
func (k Kind) File(r Rule) *rulefile.File {
	f, err := k.asking(r).Function(k.states)
	if err != nil {
		panic("rule/internal/marked: [R]" + k.Suffix + ": " + err.Error()) // the questions are valid for every R
	}
	return &rulefile.File{
		Name: r.Name + k.Suffix, Description: k.What, Kind: "[R]" + k.Suffix, Neighbourhood: r.Neighbourhood,
		Function: f, Names: k.names, Colours: k.colour,
	}
}

// odd returns the live states among the given number of states: the odd ones.
func odd(states uint8) (live []uint8) {
	for s := uint8(1); s < states; s += 2 {
		live = append(live, s)
	}
	return live
}
