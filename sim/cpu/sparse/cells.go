package sparse

import "cmp"

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

// Touching divides cells, in order, into islands whose cells are at most some columns and rows from each other. With 1
// they touch at edges or corners. The islands are in the order of their first cells.
func Touching(cells []Cell, distance int) [][]Cell {
	parent := make([]int, len(cells)) // an earlier cell of the same island, or itself
	root := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	first := make([]int, distance+1) // in each row from the present one up, the first cell that is not too far left
	for i, c := range cells {
		parent[i] = i
		for up := range first {
			row, left, j := c.Y-up, c.X-distance, first[up]
			for j < i && (cells[j].Y < row || cells[j].Y == row && cells[j].X < left) {
				j++
			}
			for first[up] = j; j < i && cells[j].Y == row && cells[j].X <= c.X+distance; j++ {
				a, b := root(i), root(j)
				parent[max(a, b)] = min(a, b)
			}
		}
	}
	numbers := make([]int, len(cells)) // of the islands, by their first cells
	var islands [][]Cell
	for i, c := range cells {
		first := root(i)
		if first == i {
			numbers[i] = len(islands)
			islands = append(islands, nil)
		}
		islands[numbers[first]] = append(islands[numbers[first]], c)
	}
	return islands
}
