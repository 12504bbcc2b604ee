package rule

import (
	"strconv"
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
