package logic

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/rule"
)

// number is a row of unsigned numbers as binary digits, lowest first.
type number []Operand

// at returns the number moved by dx.
func (n number) at(dx int) number {
	moved := slices.Clone(n)
	for k := range moved {
		moved[k].DX += dx
	}
	return moved
}

// total is a neighbour sum as it was made: it is offset more than the sum, and centre more where the cell itself is 1.
type total struct {
	digits         number
	greatest       int // the largest value digits can take
	offset, centre int
}

// adder adds digits of any weight in carry-save form: three digits of a weight become one of it and a carry.
type adder struct {
	l       *lowering
	columns [][]Operand
	width   int // digits beyond it are dropped
	owed    int // to be taken away from the sum
}

func (l *lowering) newAdder(greatest int) *adder {
	width := bits.Len(uint(greatest))
	return &adder{l: l, columns: make([][]Operand, width), width: width}
}

func (a *adder) digit(k int, o Operand) {
	if k >= a.width {
		return
	}
	a.columns[k] = append(a.columns[k], o)
	if c := a.columns[k]; len(c) == 3 {
		a.columns[k] = []Operand{a.l.table(immXor3, c...)}
		a.digit(k+1, a.l.table(immMaj, c...))
	}
}

func (a *adder) number(n number, shift int) {
	for k, o := range n {
		a.digit(k+shift, o)
	}
}

// minus adds the complement of a number, and makes up for it at the end: -n is ^n + 1 - 2^digits.
func (a *adder) minus(n number) {
	for k, o := range n {
		a.digit(k, a.l.table(immNotA, o))
		a.owed += 1 << k
	}
}

func (a *adder) sum() number {
	for k := range a.columns {
		if a.owed > 0 {
			a.digit(k, a.l.constant(-a.owed>>k&1))
		}
	}
	n := make(number, a.width)
	for k := range n {
		if c := a.columns[k]; len(c) == 2 {
			a.columns[k] = []Operand{a.l.table(immXor, c[0], c[1])}
			a.digit(k+1, a.l.table(immAnd, c[0], c[1]))
		}
		if len(a.columns[k]) == 0 {
			n[k] = a.l.constant(0)
			continue
		}
		n[k] = a.columns[k][0]
	}
	return n
}

// window adds width copies of n, stride columns apart, by doubling: w(2m) = w(m) + w(m) moved by m, and one more copy when odd.
// greatest is the largest value of n.
func (l *lowering) window(n number, width, stride, greatest int) number {
	if width == 1 {
		return n
	}
	half := width / 2
	w := l.window(n, half, stride, greatest)
	a := l.newAdder(greatest * width)
	a.number(w, 0)
	a.number(w.at(half*stride), 0)
	if width%2 == 1 {
		a.number(n.at(2*half*stride), 0)
	}
	return a.sum()
}

// running keeps the sum of the last height values that entered, one a row: it adds the one that enters and subtracts the one
// that leaves. greatest is the largest value of one of them.
func (l *lowering) running(entering number, height, greatest int) number {
	width := bits.Len(uint(greatest * height))
	leaving := make(number, len(entering))
	for k, o := range entering {
		leaving[k] = l.load(l.stream(o), -height)
	}
	change := make(number, len(entering))
	borrow := l.constant(0)
	for k := range change {
		change[k] = l.table(immXor3, entering[k], leaving[k], borrow)
		borrow = l.table(0xD4, borrow, leaving[k], entering[k]) // maj(borrow, leaving, not entering)
	}
	sum := make(number, width)
	carry := l.constant(0)
	for k := range sum {
		stream := l.newStream()
		last, digit := l.load(stream, -1), borrow // the borrow is the sign
		if k < len(change) {
			digit = change[k]
		}
		sum[k] = l.table(immXor3, last, digit, carry)
		carry = l.table(immMaj, last, digit, carry)
		l.Stores = append(l.Stores, Store{stream, sum[k]})
	}
	return sum
}

// wayToSum makes a neighbour sum; it returns no digits where it does not apply.
type wayToSum func(*lowering, *NeighbourSum) total

var waysToSum = []wayToSum{box, pyramid, edges, rows}

