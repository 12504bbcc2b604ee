package ensemble

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gosper-life/gosper/ensemble/internal/sweep"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/pattern/builtin"
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
	pattern *pattern.Pattern // nil if it has none
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
			starts = append(starts, start)
		}
	}
	if len(starts) == 0 {
		starts = append(starts, soup.Start{})
	}
	patterns, err := s.readPatterns(starts)
	if err != nil {
		return nil, err
	}
	s.Starts = nil
	var fixed soup.Start // one without a density
	dense := false
	for _, start := range starts {
		if err := fits(start, patterns[start.PatternName()], rules, areas); err != nil {
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
			begins = append(begins, begin{start, patterns[start.PatternName()], 0, true})
			continue
		}
		for i, d := range s.Densities {
			begins = append(begins, begin{start, nil, d, i == 0})
		}
	}
	return begins, nil
}

// mostPattern is how many bytes the text of a pattern has at most. Every job with its start has it.
const mostPattern = 1 << 18

// readPatterns reads the patterns of starts by their names. It leaves those in the spec that starts need, with built-in ones.
func (s *Spec) readPatterns(starts []soup.Start) (map[string]*pattern.Pattern, error) {
	given, read := s.Patterns, map[string]*pattern.Pattern{}
	s.Patterns = nil
	for _, start := range starts {
		name := start.PatternName()
		switch {
		case !start.HasPattern() || read[name] != nil:
			continue
		case name == "":
			return nil, fmt.Errorf("start %v: name its pattern, as in pattern~of=glider", start)
		}
		text, ok := given[name]
		if famous, known := builtin.Lookup(name); !ok && known {
			text, ok = famous.RLE, true
		}
		text = strings.TrimSpace(text)
		switch {
		case !ok:
			return nil, fmt.Errorf("start %v: there is no pattern %q: patterns has none of that name, nor is it a built-in one", start, name)
		case len(text) > mostPattern:
			return nil, fmt.Errorf("pattern %q: %d bytes of RLE, want at most %d", name, len(text), mostPattern)
		}
		p, err := pattern.Read(strings.NewReader(text), "pattern.rle")
		if err != nil {
			return nil, fmt.Errorf("pattern %q: %w", name, err)
		}
		if s.Patterns == nil {
			s.Patterns = map[string]string{}
		}
		read[name], s.Patterns[name] = p, text
	}
	return read, nil
}

// patternsOf are the patterns that a start needs.
func (p *Study) patternsOf(start soup.Start) map[string]string {
	if !start.HasPattern() {
		return nil
	}
	return map[string]string{start.PatternName(): p.Spec.Patterns[start.PatternName()]}
}

// fits refuses a start that has no meaning for the states of a rule or for a size.
func fits(start soup.Start, of *pattern.Pattern, rules []rule.Rule, areas []topology.Topology) error {
	checked := map[int]bool{}
	for _, r := range rules {
		if checked[r.States] {
			continue
		}
		checked[r.States] = true
		for _, t := range areas {
			err := start.Check(r.States, t.W, t.H)
			if err == nil && of != nil {
				err = of.Start(start, &soup.Setting{States: r.States}, t)
			}
			if err != nil {
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
