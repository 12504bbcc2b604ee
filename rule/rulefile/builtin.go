package rulefile

import (
	"embed"
	"maps"
	"slices"
	"strings"
	"sync"
)

// The rules that are built in: their tables as they were published, in our own words. Each says below @RULE where it comes from.
//
//go:embed builtin/*.rule
var builtinFiles embed.FS

// builtinRules are their files by name, each read when it is first asked for.
var builtinRules = sync.OnceValue(func() map[string]func() *File {
	rules := map[string]func() *File{}
	add := func(name string, read func() (*File, error)) {
		rules[name] = sync.OnceValue(func() *File {
			f, err := read()
			if err != nil {
				panic("rulefile: " + err.Error()) // embedded at build time, so no input can cause it
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
			return Parse(entry.Name(), text)
		})
	}
	add("JvN29", func() (*File, error) {
		return vonNeumann("JvN29", "John von Neumann's automaton of 29 states, in which he built a machine that builds itself (1966).", false)
	})
	add("Nobili32", func() (*File, error) {
		return vonNeumann("Nobili32", "Renato Nobili's extension of JvN29 by cells that signals cross (1995).", true)
	})
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

// BuiltIn returns the names of the rules that are built in, in alphabetical order. Find finds them.
func BuiltIn() []string { return slices.Sorted(maps.Keys(builtinRules())) }

// builtIn looks among the rules that are built in; nil where there is none.
func builtIn(name string, same func(a, b string) bool) (*File, error) {
	for known, read := range builtinRules() {
		if same(known, name) {
			return read(), nil
		}
	}
	return turmiteNamed(name)
}
