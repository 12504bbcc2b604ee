package rule

import (
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
)

// mapTable reads MAP and base64, optionally followed by a slash and a number of states.
func (s *scanner) mapTable() (Rule, error) {
	s.pos += len("MAP")
	lives, letter, n, err := decodeMap(s.rest())
	s.pos += n
	if err != nil {
		return Rule{}, s.fail(s.pos, "%v", err)
	}
	states, err := s.mapStates()
	if err != nil {
		return Rule{}, err
	}
	return Rule{
		Family: MAP, States: states, Neighbourhood: Neighbourhood{Letter: letter, Radius: 1},
		Table: newTable(lives),
	}, nil
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

// mapString writes the table as MAP. It uses the short form if the neighbourhood has one and the table depends
// on nothing else.
func (r Rule) mapString() string {
	letter := byte('M')
	if r.Neighbourhood.Radius == 1 && r.Table.dependsOnly(blockMask(r.Neighbourhood)) {
		letter = r.Neighbourhood.Letter
	}
	s := "MAP" + encodeMap(func(block int) bool { return r.Table.At(block) == 1 }, letter)
	if r.States > 2 {
		s += "/" + strconv.Itoa(r.States)
	}
	return s
}

// mapShape is a table over some cells of the 3×3 block, with one bit for each combination of their states.
type mapShape struct {
	chars  int   // of base64, without padding
	letter byte  // of the neighbourhood
	cells  []int // their bits in the block's index (see rule.Table); the highest bit of the table's index comes first
}

// mapShapes are Golly's, the largest first. Its hexagonal order goes from the bottom row to the top row, which is
// the mirror image of the documented order. That was measured with Golly 3.3, and matters only for rules that
// distinguish left and right.
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

// decodeMap reads a table in base64 at the beginning of text. It takes the largest table for which the text is long
// enough. This is right because a table with everything that may follow it is shorter than the next larger table.
// lives says whether a block's centre lives next. The letter is that of the neighbourhood. n says how many characters
// were read, or which one is wrong.
func decodeMap(text string) (lives func(block int) bool, letter byte, n int, err error) {
	for _, mapShape := range mapShapes {
		if mapShape.chars > len(text) {
			continue
		}
		chars := text[:mapShape.chars]
		bits, err := base64.RawStdEncoding.DecodeString(chars)
		at := strings.IndexAny(chars, "\r\n") // the decoder would skip line breaks
		if e, ok := err.(base64.CorruptInputError); ok {
			at = int(e)
		}
		if at >= 0 {
			return nil, 0, at, errors.New("want a base64 character: A-Z, a-z, 0-9, + or /")
		}
		return func(block int) bool {
			i := mapShape.index(block)
			return bits[i/8]>>(7-i%8)&1 == 1
		}, mapShape.letter, mapShape.chars, nil
	}
	return nil, 0, len(text), errors.New("MAP takes 86, 22 or 6 base64 characters (512, 128 or 32 bits)")
}

// encodeMap writes a table in base64. It writes the table of the neighbourhood with the given letter if that
// neighbourhood has a short table, else the table of all blocks.
func encodeMap(lives func(block int) bool, letter byte) string {
	mapShape := mapShapes[0]
	for _, s := range mapShapes {
		if s.letter == letter {
			mapShape = s
		}
	}
	bits := make([]byte, 1<<len(mapShape.cells)/8)
	for block := range 1 << 9 {
		if i := mapShape.index(block); lives(block) {
			bits[i/8] |= 1 << (7 - i%8)
		}
	}
	return base64.RawStdEncoding.EncodeToString(bits)
}
