package census

import (
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// Counter counts the objects that patterns settle into. It remembers objects, so that the next pattern takes less time. It is for one
// goroutine.
type Counter struct {
	*classifier
	gliders bool // may be struck out
	board   sparse.Board
	codes   []string       // by number
	numbers map[string]int // of codes
	seen    map[sparse.Square]*zone
	apart   []sparse.Universe // for islands by themselves
}

// NewCounter makes a counter for two-state rules of the eight neighbours without B0.
func NewCounter(r rule.Rule, limits Limits) (*Counter, error) {
	if err := limits.Validate(); err != nil {
		return nil, err
	}
	c, err := newClassifier(r, limits.orDefault())
	if err != nil {
		return nil, err
	}
	return &Counter{classifier: c, gliders: sparse.HasGlider(r), numbers: map[string]int{}, seen: map[sparse.Square]*zone{}}, nil
}

// Identify says what a pattern is: all its cells together, as one object. What becomes several objects, or another one, has no code.
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

// Tally is what a pattern has settled into.
type Tally struct {
	Objects map[string]int // by apgcode
	Endless bool           // it had not settled within the limits: what is not known counts as Pathological
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

// number is the number of a code.
func (c *Counter) number(code string) int {
	n, ok := c.numbers[code]
	if !ok {
		n = len(c.codes)
		c.numbers[code] = n
		c.codes = append(c.codes, code)
	}
	return n
}
