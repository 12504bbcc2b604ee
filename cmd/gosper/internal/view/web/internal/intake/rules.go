package intake

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/rulefile"
)

// What rule files of viewers may take. They stay in memory, and so do their decision diagrams. All rule files of Golly
// are smaller by a factor of four or more.
const (
	mostRules  = 64               // files
	maxRule    = 1 << 20          // bytes of a file
	maxName    = 100              // bytes of a rule's name
	ruleEdges  = 1 << 18          // while a file is read: about 10 MiB
	rulesBytes = 64 << 20         // of the decision diagrams of all files
	ruleTime   = 10 * time.Second // to read a file; the edges of most run out in a fraction of a second
)

// What rules of viewers may take to compile: some 200 MiB and two seconds.
const (
	mostRuns   = 1 << 15 // runs of cells of one weight in the rows of a neighbourhood
	mostCounts = 512     // ranges of counts for births and survivals
)

// Affordable refuses rules that take too much time or memory to compile. A rule of 37 characters can take gigabytes: a
// Gaussian neighbourhood of radius 500 has a million weights.
func Affordable(r rule.Rule) error {
	runs, counts := costOf(r)
	switch {
	case runs > mostRuns:
		return fmt.Errorf("the rule's neighbourhoods have %d runs of cells of one weight: this server takes at most %d",
			runs, mostRuns)
	case counts > mostCounts:
		return fmt.Errorf("the rule has %d ranges of counts: this server takes at most %d", counts, mostCounts)
	}
	return nil
}

// costOf counts the runs and ranges of a rule, and of the rules that it consists of.
func costOf(r rule.Rule) (runs, counts int) {
	counts = len(r.Birth) + len(r.Survival)
	if counts > 0 {
		var last rule.Offset
		for _, o := range r.Neighbourhood.Offsets() {
			if o.DY != last.DY || o.DX != last.DX+1 || o.Weight != last.Weight || runs == 0 {
				runs++
			}
			last = o
		}
	}
	for _, part := range r.Parts() {
		ofPart, ranges := costOf(part)
		runs, counts = runs+ofPart, counts+ranges
	}
	return runs, counts
}

// Rules takes rule files from viewers. All universes of the program know them then.
type Rules struct {
	mu    sync.Mutex
	taken map[string]uint64 // by name: bytes
}

// Learn makes the rule of a file's text known. It replaces a rule that was added in the same way. It does not replace
// other rules, so that their names keep their meaning. A file that takes too much time or memory is refused.
func (r *Rules) Learn(ctx context.Context, text []byte) error {
	if len(text) > maxRule {
		return fmt.Errorf("the rule file has %d bytes: this server takes files of at most %d", len(text), maxRule)
	}
	ctx, cancel := context.WithTimeout(ctx, ruleTime)
	defer cancel()
	f, err := rulefile.Limits{Context: ctx, Edges: ruleEdges}.Parse("the rule file", text)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("the rule file takes more than %v to read, the most that this server gives", ruleTime)
	case err != nil:
		return err
	case len(f.Name) > maxName:
		return fmt.Errorf("the rule's name %.40q… has %d bytes: want at most %d", f.Name, len(f.Name), maxName)
	}
	f.Function.Forget()
	bytes := f.Function.Diagram().Bytes()
	r.mu.Lock()
	defer r.mu.Unlock()
	before, replaces := r.taken[f.Name]
	if !replaces {
		switch known, err := rule.Parse(f.Name); {
		case err == nil && known.File != nil && known.File.Digest() == f.Digest():
			return nil
		case err == nil:
			const other = "the rule file says something else than the rule %q that is known here: give it another name"
			return fmt.Errorf(other, f.Name)
		case len(r.taken) == mostRules:
			return fmt.Errorf("rule %q: %d rule files have been opened here, and no more are taken", f.Name, mostRules)
		}
	}
	all := bytes - before
	for _, of := range r.taken {
		all += of
	}
	if all > rulesBytes {
		const full = "rule %q: the rule files that have been opened here take %d MiB, and no more are taken"
		return fmt.Errorf(full, f.Name, rulesBytes>>20)
	}
	if r.taken == nil {
		r.taken = map[string]uint64{}
	}
	r.taken[f.Name] = bytes
	rulefile.Add(f)
	return nil
}
