// Package mcell reads the notations of MCell (Mirek's Cellebration, M. Wójtowicz 1999 to 2001) that no other program has: rules tables, Neumann
// binary, General binary, Cyclic CA, Weighted Life, Weighted Generations and those of one dimension. They are described in MCell's rules lexicon
// (mirekw.com/ca, the pages rullex_*.html), one page a family.
package mcell

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/rule/rulefile"
)

// Rule is what a notation means: one of its fields is set.
type Rule struct {
	File *rulefile.File
	// Lives is a rule of the 3×3 block whose cells have States states, which die through those from 2 on: whether the middle of a block of
	// state-1 cells is in state 1 next. The block's index has bit 8-i for cell i.
	Lives  func(block int) bool
	States int
	// Notation is the same rule in a notation that others know.
	Notation string
}

// Error is a mistake in a notation and its place, in bytes.
type Error struct {
	Offset int
	Msg    string
}

func (e *Error) Error() string { return e.Msg }

func fail(offset int, format string, args ...any) error {
	return &Error{offset, fmt.Sprintf(format, args...)}
}

// family is a family of rules: what its notation looks like, and what it means.
type family struct {
	looks func(text string) bool
	parse func(text string) (Rule, error)
}

// rulesTableHead is how a rules table begins. Five numbers are larger than Life, after Kellie Evans.
var rulesTableHead = regexp.MustCompile(`^[12],[01],[01],\d+,\d+,\d`)

var families = []family{
	{func(t string) bool { return rulesTableHead.MatchString(t) && only(t, "0123456789, ") }, rulesTable},
	{func(t string) bool { return only(t, "0123456789") && neumannStates(t) > 0 }, neumannBinary},
	{func(t string) bool { return t[0] == 'C' && strings.Contains(t, ",N") && !strings.Contains(t, "SW") }, generalBinary},
	{func(t string) bool { return t[0] == 'C' && strings.Contains(t, "SW") }, weightedGenerations},
	{func(t string) bool { return t[0] == 'R' && strings.Contains(t, "/T") }, cyclic},
	{isWeightedLife, weightedLife},
	{func(t string) bool { return t[0] == 'R' && strings.Contains(t, ",W") }, binaryLine},
}

// Parse reads a notation of MCell, letters in either case; false where text looks like none.
func Parse(text string) (r Rule, ok bool, err error) {
	text = strings.ToUpper(text)
	for _, f := range families {
		if text != "" && f.looks(text) {
			r, err = f.parse(text)
			return r, true, err
		}
	}
	return Rule{}, false, nil
}

// games are the families whose notations look like others', so that it takes MCell's file to tell.
var games = map[string]func(rule string) (string, error){
	"Vote for Life":     vote,
	"1-D totalistic":    totalisticLine,
	"1-D totalistic CA": totalisticLine,
	"1D totalistic CA":  totalisticLine,
}

// OfGame is the rule of a file, given the family that it names, in a notation that says it all.
func OfGame(game, rule string) (string, error) {
	if notation, ok := games[game]; ok {
		return notation(strings.ToUpper(rule))
	}
	switch game {
	case "Special rules", "User DLL", "User DLLs":
		return "", fmt.Errorf("MCell's family %q is code, not rules: %q is not known", game, rule)
	}
	return rule, nil
}

func only(text, characters string) bool { return strings.Trim(text, characters) == "" }

// field is a part of a notation and its place.
type field struct {
	text string
	at   int
}

// split cuts a notation up.
func split(text string, separators string) (fields []field) {
	at := 0
	for i := range len(text) + 1 {
		if i == len(text) || strings.IndexByte(separators, text[i]) >= 0 {
			fields = append(fields, field{strings.TrimSpace(text[at:i]), at})
			at = i + 1
		}
	}
	return fields
}

// number reads all of a field behind some letters.
func (f field) number(letters string, lo, hi int) (int, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(f.text, letters))
	if err != nil || n < lo || n > hi {
		return 0, fail(f.at, "%q: %s and a number from %d to %d is expected here", f.text, orNothing(letters), lo, hi)
	}
	return n, nil
}

func orNothing(letters string) string {
	if letters == "" {
		return "no letter"
	}
	return letters
}

// mostStates are the states that a cell can have.
const mostStates = 256

// states are those of families in which fewer than three mean two.
func (f field) states(letters string) (int, error) {
	n, err := f.number(letters, 0, mostStates)
	return max(n, 2), err
}

// neighbours are the cells of a block around the middle, and how many of a block's marks they have.
func neighbours(cells []int, marks int) (n int) {
	for _, cell := range cells {
		n += marks >> (8 - cell) & 1
	}
	return n
}
