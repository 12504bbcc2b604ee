package sparse

import (
	"cmp"
	"slices"
)

// Cell is a cell that is not in state 0: its position, x to the right and y down, and its age.
type Cell struct {
	X, Y int
	// Age is 0 for a live cell, which is in state 1. Under Generations, where cells that do not survive go through
	// states 2, 3, … on their way to 0, it is the number of generations that the cell has been dying: it is in
	// state Age+1.
	Age uint8
}

// ByRow orders cells row by row.
func ByRow(a, b Cell) int {
	if a.Y != b.Y {
		return cmp.Compare(a.Y, b.Y)
	}
	return cmp.Compare(a.X, b.X)
}

// Touching divides cells into islands whose cells are at most some columns and rows from each other. With 1 they touch
// at edges or corners.
func Touching(cells []Cell, distance int) [][]Cell {
	rest := slices.Clone(cells)
	var islands [][]Cell
	for len(rest) > 0 {
		island := []Cell{rest[0]}
		rest = rest[1:]
		for done := 0; done < len(island); done++ {
			at := island[done]
			kept := rest[:0]
			for _, c := range rest {
				if max(c.X-at.X, at.X-c.X, c.Y-at.Y, at.Y-c.Y) <= distance {
					island = append(island, c)
				} else {
					kept = append(kept, c)
				}
			}
			rest = kept
		}
		slices.SortStableFunc(island, ByRow)
		islands = append(islands, island)
	}
	return islands
}
