//go:build !js

// Package offer is the list of rules and patterns that the page offers by name.
package offer

import (
	"encoding/json"

	"github.com/gosper-life/gosper/pattern/builtin"
	"github.com/gosper-life/gosper/rule/catalogue"
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
	Rule    string `json:"rule"`
	Comment string `json:"comment"`
}

// JSON is the list as the page reads it. engines are what it offers to choose from.
func JSON(engines []string) []byte {
	c := offer{Engines: engines}
	for _, n := range catalogue.All() {
		c.Rules = append(c.Rules, namedRule{n.Name, append([]string{}, n.Aliases...), n.Notation, n.Kind, n.Source, n.Density})
	}
	for _, p := range builtin.All() {
		title := p.Name
		if len(p.Aliases) > 0 {
			title = p.Aliases[0]
		}
		c.Patterns = append(c.Patterns, namedPattern{p.Name, title, p.Rule, p.Comment})
	}
	body, err := json.Marshal(c)
	if err != nil {
		panic(err) // it consists of strings and numbers
	}
	return body
}
