//go:build !page

package rulefile

import "embed"

// The diagrams of rules that take up to a fifth of a second to make: go test ./rule/rulefile -run Diagrams -update.
//
//go:embed builtin/*.diagram
var diagrams embed.FS

// diagramOf returns the packed diagram of a built-in rule.
func diagramOf(name string) []byte {
	packed, err := diagrams.ReadFile("builtin/" + name + ".diagram")
	if err != nil {
		return nil
	}
	return packed
}
