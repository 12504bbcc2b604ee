package marked

import (
	"slices"

	"github.com/gosper-life/gosper/rule/local"
)

// The states of [R]Super beyond those of [R]History. Odd states are live. Births and deaths are those of R.
// Parents of one kind have children of that kind. With parents of several kinds the child is of state 1, or
// traceless.
const (
	marked2   = 7 // live, dies to mark2; its children are traceless
	mark2     = 8
	kindA     = 9 // live, dies to 10, its trace
	kindB     = 11
	traceless = 13 // live, dies to 0, as do all odd states from here on
	fading    = 14 // becomes 0
	fuse      = 16 // becomes fading beside live cells and fading ones
	hunted    = 18 // becomes 22 beside 22, 22 becomes 20 beside 20, and 20 becomes 18 beside 18
	hunted20  = 20
	hunted22  = 22
	primer    = 24 // becomes 18 beside 18, live cells and fading ones

	superStates = 26
)

var superNames = map[uint8]string{
	0: "dead", live: "live", past: "was live", marked: "live, marked", mark: "dead, marked", start: "live at the start",
	boundary: "boundary, kills what touches it", marked2: "live, marked (2)", mark2: "dead, marked (2)",
	kindA: "live, kind A", kindA + 1: "was live, kind A", kindB: "live, kind B", kindB + 1: "was live, kind B",
	traceless: "live, leaves no trace", fading: "fades", 15: "live, kind C, leaves no trace",
	fuse: "fuse, fades beside live cells",
	17:   "live, kind D, leaves no trace", hunted: "becomes 22 beside 22", 19: "live, kind E, leaves no trace",
	hunted20: "becomes 18 beside 18",
	21:       "live, kind F, leaves no trace", hunted22: "becomes 20 beside 20", 23: "live, kind G, leaves no trace",
	primer: "becomes 18 beside live cells", 25: "live, kind H, leaves no trace",
}

var superColours = map[uint8][3]uint8{
	0: {48, 48, 48}, 1: {0, 255, 0}, 2: {0, 0, 160}, 3: {255, 216, 255}, 4: {255, 0, 0}, 5: {255, 255, 0}, 6: {96, 96, 96},
	7: {255, 105, 180}, 8: {128, 0, 128}, 9: {0, 191, 255}, 10: {0, 64, 128}, 11: {64, 224, 208}, 12: {0, 128, 64},
	13: {255, 255, 255},
	14: {255, 99, 71}, 15: {250, 128, 114}, 16: {219, 112, 147}, 17: {255, 165, 0}, 18: {245, 222, 179}, 19: {0, 255, 255},
	20: {192, 192, 192}, 21: {192, 255, 128}, 22: {255, 182, 193}, 23: {0, 255, 127}, 24: {1, 1, 1}, 25: {255, 0, 127},
}

// The questions that a cell under [R]Super asks about its neighbours.
const (
	touchesBoundary = iota
	livesOn
	plainParent // of state 1 or 5
	markedParent
	marked2Parent
	kindAParent
	kindBParent
	tracelessParent // of state 13; then 15, 17, 19, 21, 23, 25
)

// Further questions.
const (
	litFuse = tracelessParent + (superStates-traceless+1)/2 + iota
	beside22
	beside20
	beside18
	primed
)

// super asks for each kind of neighbour that decides the state of a newborn cell.
func super(r Rule) *local.Asking {
	some := func(among ...uint8) local.Question { return local.Some(r.neighbours(), among...) }
	living := odd(superStates)
	questions := []local.Question{
		touchesBoundary: some(boundary),
		livesOn:         local.NewQuestion(living, r.Lives),
		plainParent:     some(live, start),
		markedParent:    some(marked),
		marked2Parent:   some(marked2),
		kindAParent:     some(kindA),
		kindBParent:     some(kindB),
		litFuse:         some(append(slices.Clone(living), fading)...),
		beside22:        some(hunted22),
		beside20:        some(hunted20),
		beside18:        some(hunted),
		primed:          some(append(slices.Clone(living), fading, hunted)...),
	}
	for q := tracelessParent; q < litFuse; q++ {
		questions[q] = some(uint8(traceless + 2*(q-tracelessParent)))
	}
	return &local.Asking{Questions: questions, Next: superNext}
}

// superNext is the next state of a cell, by the answers. The cases are in the order in which they take
// precedence.
func superNext(c uint8, yes func(int) bool) uint8 {
	if dies, ok := atBoundary(c); ok && yes(touchesBoundary) {
		return dies
	}
	alive := c != boundary && yes(livesOn)
	switch {
	case c == boundary, alive && c%2 == 1:
		return c
	case alive && (c == mark || c == mark2):
		return c - 1
	case alive:
		return child(yes)
	case c == start:
		return mark
	case c%2 == 1 && c < traceless:
		return c + 1
	case c%2 == 1, c == fading:
		return 0
	case c == fuse && yes(litFuse):
		return fading
	case c == hunted && yes(beside22):
		return hunted22
	case c == hunted22 && yes(beside20):
		return hunted20
	case c == hunted20 && yes(beside18), c == primer && yes(primed):
		return hunted
	}
	return c
}

// atBoundary returns the state that a cell beside a boundary becomes, or false if the boundary does not change it.
func atBoundary(c uint8) (dies uint8, ok bool) {
	switch {
	case c == start:
		return mark, true
	case c == marked2, c == mark2, c >= traceless:
		return 0, true
	case c%2 == 1:
		return c + 1, true
	}
	return 0, false
}

// child returns the state of a new cell, by the kinds of its parents: all live neighbours.
func child(yes func(int) bool) uint8 {
	if yes(plainParent) {
		return live
	}
	ofMarked, ofMarked2 := yes(markedParent), yes(marked2Parent)
	// the last kind present among some, and how many are present
	only := func(first, end int, state uint8) (kind uint8, kinds int) {
		for q := first; q < end; q++ {
			if yes(q) {
				kind, kinds = state+2*uint8(q-first), kinds+1
			}
		}
		return kind, kinds
	}
	tracing, tracings := only(kindAParent, tracelessParent, kindA)
	silent, silents := only(tracelessParent, litFuse, traceless)
	switch {
	case !ofMarked && !ofMarked2 && tracings+silents == 1:
		return max(tracing, silent)
	case ofMarked && !ofMarked2 && tracings == 0 && silents == 1:
		return silent
	case ofMarked2 && !ofMarked && tracings == 1 && silents == 0:
		return tracing
	case !ofMarked && tracings == 0 && (ofMarked2 || silents > 0):
		return traceless
	}
	return live
}
