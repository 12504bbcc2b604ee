package marked

import "github.com/gosper-life/gosper/rule/local"

// The states of [R]History. Odd states are live. Births and deaths are those of R.
const (
	live     = 1
	past     = 2 // was live
	marked   = 3 // live, dies to mark
	mark     = 4 // dead, becomes marked when it is born
	start    = 5 // live, dies to mark and never comes back
	boundary = 6 // never changes, and kills live neighbours; counts as dead

	historyStates = 7
)

var historyNames = map[uint8]string{
	0: "dead", live: "live", past: "was live", marked: "live, marked", mark: "dead, marked", start: "live at the start",
	boundary: "boundary, kills what touches it",
}

var historyColours = map[uint8][3]uint8{
	0: {}, live: {0, 255, 0}, past: {0, 0, 128}, marked: {216, 255, 216}, mark: {255, 0, 0}, start: {255, 255, 0},
	boundary: {96, 96, 96},
}

// history is a rule whose cells remember that they have been alive. Odd states are live.
func history(r Rule) *local.Asking {
	const (
		killed = iota
		lives
	)
	return &local.Asking{
		Questions: []local.Question{
			killed: local.Some(r.neighbours(), boundary),
			lives:  local.NewQuestion(odd(historyStates), r.Lives),
		},
		Next: func(c uint8, yes func(int) bool) uint8 {
			switch {
			case c == boundary:
				return c
			case c%2 == 1 && (yes(killed) || !yes(lives)):
				if c == live {
					return past
				}
				return mark
			case c%2 == 1 || !yes(lives):
				return c
			case c == mark:
				return marked
			}
			return live
		},
	}
}
