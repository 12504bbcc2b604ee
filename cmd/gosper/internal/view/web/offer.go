//go:build !js

package web

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/pattern/builtin"
	"github.com/gosper-life/gosper/rule/catalogue"
	"github.com/gosper-life/gosper/rule/rulefile"
)

type offer struct {
	Rules    []namedRule    `json:"rules"`
	Patterns []namedPattern `json:"patterns"`
	Engines  []string       `json:"engines"`
}

type namedRule struct {
	Name     string   `json:"name"`
	Aliases  []string `json:"aliases"`
	Notation string   `json:"notation"`
	Kind     string   `json:"kind"`
	Source   string   `json:"source"`
	Density  float64  `json:"density"`
}

type namedPattern struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Kind    string `json:"kind"`
	Rule    string `json:"rule"`
	Comment string `json:"comment"`
	Cells   string `json:"cells"` // as RLE without a header, for pictures
}

// kindOf returns the kind of a pattern, by its name in the page's list of kinds. The pattern's comment begins with
// the kind.
func kindOf(comment string) string {
	first := strings.ToLower(comment[:strings.IndexAny(comment+",", ",;:")])
	for _, kind := range []string{"still life", "oscillator", "spaceship", "gun", "puffer", "methuselah"} {
		if strings.Contains(first, kind) {
			return kind
		}
	}
	if first == "rake" {
		return "puffer"
	}
	return "other"
}

// cellsOf returns the cells of an RLE file: its text after the comments and the header.
func cellsOf(rle string) string {
	lines := slices.DeleteFunc(strings.Split(rle, "\n"), func(line string) bool { return strings.HasPrefix(line, "#") })
	return strings.Join(lines[1:], "")
}

// offerJSON is the list as the page reads it. engines are what it offers to choose from.
func offerJSON(engines []string) []byte {
	c := offer{Engines: engines}
	for _, n := range catalogue.All() {
		aliases := append([]string{}, n.Aliases...)
		c.Rules = append(c.Rules, namedRule{n.Name, aliases, n.Notation, n.Kind, n.Source, n.Density})
	}
	for _, name := range rulefile.BuiltIn() {
		f, err := rulefile.Find(name)
		if err != nil {
			continue // a file of this name in the user's folder cannot be read
		}
		about, _, _ := strings.Cut(strings.Join(strings.Fields(f.Description), " "), ":")
		states := fmt.Sprintf("a table of %d states", f.Function.States)
		c.Rules = append(c.Rules, namedRule{f.Name, []string{}, states, "table", strings.TrimSuffix(about, "."), 0})
	}
	for _, p := range builtin.All() {
		title := p.Name
		if len(p.Aliases) > 0 {
			title = p.Aliases[0]
		}
		c.Patterns = append(c.Patterns, namedPattern{p.Name, title, kindOf(p.Comment), p.Rule, p.Comment, cellsOf(p.RLE)})
	}
	body, err := json.Marshal(c)
	if err != nil {
		panic(err) // it consists of strings and numbers
	}
	return body
}
