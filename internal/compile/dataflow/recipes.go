package dataflow

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/rule"
)

// A Recipe is a way to make a neighbour sum out of rows.
type Recipe struct {
	Name string
	Why  string                                      // for which shapes, and how
	sum  func(*builder, *circuit.NeighbourSum) total // has no digits if the recipe does not fit
}

// The recipes. Columns is for machines that work column after column. Diamond is for machines where rows of the
// past may drift (Graph.Drifts).
var (
	Window = Recipe{
		"window", "The Moore neighbourhood: a window along the row that enters, then a running sum of rows.",
		box,
	}
	Columns = Recipe{"columns", "The Moore neighbourhood: a counter for the cells of each column, then a sum that runs along the row.", columnBox}
	Pyramid = Recipe{"pyramid", "Gaussian weights: windows of windows in both directions.", pyramid}
	Edges   = Recipe{"edges", "Shapes with few, long column runs: the sum changes by what its edges gain and lose from row to row.", edges}
	Diamond = Recipe{"diamond", "The von Neumann neighbourhood: its edges are windows that run along diagonals.", diamond}
	// Words is for columns whose rows are bits of words: nothing is kept from row to row, and every value can be shifted
	// to other rows.
	Words = Recipe{"words", "Every shape: nothing is kept from row to row. Squares are summed down the rows, then along them.", words}
	Rows  = Recipe{"rows", "Every shape and all weights: each distinct row of the shape is summed once, then the rows are added.", rows}
)

// total is a neighbour sum as a recipe makes it. The number in digits is the sum plus offset, and plus centre
// where the cell itself is 1.
type total struct {
	digits         number
	greatest       int // the largest value digits can take
	offset, centre int
	// Ref over is 1 where the sum has more digits than these, if it may have more. Birth and survival then are the
	// same for all such sums.
	over    Ref
	hasOver bool
}

// isBox reports whether a sum counts all cells of a square but its centre, once each.
func isBox(s *circuit.NeighbourSum) bool {
	side := 2*s.Radius() + 1
	if len(s.Digits) != 1 || len(s.Offsets) != side*side-1 {
		return false
	}
	for _, o := range s.Offsets {
		if o.Weight != 1 {
			return false
		}
	}
	return true
}

// box makes the sum of the Moore neighbourhood: a window along the row that enters, then a running sum of rows.
// It counts the centre.
func box(b *builder, s *circuit.NeighbourSum) total {
	if !isBox(s) {
		return total{}
	}
	r := s.Radius()
	side := 2*r + 1
	b.radius, b.g.Warm = r, max(b.g.Warm, 2*r)
	entering := number{b.value(s.Digits[0].At(-r, r))}
	row := b.window(entering, side, 1, 1)
	return total{digits: b.running(row, side, side), greatest: side * side, centre: 1}
}

// longestStart is the widest window whose first sum is added up column by column. The first sum of a wider
// window is computed from that of the row before.
const longestStart = 25

// columnBox makes the sum of the Moore neighbourhood column by column. A counter for each column goes up by one
// for a live cell that enters and down by one for a live cell that leaves. A sum runs along the row: it adds
// the column that enters the window and subtracts the column that leaves. The sum counts the centre.
func columnBox(b *builder, s *circuit.NeighbourSum) total {
	r := s.Radius()
	side := 2*r + 1
	if !isBox(s) {
		return total{}
	}
	b.radius, b.g.Warm = r, max(b.g.Warm, side)
	cell := circuit.Tap{Node: s.Digits[0].Node, DX: s.Digits[0].DX}
	enters, leaves := b.kept(cell, r), b.kept(cell, -r-1)
	column := b.counter(enters, leaves, side, 0)
	var first number
	if side > longestStart {
		first = b.followingStart(enters, leaves, r)
	} else {
		first = b.start(column, r)
	}

	return total{digits: b.alongRow(column, first, r), greatest: side * side, centre: 1}
}

// words makes the sum of any shape without memories. It counts the centre of a square.
func words(b *builder, s *circuit.NeighbourSum) total {
	if !isBox(s) {
		return rows(b, s)
	}
	r := s.Radius()
	side := 2*r + 1
	b.radius, b.g.Warm = r, max(b.g.Warm, 2*r)
	column := b.copies(number{b.value(s.Digits[0].At(0, r))}, side, 1, number.later)
	return total{digits: b.alongRow(column, b.start(column, r), r), greatest: side * side, centre: 1}
}

// start makes the sum of the window of column -1, with which the sum along the row begins: column by column.
func (b *builder) start(column number, r int) number {
	b.once = true
	defer func() { b.once = false }()
	side := 2*r + 1
	a := b.newAdder(side * side)
	for dx := -r - 1; dx < r; dx++ {
		a.number(column.at(dx), 0)
	}
	return a.sum()
}

