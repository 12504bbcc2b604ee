package ensemble

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// Starts are texts that describe the first cells: see soup.ParseStart. Ranges of numbers, as in exact~1=100..500/100,
// stand for one text each. In JSON, a single one may be a text without a list.
type Starts []string

// MarshalJSON writes a single start as a text, others as a list.
func (s Starts) MarshalJSON() ([]byte, error) {
	if len(s) == 1 {
		return json.Marshal(s[0])
	}
	return json.Marshal([]string(s))
}

// UnmarshalJSON reads a text or a list of texts.
func (s *Starts) UnmarshalJSON(data []byte) error {
	var one string
	if err := json.Unmarshal(data, &one); err == nil {
		*s = Starts{one}
		return nil
	}
	var list []string
	err := json.Unmarshal(data, &list)
	*s = list
	return err
}

// begin is a start of universes with its density. The density is 0 for starts without one.
type begin struct {
	start   soup.Start
	pattern *pattern.Pattern // nil if it has none
	density float64
	first   bool // of its start
}

// checkStarts reads how universes start, and fills in densities. It makes both canonical: soups alone need no
// start, and only starts that leave it open how many cells are alive have densities.
func (s *Spec) checkStarts(rules []rule.Rule, areas []topology.Topology) ([]begin, error) {
	starts, patterns, err := readStarts(s.Starts, s.Patterns)
	if err != nil {
		return nil, err
	}
	s.Patterns = startTexts(patterns)
	s.Starts = nil
	var fixed soup.Start // one without a density
	dense := false
	for _, start := range starts {
		if err := startFits(start, patterns[start.PatternName()].Cells, rules, areas); err != nil {
			return nil, err
		}
		if s.Starts = append(s.Starts, start.String()); start.HasDensity() {
			dense = true
		} else {
			fixed = start
		}
	}
	if len(starts) == 1 && starts[0].IsSoup() {
		s.Starts = nil
	}
	switch {
	case dense && len(s.Densities) == 0:
		s.Densities = Densities{0.5}
	case dense:
	case len(s.Densities) > 1 || len(s.Densities) == 1 && s.Densities[0] != 0:
		return nil, fmt.Errorf("start %v says how many cells are alive: leave densities out", fixed)
	default:
		s.Densities = Densities{0}
	}
	var begins []begin
	for _, start := range starts {
		if !start.HasDensity() {
			begins = append(begins, begin{start, patterns[start.PatternName()].Cells, 0, true})
			continue
		}
		for i, d := range s.Densities {
			begins = append(begins, begin{start, nil, d, i == 0})
		}
	}
	return begins, nil
}

// patternsOf are the patterns that a start needs.
func (p *Study) patternsOf(start soup.Start) map[string]string {
	if !start.HasPattern() {
		return nil
	}
	return map[string]string{start.PatternName(): p.Spec.Patterns[start.PatternName()]}
}

// described is a start and its density for people.
func described(start string, density float64) string {
	var words []string
	if start != "" {
		words = append(words, "start "+start)
	}
	if density > 0 || start == "" {
		words = append(words, fmt.Sprintf("density %v", density))
	}
	return strings.Join(words, ", ")
}
