// Package catalogue is the list of rules with names: B3/S23 is Life. It keeps names and notations as text.
// Package rule says what a notation means, and its Parse accepts the names of this list.
//
// A new row in catalogue.tsv makes a name known everywhere: in Parse, in gosper rules, in the completion of
// shells, and in the viewers.
package catalogue

import (
	_ "embed"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/gosper-life/gosper/internal/names"
)

// Entry is a rule with a name.
type Entry struct {
	Name     string
	Aliases  []string
	Notation string  // in a form that rule.Parse reads
	Kind     string  // one of kinds
	Source   string  // discoverer if known; then the programs and papers that use this name and notation
	Density  float64 // initial share of cells in state 1 in the source; 0 if it gives none
}

// kinds are the values of Entry.Kind, in the order of the catalogue.
var kinds = []string{
	"life-like", "von Neumann", "hexagonal", "isotropic", "generations", "larger than life", "HROT", "weighted", "block",
	"partitioned", ThreeDimensions,
}

// ThreeDimensions is the kind of rules that count cells in three dimensions.
const ThreeDimensions = "three dimensions"

// The table's columns are those of Entry, with aliases separated by |. Names and notations were collected from
// Golly's help pages, Mirek Wójtowicz's MCell rule lexicon, LifeViewer's aliases, LifeWiki, the CAT paper,
// Carter Bays' papers and Softology's list of rules of three dimensions;
// each row names its source. A rule has only one row. If two sources name the same rule, the second name is an
// alias. If they give one name to two rules, the better known rule keeps the name and the other gets a longer
// one ("Life-like Bugs", "CAT Bosco's Rule").
//
//go:embed catalogue.tsv
var table string

var load = sync.OnceValue(func() *names.Index[Entry] {
	index, err := parse(table)
	if err != nil {
		// the file is embedded at build time, so no input can cause this
		panic("rule/catalogue: catalogue.tsv: " + err.Error())
	}
	return index
})

// parse reads the catalogue, whose first line names the columns.
func parse(table string) (*names.Index[Entry], error) {
	lines := strings.Split(strings.TrimSuffix(table, "\n"), "\n")
	line := func(i int) string { return fmt.Sprintf("line %d", i+2) }
	var rules []Entry
	for i, columns := range lines[1:] {
		entry, err := parseEntry(columns)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", line(i), err)
		}
		rules = append(rules, entry)
	}
	return names.NewIndex(rules, names.About[Entry]{
		Names: func(n Entry) []string { return append([]string{n.Name}, n.Aliases...) },
		Text:  func(n Entry) string { return strings.Join([]string{n.Notation, n.Kind, n.Source}, "\n") },
		Clone: func(n Entry) Entry { n.Aliases = slices.Clone(n.Aliases); return n },
		Where: line,
	})
}

func parseEntry(line string) (Entry, error) {
	columns := strings.Split(line, "\t")
	if len(columns) != 6 {
		return Entry{}, fmt.Errorf("%d columns, not 6", len(columns))
	}
	entry := Entry{Name: columns[0], Notation: columns[2], Kind: columns[3], Source: columns[5]}
	if names.Fold(entry.Name) == "" || entry.Notation == "" || entry.Source == "" {
		return Entry{}, fmt.Errorf("a rule needs a name, a notation and a source")
	}
	if !slices.Contains(kinds, entry.Kind) {
		return Entry{}, fmt.Errorf("unknown kind %q", entry.Kind)
	}
	if columns[1] != "" {
		entry.Aliases = strings.Split(columns[1], "|")
	}
	if columns[4] != "" {
		density, err := strconv.ParseFloat(columns[4], 64)
		if err != nil || !(density > 0 && density <= 1) {
			return Entry{}, fmt.Errorf("density %q is not in (0, 1]", columns[4])
		}
		entry.Density = density
	}
	return entry, nil
}

// Lookup returns the rule with a name or alias. Case, spaces, hyphens, apostrophes and underscores do not
// matter: "Brian's Brain", "brians-brain" and "BRIANS_BRAIN" are the same name.
func Lookup(name string) (Entry, bool) { return load().Lookup(name) }

// Nearest returns the name, of the catalogue or of others, that is closest to a mistyped name. It is "" if none is
// close, or if the text looks like a notation.
func Nearest(typed string, others ...string) string {
	if strings.ContainsAny(typed, "/,") || !hasWord(typed) {
		return ""
	}
	return names.Closest(typed, func(yield func(string) bool) {
		for name := range Names() {
			if !yield(name) {
				return
			}
		}
		slices.Values(others)(yield)
	})
}

// hasWord reports whether a text has what names have and notations do not: three letters in a row.
func hasWord(text string) bool {
	row := 0
	for _, r := range text {
		if row++; !unicode.IsLetter(r) {
			row = 0
		}
		if row == 3 {
			return true
		}
	}
	return false
}

// Names yields the names and aliases of all rules.
func Names() iter.Seq[string] { return load().Names() }

// All returns every named rule, sorted by kind, always in the same order.
func All() []Entry { return load().Search("") }

// Search returns the rules, in the order of All, whose names, notation, kind or source contain every word of
// text. Case does not matter. An empty text finds all rules.
func Search(text string) []Entry { return load().Search(text) }
