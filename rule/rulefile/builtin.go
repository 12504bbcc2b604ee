package rulefile

import (
	"embed"
	"strings"
	"sync"
)

// The rules that are built in: their tables as they were published, in our own words. Each says below @RULE where it comes from.
//
//go:embed builtin/*.rule
var builtinFiles embed.FS

// builtinRules are their files by name. They are small: all are read when the first is asked for.
var builtinRules = sync.OnceValue(func() map[string]*File {
	entries, err := builtinFiles.ReadDir("builtin")
	rules := map[string]*File{}
	for _, entry := range entries {
		var text []byte
		if text, err = builtinFiles.ReadFile("builtin/" + entry.Name()); err != nil {
			break
		}
		name := strings.TrimSuffix(entry.Name(), ".rule")
		if rules[name], err = Parse(entry.Name(), text); err != nil {
			break
		}
	}
	if err == nil {
		rules["JvN29"], err = vonNeumann("JvN29", "John von Neumann's automaton of 29 states, in which he built a machine that builds itself (1966).", false)
	}
	if err == nil {
		rules["Nobili32"], err = vonNeumann("Nobili32", "Renato Nobili's extension of JvN29 by cells that signals cross (1995).", true)
	}
	if err != nil {
		panic("rulefile: " + err.Error()) // embedded at build time, so no input can cause it
	}
	return rules
})

// builtIn looks among the rules that are built in; nil where there is none.
func builtIn(name string, same func(a, b string) bool) (*File, error) {
	for known, f := range builtinRules() {
		if same(known, name) {
			return f, nil
		}
	}
	return nil, nil
}
