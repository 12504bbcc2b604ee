package ensemble

import (
	"cmp"
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

// mostPattern is the number of bytes the text of a pattern has at most. Every job with its start has it.
const mostPattern = 1 << 18

// startPattern is the pattern of a start, as read from its text. The zero value has no pattern.
type startPattern struct {
	Cells *pattern.Pattern
	Text  string // of an RLE file
}

// readStarts reads starts, with ranges, and the patterns that they name, from the texts given or built in. Without
// texts there is the soup alone.
func readStarts(texts []string, given map[string]string) (starts []soup.Start, patterns map[string]startPattern,
	err error,
) {
	for _, text := range texts {
		swept, err := sweep.Expand("start", text)
		if err != nil {
			return nil, nil, err
		}
		for _, one := range swept {
			start, err := soup.ParseStart(one)
			if err != nil {
				return nil, nil, err
			}
			starts = append(starts, start)
		}
	}
	if len(starts) == 0 {
		starts = append(starts, soup.Start{})
	}
	patterns = map[string]startPattern{}
	for _, start := range starts {
		if name := start.PatternName(); start.HasPattern() && patterns[name].Cells == nil {
			if patterns[name], err = readStart(start, given); err != nil {
				return nil, nil, err
			}
		}
	}
	return starts, patterns, nil
}

// readStart reads the pattern of a start.
func readStart(start soup.Start, given map[string]string) (startPattern, error) {
	name := start.PatternName()
	if name == "" {
		return startPattern{}, fmt.Errorf("start %v: name its pattern, as in pattern~of=glider", start)
	}
	text, ok := given[name]
	if famous, known := builtin.Lookup(name); !ok && known {
		text, ok = famous.RLE, true
	}
	text = strings.TrimSpace(text)
	switch {
	case !ok:
		return startPattern{}, fmt.Errorf(
			"start %v: there is no pattern %q: patterns has none of that name, nor is it a built-in one", start, name)
	case len(text) > mostPattern:
		return startPattern{}, fmt.Errorf("pattern %q: %d bytes of RLE, want at most %d", name, len(text), mostPattern)
	}
	p, err := pattern.Read(strings.NewReader(text), "pattern.rle")
	if err != nil {
		return startPattern{}, fmt.Errorf("pattern %q: %w", name, err)
	}
	return startPattern{p, text}, nil
}

// startTexts returns the texts of some patterns, or nil without patterns.
func startTexts(patterns map[string]startPattern) map[string]string {
	if len(patterns) == 0 {
		return nil
	}
	texts := map[string]string{}
	for name, p := range patterns {
		texts[name] = p.Text
	}
	return texts
}

// startFits refuses a start that has no meaning for the states of a rule or for a size, or whose pattern does not fit.
func startFits(start soup.Start, of *pattern.Pattern, rules []rule.Rule, areas []topology.Topology) error {
	checked := map[int]bool{}
	for _, r := range rules {
		if checked[r.States] {
			continue
		}
		checked[r.States] = true
		for _, t := range areas {
			err := cmp.Or(start.Check(r.States, t.W, t.H), start.CheckLayers(t.D))
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