// alongRow makes the sum of the columns of a window that moves along the row. The first one is that of column -1.
func (b *builder) alongRow(column, first number, r int) number {
	// The window moves by one column:
	//
	//	column          x-r-1   x-r  …  x+r-1   x+r
	//	window of x-1     #      #   …    #
	//	window of x              #   …    #      #
	//
	// A digit of the sum is made from the same digit one column to the left, which is a Carry. The carry node comes
	// first and learns its input afterwards, because it is part of the sum that it reads.
	in, out := column.at(r), column.at(-r-1)
	sum := make(number, len(first))
	next := func(k int, digit func(last Ref) Ref) {
		last := b.node(Node{Kind: Carry, N: 2, In: [3]Ref{{}, first[k]}})
		sum[k] = digit(last)
		b.g.Nodes[last.Node].In[0] = sum[k]
	}
	borrow, carry := b.constant(0), b.constant(0)
	for k := range column {
		next(k, func(last Ref) Ref {
			digit := b.table(lut.Xor3, in[k], out[k], borrow)
			borrow = b.table(lut.Borrow, borrow, out[k], in[k]) // maj(borrow, out, not in)
			up := b.table(lut.Maj, last, digit, carry)          // made before the sum, so that the sum may overwrite last
			made := b.table(lut.Xor3, last, digit, carry)
			carry = up
			return made
		})
	}
	// The remaining digits are incremented for a carry and decremented for a borrow. A carry and a borrow together
	// cancel.
	change := b.table(lut.Xor, borrow, carry)
	for k := len(column); k < len(sum); k++ {
		next(k, func(last Ref) Ref {
			made := b.table(lut.Xor, last, change)
			change = b.table(lut.Differs, change, last, borrow)
			return made
		})
	}
	return sum
}

// followingStart makes the sum of the window of column -1, with which the running sum begins. It takes the sum
// of the row before, adds the cells that enter this window and subtracts the cells that leave it.
func (b *builder) followingStart(enters, leaves Ref, r int) number {
	b.once = true
	defer func() { b.once = false }()
	side := 2*r + 1
	return b.following(side*side, func(a *adder) {
		for dx := -r - 1; dx < r; dx++ {
			a.digit(0, enters.At(dx))
			a.minus(number{leaves.At(dx)})
		}
	})
}

// pyramid makes the sum with the weights (r+1-|dx|)(r+1-|dy|), called Gaussian: windows of windows in both directions.
func pyramid(b *builder, s *circuit.NeighbourSum) total {
	r := s.Radius()
	side := 2*r + 1
	if len(s.Digits) != 1 || len(s.Offsets) != side*side-1 {
		return total{}
	}
	for _, o := range s.Offsets {
		if o.Weight != (r+1-abs(o.DX))*(r+1-abs(o.DY)) {
			return total{}
		}
	}
	b.radius, b.g.Warm = r, max(b.g.Warm, 2*r)
	// A window of a window has falling weights on both sides, here for r = 2:
	//
	//	1 1 1   moved by 0, 1 and 2 columns and added up:   1 2 3 2 1
	h := r + 1
	row := b.window(number{b.value(s.Digits[0].At(-r, r))}, h, 1, 1)
	row = b.window(row, h, 1, h)
	column := b.running(row, h, h*h)
	return total{digits: b.running(column, h, h*h*h), greatest: h * h * h * h, centre: h * h}
}

// edges makes the sum of shapes with few, long column runs (circle, diamond, hexagon). From one row to the next a
// column run gains the cell below its end and loses the cell at its start, so the sum changes by a difference of
// boundary cells.
func edges(b *builder, s *circuit.NeighbourSum) total {
	if len(s.Digits) != 1 || len(s.Offsets) == 0 {
		return total{}
	}
	r := s.Radius()
	column := 2*r + 3 // dy from -r-1 to r+1
	member, greatest := make([]bool, (2*r+1)*column), 0
	at := func(dx, dy int) *bool { return &member[(dx+r)*column+dy+r+1] }
	for _, o := range s.Offsets {
		if o.Weight != 1 {
			return total{}
		}
		if here := at(o.DX, o.DY); !*here {
			*here, greatest = true, greatest+1
		}
	}
	centre := 0
	if !*at(0, 0) && *at(0, 1) && *at(0, -1) {
		*at(0, 0), centre, greatest = true, 1, greatest+1
	}
	b.radius = r
	sum := b.following(greatest, func(a *adder) {
		for dx := -r; dx <= r; dx++ {
			for dy := -r; dy <= r+1; dy++ {
				here, above := *at(dx, dy), *at(dx, dy-1)
				switch {
				case here && !above: // row y+dy-1 leaves
					a.minus(number{b.kept(s.Digits[0].At(dx, 0), dy-1)})
				case !here && above: // row y+dy-1 enters
					a.digit(0, b.kept(s.Digits[0].At(dx, 0), dy-1))
				}
			}
		}
	})
	b.g.Warm = max(b.g.Warm, 2*r+1) // row y-r-1 must have entered before it can leave
	return total{digits: sum, greatest: greatest, centre: centre}
}