// isBox reports whether a sum counts all cells of a square but its centre, once each.
func (s *NeighbourSum) isBox() bool {
	side := 2*radius(s) + 1
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

// box serves the Moore neighbourhood: a window along the entering row, then a running sum of rows. The centre is counted.
func box(l *lowering, s *NeighbourSum) total {
	if !s.isBox() {
		return total{}
	}
	r := radius(s)
	side := 2*r + 1
	l.radius, l.warm = r, max(l.warm, 2*r)
	entering := number{l.value(s.Digits[0].At(-r, r))}
	row := l.window(entering, side, 1, 1)
	return total{digits: l.running(row, side, side), greatest: side * side, centre: 1}
}

// longestStart is the widest window whose first sum is added up column by column; that of wider ones follows from the row before.
const longestStart = 25

// columnBox serves the Moore neighbourhood column after column: counters of the cells of each column, up one when the cell that
// enters is alive and down one when the cell that leaves is; then a sum that runs along the row, plus the column that
// enters the window, minus the one that leaves it. The centre is counted.
func columnBox(l *lowering, s *NeighbourSum) total {
	r := radius(s)
	side := 2*r + 1
	if !s.isBox() {
		return total{}
	}
	l.radius, l.warm = r, max(l.warm, side)
	cell := Tap{Node: s.Digits[0].Node, DX: s.Digits[0].DX}
	enters, leaves := l.kept(cell, r), l.kept(cell, -r-1)
	column := l.counter(enters, leaves, side, 0)
	var first number
	if side > longestStart {
		first = l.followingStart(enters, leaves, r)
	} else {
		l.once = true
		a := l.newAdder(side * side)
		for dx := -r - 1; dx < r; dx++ {
			a.number(column.at(dx), 0)
		}
		first = a.sum()
		l.once = false
	}

	in, out := column.at(r), column.at(-r-1)
	sum := make(number, len(first))
	borrow, carry := l.constant(0), l.constant(0)
	for k := range sum {
		last := l.emit(Op{Kind: Carry, In: [3]Operand{{}, first[k]}})
		digit := borrow // the sign of the change
		if k < len(column) {
			digit = l.table(immXor3, in[k], out[k], borrow)
			borrow = l.table(0xD4, borrow, out[k], in[k]) // maj(borrow, out, not in)
		}
		next := l.table(immMaj, last, digit, carry) // before the sum, which then may take the place of last
		sum[k] = l.table(immXor3, last, digit, carry)
		carry = next
		l.Ops[last.Value].In[0] = sum[k]
	}
	return total{digits: sum, greatest: side * side, centre: 1}
}

// followingStart is the sum of the window of column -1, for the running sum to begin with: the row before's, one up for every cell that
// enters this window and one down for every cell that leaves it.
func (l *lowering) followingStart(enters, leaves Operand, r int) number {
	l.once = true
	defer func() { l.once = false }()
	side := 2*r + 1
	return l.following(side*side, func(a *adder) {
		for dx := -r - 1; dx < r; dx++ {
			a.digit(0, enters.At(dx))
			a.minus(number{leaves.At(dx)})
		}
	})
}

// counter keeps a number of at most greatest that from row to row is one up for a cell that enters and one down for a cell that leaves, and
// moves to the right by some columns.
func (l *lowering) counter(enters, leaves Operand, greatest, columns int) number {
	n := make(number, bits.Len(uint(greatest)))
	change := l.table(immXor, enters, leaves)
	for k := range n {
		stream := l.newStream()
		last := l.load(stream, -1).At(-columns)
		n[k] = l.table(immXor, last, change)
		// on: a carry where it counts up and the digit was 1, a borrow where it counts down and the digit was 0
		change = l.table(immCount, change, last, enters)
		l.Stores = append(l.Stores, Store{stream, n[k]})
	}
	return n
}

// following keeps a number that changes by what is added from one row to the next.
func (l *lowering) following(greatest int, add func(*adder)) number {
	a := l.newAdder(greatest)
	first := len(l.Stores)
	for k := range a.columns {
		stream := l.newStream()
		a.digit(k, l.load(stream, -1))
		l.Stores = append(l.Stores, Store{Stream: stream}) // its value is the sum
	}
	add(a)
	sum := a.sum()
	for k := range sum {
		l.Stores[first+k].Value = sum[k]
	}
	return sum
}

// pyramid serves the weights (r+1-|dx|)(r+1-|dy|) (Gaussian): windows of windows in both directions.
func pyramid(l *lowering, s *NeighbourSum) total {
	r := radius(s)
	side := 2*r + 1
	if len(s.Digits) != 1 || len(s.Offsets) != side*side-1 {
		return total{}
	}
	for _, o := range s.Offsets {
		if o.Weight != (r+1-abs(o.DX))*(r+1-abs(o.DY)) {
			return total{}
		}
	}
	l.radius, l.warm = r, max(l.warm, 2*r)
	h := r + 1
	row := l.window(number{l.value(s.Digits[0].At(-r, r))}, h, 1, 1)
	row = l.window(row, h, 1, h)
	column := l.running(row, h, h*h)
	return total{digits: l.running(column, h, h*h*h), greatest: h * h * h * h, centre: h * h}
}

// edges serves shapes with few, long column runs (circle, diamond, hexagon): from one row to the next a column run gains the cell
// below its end and loses the cell at its start, so the sum changes by a difference of boundary cells.
func edges(l *lowering, s *NeighbourSum) total {
	type cell struct{ dx, dy int }
	member := map[cell]bool{}
	for _, o := range s.Offsets {
		if o.Weight != 1 {
			return total{}
		}
		member[cell{o.DX, o.DY}] = true
	}
	if len(s.Digits) != 1 || len(s.Offsets) == 0 {
		return total{}
	}
	centre := 0
	if !member[cell{0, 0}] && member[cell{0, 1}] && member[cell{0, -1}] {
		member[cell{0, 0}], centre = true, 1
	}
	r := radius(s)
	l.radius = r
	greatest := len(member)
	sum := l.following(greatest, func(a *adder) {
		for dx := -r; dx <= r; dx++ {
			for dy := -r; dy <= r+1; dy++ {
				here, above := member[cell{dx, dy}], member[cell{dx, dy - 1}]
				switch {
				case here && !above: // row y+dy-1 leaves
					a.minus(number{l.kept(s.Digits[0].At(dx, 0), dy-1)})
				case !here && above: // row y+dy-1 enters
					a.digit(0, l.kept(s.Digits[0].At(dx, 0), dy-1))
				}
			}
		}
	})
	l.warm = max(l.warm, 2*r+1) // row y-r-1 must have entered before it can leave
	return total{digits: sum, greatest: greatest, centre: centre}
}

// diamond serves the von Neumann neighbourhood: from one row to the next the diamond gains the two lower edges and loses the two upper
// ones, each a window along a diagonal, whose sum runs with it. The centre is counted.
//
//	      out
//	    ·     ·          upper edges of the row before: right and left of out, down to row y-1
//	  ·         ·
//	·     x       ·
//	  ·         ·        lower edges: left and right of in, from row y+r-1 up
//	    ·     ·
//	       in
func diamond(l *lowering, s *NeighbourSum) total {
	r := radius(s)
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
	l.radius, l.warm = r, max(l.warm, 2*r+1)
	l.Drifts, l.Reach = true, max(l.Reach, r)
	cell := s.Digits[0]
	in, below, middle, out := l.kept(cell, r), l.kept(cell, r-1), l.kept(cell, -1), l.kept(cell, -r-1)
	lower := [2]number{l.counter(below.At(-1), middle.At(-1-r), r, 1), l.counter(below.At(1), middle.At(1+r), r, -1)}
	upper := [2]number{l.counter(middle.At(r), out, r, 1), l.counter(middle.At(-r), out, r, -1)}

	sum := l.following(n, func(a *adder) {
		a.digit(0, in)
		a.minus(number{out})
		for i := range lower {
			a.number(lower[i], 0)
			a.minus(upper[i])
		}
	})
	return total{digits: sum, greatest: n, centre: counted}
}

// rows serves any shape and weights: each distinct row of the shape is summed once, when the cells enter, and kept; then the
// rows are added. Cells with a negative weight are complemented, which adds a constant.
func rows(l *lowering, s *NeighbourSum) total {
	r := radius(s)
	l.radius = r
	least, greatest := s.bounds()
	a := l.newAdder(greatest - least)
	byRow := make([][]rule.Offset, 2*r+1)
	for _, o := range s.Offsets {
		byRow[o.DY+r] = append(byRow[o.DY+r], o)
	}
	patterns := map[string][]int{} // offset lists without DY → rows that have them
	var order []string
	for i, row := range byRow {
		if len(row) == 0 {
			continue
		}
		key := ""
		for _, o := range row {
			key += fmt.Sprintf("%d*%d ", o.DX, o.Weight)
		}
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
				l.addRow(a, s, row, dy)
			}
			continue
		}
		top := 1<<len(s.Digits) - 1
		rowMost := 0
		for _, o := range row {
			rowMost += abs(o.Weight) * top
		}
		pattern := l.newAdder(rowMost)
		l.addRow(pattern, s, row, r)
		sum := pattern.sum()
		for k, o := range sum {
			stream := -1
			for _, dy := range dys {
				if dy == r {
					a.digit(k, o)
					continue
				}
				if stream < 0 {
					stream = l.stream(o)
				}
				a.digit(k, l.load(stream, dy-r))
			}
		}
		l.warm = max(l.warm, 2*r)
	}
	return total{digits: a.sum(), greatest: greatest - least, offset: -least}
}

// addRow adds the weighted cells of one row of the shape, at y+dy. Cells of equal weight in a run become a window.
func (l *lowering) addRow(a *adder, s *NeighbourSum, row []rule.Offset, dy int) {
	row = slices.Clone(row)
	slices.SortFunc(row, func(a, b rule.Offset) int {
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
			digits[k] = l.kept(t.At(row[0].DX, 0), dy)
			if row[0].Weight < 0 {
				digits[k] = l.table(immNotA, digits[k])
			}
		}
		sum := l.window(digits, n, stride, 1<<len(digits)-1)
		for k, weight := 0, abs(row[0].Weight); weight>>k > 0; k++ {
			if weight>>k&1 == 1 {
				a.number(sum, k)
			}
		}
		row = row[n:]
	}
}

func radius(s *NeighbourSum) int {
	r := 0
	for _, o := range s.Offsets {
		r = max(r, abs(o.DX), abs(o.DY))
	}
	return r
}

func abs(x int) int { return max(x, -x) }
