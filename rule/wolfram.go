package rule

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/neighbourhood"
	"github.com/gosper-life/gosper/rule/rulefile"
)

// wolfram reads W22: a line of cells evolves by Wolfram's rule of that number. Each generation appears below
// the one before, and stays.
func (s *scanner) wolfram() (Rule, error) {
	s.accept('W')
	n, err := s.numberIn("Wolfram's number", 0, 255)
	switch {
	case err != nil:
		return Rule{}, err
	case !s.done():
		return Rule{}, s.fail(s.pos, "unexpected text after Wolfram's number")
	case n%2 == 1:
		return shared(elementaryFile(n)), nil
	}
	return Rule{
		Family: MAP, States: 2, Neighbourhood: Neighbourhood{Letter: 'M', Radius: 1}, Table: elementaryTable(n),
	}, nil
}

// elementaryTable returns the table of a rule of even number.
func elementaryTable(n int) *Table {
	return newTable(func(block int) bool { return block&centreBit != 0 || elementaryLive(n, block>>blockAbove) })
}

// blockAbove is the first of the three bits of the cells above in the index of a block. East is the lowest.
const blockAbove = 6

// elementary returns the even number of the rule that has the table, if there is one.
func (t *Table) elementary() (number int, ok bool) {
	for k := range 8 {
		number |= t.At(k<<blockAbove) << k
	}
	return number, number%2 == 0 && *t == *elementaryTable(number)
}

// elementaryLive reports whether rule n makes a cell live below three cells. Bit 2 of above is the left one.
func elementaryLive(n, above int) bool { return n>>above&1 == 1 }

// The states of an odd rule's cells.
const (
	background = iota
	live
	dead
)

// elementaryFile returns the rule of an odd number. Such a rule gives life to empty lines, so with two states it
// would fill all lines at once. The background has no state of its own here. It is dead in the first line, and the
// rule determines it in the other lines. Only cells that differ from it have a state, and it tells the lines apart:
// live cells lie on a dead background, dead cells on a live one. For numbers below 128 these are the states with
// which LifeViewer draws the rule.
func elementaryFile(n int) *rulefile.File {
	cells := []int{local.NW, local.N, local.NE, local.C}
	f, err := local.Code(3, cells, func(_ int, state uint8) int {
		return int(state)
	}, func(b *local.Around) uint8 { return elementaryNext(n, b) }, nil)
	if err != nil {
		panic("rule: " + err.Error()) // four cells have a small diagram
	}
	above, err := neighbourhood.NewCustom(1, []bool{true, true, true, false, false, false, false, false, false})
	if err != nil {
		panic("rule: " + err.Error()) // these are the cells of the block
	}
	return &rulefile.File{
		Name: fmt.Sprintf("W%d", n), Kind: "odd rule of Wolfram's", Neighbourhood: above, Function: f,
		Names: map[uint8]string{
			background: "background", live: "live on a dead background",
			dead: "dead on a live background",
		},
	}
}

// elementaryNext is the next state of a cell under the rule of odd number n. A cell that differs from the background of
// its line stays as it is. The cells of the line above show the background of their line and whether they differ from
// it:
//
//	above, around    the three cells above as live or not, and whether their background is live
//	below            whether the background of this line is live
func elementaryNext(n int, b *local.Around) uint8 {
	if b[local.C] != background {
		return b[local.C]
	}
	var differ [3]int // by state: which of the cells above have it
	for _, cell := range []int{local.NW, local.N, local.NE} {
		for state := range differ {
			differ[state] <<= 1
		}
		differ[b[cell]]++
	}
	above, around := differ[live], false
	if differ[dead] != 0 {
		above, around = 7&^differ[dead], true
	}
	mixed := differ[live] != 0 && differ[dead] != 0 // no line has both
	// the background of the line of the cell: an odd rule makes a dead one live
	switch below := elementaryLive(n, 7) || !around; {
	case differ[background] == 7 || mixed || elementaryLive(n, above) == below:
		return background
	case below:
		return dead
	default:
		return live
	}
}

// Elementary returns the number of one of Wolfram's elementary rules, and whether a rule is one. The cells of such a
// universe are the history of a line: each generation adds a row, and earlier rows stay.
func Elementary(r Rule) (number int, ok bool) {
	switch r.Kind() {
	case KindTable: // those of even numbers
		return r.Table.elementary()
	case KindFunction: // those of odd numbers
		if r.Family != RuleFile {
			return 0, false
		}
		n, err := strconv.Atoi(strings.TrimPrefix(r.File.Name, "W"))
		return n, err == nil && n%2 == 1 && n < 256 && r.String() == shared(elementaryFile(n)).String()
	default:
		return 0, false
	}
}
