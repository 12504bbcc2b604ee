package names

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// Index is a list of things that have a name and perhaps aliases.
type Index[T any] struct {
	about  About[T]
	things []T
	byFold map[string]int // folded names and aliases
	text   []string       // the text of each thing that Search looks through
}

// About describes things to an index.
type About[T any] struct {
	Names func(T) []string   // the name, then the aliases
	Text  func(T) string     // further text that Search looks through
	Clone func(T) T          // a copy that callers may change
	Where func(i int) string // where the thing with that number was read, for errors
}

// NewIndex makes an index. It is an error if two things share a name.
func NewIndex[T any](things []T, about About[T]) (*Index[T], error) {
	x := &Index[T]{about: about, things: things, byFold: map[string]int{}}
	for i, thing := range things {
		text := about.Text(thing)
		for _, name := range about.Names(thing) {
			key := Fold(name)
			if earlier, taken := x.byFold[key]; taken {
				return nil, fmt.Errorf("%s: the name %q is already used by %s", about.Where(i), name, about.Where(earlier))
			}
			x.byFold[key] = i
			text += "\n" + name + "\n" + key
		}
		x.text = append(x.text, strings.ToLower(text))
	}
	return x, nil
}

// Lookup returns the thing with a name or alias. Case, spaces, hyphens, apostrophes and underscores do not matter.
func (x *Index[T]) Lookup(name string) (T, bool) {
	if i, ok := x.byFold[Fold(name)]; ok {
		return x.about.Clone(x.things[i]), true
	}
	var none T
	return none, false
}

// Search returns the things, in order, whose names or text contain every word. Case does not matter. Without
// words it returns all things.
func (x *Index[T]) Search(words string) []T {
	found := []T{}
	wanted := strings.Fields(strings.ToLower(words))
	for i, thing := range x.things {
		if !slices.ContainsFunc(wanted, func(word string) bool { return !strings.Contains(x.text[i], word) }) {
			found = append(found, x.about.Clone(thing))
		}
	}
	return found
}

// Names yields all names, each followed by its aliases.
func (x *Index[T]) Names() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, thing := range x.things {
			for _, name := range x.about.Names(thing) {
				if !yield(name) {
					return
				}
			}
		}
	}
}
