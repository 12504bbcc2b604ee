package ensemble

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gosper-life/gosper/ensemble/internal/sweep"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// Starts are texts that say what the first cells are: see soup.ParseStart. Ranges of numbers, as in exact~1=100..500/100, stand for one text each. In JSON,
// a single one may be a text without a list.
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

// begin is what universes start from: a start, and its density, which is 0 where it has none.
type begin struct {
	start   soup.Start
	density float64
	first   bool // of its start
}

// checkStarts reads how universes start, and fills in densities. It makes both canonical: soups alone need no start, and only starts that leave it
// open how many cells are alive have densities.
func (s *Spec) checkStarts(rules []rule.Rule, areas []topology.Topology) ([]begin, error) {
	var starts []soup.Start
	for _, text := range s.Starts {
		swept, err := sweep.Expand("start", text)
		if err != nil {
			return nil, err
		}
		for _, one := range swept {
			start, err := soup.ParseStart(one)
			if err != nil {
				return nil, err
			}
			if start.HasPattern() {
				return nil, fmt.Errorf("start %v: ensembles have no patterns", start)
			}
			starts = append(starts, start)
		}
	}
	if len(starts) == 0 {
		starts = append(starts, soup.Start{})
	}
	s.Starts = nil
	var fixed soup.Start // one without a density
	dense := false
	for _, start := range starts {
		if err := fits(start, rules, areas); err != nil {
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
			begins = append(begins, begin{start, 0, true})
			continue
		}
		for i, d := range s.Densities {
			begins = append(begins, begin{start, d, i == 0})
		}
	}
	return begins, nil
}

// fits refuses a start that has no meaning for the states of a rule or for a size.
func fits(start soup.Start, rules []rule.Rule, areas []topology.Topology) error {
	checked := map[int]bool{}
	for _, r := range rules {
		if checked[r.States] {
			continue
		}
		checked[r.States] = true
		for _, t := range areas {
			if err := start.Check(r.States, t.W, t.H); err != nil {
				return fmt.Errorf("rule %v: %w", r, err)
			}
		}
	}
	return nil
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
