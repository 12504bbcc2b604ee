// Package builtin is the list of well-known patterns that come with the program. Each is an RLE file in this
// folder. A new file there is known everywhere.
package builtin

import (
	"embed"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/gosper-life/gosper/internal/names"
)

// Pattern is a pattern with a name.
type Pattern struct {
	Name    string   // short, as typed on a command line: "gosper-gun"
	Aliases []string // the full name first, if it differs: "Gosper glider gun"
	Rule    string   // in a form that rule.Parse reads
	Comment string   // one line: what it is, and its discoverer and date if known for sure
	RLE     string   // the file
}

// The files contain everything. The stem of the file name is Pattern.Name, #N the full name, the first #C line
// the comment, and "#C Also known as" gives further aliases. The tests run every pattern and check the
// comments, except for the final states of methuselahs of thousands of generations, which were checked with
// Golly. Discoverers and dates follow the Life Lexicon (release 29) and Golly's pattern collection.
//
//go:embed *.rle
var files embed.FS

var load = sync.OnceValue(func() *names.Index[Pattern] {
	index, err := gather()
	if err != nil {
		panic("pattern/builtin: " + err.Error()) // the files are embedded at build time, so no input can cause this
	}
	return index
})

// gather reads all built-in patterns, when somebody first asks for one.
func gather() (*names.Index[Pattern], error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, err
	}
	var patterns []Pattern
	for _, entry := range entries {
		text, err := files.ReadFile(entry.Name())
		if err != nil {
			return nil, err
		}
		famous, err := describe(strings.TrimSuffix(entry.Name(), ".rle"), string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name(), err)
		}
		patterns = append(patterns, famous)
	}
	// The folder is sorted by file names, so "block.rle" comes after "block-laying….rle".
	slices.SortStableFunc(patterns, func(a, b Pattern) int { return strings.Compare(a.Name, b.Name) })
	return names.NewIndex(patterns, names.About[Pattern]{
		Names: func(p Pattern) []string { return append([]string{p.Name}, p.Aliases...) },
		Text:  func(p Pattern) string { return p.Rule + "\n" + p.Comment },
		Clone: func(p Pattern) Pattern { p.Aliases = slices.Clone(p.Aliases); return p },
		Where: func(i int) string { return patterns[i].Name + ".rle" },
	})
}

// describe reads a file's comment and header lines. Read reads the cells when they are needed.
func describe(name, text string) (Pattern, error) {
	famous := Pattern{Name: name, RLE: text}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if title, ok := strings.CutPrefix(line, "#N "); ok {
			if names.Fold(title) != names.Fold(name) {
				famous.Aliases = append(famous.Aliases, title)
			}
		} else if aliases, ok := strings.CutPrefix(line, "#C Also known as "); ok {
			famous.Aliases = append(famous.Aliases, strings.Split(aliases, ", ")...)
		} else if comment, ok := strings.CutPrefix(line, "#C "); ok && famous.Comment == "" {
			famous.Comment = comment
		} else if _, rule, ok := strings.Cut(line, "rule = "); ok {
			famous.Rule = rule
			break
		}
	}
	if famous.Comment == "" || famous.Rule == "" {
		return Pattern{}, fmt.Errorf("needs a #C line and a header with a rule")
	}
	return famous, nil
}

// Lookup returns the built-in pattern of that name or alias. Case, spaces, hyphens, apostrophes and underscores do not
// matter.
func Lookup(name string) (Pattern, bool) { return load().Lookup(name) }

// Names are those of all built-in patterns, and their aliases.
func Names() iter.Seq[string] { return load().Names() }

// All returns every built-in pattern in the order of their names.
func All() []Pattern { return load().Search("") }

// Search returns the patterns that have every word of text in their names, rule or comment, in the order of All. Case
// does not matter.
func Search(text string) []Pattern { return load().Search(text) }
