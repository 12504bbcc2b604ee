package dataflow

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/rule"
)

// The recipes for sums over several layers. Only rows of cells are read from other layers: the cells above each
// other are added up first, then these numbers down the rows, and then along the row. Everything that is kept,
// other than cells, is a few rows.
//
//	cells of layers z-1, z, z+1    one number for each column: 2 digits
//	rows y-1, y, y+1               of these numbers, two of them kept: 4 digits
//	columns x-1, x, x+1            of these: 5 digits
var (
	Stacks = Recipe{
		"stacks", "Shapes of several layers: rows of equal shape are added up over layers and rows, then along the row.",
		func(b *builder, s *circuit.NeighbourSum) total { return stacks(b, s, false, false) },
	}
	Blocks = Recipe{
		"blocks", "The same with the cell itself counted, so that a cube is a window of windows.",
		func(b *builder, s *circuit.NeighbourSum) total { return stacks(b, s, true, false) },
	}
	ShortStacks = Recipe{
		"short stacks", "As stacks. Where large sums all mean the same, their high digits are not added up.",
		func(b *builder, s *circuit.NeighbourSum) total { return stacks(b, s, false, true) },
	}
	ShortBlocks = Recipe{
		"short blocks", "As blocks. Where large sums all mean the same, their high digits are not added up.",
		func(b *builder, s *circuit.NeighbourSum) total { return stacks(b, s, true, true) },
	}
	Cubes = Recipe{
		"cubes", "Cubes on short rows: a window along the row over sums of layers, then a running sum of rows.", cubes,
	}
	Surfaces = Recipe{
		"surfaces", "Shapes of many layers: the sum changes by what their surface gains and loses from row to row.", surfaces,
	}
)

// Volumes are the recipes for sums over several layers, on every machine.
var Volumes = []Recipe{ShortBlocks, ShortStacks, Blocks, Stacks, Cubes, Surfaces}

// stacks makes the sum of any shape and weights. With centre, the cell itself is counted as well. A short sum has only
// the digits that births and survivals need, and a row that is 1 where it has more. There must be such a row.
func stacks(b *builder, s *circuit.NeighbourSum, centre, short bool) total {
	// Counting the centre makes a cube a full window in all directions. The threshold then takes it off the count of
	// survivals, because a live cell has counted itself.
	offsets := s.Offsets
	counted := 0
	if centre {
		if slices.ContainsFunc(offsets, func(o rule.Offset) bool { return o.Weight != 1 }) || len(s.Digits) != 1 ||
			slices.Contains(offsets, rule.Offset{Weight: 1}) {
			return total{}
		}
		offsets = append(slices.Clone(offsets), rule.Offset{Weight: 1})
		counted = 1
	}
	b.radius = s.Radius()
	whole := circuit.NeighbourSum{Digits: s.Digits, Offsets: offsets}
	least, greatest := whole.Bounds()
	// Cells with a negative weight are added as complements, so the digits hold the sum less its least value.
	greatest -= least
	a := b.newAdder(greatest)
	birth, survival := clip(shift(b.birth, -least), greatest), clip(shift(b.survival, counted-least), greatest)
	// From some number on, all sums may mean the same: no births and no survivals, or always. One row then tells
	// whether there are more than the digits can say.
	if short {
		enough := bits.Len(uint(max(2, settled(birth, greatest), settled(survival, greatest)) - 1))
		if enough >= a.width {
			return total{}
		}
		a.width, a.columns, a.notes = enough, a.columns[:enough], true
	}
	b.stack(a, s.Digits, offsets, false)
	t := total{digits: a.sum(), greatest: greatest, offset: -least, centre: counted}
	if a.notes {
		t.greatest, t.over, t.hasOver = 1<<a.width-1, a.any(), true
	}
	return t
}

// settled returns the least number from which on all numbers are in a set, or none of them is, up to the greatest.
func settled(set rule.Counts, greatest int) int {
	if len(set) == 0 {
		return 0
	}
	last := set[len(set)-1]
	if last.Hi >= greatest {
		return last.Lo
	}
	return last.Hi + 1
}

