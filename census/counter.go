package census

import (
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// Counter counts the objects that patterns settle into. It remembers objects, so that later patterns take less time. It is for one goroutine.
type Counter struct {
	*classifier
	gliders bool // whether gliders may be removed
	zones   sparse.ZoneMap
	codes   []string       // by number
	numbers map[string]int // of codes
	seen    map[sparse.Square]*zone
	written map[string]*zone  // by their phase: zones with dying cells, or large, under Generations
	apart   []sparse.Universe // for single islands
}

// NewCounter makes a counter for a rule of the 3×3 block without B0, of two states or Generations. Other rules are errors.
func NewCounter(r rule.Rule, limits Limits) (*Counter, error) {
	if err := limits.Validate(); err != nil {
		return nil, err
	}
	c, err := newClassifier(r, limits.orDefault())
	if err != nil {
		return nil, err
	}
	return &Counter{classifier: c, gliders: c.batch.HasGlider(), numbers: map[string]int{}, seen: map[sparse.Square]*zone{}, written: map[string]*zone{}}, nil
}

// Identify describes a pattern: all its cells together, as one object. A pattern that becomes several objects, or another one, has no code.
func (c *Counter) Identify(cells []Cell) Object {
	cells = sorted(cells)
	if o, ok := c.identify(cells); ok {
		return o
	}
	if o, ok := c.linearGrowth(cells); ok {
		return o
	}
	switch tally := c.Count(cells); {
	case tally.Endless:
		return Object{Code: Pathological}
	case len(tally.Objects) == 0:
		return Object{Code: nothing, Kind: Dead}
	}
	return Object{Kind: Unstable}
}

// Tally is the result of counting one pattern.
type Tally struct {
	Objects map[string]int // by apgcode
	Endless bool           // it did not settle within the limits; unknown parts count as Pathological
}

// Count runs a pattern until it settles, or until a limit is reached, and counts its objects.
func (c *Counter) Count(cells []Cell) Tally {
	s := &soup{cells: cells}
	s.start(c.gliders)
	for !c.advance(s) {
		c.batch.Pass([]*sparse.Universe{&s.Universe}, sparse.PassGenerations)
	}
	t := Tally{Objects: map[string]int{}, Endless: s.endless}
	for _, number := range s.found {
		t.Objects[c.codes[number]]++
	}
	return t
}

// number returns the number of a code.
func (c *Counter) number(code string) int {
	n, ok := c.numbers[code]
	if !ok {
		n = len(c.codes)
		c.numbers[code] = n
		c.codes = append(c.codes, code)
	}
	return n
}
