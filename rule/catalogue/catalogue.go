// Package catalogue is the list of the rules that people call by a name: B3/S23 is Life. It knows names and notations as text; package rule
// says what a notation means, and its Parse takes the names of this list.
//
// A row more in catalogue.tsv is a name more everywhere: in Parse, in "gosper rules", in the completion of the shells and in the viewers.
package catalogue

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gosper-life/gosper/internal/names"
)

// Entry is a rule that people call by a name.
type Entry struct {
	Name     string
	Aliases  []string
	Notation string  // in a form that rule.Parse reads
	Kind     string  // one of Kinds
	Source   string  // discoverer where known; then the programs and papers whose name and notation this is
	Density  float64 // initial live fraction of state 1 that the source starts from; 0 when it gives none
}

// Kinds are the values of Entry.Kind, in the order of the catalogue.
var Kinds = []string{
	"life-like", "von Neumann", "hexagonal", "isotropic", "generations", "larger than life", "HROT", "weighted",
}

// The table's columns are those of Entry, aliases separated by |. Names and notations were gathered from Golly's help
// pages, Mirek Wójtowicz's MCell rule lexicon, LifeViewer's aliases, LifeWiki and the CAT paper, and each row says
// which. A rule stands in one row only: where two sources name the same rule, the second name is an alias; where they
// give one name to two rules, the name goes to the better known and the other is qualified ("Life-like Bugs", "CAT
// Bosco's Rule").
//
//go:embed catalogue.tsv
var table string

// catalogue is the table as read.
type catalogue struct {
	rules  []Entry
	byName map[string]int // folded names and aliases
	text   []string       // what Search looks through, per rule
}

var load = sync.OnceValue(func() *catalogue {
	c, err := parse(table)
	if err != nil {
		panic("rule/catalogue: catalogue.tsv: " + err.Error()) // embedded at build time, so no input can cause it
	}
	return c
})

func parse(table string) (*catalogue, error) {
	lines := strings.Split(strings.TrimSuffix(table, "\n"), "\n")
	c := &catalogue{byName: make(map[string]int)}
	for i, line := range lines[1:] {
		entry, err := parseEntry(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+2, err)
		}
		text := []string{strings.ToLower(strings.Join([]string{entry.Name, entry.Notation, entry.Kind, entry.Source}, "\n"))}
		for _, name := range append([]string{entry.Name}, entry.Aliases...) {
			key := names.Fold(name)
			if earlier, taken := c.byName[key]; taken {
				return nil, fmt.Errorf("line %d: the name %q is already that of line %d", i+2, name, earlier+2)
			}
			c.byName[key] = i
			text = append(text, strings.ToLower(name), key)
		}
		c.rules = append(c.rules, entry)
		c.text = append(c.text, strings.Join(text, "\n"))
	}
	return c, nil
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
	if !slices.Contains(Kinds, entry.Kind) {
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

// Lookup returns the rule of that name or alias. Case, spaces, hyphens, apostrophes and underscores do not matter:
// "Brian's Brain", "brians-brain" and "BRIANS_BRAIN" are the same name.
func Lookup(name string) (Entry, bool) {
	c := load()
	i, ok := c.byName[names.Fold(name)]
	if !ok {
		return Entry{}, false
	}
	return c.rules[i].clone(), true
}

// Nearest is the name of a rule that somebody may have meant who typed a name that is in no row; "" where none is near, and for what looks
// like a notation.
func Nearest(typed string) string {
	if strings.ContainsAny(typed, "/,") || !letters.MatchString(typed) {
		return ""
	}
	return names.Closest(typed, func(yield func(string) bool) {
		for _, entry := range load().rules {
			for _, name := range append([]string{entry.Name}, entry.Aliases...) {
				if !yield(name) {
					return
				}
			}
		}
	})
}

// letters are what names have and notations have not.
var letters = regexp.MustCompile(`\pL{3}`)

// All returns every named rule, kind by kind, always in the same order.
func All() []Entry {
	c := load()
	rules := make([]Entry, len(c.rules))
	for i, entry := range c.rules {
		rules[i] = entry.clone()
	}
	return rules
}

// Search returns the rules, in the order of All, in whose names, notation, kind or source every word of text
// occurs, whatever its case. An empty text finds all rules.
func Search(text string) []Entry {
	c := load()
	words := strings.Fields(strings.ToLower(text))
	var found []Entry
	for i, entry := range c.rules {
		missing := func(word string) bool { return !strings.Contains(c.text[i], word) }
		if !slices.ContainsFunc(words, missing) {
			found = append(found, entry.clone())
		}
	}
	return found
}

// clone keeps the shared catalogue out of callers' reach.
func (n Entry) clone() Entry {
	n.Aliases = slices.Clone(n.Aliases)
	return n
}
