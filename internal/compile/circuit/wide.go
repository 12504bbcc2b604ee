//go:build !page

package circuit

import (
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/local"
)

// byNumbers adds the circuit of a function with a table over any cells. The table becomes a decision diagram over the
// digits of states, or of numbers of neighbours, and a diagram becomes tables that choose. It adds nothing if the
// diagram is too large.
//
// For each state of the cell, a table that counts rarely tells all states of neighbours apart. If moving a
// neighbour from state a to state b never changes the next state, then a and b are of one class, and only the
// number of neighbours in a class matters. The number in one of the classes follows from all others and is
// never added up.
func byNumbers(c *Circuit, state []Tap, f *local.Function) {
	w := f.Wide()
	t := &tabulation{w: w, planes: len(state)}
	if w.Counting {
		t.findClasses()
	}
	variables := t.variables()
	t.odds = odds{f, variables, f.Thresholds()}
	t.bdd = newBDD(variables + len(t.odds.below))
	t.bdd.most = mostChoices
	roots, differ := make([]edge, len(state)), make([]bool, len(state))
	for k := range state {
		t.plane = k
		roots[k], _ = t.cell(t.planes-1, 0)
		if t.bdd.full {
			return
		}
		own := t.bdd.choose(t.planes-1-k, constTrue, constFalse)
		if delta := t.bdd.xor(roots[k], own, map[[2]edge]edge{}); t.bdd.size(delta) < t.bdd.size(roots[k]) {
			roots[k], differ[k] = delta, true
		}
	}
	if t.bdd.full {
		return
	}
	t.bdd.keep(roots)
	t.bdd.sift()
	g := choices{Circuit: c, bdd: t.bdd, variables: backward(state), made: map[int]Tap{}}
	g.variables = append(g.variables, t.taps(c, state)...)
	g.variables = append(g.variables, c.lots(f)...)
	for k, root := range roots {
		out := g.value(root)
		if differ[k] {
			out = c.lut(lut.Xor, out, state[k], state[k])
		}
		c.Out = append(c.Out, out)
	}
}

// tabulation makes the decision diagram of a table. Its variables are the digits of the cell's state,
// the highest first, and then those of each neighbour's state. For a table that counts, they are the
// highest digits of the numbers of neighbours in all classes, the second ones, and so on:
//
//	table of neighbours    cell: s1 s0    first: a1 a0    second: b1 b0   …
//	table of counts        cell: s1 s0    n2 of each class    n1 of each class    n0 of each class
//
// The highest digits of all counts come first because they exclude most of the others: the counts
// cannot add up to more than the number of neighbours.
type tabulation struct {
	*bdd
	odds   odds
	w      *local.Wide
	planes int
	plane  int // of the next state
	// of a table that counts
	classes []string  // sets of states, as strings of states, whose neighbours are counted
	of      [][]class // by state of the cell
}

// class is one of the classes of states that neighbours can be in. That without a number is the rest.
type class struct {
	number int   // in classes, or -1
	first  uint8 // a state of the class
}

// digits is the number of digits of a number of neighbours.
func (t *tabulation) digits() int { return bits.Len(uint(len(t.w.Near))) }

// variables is the number of variables that a tabulation has: the digits of the cell's state, and
// those of each count or of the state of each neighbour.
func (t *tabulation) variables() int {
	if t.w.Counting {
		return t.planes + t.digits()*len(t.classes)
	}
	return t.planes * (1 + len(t.w.Near))
}

// findClasses finds the classes for each state of the cell.
func (t *tabulation) findClasses() {
	for cell := range t.w.States {
		sets := t.classesOf(uint8(cell))
		rest := 0 // the largest class need not be counted
		for i, set := range sets {
			if len(set) > len(sets[rest]) {
				rest = i
			}
		}
		var of []class
		for i, set := range sets {
			number := -1
			if i != rest {
				if number = slices.Index(t.classes, string(set)); number < 0 {
					number = len(t.classes)
					t.classes = append(t.classes, string(set))
				}
			}
			of = append(of, class{number, set[0]})
		}
		t.of = append(t.of, of)
	}
}

// classesOf divides the states into classes.
func (t *tabulation) classesOf(cell uint8) (sets [][]byte) {
	for s := range t.w.States {
		i := slices.IndexFunc(sets, func(set []byte) bool { return t.alike(cell, int(set[0]), s) })
		if i < 0 {
			sets = append(sets, []byte{byte(s)})
			continue
		}
		sets[i] = append(sets[i], byte(s))
	}
	return sets
}

// alike reports whether moving a neighbour from state a to state b never changes the next state.
func (t *tabulation) alike(cell uint8, a, b int) bool {
	counts := make([]int, t.w.States) // by state; those of state 0 are not asked for
	var try func(state, left int) bool
	try = func(state, left int) bool {
		if state == t.w.States {
			if counts[0] = left; counts[a] == 0 {
				return true
			}
			before := t.w.Next[t.w.EntryOfCounts(cell, counts[1:])]
			counts[a]--
			counts[b]++
			after := t.w.Next[t.w.EntryOfCounts(cell, counts[1:])]
			counts[a]++
			counts[b]--
			return before == after
		}
		for n := range left + 1 {
			counts[state] = n
			if !try(state+1, left-n) {
				counts[state] = 0
				return false
			}
		}
		counts[state] = 0
		return true
	}
	return try(1, len(t.w.Near))
}

