package rule

import (
	"encoding/base64"
	"strconv"
	"strings"
)

// mapShapes are the neighbourhoods of MAP strings by the number of base64 characters (padding left off): one bit for each state of
// the cells that count and the centre, the first of which is the highest bit of the index.
var mapShapes = []struct {
	chars  int
	letter byte
}{
	{86, 'M'}, // 2⁹ bits
	{22, 'H'}, // 2⁷
	{6, 'N'},  // 2⁵
}

// mapTable reads MAP and base64, perhaps with a slash and a number of states after it.
func (s *scanner) mapTable() (Rule, error) {
	s.pos += len("MAP")
	start := s.pos
	// No table with all that may follow it is as long as the next larger table.
	for _, shape := range mapShapes {
		if shape.chars > len(s.rest()) {
			continue
		}
		chars := s.rest()[:shape.chars]
		bits, err := base64.RawStdEncoding.DecodeString(chars)
		at := strings.IndexAny(chars, "\r\n") // which the decoder leaves out
		if e, ok := err.(base64.CorruptInputError); ok {
			at = int(e)
		}
		if at >= 0 {
			return Rule{}, s.fail(start+at, "a base64 character is expected here: A-Z, a-z, 0-9, + or /")
		}
		s.pos += shape.chars
		states, err := s.mapStates()
		if err != nil {
			return Rule{}, err
		}
		hood := Neighbourhood{Letter: shape.letter, Radius: 1}
		mask := hood.blockMask()
		table := newTable(func(block int) bool {
			i := gather(block, mask)
			return bits[i/8]>>(7-i%8)&1 == 1
		})
		return Rule{Family: MAP, States: states, Neighbourhood: hood, Table: table}, nil
	}
	return Rule{}, s.fail(s.end, "MAP takes 86, 22 or 6 base64 characters (512, 128 or 32 bits)")
}

// mapStates reads what follows the base64: padding, and a number of states.
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

// gather packs the bits of block that mask selects, keeping their order.
func gather(block, mask int) int {
	packed := 0
	for bit := 256; bit > 0; bit >>= 1 {
		if mask&bit != 0 {
			packed <<= 1
			if block&bit != 0 {
				packed |= 1
			}
		}
	}
	return packed
}

// mapString is the table as MAP, the short form where the neighbourhood has one and the table keeps to it.
func (r Rule) mapString() string {
	hood := r.Neighbourhood
	if hood.Letter != 'N' && hood.Letter != 'H' || !r.Table.dependsOnly(hood.blockMask()) {
		hood = Neighbourhood{Letter: 'M', Radius: 1}
	}
	mask := hood.blockMask()
	bits := make([]byte, 1<<(hood.Size()+1)/8)
	for block := range fullBlock + 1 {
		if i := gather(block, mask); r.Table.At(block) == 1 {
			bits[i/8] |= 1 << (7 - i%8)
		}
	}
	s := "MAP" + base64.RawStdEncoding.EncodeToString(bits)
	if r.States > 2 {
		s += "/" + strconv.Itoa(r.States)
	}
	return s
}

// dependsOnly reports whether cells outside the mask make no difference.
func (t *Table) dependsOnly(mask int) bool {
	for block := range fullBlock + 1 {
		if t.At(block) != t.At(block&mask) {
			return false
		}
	}
	return true
}
