// Package marked has the rules that run a rule R of two states and mark its cells: [R]History, [R]Super and [R]Investigator. What they mean is
// what Golly 4 and LifeViewer do (Golly's help page "Super"; LifeWiki's pages "LifeSuper" and "StateInvestigator").
package marked

import (
	"strings"

	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/rulefile"
)

// Rule is a rule of two states on the 3×3 block, or part of it.
type Rule struct {
	Name   string // canonical
	Letter byte   // of its neighbourhood, as in rulefile.File
	Cells  int    // that it looks at: bit 8-i for cell i of the block
	// Lives says whether the middle of a block is live in the next generation, given the block's index: bit 8-i for cell i.
	Lives func(block int) bool
}

// neighbours are the cells that it looks at, but for the middle.
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
	Suffix string // behind the name of R
	What   string
	states int
	asking func(Rule) *local.Asking
	names  map[uint8]string
	colour map[uint8][3]uint8
}

// Kinds are all ways to mark.
var Kinds = []Kind{
	{"History", "What lives, and where it has been.", historyStates, history, historyNames, historyColours},
	{"Super", "What lives, in several kinds, and where it has been; and marks that move.", superStates, super, superNames, superColours},
	{
		"Investigator", "Cells beside others that never change, or flip, and kill or give birth.",
		investigatorStates, investigator, investigatorNames, investigatorColours,
	},
}

// Cut cuts "Super" or its like off a name; false where it does not end so.
func Cut(name string) (r string, kind Kind, ok bool) {
	for _, k := range Kinds {
		if end := len(name) - len(k.Suffix); end >= 0 && strings.EqualFold(name[end:], k.Suffix) {
			return name[:end], k, true
		}
	}
	return name, Kind{}, false
}

// File is R marked.
func (k Kind) File(r Rule) *rulefile.File {
	f, err := k.asking(r).Function(k.states)
	if err != nil {
		panic("rule/marked: [R]" + k.Suffix + ": " + err.Error()) // whatever R is, the questions are the same
	}
	return &rulefile.File{
		Name: r.Name + k.Suffix, Description: k.What, Kind: "[R]" + k.Suffix, Letter: r.Letter, Function: f, Names: k.names, Colours: k.colour,
	}
}

// odd are the states of so many that are live.
func odd(states uint8) (live []uint8) {
	for s := uint8(1); s < states; s += 2 {
		live = append(live, s)
	}
	return live
}
