package sparse

import "cmp"

// Cell is a cell that is not in state 0: its position, x to the right and y down, and its age.
type Cell struct {
	X, Y int
	// Age is 0 for a live cell, which is in state 1. Under Generations, where cells that do not survive go through states 2, 3, … on their way to 0,
	// it is the number of generations that the cell has been dying: it is in state Age+1.
	Age uint8
}

// ByRow orders cells row by row.
func ByRow(a, b Cell) int { return cmp.Or(cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X)) }
