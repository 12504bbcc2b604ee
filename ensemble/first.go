package ensemble

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/gosper-life/gosper/ensemble/internal/sweep"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/pattern/builtin"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// mostPattern is the number of bytes the text of a pattern has at most. Every job with its start has it.
const mostPattern = 1 << 18

// startPattern is the pattern of a start: what was read of its text. The zero value has no pattern.
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
