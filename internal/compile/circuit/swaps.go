package circuit

import "github.com/gosper-life/gosper/internal/compile/lut"

// In generation g, cells move where the sum of column, row, layer and g is even, in one of three planes.
var (
	stays    = Parity{Column: true, Row: true, Layer: true, Cycle: 2, On: 2}
	inPlane1 = Parity{Cycle: 3, On: 2} // rows and layers
	inPlane2 = Parity{Cycle: 3, On: 4} // columns and layers
)

// swaps adds the next state of a cell that changes places with others: see rule.Swaps. It is that of swaps across the
// edges.
func (c *Circuit) swaps(cell Tap) Tap {
	next := c.swapsIn(cell, func(t Tap, a, b int) Tap { return t.At(a, b) })
	rowsAndLayers := c.swapsIn(cell, func(t Tap, a, b int) Tap { return t.At(0, a).Layer(b) })
	columnsAndLayers := c.swapsIn(cell, func(t Tap, a, b int) Tap { return t.At(a, 0).Layer(b) })
	next = c.lut(choose, c.node(Node{Kind: Given, Parity: inPlane1}), rowsAndLayers, next)
	next = c.lut(choose, c.node(Node{Kind: Given, Parity: inPlane2}), columnsAndLayers, next)
	return c.lut(choose, c.node(Node{Kind: Given, Parity: stays}), cell, next)
}

// swapsIn adds the next state of a cell that moves in a plane, whose axes are a and b.
//
//	. K . .        K calls the pair of the cell c and d, and so does the other K. Each diagonal has such a pair on
//	. . d .        either side of c, so a cell is in four pairs.
//	. c . .
//	. . . K
//
// The state of a pair is computed for one of its cells, and the other reads it there.
func (c *Circuit) swapsIn(cell Tap, at func(t Tap, a, b int) Tap) Tap {
	const (
		nor  = 0x03 // neither a nor b
		only = 0x20 // a and c, and not b
	)
	type offset struct{ a, b int }
	diagonals := [...]struct{ to, caller, other offset }{
		{offset{1, 1}, offset{2, -1}, offset{-1, 2}},
		{offset{-1, 1}, offset{1, 2}, offset{-2, -1}},
	}
	var ahead, behind, neither [2]Tap // by diagonal: whether the pair on that side is called, and whether none is
	for i, d := range diagonals {
		caller, other := at(cell, d.caller.a, d.caller.b), at(cell, d.other.a, d.other.b)
		ahead[i] = c.lut(lut.Or, caller, other, other)
		behind[i] = at(ahead[i], -d.to.a, -d.to.b)
		neither[i] = c.lut(nor, ahead[i], behind[i], behind[i])
	}
	next := cell
	for i, d := range diagonals {
		here := c.lut(only, ahead[i], behind[i], neither[1-i])
		there := at(c.lut(only, behind[i], ahead[i], neither[1-i]), d.to.a, d.to.b)
		swap := c.lut(lut.And, here, there, there)
		next = c.lut(choose, swap, at(cell, d.to.a, d.to.b), next)
		next = c.lut(choose, at(swap, -d.to.a, -d.to.b), at(cell, -d.to.a, -d.to.b), next)
	}
	return next
}
