package rule

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/rule/chance"
	"github.com/gosper-life/gosper/rule/model"
	"github.com/gosper-life/gosper/rule/neighbourhood"
)

// mostAdvancing is how many states a rule may have that names a probability for each state and count.
const mostAdvancing = 16

// stochastic reads what stands behind a ~, at which s stands, and adds it to a rule.
func (s *scanner) stochastic(r Rule) (Rule, error) {
	s.accept('~')
	if r.Chance != nil {
		c := *r.Chance
		r.Chance = &c
	} else {
		without := r
		r = Rule{Family: Stochastic, States: r.States, Neighbourhood: r.Neighbourhood, Without: &without, Chance: &chance.Chance{Update: chance.Certain}}
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
	switch {
	case len(seen) == 1 && seen["seed"] && r.Chance.Advance == nil:
		return Rule{}, s.fail(s.pos, "nothing in this rule is left to chance: a seed needs something like flip=0.001 or async=0.5 beside it")
	case r.Chance.Idle():
		return *r.Without, nil
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
	notation, short, others, err := m.Expand(options)
	if err != nil {
		return Rule{}, s.fail(s.pos, "%v", err)
	}
	r, err := Parse(notation)
	if err != nil {
		return Rule{}, fmt.Errorf("model %s: %w", m.Name, err)
	}
	for i, o := range others {
		if o.Name != "seed" || i > 0 {
			return Rule{}, s.fail(s.pos+o.At, "%q: %s has %s, and seed=N", o.Name, m.Name, cmp.Or(m.Options(), "no parameters"))
		}
		if err := r.Chance.Apply(o, r.States); err != nil {
			return Rule{}, s.fail(s.pos+o.At, "%v", err)
		}
	}
	r.Chance.Model = short
	return r, nil
}

// advancing reads PN/0,0.25,0.5,0.75,1/0.2: a neighbourhood, for each state the probabilities of going on to the next state by the number of neighbours
// in state 1, and after C another state whose neighbours are counted.
func (s *scanner) advancing() (Rule, error) {
	s.accept('P')
	r := Rule{Family: Stochastic, Chance: &chance.Chance{Update: chance.Certain}}
	var err error
	if r.Neighbourhood, err = s.near(); err != nil {
		return Rule{}, err
	}
	_, most := Rule{States: 2, Neighbourhood: r.Neighbourhood}.CountRange()
	counted := 1
	parts := strings.Split(s.rest(), "/")
	if parts[0] != "" {
		return Rule{}, s.fail(s.pos, "want a slash and the probabilities of a state, like /0,0.25,1")
	}
	for i, part := range parts[1:] {
		s.pos++ // the slash
		if c, ok := strings.CutPrefix(strings.ToUpper(part), "C"); ok && i == len(parts)-2 {
			if counted, err = strconv.Atoi(c); err != nil || counted < 0 || counted >= i {
				return Rule{}, s.fail(s.pos, "%q: want C and the state that is counted, 0 to %d", part, i-1)
			}
			s.pos = s.end
			break
		}
		by := make([]chance.Probability, 0, most+1)
		for text := range strings.SplitSeq(part, ",") {
			p, err := chance.ParseProbability(text)
			if err == nil && len(by) > most {
				err = fmt.Errorf("there are 0 to %d neighbours: want no more probabilities than that", most)
			}
			if err != nil {
				return Rule{}, s.fail(min(s.pos, s.end), "%v", err)
			}
			by = append(by, p)
			s.pos += len(text) + 1
		}
		s.pos-- // no comma behind the last one
		for len(by) <= most {
			by = append(by, by[len(by)-1])
		}
		r.Chance.Advance = append(r.Chance.Advance, by)
	}
	r.States = len(r.Chance.Advance)
	if r.States < 2 || r.States > mostAdvancing {
		return Rule{}, s.fail(s.pos, "probabilities of %d states: want 2 to %d", r.States, mostAdvancing)
	}
	if counted != 1 {
		r.StateWeights = make([]int, r.States)
		r.StateWeights[counted] = 1
	}
	return r, nil
}

// near reads the neighbourhood of a rule with probabilities: a letter of HROT with a radius from 1 to 3, which may be missing, or @ and the cells of
// the 3×3 block.
func (s *scanner) near() (Neighbourhood, error) {
	at, letter := s.pos, s.peek()
	s.pos = min(s.pos+1, s.end)
	if letter == '@' {
		return s.customCells(1)
	}
	radius := 1
	if !s.done() && s.peek() != '/' {
		var err error
		if radius, err = s.numberIn("radius", 1, 3); err != nil {
			return Neighbourhood{}, err
		}
	}
	n, err := neighbourhood.New(letter, radius)
	if err == nil && n.Triangles {
		err = fmt.Errorf("probabilities for triangles are not supported: they differ from cell to cell")
	}
	if err == nil && letter == 'G' {
		err = fmt.Errorf("the Gaussian neighbourhood has weights: want another one")
	}
	if err != nil {
		return Neighbourhood{}, s.fail(at, "%v", err)
	}
	return n, nil
}

// stochasticString is the notation of a rule with chance.
func (r Rule) stochasticString() string {
	if c := r.Chance; c.Model != "" {
		if !c.Seeded {
			return c.Model
		}
		separator := "~"
		if strings.Contains(c.Model, "~") {
			separator = ","
		}
		return fmt.Sprintf("%s%sseed=%d", c.Model, separator, c.Seed)
	}
	if r.Without != nil {
		return r.Without.notation() + r.Chance.Suffix()
	}
	var b strings.Builder
	b.WriteByte('P')
	switch n := r.Neighbourhood; {
	case n.Letter == '@':
		b.WriteString(strings.TrimPrefix(n.Notation(), "N"))
	case n.Radius == 1:
		b.WriteByte(n.Letter)
	default:
		fmt.Fprintf(&b, "%c%d", n.Letter, n.Radius)
	}
	for _, by := range r.Chance.Advance {
		b.WriteByte('/')
		for len(by) > 1 && by[len(by)-1] == by[len(by)-2] {
			by = by[:len(by)-1]
		}
		for i, p := range by {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(p.String())
		}
	}
	if counted := slices.Index(r.StateWeights, 1); counted >= 0 {
		fmt.Fprintf(&b, "/C%d", counted)
	}
	return b.String() + r.Chance.Suffix()
}

// WithSeed is the rule with a seed of its random numbers. A rule without chance, and one whose notation names a seed, stays as it is.
func (r Rule) WithSeed(seed uint64) Rule {
	if r.Chance == nil || r.Chance.Seeded {
		return r
	}
	c := *r.Chance
	c.Seed, c.Seeded = seed, true
	r.Chance = &c
	return r
}

func (r Rule) equalChance(q Rule) bool {
	if r.Chance == nil || q.Chance == nil || (r.Without == nil) != (q.Without == nil) || !r.Chance.Equal(q.Chance) {
		return false
	}
	if r.Without != nil {
		return r.Without.Equal(*q.Without)
	}
	return r.Neighbourhood.Equal(q.Neighbourhood) && slices.Equal(r.StateWeights, q.StateWeights)
}
