package rule

import (
	"errors"

	"github.com/gosper-life/gosper/rule/internal/mcell"
)

// ofMCell reads a notation of MCell's; ok is false where it looks like none.
func (s *scanner) ofMCell() (r Rule, ok bool, err error) {
	m, ok, err := mcell.Parse(s.rest())
	var mistake *mcell.Error
	switch {
	case errors.As(err, &mistake):
		return r, ok, s.fail(s.pos+mistake.Offset, "%s", mistake.Msg)
	case !ok || err != nil:
		return r, ok, err
	case m.File != nil:
		if r = shared(m.File); r.Kind() == KindTable {
			r = ofTable(r.Table, r.States)
		}
		return r, true, nil
	case m.Lives != nil:
		return ofTable(newTable(m.Lives), m.States), true, nil
	}
	r, err = parseNotation(m.Notation, 0, len(m.Notation))
	return r, true, err
}

// OfMCell returns the rule of a file of MCell in a notation that Parse reads without the file: given the family
// of rules that the file names, and its rule. It fails for families that are program code.
func OfMCell(family, notation string) (string, error) { return mcell.OfGame(family, notation) }
