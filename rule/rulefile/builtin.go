package rulefile

import (
	"embed"
	"maps"
	"slices"
	"strings"
	"sync"
)

// The built-in rules. We wrote these files from the published tables. Each names its source below @RULE.
//
//go:embed builtin/*.rule
var builtinFiles embed.FS

// builtinRules has the built-in files by name. Each is read when it is first needed.
var builtinRules = sync.OnceValue(func() map[string]func() *File {
	rules := map[string]func() *File{}
	add := func(name string, read func() (*File, error)) {
		rules[name] = sync.OnceValue(func() *File {
			f, err := read()
			if err != nil {
				panic("rulefile: " + err.Error()) // the file is embedded, so no input can cause this
			}
			return f
		})
	}
	entries, err := builtinFiles.ReadDir("builtin")
	if err != nil {
		panic("rulefile: " + err.Error())
	}
	for _, entry := range entries {
		add(strings.TrimSuffix(entry.Name(), ".rule"), func() (*File, error) {
			text, err := builtinFiles.ReadFile("builtin/" + entry.Name())
			if err != nil {
				return nil, err
			}
			return Limits{packed: diagramOf(strings.TrimSuffix(entry.Name(), ".rule"))}.Parse(entry.Name(), text)
		})
	}
	add("JvN29", func() (*File, error) {
		return vonNeumann(
			"JvN29", "John von Neumann's automaton of 29 states, in which he designed a machine that builds a copy of itself (1966).", false)
	})
	add("Nobili32", func() (*File, error) {
		return vonNeumann("Nobili32", "Renato Nobili's extension of JvN29 by cells in which signals can cross (1995).", true)
	})
	add("Hutton32", hutton)
	add("Langtons-Ant", func() (*File, error) {
		t, err := parseAnt("RL")
		if err != nil {
			return nil, err
		}
		f, err := t.file("Langtons-Ant")
		if err == nil {
			f.Description = "Christopher Langton's ant: \"Studying artificial life with cellular automata\", Physica D 22 (1986) 120-149."
		}
		return f, err
	})
	return rules
})

// BuiltIn returns the names of the built-in rules, in alphabetical order. Find finds them.
func BuiltIn() []string { return slices.Sorted(maps.Keys(builtinRules())) }

// builtIn looks among the built-in rules. It returns nil if there is no such rule.
func builtIn(name string, same func(a, b string) bool) (*File, error) {
	for known, read := range builtinRules() {
		if same(known, name) {
			return read(), nil
		}
	}
	if f, err := wormNamed(name); f != nil || err != nil {
		return f, err
	}
	return turmiteNamed(name)
}
