package local

// The states of [R]History: those of LifeHistory, which came with Golly (its help page "RuleLoader"), for every rule R of the 3×3 block. Odd
// states are live, and live and die as under R.
const (
	HistoryLive     = 1
	HistoryPast     = 2 // was live
	HistoryMarked   = 3 // live, dies to HistoryMark
	HistoryMark     = 4 // dead, becomes HistoryMarked when it is born
	HistoryStart    = 5 // live, dies to HistoryMark, from which it does not come back
	HistoryBoundary = 6 // never changes, and kills live neighbours; counts as dead
	HistoryStates   = 7
)

// History is the function of [R]History, for a rule R of two states: lives says whether the middle of a block is live in the next generation, given
// the block's index, the bit of its cell i being 8-i. It looks at the middle and some other cells.
func History(cells []int, lives func(block int) bool) (*Function, error) {
	return Code(HistoryStates, cells, historyClass, func(b *Block) uint8 { return historyNext(lives, b) })
}

// historyClass is what matters of a neighbour: whether it is live, and whether it kills.
func historyClass(_ int, state uint8) int {
	switch {
	case state == HistoryBoundary:
		return 2
	case state%2 == 1:
		return 1
	}
	return 0
}

func historyNext(lives func(block int) bool, b *Block) uint8 {
	block, killed := 0, false
	for i, state := range b {
		block = block<<1 | int(state&1)
		killed = killed || i != C && state == HistoryBoundary
	}
	alive := lives(block)
	switch c := b[C]; {
	case c == HistoryBoundary:
		return c
	case c%2 == 1 && (killed || !alive):
		if c == HistoryLive {
			return HistoryPast
		}
		return HistoryMark
	case c%2 == 0 && alive && c == HistoryMark:
		return HistoryMarked
	case c%2 == 0 && alive:
		return HistoryLive
	default:
		return c
	}
}
