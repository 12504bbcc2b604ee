package measure

import "github.com/gosper-life/gosper/ensemble/internal/match"

// patterns counts the spec's patterns: pattern_1, pattern_2, … anywhere, and isolated_1, isolated_2, … where no
// live cell touches them. A name of a pattern takes the place of its number.
type patterns struct{}

// Quantities implements Instrument.
func (patterns) Quantities(s Setting) []string {
	names := make([]string, 2*len(s.Patterns))
	for i, name := range match.Names(s.Patterns) {
		names[i], names[len(s.Patterns)+i] = "pattern_"+name, "isolated_"+name
	}
	return names
}

// Measure implements Instrument.
func (patterns) Measure(dst []float64, v View) {
	for i, n := range match.Count(v.Cells, v.Topology, v.Patterns) {
		dst[i], dst[len(v.Patterns)+i] = float64(n.Anywhere), float64(n.Isolated)
	}
}
