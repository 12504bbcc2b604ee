package rule

import (
	"strings"
	"sync"

	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/rulefile"
)

// The states of [R]History: those of LifeHistory, which came with Golly (its help page "RuleLoader"), for every rule R of the 3×3 block. Odd
// states are live, and live and die as under R.
const (
	historyLive     = 1
	historyPast     = 2 // was live
	historyMarked   = 3 // live, dies to historyMark
	historyMark     = 4 // dead, becomes historyMarked when it is born
	historyStart    = 5 // live, dies to historyMark, from which it does not come back
	historyBoundary = 6 // never changes, and kills live neighbours; counts as dead
	historyStates   = 7
)

const historySuffix = "history"

// histories are the rules made so far, by their canonical names: a circuit is made of each function once.
var histories sync.Map

// history reads the name of a rule and "History"; false where it is no such name.
func history(name string) (Rule, bool) {
	base, ok := strings.CutSuffix(strings.ToLower(name), historySuffix)
	if !ok {
		return Rule{}, false
	}
	r, err := Parse(name[:len(base)])
	if err != nil || r.States != 2 || r.Bounded {
		return Rule{}, false
	}
	table, ok := r.AsTable()
	if !ok {
		return Rule{}, false
	}
	canonical := r.String() + "History"
	if made, ok := histories.Load(canonical); ok {
		return made.(Rule), true
	}
	f, err := local.Code(historyStates, blockCells(r.Neighbourhood.blockMask()), historyClass, func(b *local.Block) uint8 { return historyNext(table, b) })
	if err != nil {
		return Rule{}, false
	}
	made := FromFile(&rulefile.File{
		Name: canonical, Letter: r.Neighbourhood.Letter, Function: f, Description: "The cells of " + r.String() + ", and where they have been.",
		Names: map[uint8]string{
			0: "dead", historyLive: "live", historyPast: "was live", historyMarked: "live, marked", historyMark: "dead, marked",
			historyStart: "live at the start", historyBoundary: "boundary, kills what touches it",
		},
		Colours: map[uint8][3]uint8{
			0: {}, historyLive: {0, 255, 0}, historyPast: {0, 0, 128}, historyMarked: {216, 255, 216}, historyMark: {255, 0, 0},
			historyStart: {255, 255, 0}, historyBoundary: {96, 96, 96},
		},
	})
	histories.Store(canonical, made)
	return made, true
}

// blockCells are the cells of a mask of a block's index, the middle first.
func blockCells(mask int) []int {
	cells := []int{local.C}
	for i := range 9 {
		if i != local.C && mask>>(8-i)&1 == 1 {
			cells = append(cells, i)
		}
	}
	return cells
}

// historyClass is what matters of a neighbour: whether it is live, and whether it kills.
func historyClass(_ int, state uint8) int {
	switch {
	case state == historyBoundary:
		return 2
	case state%2 == 1:
		return 1
	}
	return 0
}

func historyNext(table *Table, b *local.Block) uint8 {
	block, killed := 0, false
	for i, state := range b {
		block = block<<1 | int(state&1)
		killed = killed || i != local.C && state == historyBoundary
	}
	lives := table.At(block) == 1
	switch c := b[local.C]; {
	case c == historyBoundary:
		return c
	case c%2 == 1 && (killed || !lives):
		if c == historyLive {
			return historyPast
		}
		return historyMark
	case c%2 == 0 && lives && c == historyMark:
		return historyMarked
	case c%2 == 0 && lives:
		return historyLive
	default:
		return c
	}
}
