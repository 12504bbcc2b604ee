package rule

import (
	"encoding/base64"
	"strconv"
	"strings"
)

// mapShape is a table over some cells of the 3×3 block, with one bit for each combination of their states.
type mapShape struct {
	chars  int   // of base64, without padding
	letter byte  // of the neighbourhood
	cells  []int // their bits in the block's index (see Table); the highest bit of the table's index comes first
}

// mapShapes are Golly's, the largest first. Its hexagonal order goes from the bottom row to the top row, which is the mirror image of the documented
// order. That was measured with Golly 3.3, and matters only for rules that distinguish left and right.
var mapShapes = []mapShape{
	{chars: 86, letter: 'M', cells: []int{256, 128, 64, 32, 16, 8, 4, 2, 1}},
	{chars: 22, letter: 'H', cells: []int{2, 1, 32, 16, 8, 256, 128}},
	{chars: 6, letter: 'N', cells: []int{128, 32, 16, 8, 2}},
}

// index returns where the table has the bit of a block.
func (m *mapShape) index(block int) int {
	index := 0
	for _, cell := range m.cells {
		index <<= 1
		if block&cell != 0 {
			index |= 1
		}
	}
	return index
}

// mapTable reads MAP and base64, optionally followed by a slash and a number of states.
func (s *scanner) mapTable() (Rule, error) {
	s.pos += len("MAP")
	start := s.pos
	// A table with everything that may follow it is always shorter than the next larger table.
	for _, shape := range mapShapes {
		if shape.chars > len(s.rest()) {
			continue
		}
		chars := s.rest()[:shape.chars]
		bits, err := base64.RawStdEncoding.DecodeString(chars)
		at := strings.IndexAny(chars, "\r\n") // the decoder would skip line breaks
		if e, ok := err.(base64.CorruptInputError); ok {
			at = int(e)
		}
		if at >= 0 {
			return Rule{}, s.fail(start+at, "want a base64 character: A-Z, a-z, 0-9, + or /")
		}
		s.pos += shape.chars
		states, err := s.mapStates()
		if err != nil {
			return Rule{}, err
		}
		hood := Neighbourhood{Letter: shape.letter, Radius: 1}
		table := newTable(func(block int) bool {
			i := shape.index(block)
			return bits[i/8]>>(7-i%8)&1 == 1
		})
		return Rule{Family: MAP, States: states, Neighbourhood: hood, Table: table}, nil
	}
	return Rule{}, s.fail(s.end, "MAP takes 86, 22 or 6 base64 characters (512, 128 or 32 bits)")
}

// mapStates reads the text after the base64: padding, and a number of states.
func (s *scanner) mapStates() (int, error) {
	for s.accept('=') {
	}
	if s.done() {
		return 2, nil
	}
	if !s.accept('/') {
		return 0, s.fail(s.pos, "unexpected text after the 86, 22 or 6 base64 characters of a table")
	}
	if !s.accept('C') {
		s.accept('G')
	}
	n, err := s.numberIn("number of states", 2, 256)
	if err == nil && !s.done() {
		err = s.fail(s.pos, "unexpected text after the number of states")
	}
	return n, err
}

// mapString writes the table as MAP. It uses the short form if the neighbourhood has one and the table depends on nothing else.
func (r Rule) mapString() string {
	shape := mapShapes[0]
	for _, short := range mapShapes[1:] {
		if short.letter == r.Neighbourhood.Letter && r.Table.dependsOnly(blockMask(r.Neighbourhood)) {
			shape = short
		}
	}
	bits := make([]byte, 1<<len(shape.cells)/8)
	for block := range fullBlock + 1 {
		if i := shape.index(block); r.Table.At(block) == 1 {
			bits[i/8] |= 1 << (7 - i%8)
		}
	}
	s := "MAP" + base64.RawStdEncoding.EncodeToString(bits)
	if r.States > 2 {
		s += "/" + strconv.Itoa(r.States)
	}
	return s
}

// dependsOnly reports whether cells outside the mask do not matter.
func (t *Table) dependsOnly(mask int) bool {
	for block := range fullBlock + 1 {
		if t.At(block) != t.At(block&mask) {
			return false
		}
	}
	return true
}
