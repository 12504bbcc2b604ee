package rule

import (
	"strings"
	"sync"

	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/rulefile"
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
	f, err := rulefile.History(canonical, r.Neighbourhood.Letter, blockCells(r.Neighbourhood.blockMask()),
		func(block int) bool { return table.At(block) == 1 })
	if err != nil {
		return Rule{}, false
	}
	made := ofFile(f)
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