// cubes makes the sum of all cells of a cube but its centre, which it counts.
func cubes(b *builder, s *circuit.NeighbourSum) total {
	r := s.Radius()
	side := 2*r + 1
	if len(s.Digits) != 1 || len(s.Offsets) != side*side*side-1 || s.Layers() != r ||
		slices.ContainsFunc(s.Offsets, func(o rule.Offset) bool { return o.Weight != 1 }) {
		return total{}
	}
	b.radius, b.g.Warm = r, max(b.g.Warm, 2*r)
	a := b.newAdder(side)
	for dz := -r; dz <= r; dz++ {
		a.digit(0, b.value(s.Digits[0].At(-r, r).Layer(dz)))
	}
	row := b.window(a.sum(), side, 1, side)
	return total{digits: b.running(row, side, side*side), greatest: side * side * side, centre: 1}
}

// surfaces makes the sum of a shape of cells that are counted once. From one row to the next, each run of cells
// down the rows gains the cell below its end and loses the cell at its start.
func surfaces(b *builder, s *circuit.NeighbourSum) total {
	member := map[rule.Offset]bool{}
	for _, o := range s.Offsets {
		if o.Weight != 1 || len(s.Digits) != 1 {
			return total{}
		}
		member[o] = true
	}
	// One column of a shape with three cells below each other. The sum before is that of row y-1, the sum now that of
	// row y:
	//
	//	row     sum before     sum now
	//	y-2         #             .        lost: the row above the first row of the run
	//	y-1         #             #
	//	y           #             #
	//	y+1         .             #        gained: the last row of the run
	at := func(o rule.Offset, dy int) rule.Offset {
		o.DY += dy
		return o
	}
	cell, counted := rule.Offset{Weight: 1}, 0
	if !member[cell] && member[at(cell, -1)] && member[at(cell, 1)] {
		member[cell], counted = true, 1
	}
	var gained, lost []rule.Offset // of row y, in rows from y on; those lost are one row further up than their run
	for o := range member {
		if !member[at(o, 1)] {
			gained = append(gained, o)
		}
		if !member[at(o, -1)] {
			lost = append(lost, at(o, -1))
		}
	}
	b.radius = s.Radius()
	sum := b.following(len(member), func(a *adder) {
		b.stack(a, s.Digits, gained, false)
		b.stack(a, s.Digits, lost, true)
	})
	b.g.Warm = max(b.g.Warm, 2*b.radius+1) // row y-r-1 must have entered before it can leave
	return total{digits: sum, greatest: len(member), centre: counted}
}

// stack adds the weighted cells of a shape to a sum, or subtracts them. Rows with the same cells and weights are
// added up before they are added along the row.
func (b *builder) stack(a *adder, digits []circuit.Tap, offsets []rule.Offset, minus bool) {
	rows := map[rule.Offset][]rule.Offset{} // by DY and DZ
	for _, o := range offsets {
		row := rule.Offset{DY: o.DY, DZ: o.DZ}
		rows[row] = append(rows[row], rule.Offset{DX: o.DX, Weight: o.Weight})
	}
	type shape struct {
		cells  []rule.Offset // of a row
		places []rule.Offset // of rows
	}
	shapes := map[string]*shape{}
	for row, cells := range rows {
		slices.SortStableFunc(cells, func(a, b rule.Offset) int {
			return cmp.Or(cmp.Compare(a.Weight, b.Weight), cmp.Compare(a.DX, b.DX))
		})
		key := fmt.Sprint(cells)
		if shapes[key] == nil {
			shapes[key] = &shape{cells: cells}
		}
		shapes[key].places = append(shapes[key].places, row)
	}
	for _, key := range sortedKeys(shapes) {
		s := shapes[key]
		for sign := range 2 { // cells with a negative weight are complemented
			cells := slices.DeleteFunc(slices.Clone(s.cells), func(o rule.Offset) bool { return (o.Weight < 0) != (sign == 1) })
			if len(cells) == 0 {
				continue
			}
			column, greatest := b.column(digits, s.places, sign == 1)
			b.along(a, column, greatest, cells, minus)
		}
	}
}

