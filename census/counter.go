package census

import (
	"fmt"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// Counter counts the objects that patterns settle into. It remembers objects, so that later patterns take less
// time. It is for one goroutine.
type Counter struct {
	*classifier
	gliders    bool // whether gliders may be removed
	zones      sparse.ZoneMap
	codes      []string       // by number
	numbers    map[string]int // of codes
	seen       map[sparse.Square]*zone
	shapes     map[string]*zone  // zones that are large, or have dying cells, by their shape
	shapeBytes int               // of these
	apart      []sparse.Universe // for single islands
}

// NewCounter makes a counter for a rule of two states or Generations that counts neighbours up to 6 cells away or has a
// table of the 3×3 block. It may have B0 if it has two states and, without S of all neighbours, counts up to 3 cells
// away. Other rules are errors.
//
// Under a rule with B0, cells are those in another state than the plane around them, at generation 0 or any other even
// one.
func NewCounter(r rule.Rule, limits Limits) (*Counter, error) {
	if err := limits.Validate(); err != nil {
		return nil, err
	}
	c, err := newClassifier(r, limits.OrDefault())
	if err != nil {
		return nil, err
	}
	return &Counter{
		classifier: c, gliders: c.batch.HasGlider(), numbers: map[string]int{},
		zones: sparse.ZoneMap{Radius: c.local.Radius}, seen: map[sparse.Square]*zone{}, shapes: map[string]*zone{},
	}, nil
}

// Identify describes a pattern: all its cells together, as one object. A pattern that becomes several objects,
// or another one, has no code.
func (c *Counter) Identify(cells []Cell) Object {
	c.begin()
	cells = sorted(cells)
	if o, ok := c.identify(cells, c.limits.Period); ok {
		return o
	}
	o, _ := c.outcome(cells)
	return o
}

// IdentifySoon describes a pattern as Identify does if all its cells together come back or die within some generations.
// ok is false if they do not.
func (c *Counter) IdentifySoon(cells []Cell, generations int) (o Object, ok bool) {
	return c.identify(sorted(cells), generations)
}

// IdentifyAndCount describes a pattern as Identify does and counts what it becomes as Count does, but runs it only
// once for both. A pattern that grows in a known way from its start is one endless object.
func (c *Counter) IdentifyAndCount(cells []Cell) (Object, Tally) {
	cells = sorted(cells)
	c.begin()
	o, ok := c.identify(cells, c.limits.Period)
	if !ok {
		return c.outcome(cells)
	}
	t := c.count(cells)
	t.Endless, t.Limit, t.Generation = false, "", 0 // it comes back, even if its parts were not told apart
	return o, t
}

// outcome describes and counts what becomes of cells, in order, that do not come back: they grow in a known
// way, at once or in the end, or become other objects.
func (c *Counter) outcome(cells []Cell) (Object, Tally) {
	course := c.courseOf(cells)
	if o, ok := c.quadraticSoon(course); ok {
		return o, Tally{Objects: map[string]int{Pathological: 1}, Endless: true}
	}
	c.follow(course, growthGenerations)
	if o, ok := course.atOnce(); ok {
		return o, Tally{Objects: map[string]int{o.Code: 1}, Endless: true, Output: c.output(course, o)}
	}
	t := c.count(cells)
	if t.Endless && t.Limit != "work" {
		c.mostWork = 0 // the count ended without it
		c.follow(course, c.limits.Generations)
		o, ok := course.inTheEnd()
		if !ok && c.limits.Work > 0 && t.Limit == "generations" {
			c.begin()
			c.follow(course, longGrowth)
			o, ok = course.inTheEnd()
		}
		if ok {
			t.Output = c.output(course, o)
			return o, t
		}
	}
	return t.object(), t
}

// Tally is the result of counting one pattern.
type Tally struct {
	Objects map[string]int // by apgcode
	Endless bool           // it did not settle within the limits; unknown parts count as Pathological
	// Limit is the one that ended it if it is endless: generations, population, box, period or work.
	Limit      string
	Generation int    // at which it was ended, if it is endless
	Output     Output // what it makes, from IdentifyAndCount if it grows linearly

	least, most int // bounds of the lifespan, if it settles
}

// object is the pattern that has become this, and does not come back or grow in a known way.
func (t Tally) object() Object {
	switch {
	case t.Objects[Pathological] > 0:
		return Object{Code: Pathological}
	case len(t.Objects) == 0:
		return Object{Code: nothing, Kind: Dead}
	}
	return Object{Kind: Unstable}
}

// CheckGeneration returns an error for a generation at which the rule has made the plane live, although it is dead at
// others. Cells of such a generation cannot be counted or identified.
func (c *Counter) CheckGeneration(generation uint64) error {
	if generation%uint64(c.turns) == 0 {
		return nil
	}
	return fmt.Errorf("generation %d: with B0 the plane is live at odd generations; a census takes cells of even ones",
		generation)
}

// begin prepares for another pattern, which has taken no work yet.
func (c *Counter) begin() {
	c.work, c.mostWork = 0, c.limits.Work
	c.followed.Store(0)
}

// settle runs cells, which may have taken some work before, until they settle, or until a limit is reached.
func (c *Counter) settle(cells []Cell) *soup {
	s := &soup{cells: cells}
	s.start(c.gliders, c.every)
	for !c.advance(s) {
		c.batch.Pass([]*sparse.Universe{&s.Universe}, c.batch.Generations())
		if n := len(s.populations); n > 0 {
			c.reached(s.Generation(), s.populations[n-1])
		}
		if c.worked(&s.Universe) {
			s.endless, s.limit = true, "work"
			c.pathological(s)
			break
		}
	}
	return s
}

// Lifespan is the first generation from which every cell of a pattern belongs to a still life, an oscillator or
// something that flies away forever. The pattern settles, as its tally says.
func (c *Counter) Lifespan(cells []Cell, t Tally) int {
	c.begin()
	one := []lived{{least: t.least, most: t.most}}
	c.lifespans(one, func(uint64) []Cell { return cells })
	return one[0].least
}

// Count runs a pattern until it settles, or until a limit is reached, and counts its objects.
func (c *Counter) Count(cells []Cell) Tally {
	c.begin()
	return c.count(cells)
}

// count is Count for a pattern that has taken some work before.
func (c *Counter) count(cells []Cell) Tally {
	s := c.settle(cells)
	t := Tally{Objects: c.tally(s), Endless: s.endless, least: s.least, most: s.most}
	if s.endless {
		t.Limit, t.Generation = s.limit, s.Generation()
	}
	return t
}

// tally counts the objects that were found in a soup, by apgcode.
func (c *Counter) tally(s *soup) map[string]int {
	objects := map[string]int{}
	for _, number := range s.found {
		objects[c.codes[number]]++
	}
	return objects
}

// Reached returns how far the pattern that is being counted or identified has been followed, and about how many cells
// it has there. Other goroutines may call it.
func (c *Counter) Reached() (generation, population int) {
	return int(c.followed.Load()), int(c.lived.Load())
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
