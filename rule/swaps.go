package rule

import (
	"slices"
	"strings"
)

// Swaps says whether cells of a volume change places, as in the reversible rule of Ed Fredkin and Daniel B. Miller
// that Golly's 3D.lua calls BusyBoxes.
//
// In generation g, cells with an even sum of column, row, layer and g may move, and the others say where to. A pair is
// two cells at opposite corners of a 2×2 square, which lies in columns and rows in generations 0, 3, 6, …, in rows and
// layers in generations 1, 4, 7, …, and in columns and layers in generations 2, 5, 8, …. Two cells of the same plane
// are a knight's move away from both cells of a pair. If one of the two is live, the pair is called. The cells of a
// pair that is called change places, unless one of them is in another pair that is called.
type Swaps uint8

const (
	SwapsNone   Swaps = iota
	SwapsInside       // BusyBoxes: a pair across an edge of the torus can be called, but does not change places
	SwapsAcross       // BusyBoxesW: the torus has no edges
)

// swapsPeriod is the number of generations after which the same cells may move in the same plane again.
const swapsPeriod = 6

// swapsRadius is the distance of the farthest cell that decides whether a cell moves: one that calls another pair of
// the cell that it would change places with.
const swapsRadius = 3

// notation is the name by which 3D.lua calls the rule.
func (s Swaps) notation() string {
	if s == SwapsInside {
		return "BusyBoxes"
	}
	return "BusyBoxesW"
}

// swapsOf reads a name of 3D.lua.
func swapsOf(name string) (Swaps, bool) {
	for _, s := range [...]Swaps{SwapsInside, SwapsAcross} {
		if strings.EqualFold(name, s.notation()) {
			return s, true
		}
	}
	return SwapsNone, false
}

// Edged reports whether a torus has edges under the rule, or under one of its parts: cells do not cross them. A part of
// such a universe is not a universe of its own.
func (r Rule) Edged() bool {
	return r.Swaps == SwapsInside || slices.ContainsFunc(r.Parts(), Rule.Edged)
}

// swapping reports whether cells change places under the rule, or under one of its parts.
func (r Rule) swapping() bool {
	return r.Swaps != SwapsNone || slices.ContainsFunc(r.Parts(), Rule.swapping)
}
