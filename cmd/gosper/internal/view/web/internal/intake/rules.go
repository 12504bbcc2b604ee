package intake

import (
	"fmt"
	"sync"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/rulefile"
)

// mostRules is how many rule files viewers may bring: they stay in memory.
const mostRules = 64

// Rules takes rule files from viewers. All universes of the program know them then.
type Rules struct {
	mu    sync.Mutex
	taken map[string]bool // by name
}

// Learn makes the rule of a file's text known. It takes the place of one that came in the same way, but of no other: a name means what it meant before.
func (r *Rules) Learn(text []byte) error {
	f, err := rulefile.Limits{}.Parse("the rule file", text)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.taken[f.Name] {
		switch known, err := rule.Parse(f.Name); {
		case err == nil && known.File != nil && known.File.Digest() == f.Digest():
			return nil
		case err == nil:
			return fmt.Errorf("the rule file says something else than the rule %s that is known here: give it another name", f.Name)
		case len(r.taken) == mostRules:
			return fmt.Errorf("rule %s: %d rule files have been opened here, and no more are taken", f.Name, mostRules)
		}
	}
	if r.taken == nil {
		r.taken = map[string]bool{}
	}
	r.taken[f.Name] = true
	rulefile.Add(f)
	return nil
}
