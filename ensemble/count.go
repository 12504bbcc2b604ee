package ensemble

import (
	"github.com/gosper-life/gosper/ensemble/internal/match"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
)

// Pattern is one whose occurrences are counted, in all orientations.
type Pattern = match.Pattern

// ReadPatterns reads patterns of two states, each once: apgcodes, names of known patterns or RLE. If a rule is
// named, all phases under it count. It returns the rule's canonical notation.
func ReadPatterns(texts []string, phases string) ([]*Pattern, string, error) {
	return match.ReadAll(texts, phases)
}

// PatternNames returns what patterns are called in quantities: their names, or their numbers from 1.
func PatternNames(patterns []*Pattern) []string { return match.Names(patterns) }

// CountPatterns counts patterns among the live cells of a grid of one plane, a bounded torus or plane: how
// often they occur anywhere, and where no live cell touches them.
func CountPatterns(g *grid.Grid, t topology.Topology, patterns []*Pattern) []match.Counts {
	return match.Count(g, t, patterns)
}
