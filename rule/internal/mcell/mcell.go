// Package mcell reads the notations of MCell (Mirek's Cellebration, M. Wójtowicz 1999 to 2001) that no other
// program has: rules tables, Neumann binary, General binary, Cyclic CA, Weighted Life, Weighted Generations and
// those of one dimension. MCell's rules lexicon describes them (mirekw.com/ca, the pages rullex_*.html), with a
// page for each family.
package mcell

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/gosper-life/gosper/rule/rulefile"
)

// Rule is the meaning of a notation: exactly one of File, Lives and Notation is set.
type Rule struct {
	File *rulefile.File
	// Lives is a rule of the 3×3 block whose cells have States states, and die through the states from 2 on. Given
	// the block of cells in state 1, it reports whether the middle is in state 1 next. Bit 8-i of the block is
	// cell i.
	Lives  func(block int) bool
	States int
	// Notation is the rule in a notation that package rule reads.
	Notation string
}

// Error is an error in a notation, with its position in bytes.
type Error struct {
	Offset int
	Msg    string
}

func (e *Error) Error() string { return e.Msg }

func fail(offset int, format string, args ...any) error {
	return &Error{offset, fmt.Sprintf(format, args...)}
}

// family is a family of rules: a test for its notation, and a parser.
type family struct {
	looks func(text string) bool
	parse func(text string) (Rule, error)
}

// isRulesTable reports whether a text looks like a rules table. Only five numbers are a Larger than Life rule
// in Kellie Evans's notation.
func isRulesTable(text string) bool {
	n := strings.Split(text, ",")
	return len(n) > 5 && only(text, "0123456789, ") && (n[0] == "1" || n[0] == "2") && isBit(n[1]) && isBit(n[2]) &&
		isNumber(n[3]) && isNumber(n[4]) && n[5] != "" && isNumber(n[5][:1])
}

func isBit(text string) bool { return text == "0" || text == "1" }

func isNumber(text string) bool { return text != "" && only(text, "0123456789") }

var families = []family{
	{isRulesTable, rulesTable},
	{func(t string) bool { return only(t, "0123456789") && neumannStates(t) > 0 }, neumannBinary},
	{func(t string) bool { return t[0] == 'C' && strings.Contains(t, ",N") && !strings.Contains(t, "SW") }, generalBinary},
	{func(t string) bool { return t[0] == 'C' && strings.Contains(t, "SW") }, weightedGenerations},
	{func(t string) bool { return t[0] == 'R' && strings.Contains(t, "/T") }, cyclic},
	{isWeightedLife, weightedLife},
	{func(t string) bool { return t[0] == 'R' && strings.Contains(t, ",W") }, binaryLine},
}

// Parse reads a notation of MCell, in upper or lower case. It returns false if text does not look like one.
func Parse(text string) (r Rule, ok bool, err error) {
	// Other letters may have another length in upper case. Errors would then name the wrong place.
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) {
		return Rule{}, false, nil
	}
	text = strings.ToUpper(text)
	for _, f := range families {
		if f.looks(text) {
			r, err = f.parse(text)
			return r, true, err
		}
	}
	return Rule{}, false, nil
}

// games has the families whose notations look like others'. Only MCell's file says which is meant.
var games = map[string]func(rule string) (string, error){
	"Vote for Life":     vote,
	"1-D totalistic":    totalisticLine,
	"1-D totalistic CA": totalisticLine,
	"1D totalistic CA":  totalisticLine,
}

// OfGame returns the rule of a file, given the family that the file names, in a notation that needs no family.
func OfGame(game, rule string) (string, error) {
	if notation, ok := games[game]; ok {
		return notation(strings.ToUpper(rule))
	}
	switch game {
	case "Special rules", "User DLL", "User DLLs":
		return "", fmt.Errorf("MCell's family %q is program code: its rule %q is not supported", game, rule)
	}
	return rule, nil
}

func only(text, characters string) bool { return strings.Trim(text, characters) == "" }

// field is a part of a notation and its position.
type field struct {
	text string
	at   int
}

// split divides a notation into fields.
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

// number reads a field that consists of the given letters and a number.
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

// mostStates is the greatest number of states of a cell.
const mostStates = 256

// states reads a number of states. Numbers below three mean two.
func (f field) states(letters string) (int, error) {
	n, err := f.number(letters, 0, mostStates)
	return max(n, 2), err
}

// neighbours returns how many of the given cells are marked.
func neighbours(cells []int, marks int) (n int) {
	for _, cell := range cells {
		n += marks >> (8 - cell) & 1
	}
	return n
}
