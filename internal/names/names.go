// Package names compares names as people type them.
package names

import (
	"fmt"
	"iter"
	"strings"
)

var folder = strings.NewReplacer(" ", "", "\t", "", "-", "", "'", "", "’", "", "_", "")

// Fold returns a name in lower case without white space, hyphens, apostrophes and underscores. Names with the
// same fold count as the same name. Hyphens at the end stay: Conway-- is not Conway.
func Fold(name string) string {
	lower := strings.ToLower(name)
	begin := strings.TrimRight(lower, "-")
	return folder.Replace(begin) + lower[len(begin):]
}

// Closest returns the known name that is closest to a mistyped name. They differ by one or two slips, or the
// known name begins with the typed text. It is "" if there is none.
func Closest(typed string, known iter.Seq[string]) string {
	a := []rune(Fold(typed))
	best, least := "", len(a)/4+2
	if len(a) < 5 {
		least = 2 // short names are all similar to each other
	}
	for name := range known {
		b := []rune(Fold(name))
		d := max(len(a)-len(b), len(b)-len(a)) // there are at least as many slips, so long texts cost nothing
		if d <= least {
			d = slips(a, b)
		}
		if len(a) >= 4 && len(b) > len(a) && string(b[:len(a)]) == string(a) {
			d = min(d, 1)
		}
		if d < least || d == least && best != "" && len(name) < len(best) {
			best, least = name, d
		}
	}
	return best
}

// DidYouMean returns a question for the end of an error that suggests the closest known name. It returns "" if no
// known name is close.
func DidYouMean(typed string, known iter.Seq[string]) string {
	near := Closest(typed, known)
	if near == "" {
		return ""
	}
	return fmt.Sprintf(": did you mean %q?", near)
}

// Brief leaves out the middle of a text that has more bytes than allowed, such as a message that quotes a long name.
func Brief(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const gap = " … "
	first := most * 3 / 5
	last := len(text) - (most - first - len(gap))
	return strings.ToValidUTF8(text[:first], "") + gap + strings.ToValidUTF8(text[last:], "")
}

// slips is the smallest number of letters omitted, added, replaced or exchanged with the next that turns a into
// b (optimal string alignment).
func slips(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			differ := 1
			if a[i] == b[j] {
				differ = 0
			}
			row[j+1] = min(row[j]+1, last[j+1]+1, last[j]+differ)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
