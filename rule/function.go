//go:build !page

package rule

import (
	"fmt"
	"io"

	"github.com/gosper-life/gosper/rule/chance"
	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/rule/rulefile"
)

// FromFunc makes a rule of a Go function, which it calls once for all possible arguments. The function gets the
// state of a cell and the states of its neighbours, in the order of Offsets; or if counting is true, the number
// of neighbours in each state. It returns the next state. The table of its results becomes decision diagrams
// and machine code, as with rules from files. Files, checkpoints and ensembles that the rule computes contain
// it.
//
// It is an error if there are more than 2^24 cases, a radius of more than 16, or weights.
func FromFunc(name string, states int, n Neighbourhood, counting bool, next func(cell uint8, near []int) uint8) (Rule,
	error,
) {
	return fromFunc(name, states, n, counting, func(cell uint8, near []int) local.Outcome {
		return local.Outcome{{Below: uint64(chance.Certain), State: next(cell, near)}}
	})
}

// FromOdds is FromFunc for rules with chance. The function returns the probability of each state. They add up to 1;
// if they add up to less, the rest belongs to the last state.
func FromOdds(name string, states int, n Neighbourhood, counting bool,
	odds func(cell uint8, near []int) []float64,
) (Rule, error) {
	return fromFunc(name, states, n, counting, func(cell uint8, near []int) (o local.Outcome) {
		sum, below := 0.0, uint64(0)
		for state, p := range odds(cell, near) {
			sum += p
			to := uint64(chance.Of(min(sum, 1)))
			if state == states-1 {
				to = uint64(chance.Certain)
			}
			if to > below {
				o = append(o, struct {
					Below uint64
					State uint8
				}{to, uint8(state)})
			}
			below = to
		}
		return o
	})
}

// fromFunc tabulates a function of the caller. States from the number of states on stand for random
// outcomes: each different one gets a number.
func fromFunc(name string, states int, n Neighbourhood, counting bool,
	next func(cell uint8, near []int) local.Outcome,
) (Rule, error) {
	w := &local.Wide{States: states, Counting: counting}
	for _, o := range n.Offsets() {
		if o.Weight != 1 {
			return Rule{}, fmt.Errorf("rule %s: neighbours have no weights here", name)
		}
		w.Near = append(w.Near, local.Place{DX: o.DX, DY: o.DY, DZ: o.DZ})
	}
	numbers := map[string]uint8{}
	var failed error
	err := w.Fill(func(cell uint8, near []int) uint8 {
		o := next(cell, near)
		if len(o) == 1 {
			return o[0].State
		}
		key := fmt.Sprint(o)
		number, ok := numbers[key]
		if !ok {
			if states+len(w.Outcomes) > 255 {
				failed = fmt.Errorf("rule %s: more than %d different odds", name, 256-states)
				return 0
			}
			number = uint8(states + len(w.Outcomes))
			numbers[key], w.Outcomes = number, append(w.Outcomes, o)
		}
		return number
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return Rule{}, fmt.Errorf("rule %s: %w", name, err)
	}
	f, err := rulefile.Of(name, n, w)
	if err != nil {
		return Rule{}, fmt.Errorf("rule %s: %w", name, err)
	}
	rulefile.Add(f)
	return ofFile(f), nil
}

// SaveFile writes a rule file of a name, for the rule that it describes: see rulefile.File.Save.
func (r Rule) SaveFile(w io.Writer, name string) error {
	f := rulefile.File{}
	switch {
	case r.Random() && (r.Chance.Suffix() != "" || r.Chance.Function == nil):
		return fmt.Errorf("rule %v is left to chance: no rule file can say so", r)
	case r.File != nil:
		f = *r.File
	}
	if f.Function == nil || !r.Random() && f.Text == "" {
		var err error
		if f.Function, err = r.AsFunction(); err != nil {
			return err
		}
		if f.Description == "" {
			f.Description = "The rule " + r.String()
		}
	}
	f.Name = name
	return f.Save(w)
}
