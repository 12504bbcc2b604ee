package sparse

import "cmp"

// Cell is the position of a live cell, x to the right and y down.
type Cell struct{ X, Y int }

// ByRow orders cells row by row.
func ByRow(a, b Cell) int { return cmp.Or(cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X)) }