// diamond makes the sum of the von Neumann neighbourhood. From one row to the next the diamond gains its two
// lower edges and loses its two upper ones. Each edge is a window along a diagonal, and a counter keeps its
// sum. The neighbour sum counts the centre.
//
//	      out
//	    ·     ·          upper edges of the row before: right and left of out, down to row y-1
//	  ·         ·
//	·     x       ·
//	  ·         ·        lower edges: left and right of in, from row y+r-1 up
//	    ·     ·
//	       in
func diamond(b *builder, s *circuit.NeighbourSum) total {
	r := s.Radius()
	n := 2*r*(r+1) + 1
	if len(s.Digits) != 1 || len(s.Offsets) < n-1 {
		return total{}
	}
	counted := 1
	for _, o := range s.Offsets {
		if o.Weight != 1 || abs(o.DX)+abs(o.DY) > r {
			return total{}
		}
		if o.DX == 0 && o.DY == 0 {
			counted = 0
		}
	}
	if len(s.Offsets) != n-counted { // a cell other than the centre is missing
		return total{}
	}
	b.radius, b.g.Warm = r, max(b.g.Warm, 2*r+1)
	b.g.Drifts, b.g.Reach = true, max(b.g.Reach, r)
	cell := s.Digits[0]
	in, below, middle, out := b.kept(cell, r), b.kept(cell, r-1), b.kept(cell, -1), b.kept(cell, -r-1)
	lower := [2]number{b.counter(below.At(-1), middle.At(-1-r), r, 1), b.counter(below.At(1), middle.At(1+r), r, -1)}
	upper := [2]number{b.counter(middle.At(r), out, r, 1), b.counter(middle.At(-r), out, r, -1)}

	sum := b.following(n, func(a *adder) {
		a.digit(0, in)
		a.minus(number{out})
		for i := range lower {
			a.number(lower[i], 0)
			a.minus(upper[i])
		}
	})
	return total{digits: sum, greatest: n, centre: counted}
}

// rows makes the sum of any shape and weights. Each distinct row of the shape is summed once, when its cells
// enter, and kept. Then the rows are added. Cells with a negative weight are complemented, which adds a
// constant.
//
// A shape of radius 2 without its centre has three distinct rows. Two of them are summed once and read
// with a delay of up to four rows:
//
//	. # # # .     A
//	# # # # #     B
//	# # . # #     C
//	# # # # #     B
//	. # # # .     A
func rows(b *builder, s *circuit.NeighbourSum) total {
	r := s.Radius()
	b.radius = r
	least, greatest := s.Bounds()
	a := b.newAdder(greatest - least)
	byRow := make([][]rule.Offset, 2*r+1)
	for _, o := range s.Offsets {
		byRow[o.DY+r] = append(byRow[o.DY+r], o)
	}
	patterns := map[string][]int{} // by a row's columns and weights: the DY of each row that has them
	var order []string
	for i, row := range byRow {
		if len(row) == 0 {
			continue
		}
		var text []byte
		for _, o := range row {
			text = binary.AppendVarint(binary.AppendVarint(text, int64(o.DX)), int64(o.Weight))
		}
		key := string(text)
		if patterns[key] == nil {
			order = append(order, key)
		}
		patterns[key] = append(patterns[key], i-r)
	}
	for _, key := range order {
		dys := patterns[key]
		row := byRow[dys[0]+r]
		if len(dys) == 1 || len(row) == 1 {
			for _, dy := range dys {
				b.addRow(a, s, row, dy)
			}
			continue
		}
		top := 1<<len(s.Digits) - 1
		rowMost := 0
		for _, o := range row {
			rowMost += abs(o.Weight) * top
		}
		pattern := b.newAdder(rowMost)
		b.addRow(pattern, s, row, r)
		sum := pattern.sum()
		for k, o := range sum {
			for _, dy := range dys {
				a.digit(k, o.Later(r-dy))
			}
		}
		b.g.Warm = max(b.g.Warm, 2*r)
	}
	return total{digits: a.sum(), greatest: greatest - least, offset: -least}
}

// addRow adds the weighted cells of one row of the shape, at y+dy. Cells of equal weight in a run become a window.
func (b *builder) addRow(a *adder, s *circuit.NeighbourSum, row []rule.Offset, dy int) {
	row = slices.Clone(row)
	slices.SortStableFunc(row, func(a, b rule.Offset) int {
		return cmp.Or(cmp.Compare(a.Weight, b.Weight), cmp.Compare(a.DX, b.DX))
	})
	for len(row) > 0 {
		n := 1 // the run row[:n] has one weight and one stride
		for n < len(row) && row[n].Weight == row[0].Weight && row[n].DX-row[n-1].DX == row[1].DX-row[0].DX {
			n++
		}
		stride := 1
		if n > 1 {
			stride = row[1].DX - row[0].DX
		}
		digits := make(number, len(s.Digits))
		for k, t := range s.Digits {
			digits[k] = b.kept(t.At(row[0].DX, 0), dy)
			if row[0].Weight < 0 {
				digits[k] = b.table(lut.NotA, digits[k])
			}
		}
		sum := b.window(digits, n, stride, 1<<len(digits)-1)
		for k, weight := 0, abs(row[0].Weight); weight>>k > 0; k++ {
			if weight>>k&1 == 1 {
				a.number(sum, k)
			}
		}
		row = row[n:]
	}
}

func abs(x int) int { return max(x, -x) }
