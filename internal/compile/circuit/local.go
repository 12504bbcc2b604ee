package circuit

import (
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/internal/compile/synth"
	"github.com/gosper-life/gosper/rule/local"
)

// A function of many states that asks questions becomes a circuit of its questions (questions.go). Any other
// function is tried in two ways, and the circuit with fewer tables is taken.
//
// By choices: the decision diagram over states becomes a diagram over the bits of states. Each of its nodes
// becomes a table that chooses. States of a neighbour that the function does not tell apart form a class. If
// the number of a class has fewer bits than a state, the diagram asks those bits.
//
// By surroundings, if neighbours have two classes: the eight neighbours select a column of a table, and the
// column has a next state for each state of the middle cell. Rules of the 3×3 block compute the number of the
// column. Their networks are known to be short.
//
// In both ways a plane may be computed as the difference from the cell's own plane. That takes few tables if
// the function changes few cells.

// mostChoices is the greatest number of choices of a circuit. With more it would be slower than a lookup for
// every cell.
const mostChoices = 1 << 15

// local adds the planes of the next state. It adds none if they would take too many choices.
func (c *Circuit) local(state []Tap, f *local.Function) {
	if f.Asking() != nil {
		byQuestions(c, state, f)
		return
	}
	if f.Wide() != nil {
		byNumbers(c, state, f)
		return
	}
	start := len(c.Nodes)
	best := *c
	fewest := 0
	ways := []func(*Circuit, []Tap, *local.Function) bool{bySurroundings, byChoices}
	if f.Outcomes != nil {
		ways = ways[1:]
	}
	for _, way := range ways {
		try := Circuit{Planes: c.Planes, Nodes: slices.Clone(c.Nodes[:start])}
		if !way(&try, state, f) {
			continue
		}
		if n := len(try.Nodes); best.Out == nil || n < fewest {
			best, fewest = try, n
		}
	}
	*c = best
}

// byChoices makes the circuit of the decision diagram.
func byChoices(c *Circuit, state []Tap, f *local.Function) bool {
	d := f.Diagram()
	codes, taps := c.classCodes(state, d)
	e := expansion{diagram: d, codes: codes, lowest: make([]int, len(d.Cells))}
	var variables []Tap
	for i, cell := range d.Cells {
		digits := taps
		if cell == local.C {
			digits = state
		}
		dx, dy := local.Offset(cell)
		for _, t := range slices.Backward(digits) { // the highest is asked first
			variables = append(variables, t.At(dx, dy))
		}
		e.lowest[i] = len(variables) - 1
	}
	e.odds = odds{f, len(variables), f.Thresholds()}
	variables = append(variables, c.lots(f)...)
	e.bdd = newBDD(len(variables))
	e.most = mostChoices
	centre := slices.Index(d.Cells, local.C)
	roots := make([]edge, len(state))
	differ := make([]bool, len(state)) // by plane: whether the circuit computes its difference from the cell's own plane
	for k := range state {
		roots[k] = e.plane(k)
		if e.bdd.full {
			return false
		}
		if centre < 0 {
			continue
		}
		// The plane of the cell itself, as a function of the same variables.
		own := e.bdd.choose(e.lowest[centre]-k, constTrue, constFalse)
		if delta := e.bdd.xor(roots[k], own, map[[2]edge]edge{}); e.bdd.size(delta) < e.bdd.size(roots[k]) {
			roots[k], differ[k] = delta, true
		}
	}
	if e.bdd.full {
		return false
	}
	e.bdd.keep(roots)
	e.bdd.sift()
	g := choices{Circuit: c, bdd: e.bdd, variables: variables, made: map[int]Tap{}}
	for k, root := range roots {
		out := g.value(root)
		if differ[k] {
			out = c.lut(lut.Xor, out, state[k], state[k])
		}
		c.Out = append(c.Out, out)
	}
	return true
}

// classCodes returns the number of the class of each state of a neighbour, and the taps of that number's binary
// digits. If these are as many as the digits of a state, each state is a class of its own.
//
// If the function only tells apart whether a neighbour is in state 1, for example, then there are two classes,
// and the diagram asks one bit of each neighbour, with any number of states.
func (c *Circuit) classCodes(state []Tap, d *local.Diagram) (codes []int, digits []Tap) {
	codes, classes := d.Classes()
	planes := bits.Len(uint(classes - 1))
	if planes == len(state) {
		for s := range codes {
			codes[s] = s
		}
		return codes, state
	}
	b := newBDD(len(state))
	roots := make([]edge, planes)
	for k := range roots {
		roots[k] = digitOf(b, len(state)-1, func(s int) (bool, bool) {
			return codes[min(s, len(codes)-1)]>>k&1 == 1, s < len(codes)
		})
	}
	b.keep(roots)
	b.sift()
	g := choices{Circuit: c, bdd: b, variables: backward(state), made: map[int]Tap{}}
	for _, root := range roots {
		digits = append(digits, g.value(root))
	}
	return codes, digits
}

