package rule

import (
	"fmt"
	"slices"
	"strings"
)

// Reading says in one line how Parse reads a text that has another meaning in another notation, and how that is
// written. It is empty for other texts, and for names.
func Reading(input string) string {
	text, _, _ := strings.Cut(strings.TrimSpace(input), ":")
	text, _, _ = strings.Cut(text, "~")
	r, err := parseNotation(text, 0, len(text))
	if err != nil {
		return ""
	}
	if hexLists(text) {
		return fmt.Sprintf("%s is read as Catagolue writes it, in hexadecimal digits: %v; "+
			"counts of neighbours are written with commas, as in R1,C2,S2-3,B3", text, r)
	}
	if survivals, births, shape, ok := bareLists(text); ok {
		born, survives := sortedLetters(births), sortedLetters(survivals)
		if born != survives {
			return fmt.Sprintf("%s is read as Golly reads it, survivals first: %v; births first it would be B%s/S%s%s",
				text, r, survives, born, strings.ToUpper(shape))
		}
	}
	return ""
}

// sortedLetters returns the letters of a text in order, each once.
func sortedLetters(text string) string {
	letters := []byte(text)
	slices.Sort(letters)
	return string(slices.Compact(letters))
}

// hexLists reports whether lists of counts in hexadecimal digits look like decimal ones, as in r1b55s55.
func hexLists(text string) bool {
	text = strings.ToLower(text)
	text, _ = numbered(text, 'g')
	for _, letter := range []byte("rbs") {
		rest, ok := numbered(text, letter)
		if !ok {
			return false
		}
		text = rest
	}
	return text == "" || text == "z"
}

// numbered cuts a letter and the decimal digits after it from the start of a text.
func numbered(text string, letter byte) (rest string, ok bool) {
	if text == "" || text[0] != letter {
		return text, false
	}
	rest = strings.TrimLeft(text[1:], "0123456789")
	if len(rest) == len(text)-1 {
		return text, false
	}
	return rest, true
}

// bareLists returns two lists of counts without letters before them, and the letter of a neighbourhood after them.
func bareLists(text string) (first, second, shape string, ok bool) {
	first, second, ok = strings.Cut(text, "/")
	counts := strings.TrimRight(second, "vhVH")
	second, shape = counts, second[len(counts):]
	return first, second, shape, ok && len(shape) <= 1 && strings.Trim(first+second, "012345678") == ""
}