// column makes the sum of the cells of a column at the given rows and layers, or of their complements.
func (b *builder) column(digits []circuit.Tap, places []rule.Offset, complement bool) (sum number, greatest int) {
	top := 1<<len(digits) - 1
	greatest = top * len(places)
	// Rows with the same layers share a sum over these layers. It is made once, when the lowest of the rows enters, and
	// read again with a delay for each of the others.
	layers := map[int][]int{} // by DY
	for _, p := range places {
		layers[p.DY] = append(layers[p.DY], p.DZ)
	}
	rows := map[string][]int{} // by layers: the rows in which these count
	for dy, dzs := range layers {
		slices.Sort(dzs)
		rows[fmt.Sprint(dzs)] = append(rows[fmt.Sprint(dzs)], dy)
	}
	a := b.newAdder(greatest)
	for _, key := range sortedKeys(rows) {
		dys := rows[key]
		slices.Sort(dys)
		dzs := layers[dys[0]]
		if len(dys) == 1 || len(dzs) == 1 && len(dys) <= longestAdded {
			for _, dy := range dys {
				b.above(a, digits, dzs, dy, complement)
			}
			continue
		}
		entering := b.newAdder(top * len(dzs))
		b.above(entering, digits, dzs, b.radius, complement)
		n, last := entering.sum(), dys[len(dys)-1]
		b.g.Warm = max(b.g.Warm, 2*b.radius)
		if len(dys) > longestAdded && last-dys[0] == len(dys)-1 {
			for k, r := range b.running(n, len(dys), top*len(dzs)) {
				a.digit(k, r.Later(b.radius-last))
			}
			continue
		}
		for _, dy := range dys {
			for k, r := range n {
				a.digit(k, r.Later(b.radius-dy))
			}
		}
	}
	return a.sum(), greatest
}

// longestAdded is the most rows that are added one by one. A sum of more is kept from row to row.
const longestAdded = 3

// above adds the cells of some layers in row y+dy to a sum, or their complements.
func (b *builder) above(a *adder, digits []circuit.Tap, layers []int, dy int, complement bool) {
	for _, dz := range layers {
		for k, t := range digits {
			r := b.kept(t.Layer(dz), dy)
			if complement {
				r = b.table(lut.NotA, r)
			}
			a.digit(k, r)
		}
	}
}

// along adds the weighted numbers of a row at the columns of some cells to a sum, or subtracts them. Numbers of
// equal weight that are evenly spaced become a window.
func (b *builder) along(a *adder, column number, greatest int, cells []rule.Offset, minus bool) {
	for len(cells) > 0 {
		n := 1 // the run cells[:n] has one weight and one stride
		for n < len(cells) && cells[n].Weight == cells[0].Weight && cells[n].DX-cells[n-1].DX == cells[1].DX-cells[0].DX {
			n++
		}
		stride := 1
		if n > 1 {
			stride = cells[1].DX - cells[0].DX
		}
		if n <= 3 && abs(cells[0].Weight) == 1 && !minus { // so no digit beyond the adder's is added up
			for _, c := range cells[:n] {
				a.number(column.at(c.DX), 0)
			}
			cells = cells[n:]
			continue
		}
		sum := b.window(column.at(cells[0].DX), n, stride, greatest)
		for k, weight := 0, abs(cells[0].Weight); weight>>k > 0; k++ {
			if weight>>k&1 == 0 {
				continue
			}
			// Only shapes with weights of 1 are subtracted (surfaces), so there is nothing to shift.
			if minus {
				a.minus(sum)
			} else {
				a.number(sum, k)
			}
		}
		cells = cells[n:]
	}
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
