package pattern

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/gosper-life/gosper/internal/names"
)

// Famous is a pattern that people know by name and that comes with the program.
type Famous struct {
	Name    string   // short, as typed on a command line: "gosper-gun"
	Aliases []string // the full name first, where it is another: "Gosper glider gun"
	Rule    string   // in a form that rule.Parse reads
	Comment string   // one line: what it is, and who found it when, where that is known for sure
	RLE     string   // the file
}

// The files say everything: the stem is Famous.Name, #N the full name, the first #C line the comment, and "#C Also known
// as" gives further aliases. The tests run every pattern and hold the comments to it, but for the ends of methuselahs of
// thousands of generations, which were checked with Golly. Discoverers and dates follow the Life Lexicon (release 29) and
// Golly's pattern collection.
//
//go:embed builtin/*.rle
var builtinFiles embed.FS

type builtinIndex struct {
	patterns []Famous
	byName   map[string]int // folded names and aliases
}

var loadBuiltins = sync.OnceValue(func() *builtinIndex {
	index, err := indexBuiltins()
	if err != nil {
		panic("pattern: " + err.Error()) // embedded at build time, so no input can cause it
	}
	return index
})

func indexBuiltins() (*builtinIndex, error) {
	entries, err := builtinFiles.ReadDir("builtin")
	if err != nil {
		return nil, err
	}
	var patterns []Famous
	for _, entry := range entries {
		text, err := builtinFiles.ReadFile(path.Join("builtin", entry.Name()))
		if err != nil {
			return nil, err
		}
		famous, err := describe(strings.TrimSuffix(entry.Name(), ".rle"), string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name(), err)
		}
		patterns = append(patterns, famous)
	}
	// By name: the directory is in the order of names with their suffix, in which "block" comes after "block-laying…".
	slices.SortFunc(patterns, func(a, b Famous) int { return strings.Compare(a.Name, b.Name) })

	index := &builtinIndex{patterns: patterns, byName: make(map[string]int)}
	for i, famous := range patterns {
		for _, name := range append([]string{famous.Name}, famous.Aliases...) {
			key := names.Fold(name)
			if earlier, taken := index.byName[key]; taken {
				return nil, fmt.Errorf("%s.rle: the name %q is already that of %s.rle", famous.Name, name, patterns[earlier].Name)
			}
			index.byName[key] = i
		}
	}
	return index, nil
}

// describe reads a file's comment and header lines; Read reads its cells when somebody wants them.
func describe(name, text string) (Famous, error) {
	famous := Famous{Name: name, RLE: text}
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
		return Famous{}, fmt.Errorf("needs a #C line and a header with a rule")
	}
	return famous, nil
}

// Builtin returns the built-in pattern of that name or alias. Case, spaces, hyphens, apostrophes and underscores do not
// matter.
func Builtin(name string) (Famous, bool) {
	index := loadBuiltins()
	i, ok := index.byName[names.Fold(name)]
	if !ok {
		return Famous{}, false
	}
	return index.patterns[i].clone(), true
}

// Builtins returns every built-in pattern in the order of their names.
func Builtins() []Famous {
	index := loadBuiltins()
	patterns := make([]Famous, len(index.patterns))
	for i, famous := range index.patterns {
		patterns[i] = famous.clone()
	}
	return patterns
}

// clone keeps the shared list out of callers' reach.
func (f Famous) clone() Famous {
	f.Aliases = slices.Clone(f.Aliases)
	return f
}