// backward returns the taps in the order in which digitOf asks the digits.
func backward(digits []Tap) []Tap {
	digits = slices.Clone(digits)
	slices.Reverse(digits)
	return digits
}

// digitOf returns a function of a number with binary digits 0 to top. It asks the highest digit first. The
// callback of returns the value for a number, or false if the number does not occur, so that any value will do.
//
// If no number below a branch occurs, the other branch is taken without asking the digit. With five
// states, for example, numbers from 101 on do not occur, so a number with digit 2 set has no other
// digits to ask.
func digitOf(b *bdd, top int, of func(number int) (one, is bool)) edge {
	var build func(digit, number int) (edge, bool)
	build = func(digit, number int) (edge, bool) {
		if digit < 0 {
			one, is := of(number)
			if one {
				return constTrue, is
			}
			return constFalse, is
		}
		high, some := build(digit-1, number|1<<digit)
		low, others := build(digit-1, number)
		switch {
		case !some:
			return low, others
		case !others:
			return high, true
		}
		return b.choose(top-digit, high, low), true
	}
	e, _ := build(top, 0)
	return e
}

// expansion makes decision diagrams over bits from a diagram over states. A node over states asks for
// the state of a cell and has a child for each state. It becomes a small tree that asks the digits of
// the state, or of the state's class, one after the other:
//
//	     cell                              digit 1
//	 /  |  |  \             ->            /       \
//	0   1  2   3                     digit 0     digit 0
//	                                 /    \      /    \
//	                                0      1    2      3
type expansion struct {
	*bdd
	odds    odds
	diagram *local.Diagram
	codes   []int // by state of a neighbour: its class
	lowest  []int // by level: the variable of its cell's lowest digit; the other digits come before it
	memo    map[local.Node]edge
	states  map[int][]int // by level: a state of each code, or -1
}

// plane returns digit k of the next state.
func (e *expansion) plane(k int) edge {
	e.memo = map[local.Node]edge{}
	return e.node(e.diagram.Root(), k)
}

// node returns digit k of the next state that the diagram gives below a node. Results are kept by node, because a node
// is reached by many ways.
func (e *expansion) node(n local.Node, k int) edge {
	if e.full {
		return constFalse // the result is thrown away, so going on would waste time
	}
	if result, ok := e.diagram.Final(n); ok {
		return e.odds.digit(e.bdd, uint8(result), k)
	}
	if r, ok := e.memo[n]; ok {
		return r
	}
	// A node over states becomes a small tree over the digits of the state's code.
	level := e.diagram.Level(n)
	of := e.statesOf(level)
	r, _ := e.digits(n, k, level, bits.Len(uint(len(of)-1))-1, 0, of)
	e.memo[n] = r
	return r
}

// statesOf returns a state for each code of a level's cell.
func (e *expansion) statesOf(level int) []int {
	if of, ok := e.states[level]; ok {
		return of
	}
	var of []int
	for s := range e.diagram.States {
		code := s
		if e.diagram.Cells[level] != local.C {
			code = e.codes[s]
		}
		for len(of) <= code {
			of = append(of, -1)
		}
		of[code] = s
	}
	if e.states == nil {
		e.states = map[int][]int{}
	}
	e.states[level] = of
	return of
}

// digits chooses by digit k of a cell's code and the digits below it. The higher digits are already known.
func (e *expansion) digits(n local.Node, k, level, digit, code int, of []int) (f edge, is bool) {
	if digit < 0 {
		if code >= len(of) || of[code] < 0 {
			return constFalse, false // no state has this code, so any value will do
		}
		return e.node(e.diagram.Child(n, of[code]), k), true
	}
	// If one of the branches has no states, the digit need not be asked.
	high, some := e.digits(n, k, level, digit-1, code|1<<digit, of)
	low, others := e.digits(n, k, level, digit-1, code, of)
	switch {
	case !some:
		return low, others
	case !others:
		return high, true
	}
	return e.choose(e.lowest[level]-digit, high, low), true
}

// choices adds decision diagrams to a circuit: a table for each node of a diagram. A node that chooses
// between true and false is the variable itself and needs no table.
type choices struct {
	*Circuit
	bdd       *bdd
	variables []Tap
	made      map[int]Tap // by node of the diagram
}

