package circuit

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/block"
)

// Parity is a bit that depends on a cell's position and on the generation alone. It is the sum modulo 2 of up
// to four bits: of the column, of the row, of the layer and of the generation. Columns, rows and layers are those of
// the universe and may be negative. In a volume, rows are those of a layer.
type Parity struct {
	Column, Row, Layer bool
	Cycle              int    // period of the generation's bit; 0: the generation does not count
	On                 uint64 // bit g mod Cycle is the bit of generation g
	// Choice, if it is not 0, is 1 more than the number of a bit of the code of a rule (package code). That bit is
	// the same for all cells of a universe, and it is not known before the circuit runs. If it is set, the other fields
	// have no meaning, and At must not be called.
	Choice int
}

// At returns the bit of cell (x, y, z) in a generation.
func (p Parity) At(x, y, z int, generation uint64) bool {
	odd := p.Column && x&1 == 1
	odd = odd != (p.Row && y&1 == 1) != (p.Layer && z&1 == 1)
	return odd != (p.Cycle > 0 && p.On>>(generation%uint64(p.Cycle))&1 == 1)
}

// Cycle returns the period of some parities in generations. It is 1 if none depends on the generation.
func Cycle(parities ...Parity) int {
	cycle := 1
	for _, p := range parities {
		of := max(1, p.Cycle)
		a, b := cycle, of
		for b != 0 {
			a, b = b, a%b
		}
		cycle *= of / a
	}
	return cycle
}

// transposed returns the parity with columns and rows exchanged.
func (p Parity) transposed() Parity {
	p.Column, p.Row = p.Row, p.Column
	return p
}

// String lists the terms of the sum: "column+generation", "generation 0110".
func (p Parity) String() string {
	if p.Choice > 0 {
		return fmt.Sprintf("choice %d", p.Choice-1)
	}
	var parts []string
	if p.Column {
		parts = append(parts, "column")
	}
	if p.Row {
		parts = append(parts, "row")
	}
	if p.Layer {
		parts = append(parts, "layer")
	}
	if p.Cycle > 0 {
		generation := "generation"
		if p.Cycle != 2 || p.On != 2 {
			generation += " "
			for g := range p.Cycle {
				generation += fmt.Sprint(p.On >> g & 1)
			}
		}
		parts = append(parts, generation)
	}
	return "parity of " + strings.Join(parts, "+")
}

// Where a cell is in its 2×2 block: 0 in the left half and in the upper half. The blocks move by one
// cell from each generation to the next.
//
//	column           0 1 2 3 4 5
//	even generation [0 1 0 1 0 1]     blocks begin at even columns
//	odd generation  1]0 1 0 1[0       blocks begin at odd columns
var (
	inColumn = Parity{Column: true, Cycle: 2, On: 2}
	inRow    = Parity{Row: true, Cycle: 2, On: 2}
)

// choose is the table a ? b : c.
const choose = 0xCA

// blocks adds the next state of a rule of 2×2 blocks.
func (c *Circuit) blocks(cell Tap, r *block.Rule) Tap {
	column, row := c.node(Node{Kind: Given, Parity: inColumn}), c.node(Node{Kind: Given, Parity: inRow})
	// The other cells of the block: beside, above or below, and diagonally opposite.
	beside := c.lut(choose, column, cell.At(-1, 0), cell.At(1, 0))
	vertical := c.lut(choose, row, cell.At(0, -1), cell.At(0, 1))
	across := c.lut(choose, column, vertical.At(-1, 0), vertical.At(1, 0)) // both read the same row, which is made once
	// number has the block as this cell sees it, and in its two highest digits the corner of the block
	// in which the cell is. The rule numbers the cells of a block by their corner. An exclusive or
	// with this cell's corner converts between both: the cell beside it has the corner that differs in
	// bit 0, and the cell above or below the one that differs in bit 1.
	next := func(number int) bool {
		corner, cells := number>>block.Cells, 0
		for k := range block.Cells { // k is the position of a cell relative to this one: beside is 1, above or below is 2
			cells |= number >> k & 1 << (corner ^ k)
		}
		return r[cells]>>corner&1 == 1
	}
	return c.table([]Tap{cell, beside, vertical, across, column, row}, next)
}

// table adds a function of some bits. The first bit is the lowest digit of number. It adds the function's difference
// from the first bit instead if that takes fewer tables.
func (c *Circuit) table(of []Tap, one func(number int) bool) Tap {
	return c.tableWhere(of, func(n int) (bool, bool) { return one(n), true })
}

// tableWhere is table of a function that also says which numbers there are.
func (c *Circuit) tableWhere(of []Tap, one func(number int) (one, is bool)) Tap {
	b := newBDD(len(of))
	top := len(of) - 1
	root := digitOf(b, top, one)
	// A rule that changes few cells has a small diagram of the changes. The exclusive or that turns
	// changes into states costs one table.
	changes := digitOf(b, top, func(n int) (bool, bool) {
		v, is := one(n)
		return v != (n&1 == 1), is
	})
	differ := b.size(changes)+1 < b.size(root)
	if differ {
		root = changes
	}
	b.keep([]edge{root})
	b.sift()
	g := choices{Circuit: c, bdd: b, variables: backward(of), made: map[int]Tap{}}
	out := g.value(root)
	if differ {
		out = c.lut(lut.Xor, out, of[0], of[0])
	}
	return out
}

// phases adds the planes of the next state of rules that take turns. It adds the circuits of all of them. The
// digits of the generation choose among their outputs.
func (c *Circuit) phases(state []Tap, rules []rule.Rule) []Tap {
	choices := make([][]Tap, len(rules))
	for i, r := range rules {
		choices[i] = c.include(state, Of(r))
	}
	var digits []Tap
	for k := range bits.Len(uint(len(rules) - 1)) {
		p := Parity{Cycle: len(rules)}
		for g := range rules {
			p.On |= uint64(g) >> k & 1 << g
		}
		digits = append(digits, c.node(Node{Kind: Given, Parity: p}))
	}
	// Choose by the lowest digit first: that halves the number of outputs that are left. With three
	// rules, the last one has no partner in the first round:
	//
	//	rule 0 ─┐ digit 0
	//	rule 1 ─┴─────────┐ digit 1
	//	rule 2 ───────────┴───────── output
	for _, digit := range digits {
		for i := 0; i < len(choices); i += 2 {
			if i+1 == len(choices) {
				choices[i/2] = choices[i]
				continue
			}
			out := make([]Tap, len(state))
			for k := range out {
				out[k] = c.lut(choose, digit, choices[i+1][k], choices[i][k])
			}
			choices[i/2] = out
		}
		choices = choices[:(len(choices)+1)/2]
	}
	return choices[0]
}

// include adds the nodes of another circuit, which has other taps as inputs, and returns its outputs.
func (c *Circuit) include(state []Tap, other *Circuit) []Tap {
	at := make([]Tap, len(other.Nodes))
	tap := func(t Tap) Tap { return at[t.Node].At(t.DX, t.DY).Layer(t.DZ) }
	for i, n := range other.Nodes {
		if n.Kind == Input {
			at[i] = state[n.Plane]
			continue
		}
		at[i] = c.node(n.Over(tap))
	}
	out := make([]Tap, len(other.Out))
	for k, t := range other.Out {
		out[k] = tap(t)
	}
	return out
}