// cell chooses by a digit of the cell's state and the digits below it. is says whether there are such states.
func (t *tabulation) cell(digit, number int) (f edge, is bool) {
	if t.full {
		return constFalse, true // the result is thrown away
	}
	if digit >= 0 {
		return t.either(t.planes-1-digit, func(bit int) (edge, bool) { return t.cell(digit-1, number|bit<<digit) })
	}
	if number >= t.w.States {
		return constFalse, false
	}
	if t.w.Counting {
		return t.numbers(uint8(number), t.digits()-1, 0, make([]int, len(t.of[number])))
	}
	return t.states(0, number), true
}

// either chooses by a variable. If one of both values does not occur, the other one is taken.
func (t *tabulation) either(variable int, of func(bit int) (edge, bool)) (f edge, is bool) {
	high, some := of(1)
	low, others := of(0)
	switch {
	case !some:
		return low, others
	case !others:
		return high, true
	}
	return t.choose(variable, high, low), true
}

// states chooses by the state of a neighbour and those after it. entry is the number of those before it.
func (t *tabulation) states(neighbour, entry int) edge {
	if t.full {
		return constFalse
	}
	if neighbour == len(t.w.Near) {
		return t.odds.digit(t.bdd, t.w.Next[entry], t.plane)
	}
	var choose func(digit, number int) (edge, bool)
	choose = func(digit, number int) (edge, bool) {
		if digit < 0 {
			if number >= t.w.States {
				return constFalse, false
			}
			return t.states(neighbour+1, entry*t.w.States+number), true
		}
		variable := t.planes*(neighbour+1) + t.planes - 1 - digit
		return t.either(variable, func(bit int) (edge, bool) { return choose(digit-1, number|bit<<digit) })
	}
	f, _ := choose(t.planes-1, 0)
	return f
}

// numbers chooses by a digit of the number of neighbours in class i and those after it, and then by the lower digits.
// totals has the higher digits.
func (t *tabulation) numbers(cell uint8, digit, i int, totals []int) (f edge, is bool) {
	of := t.of[cell]
	switch {
	case t.full:
		return constFalse, true
	case i == len(of) && digit == 0:
		counts, left := make([]int, t.w.States), len(t.w.Near)
		for i, class := range of {
			counts[class.first] += totals[i]
			left -= totals[i]
		}
		for _, class := range of {
			if class.number < 0 {
				counts[class.first] += left
			}
		}
		return t.odds.digit(t.bdd, t.w.Next[t.w.EntryOfCounts(cell, counts[1:])], t.plane), true
	case i == len(of):
		return t.numbers(cell, digit-1, 0, totals)
	case of[i].number < 0:
		return t.numbers(cell, digit, i+1, totals)
	}
	sum := 0
	for _, n := range totals {
		sum += n
	}
	variable := t.planes + (t.digits()-1-digit)*len(t.classes) + of[i].number
	return t.either(variable, func(bit int) (edge, bool) {
		if sum+bit<<digit > len(t.w.Near) {
			return constFalse, false
		}
		totals[i] += bit << digit
		f, is := t.numbers(cell, digit, i+1, totals)
		totals[i] -= bit << digit
		return f, is
	})
}

// taps adds the counts for which the variables after the cell's state stand, if the diagram counts.
func (t *tabulation) taps(c *Circuit, state []Tap) (taps []Tap) {
	if !t.w.Counting {
		for _, p := range t.w.Near {
			for _, digit := range slices.Backward(state) {
				taps = append(taps, digit.At(p.DX, p.DY).Layer(p.DZ))
			}
		}
		return taps
	}
	taps = make([]Tap, t.digits()*len(t.classes))
	for i, class := range t.classes {
		asked := false
		for k := range t.digits() {
			asked = asked || len(t.all(t.planes+k*len(t.classes)+i)) > 0
		}
		if !asked {
			continue
		}
		for k, digit := range t.sum(c, c.among(state, t.w.States, []uint8(class))) {
			taps[(t.digits()-1-k)*len(t.classes)+i] = digit
		}
	}
	return taps
}

// sum adds the digits of how many neighbours have a mark, the lowest first. Few neighbours are added
// up by tables. Many become neighbour sums, which share their work from cell to cell.
func (t *tabulation) sum(c *Circuit, mark Tap) (digits []Tap) {
	const few = 8 // neighbours that are added up one by one
	var near []Tap
	var offsets []rule.Offset
	flat := true
	for _, p := range t.w.Near {
		near = append(near, mark.At(p.DX, p.DY).Layer(p.DZ))
		offsets = append(offsets, rule.Offset{DX: p.DX, DY: p.DY, DZ: p.DZ, Weight: 1})
		flat = flat && p.DZ == 0
	}
	if flat && len(near) <= few {
		return c.Count(near)
	}
	for k := range t.digits() {
		sum := &NeighbourSum{Digits: []Tap{mark}, Offsets: offsets}
		digits = append(digits, c.node(Node{Kind: Digit, Plane: k, Sum: sum}))
	}
	return digits
}