// value returns the tap of a function.
func (g *choices) value(e edge) Tap {
	if e.node() == 0 {
		any := g.variables[0]
		return g.lut(uint8(-(1 - e.complemented())), any, any, any)
	}
	t := g.node(e.node())
	if e.complemented() == 1 {
		t = g.lut(lut.NotA, t, t, t)
	}
	return t
}

// node returns the tap of a diagram's node, which is not the constant.
func (g *choices) node(n int) Tap {
	if t, ok := g.made[n]; ok {
		return t
	}
	d := &g.bdd.nodes[n]
	v := g.variables[d.variable]
	if d.high == constTrue && d.low == constFalse {
		g.made[n] = v
		return v
	}
	// The table's inputs are the variable, high and low. If one of these is a constant, the variable takes its place as
	// an input that the table does not look at. Complements of edges become part of the table.
	operand := func(e edge) (t Tap, bit func(index int, shift int) int) {
		if e.node() == 0 {
			return v, func(int, int) int { return 1 - int(e.complemented()) }
		}
		return g.node(e.node()), func(index, shift int) int { return index>>shift&1 ^ int(e.complemented()) }
	}
	high, ofHigh := operand(d.high)
	low, ofLow := operand(d.low)
	var imm uint8
	for index := range 8 {
		bit := ofLow(index, 0)
		if index>>2 == 1 {
			bit = ofHigh(index, 1)
		}
		imm |= uint8(bit) << index
	}
	t := g.lut(imm, v, high, low)
	g.made[n] = t
	return t
}

// mostColumns is the greatest number of different columns that bySurroundings accepts.
const mostColumns = 8

// bySurroundings makes a circuit in which the neighbours select a column (see above). It returns false if that
// is not possible.
func bySurroundings(c *Circuit, state []Tap, f *local.Function) bool {
	of, classes := f.Diagram().Classes()
	if classes != 2 {
		return false
	}
	// One state stands for all states of its class.
	first := [2]uint8{0, uint8(slices.Index(of, 1))}
	// columnsOf tries all 256 surroundings. For a cell of the class, any state of the class gives the
	// same next state.
	columns, selects := columnsOf(f, first)
	if columns == nil {
		return false
	}
	_, digits := c.classCodes(state, f.Diagram())
	cell := digits[0]
	// The number of the column: a rule of the block for each of its digits.
	variables := slices.Clone(state)
	for k := range bits.Len(uint(len(columns) - 1)) {
		var block [8]uint64
		for i := range 512 {
			if selects[surroundings(i)]>>k&1 == 1 {
				block[i>>6] |= 1 << (i & 63)
			}
		}
		variables = append(variables, c.block(cell, synth.Block(block)))
	}
	b := newBDD(len(variables))
	top := len(variables) - 1
	roots := make([]edge, len(state))
	for k := range state {
		roots[k] = digitOf(b, top, func(number int) (one, is bool) {
			s, column := number&(1<<len(state)-1), number>>len(state)
			if s >= f.States || column >= len(columns) {
				return false, false
			}
			return columns[column][s]>>k&1 == 1, true
		})
	}
	b.keep(roots)
	b.sift()
	g := choices{Circuit: c, bdd: b, variables: backward(variables), made: map[int]Tap{}}
	for _, root := range roots {
		c.Out = append(c.Out, g.value(root))
	}
	return true
}

// surroundings returns the index of a block's eight neighbours: the index of the block with the bit of the
// middle cell taken out.
//
//	block            8 7 6 5 4 3 2 1 0
//	surroundings     7 6 5 4   3 2 1 0
func surroundings(block int) int { return block>>5<<4 | block&15 }

// columnsOf returns the different columns, and the number of the column that each surroundings selects. A
// column has a next state for each state. columnsOf returns nil if there are too many columns.
func columnsOf(f *local.Function, first [2]uint8) (columns [][]uint8, selects []int) {
	selects = make([]int, 256)
	for i := range 512 {
		if i>>4&1 == 1 {
			continue
		}
		var b local.Around
		for cell := range b {
			b[cell] = first[i>>(8-cell)&1]
		}
		column := make([]uint8, f.States)
		for s := range column {
			b[local.C] = uint8(s)
			column[s] = f.Next(&b)
		}
		n := slices.IndexFunc(columns, func(other []uint8) bool { return slices.Equal(other, column) })
		if n < 0 {
			n = len(columns)
			if columns = append(columns, column); n == mostColumns {
				return nil, nil
			}
		}
		selects[surroundings(i)] = n
	}
	return columns, selects
}
