package rule

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gosper-life/gosper/rule/chance"
	"github.com/gosper-life/gosper/rule/model"
)

// stochastic reads the options after a ~ and adds them to a rule. The scanner must be at the ~.
func (s *scanner) stochastic(r Rule) (Rule, error) {
	s.accept('~')
	if r.Random() {
		c := *r.Chance
		r.Chance = &c
	} else {
		without := r
		r = Rule{
			Family: Stochastic, States: r.States, Neighbourhood: r.Neighbourhood, Without: &without,
			Chance: &chance.Chance{Update: chance.Certain},
		}
	}
	seen := map[string]bool{}
	for _, o := range chance.Options(s.rest()) {
		err := r.Chance.Apply(o, r.States)
		if seen[o.Name] {
			err = fmt.Errorf("%s is given twice", o.Name)
		}
		if err != nil {
			return Rule{}, s.fail(s.pos+o.At, "%v", err)
		}
		seen[o.Name] = true
	}
	base, added := r.Base()
	switch {
	case len(seen) == 1 && seen["seed"] && added:
		return Rule{}, s.fail(
			s.pos, "nothing in this rule is left to chance: a seed needs something like flip=0.001 or async=0.5 beside it")
	case r.Chance.Idle():
		return base, nil
	}
	return r, nil
}

// ofModel is the rule of a model with the options in input[tilde:end].
func ofModel(m model.Model, input string, tilde, end int) (Rule, error) {
	s := &scanner{input: input, pos: min(tilde+1, end), end: end}
	var options []chance.Option
	if tilde < end {
		options = chance.Options(s.rest())
	}
	notation, file, short, others, err := m.Expand(options)
	if err != nil {
		return Rule{}, s.fail(s.pos, "%v", err)
	}
	var r Rule
	if file != nil {
		r = shared(file)
	} else if r, err = Parse(notation); err != nil {
		return Rule{}, fmt.Errorf("model %s: %w", m.Name, err)
	}
	switch {
	case !r.Random() && len(others) == 0: // with these parameters nothing is left to chance
		return r, nil
	case !r.Random():
		return Rule{}, s.fail(s.pos+others[0].At, "%q: nothing in %s is left to chance", others[0].Name, short)
	}
	c := *r.Chance
	c.Burns = m.Burns
	r.Chance = &c
	for i, o := range others {
		err := r.Chance.Apply(o, r.States)
		switch {
		case o.Name != "seed" && o.Name != "dead" && o.Name != "frozen":
			err = fmt.Errorf("%q: %s has %s; dead=P, frozen=P and seed=N go with any rule", o.Name, m.Name,
				cmp.Or(m.Options(), "no parameters"))
		case o.Name == "frozen" && m.Burns:
			err = fmt.Errorf("frozen: a frozen tree that caught fire would burn forever")
		case slices.ContainsFunc(others[:i], func(p chance.Option) bool { return p.Name == o.Name }):
			err = fmt.Errorf("%s is given twice", o.Name)
		}
		if err != nil {
			return Rule{}, s.fail(s.pos+o.At, "%v", err)
		}
	}
	r.Chance.Model = short
	return r, nil
}

// probabilities reads PN/0,0.25,0.5,0.75,1/0.2 or Q3N/0.6,0.37,0.2,0.1, or one with 3D before it.
func (s *scanner) probabilities() (Rule, error) {
	near, c, states, counted, at, err := chance.Parse(s.rest())
	if err != nil {
		return Rule{}, s.fail(s.pos+at, "%v", err)
	}
	r := Rule{Family: Stochastic, States: states, Neighbourhood: near, Chance: c}
	if counted != 1 {
		r.StateWeights = make([]int, r.States)
		r.StateWeights[counted] = 1
	}
	return r, nil
}

// stochasticString is the notation of a rule with chance.
func (r Rule) stochasticString() string {
	base, added := r.Base()
	switch {
	case r.Chance.Model != "":
		return r.Chance.OfModel()
	case added:
		return base.notation() + r.Chance.Suffix()
	case r.File != nil:
		return r.File.Name + r.Chance.Suffix()
	}
	counted := 1
	if r.StateWeights != nil {
		counted = slices.Index(r.StateWeights, 1)
	}
	return r.Chance.Notation(r.Neighbourhood, r.States, counted) + r.Chance.Suffix()
}

// WithSeed is the rule with a seed of its random numbers. A rule without chance, and one whose notation names a
// seed, stays as it is.
func (r Rule) WithSeed(seed uint64) Rule {
	if !r.Random() || r.Chance.Seeded {
		return r
	}
	c := *r.Chance
	c.Seed, c.Seeded = seed, true
	r.Chance = &c
	return r
}

// equalChance compares two rules with chance.
func (r Rule) equalChance(q Rule) bool {
	base, added := r.Base()
	other, toOther := q.Base()
	if added != toOther || !r.Chance.Equal(q.Chance) {
		return false
	}
	if added {
		return base.Equal(other)
	}
	return r.Neighbourhood.Equal(q.Neighbourhood) && slices.Equal(r.StateWeights, q.StateWeights)
}

// Burns reports whether fires burn at once under the rule: see chance.Chance. Then nothing limits how far away
// a cell has an effect in one generation.
func (r Rule) Burns() bool { return r.Random() && r.Chance.Burns }
