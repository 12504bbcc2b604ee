package islands

import (
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// Rule is a rule as a census sees it: the next state of a cell follows from its state and from a sum, to which each
// live cell around it adds a number. Under a rule of the 3×3 block that is a bit of the block. Rules may take turns.
type Rule struct {
	Radius int         // how far cells see each other
	turns  []rule.Rule // the first leads from even generations to odd ones if there are two
	adds   []addend
}

// addend is the number that a live cell adds to the sum of the cell at an offset from it.
type addend struct{ dx, dy, sum int }

// RuleOf returns a rule as a census sees it, or several of one neighbourhood that take turns. ok is false if their
// cells see other states than that of live cells, or if they are no squares.
func RuleOf(turns ...rule.Rule) (seen Rule, ok bool) {
	for i, r := range turns {
		one, ok := ruleOf(r)
		if !ok {
			return Rule{}, false
		}
		if i == 0 {
			seen = one
		} else {
			seen.turns = append(seen.turns, one.turns...)
		}
	}
	return seen, true
}

// ruleOf is RuleOf for one rule.
func ruleOf(r rule.Rule) (seen Rule, ok bool) {
	if t, ok := r.AsTable(); ok {
		r.Table = t
		seen = Rule{Radius: 1, turns: []rule.Rule{r}}
		for d := range 9 {
			if d != 4 { // seen from its neighbour, the cell lies in the opposite direction
				seen.adds = append(seen.adds, addend{d%3 - 1, d/3 - 1, 1 << d})
			}
		}
		return seen, true
	}
	if r.Kind() != rule.KindCounting || r.Neighbourhood.Triangles || r.Neighbourhood.Volume {
		return Rule{}, false
	}
	for state := range r.States {
		if state != 1 && r.StateWeight(uint8(state)) != 0 {
			return Rule{}, false
		}
	}
	seen = Rule{Radius: r.Radius(), turns: []rule.Rule{r}}
	for _, o := range r.Neighbourhood.Offsets() {
		seen.adds = append(seen.adds, addend{-o.DX, -o.DY, o.Weight * r.StateWeight(1)})
	}
	return seen, true
}

// next returns the next state of a cell with a sum in a generation.
func (r *Rule) next(generation int, state uint8, sum int) uint8 {
	of := &r.turns[generation%len(r.turns)]
	if of.Table != nil {
		return of.NextInBlock(state, sum)
	}
	return of.Next(state, sum)
}

// After returns the cells of a generation one generation later, in any order. It goes cell by cell, which is fast
// enough because it is called rarely and for small patterns.
func (r *Rule) After(cells []sparse.Cell, generation int) []sparse.Cell {
	sums := make(map[sparse.Cell]int, 9*len(cells))
	for _, cell := range cells {
		for _, a := range r.adds {
			if cell.Age == 0 {
				sums[sparse.Cell{X: cell.X + a.dx, Y: cell.Y + a.dy}] += a.sum
			}
		}
	}
	var next []sparse.Cell
	add := func(cell sparse.Cell, state uint8) {
		if state > 0 {
			cell.Age = state - 1
			next = append(next, cell)
		}
	}
	for _, cell := range cells {
		at := sparse.Cell{X: cell.X, Y: cell.Y}
		add(cell, r.next(generation, cell.Age+1, sums[at]))
		delete(sums, at)
	}
	for cell, sum := range sums {
		add(cell, r.next(generation, 0, sum))
	}
	return next
}
