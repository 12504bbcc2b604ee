package rule

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

// Named is a rule that people call by a name.
type Named struct {
	Name     string
	Aliases  []string
	Notation string  // in a form that Parse reads
	Kind     string  // one of Kinds
	Source   string  // discoverer where known; then the programs and papers whose name and notation this is
	Density  float64 // initial live fraction of state 1 that the source starts from; 0 when it gives none
}

// Kinds are the values of Named.Kind, in the order of the catalogue.
var Kinds = []string{
	"life-like", "von Neumann", "hexagonal", "isotropic", "generations", "larger than life", "HROT", "weighted",
}

// The table's columns are those of Named, aliases separated by |. Names and notations were gathered from Golly's help
// pages, Mirek Wójtowicz's MCell rule lexicon, LifeViewer's aliases, LifeWiki and the CAT paper, and each row says
// which. A rule stands in one row only: where two sources name the same rule, the second name is an alias; where they
// give one name to two rules, the name goes to the better known and the other is qualified ("Life-like Bugs", "CAT
// Bosco's Rule").
//
//go:embed catalogue.tsv
var catalogueTable string

type catalogueIndex struct {
	rules  []Named
	byName map[string]int // folded names and aliases
	text   []string       // what Search looks through, per rule
}

var loadCatalogue = sync.OnceValue(func() *catalogueIndex {
	index, err := indexCatalogue(catalogueTable)
	if err != nil {
		panic("rule: catalogue.tsv: " + err.Error()) // embedded at build time, so no input can cause it
	}
	return index
})

func indexCatalogue(table string) (*catalogueIndex, error) {
	lines := strings.Split(strings.TrimSuffix(table, "\n"), "\n")
	index := &catalogueIndex{byName: make(map[string]int)}
	for i, line := range lines[1:] {
		named, err := parseNamed(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+2, err)
		}
		text := []string{strings.ToLower(strings.Join([]string{named.Name, named.Notation, named.Kind, named.Source}, "\n"))}
		for _, name := range append([]string{named.Name}, named.Aliases...) {
			key := names.Fold(name)
			if earlier, taken := index.byName[key]; taken {
				return nil, fmt.Errorf("line %d: the name %q is already that of line %d", i+2, name, earlier+2)
			}
			index.byName[key] = i
			text = append(text, strings.ToLower(name), key)
		}
		index.rules = append(index.rules, named)
		index.text = append(index.text, strings.Join(text, "\n"))
	}
	return index, nil
}

func parseNamed(line string) (Named, error) {
	columns := strings.Split(line, "\t")
	if len(columns) != 6 {
		return Named{}, fmt.Errorf("%d columns, not 6", len(columns))
	}
	named := Named{Name: columns[0], Notation: columns[2], Kind: columns[3], Source: columns[5]}
	if names.Fold(named.Name) == "" || named.Notation == "" || named.Source == "" {
		return Named{}, fmt.Errorf("a rule needs a name, a notation and a source")
	}
	if !slices.Contains(Kinds, named.Kind) {
		return Named{}, fmt.Errorf("unknown kind %q", named.Kind)
	}
	if columns[1] != "" {
		named.Aliases = strings.Split(columns[1], "|")
	}
	if columns[4] != "" {
		density, err := strconv.ParseFloat(columns[4], 64)
		if err != nil || !(density > 0 && density <= 1) {
			return Named{}, fmt.Errorf("density %q is not in (0, 1]", columns[4])
		}
		named.Density = density
	}
	return named, nil
}

// Lookup returns the rule of that name or alias. Case, spaces, hyphens, apostrophes and underscores do not matter:
// "Brian's Brain", "brians-brain" and "BRIANS_BRAIN" are the same name.
func Lookup(name string) (Named, bool) {
	index := loadCatalogue()
	i, ok := index.byName[names.Fold(name)]
	if !ok {
		return Named{}, false
	}
	return index.rules[i].clone(), true
}

// nearest is the name of a rule that somebody may have meant who typed something that is none; "" for what looks like a notation.
func nearest(typed string) string {
	if strings.ContainsAny(typed, "/,") || !letters.MatchString(typed) {
		return ""
	}
	return names.Closest(typed, func(yield func(string) bool) {
		for _, named := range loadCatalogue().rules {
			for _, name := range append([]string{named.Name}, named.Aliases...) {
				if !yield(name) {
					return
				}
			}
		}
	})
}

// letters are what names have and notations have not.
var letters = regexp.MustCompile(`\pL{3}`)

// Catalogue returns every named rule, kind by kind, always in the same order.
func Catalogue() []Named {
	index := loadCatalogue()
	rules := make([]Named, len(index.rules))
	for i, named := range index.rules {
		rules[i] = named.clone()
	}
	return rules
}

// Search returns the rules, in the order of Catalogue, in whose names, notation, kind or source every word of text
// occurs, whatever its case. An empty text finds all rules.
func Search(text string) []Named {
	index := loadCatalogue()
	words := strings.Fields(strings.ToLower(text))
	var found []Named
	for i, named := range index.rules {
		missing := func(word string) bool { return !strings.Contains(index.text[i], word) }
		if !slices.ContainsFunc(words, missing) {
			found = append(found, named.clone())
		}
	}
	return found
}

// clone keeps the shared catalogue out of callers' reach.
func (n Named) clone() Named {
	n.Aliases = slices.Clone(n.Aliases)
	return n
}
